package edge

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/weftnet/weft/wire/message"
)

// ErrorCode says why a router refused; header 1014 and the structured error carry it.
type ErrorCode uint32

// Error codes. A comment is what happened and, behind the colon, what to do;
// docs/errors.md is made from it.
const (
	CodeOK                          ErrorCode = 0  // no refusal
	CodeInternal                    ErrorCode = 1  // any failure without a code of its own; the message says which: see the message and the log of the router
	CodeInvalidAPISession           ErrorCode = 2  // the login session has ended or is unknown: log in again
	CodeInvalidSession              ErrorCode = 3  // the service session is unknown, forged or of another login: ask for a new service session
	CodeWrongSessionType            ErrorCode = 4  // a Bind session used to dial, or the reverse: ask for a service session of the right type
	CodeInvalidEdgeRouterForSession ErrorCode = 5  // policies do not let this router serve the identity or the service: connect to a router of the service session, or extend the router policies
	CodeInvalidService              ErrorCode = 6  // the service does not exist or was deleted: list the services of the identity
	CodeTunnelingNotEnabled         ErrorCode = 7  // the router may not act as a tunneler: enable tunneling for the router
	CodeInvalidTerminator           ErrorCode = 8  // the terminator is unknown, or of another listener: listen again
	CodeInvalidPrecedence           ErrorCode = 9  // a precedence other than default, required and failed: send one of the three
	CodeInvalidCost                 ErrorCode = 10 // a cost outside 0 to 65535: send a cost in that range
	CodeEncryptionDataMissing       ErrorCode = 11 // the service requires end-to-end encryption and one end gave no key: let both ends offer a key, restart an old host
	CodeInvalidAPISessionType       ErrorCode = 12 // the operation needs a login of another type: log in by the method that it needs
	CodeInvalidInstanceID           ErrorCode = 13 // the listener id or instance belongs to somebody else: choose another one
	CodeAccessDenied                ErrorCode = 14 // no service policy grants this any more: ask weft why, add a policy
	CodePostureCheckFailed          ErrorCode = 15 // a posture check of the policy fails: satisfy the checks that the error names
)

var codeNames = [...]string{"OK", "Internal", "InvalidApiSession", "InvalidSession", "WrongSessionType",
	"InvalidEdgeRouterForSession", "InvalidService", "TunnelingNotEnabled", "InvalidTerminator", "InvalidPrecedence",
	"InvalidCost", "EncryptionDataMissing", "InvalidApiSessionType", "InvalidInstanceId", "AccessDenied", "PostureCheckFailed"}

// String names the code.
func (c ErrorCode) String() string {
	if int(c) < len(codeNames) {
		return codeNames[c]
	}
	return fmt.Sprintf("error code %d", uint32(c))
}

// RetryHint tells a client what to do after a refusal.
type RetryHint int

// Retry hints.
const (
	RetryDefault      RetryHint = 0 // try again here or at another router
	RetryTooBusy      RetryHint = 1 // the same, later
	RetryStartOver    RetryHint = 2 // get a new session first
	RetryNotRetriable RetryHint = 3 // trying again will not help
)

// StructuredError is the JSON of header 1033. Clients of the field cannot read
// one whose "cause" is anything but null, so there is no field for it.
type StructuredError struct {
	Message       string    `json:"message"`
	Code          ErrorCode `json:"code"`
	Cause         any       `json:"cause"` // null on the wire; ignored when parsed
	RetryHint     RetryHint `json:"retryHint"`
	FailingChecks []string  `json:"failingPostureCheckIds,omitempty"` // with CodePostureCheckFailed
	Reason        string    `json:"reason,omitempty"`                 // code by name where the number says too little; clients of the field ignore it
	Remedy        string    `json:"remedy,omitempty"`                 // what can be done; the message of a refusal ends with it for clients that do not know the field
}

// Error is the message and the name of the code.
func (e *StructuredError) Error() string { return e.Message + " (" + e.Code.String() + ")" }

// put writes headers 1014 and 1033.
func (e *StructuredError) put(h *message.Headers) {
	if e == nil {
		return
	}
	c := *e
	c.Cause = nil
	text, err := json.Marshal(&c)
	if err != nil {
		return // a struct of texts and numbers always marshals
	}
	h.PutUint32(HeaderErrorCode, uint32(e.Code))
	h.PutBytes(HeaderStructuredError, text)
}

// ParseStructuredError returns the refusal that a StateClosed, a failed token
// update or a failed hello carries: header 1033, or header 1014 with the body as
// message, or nil if the message has neither.
func ParseStructuredError(m *message.Message) *StructuredError {
	code, hasCode := m.Headers.Uint32(HeaderErrorCode)
	if text, ok := m.Headers.Get(HeaderStructuredError); ok {
		var e StructuredError
		if json.Unmarshal(text, &e) == nil {
			e.Cause = nil
			return &e
		}
	}
	if !hasCode {
		return nil
	}
	return &StructuredError{Message: string(m.Body), Code: ErrorCode(code)}
}

// CodeOf returns the code of the StructuredError in the chain of err, CodeInternal if there is none.
func CodeOf(err error) ErrorCode {
	var e *StructuredError
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeInternal
}
