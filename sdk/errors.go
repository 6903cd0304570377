package sdk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/wire/ctrl"
	"github.com/weftnet/weft/wire/edge"
)

// Kinds of refusal, to compare with by errors.Is.
var (
	// ErrLogin means that the credentials were refused.
	ErrLogin = errors.New("sdk: login refused")
	// ErrServiceNotFound means that the service does not exist or is hidden from this identity.
	ErrServiceNotFound = errors.New("sdk: service not found")
	// ErrAccessDenied means that the identity may see but not use the service that way.
	ErrAccessDenied = errors.New("sdk: access denied")
	// ErrNoRouter means that no edge router is available for identity and service.
	ErrNoRouter = errors.New("sdk: no edge router available")
	// ErrNoTerminator means that nobody hosts the service at the moment.
	ErrNoTerminator = errors.New("sdk: nobody hosts the service")
	// ErrNoPath means that the service is hosted, but where the router cannot get to.
	ErrNoPath = errors.New("sdk: no path to the hosts of the service")
	// ErrUnreachable means that the host or the server behind the service did not answer its router.
	ErrUnreachable = errors.New("sdk: the service does not answer")
	// ErrRejected means that the host was reached and said no.
	ErrRejected = errors.New("sdk: rejected by the host")
	// ErrEncryption means that the peer does not encrypt although the service requires it, or does it wrongly.
	ErrEncryption = errors.New("sdk: end-to-end encryption failed")
	// ErrEnrollment means that the enrolment token cannot be used.
	ErrEnrollment = errors.New("sdk: enrolment refused")
	// ErrClosed is returned after Close; it is net.ErrClosed.
	ErrClosed = net.ErrClosed
)

// Error is a refusal by a controller, a router or a host.
type Error struct {
	Op        string // what was tried, for example "dial database"
	Code      string // stable, from the controller's catalogue or the name of the edge error code
	Message   string // text of the code
	Cause     string // the rule or value at fault, may be empty
	Remedy    string // what can be done, may be empty
	Status    int    // HTTP status, 0 if it did not come from the API
	RequestID string // of the API, to find it in the controller's log

	kind         error // one of the Err variables, may be nil
	hint         edge.RetryHint
	sessionEnded bool // the API does not know the session any more
}

// Error gives everything but the remedy on one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("sdk: ")
	for _, s := range []string{e.Op, e.Code, e.Message} {
		if s != "" {
			b.WriteString(s + ": ")
		}
	}
	if e.Cause != "" {
		b.WriteString(e.Cause)
	}
	return strings.TrimSuffix(b.String(), ": ")
}

// Unwrap returns the kind of the refusal.
func (e *Error) Unwrap() error { return e.kind }

// Help returns the remedy that the chain of err holds, empty if there is none.
func Help(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Remedy
	}
	return ""
}

// withOp names what was tried.
func withOp(op string, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := err.(*Error); ok { // itself, not wrapped: nothing else would get lost
		if e.Op != "" {
			return err
		}
		c := *e
		c.Op = op
		return &c
	}
	if errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("sdk: %s: %w: %w", op, os.ErrDeadlineExceeded, err)
	}
	return fmt.Errorf("sdk: %s: %w", op, err)
}

// remedyOf looks in the catalogue for what the client API answers.
func remedyOf(code string) string {
	for _, k := range []*fault.Kind{
		fault.Unhandled, fault.NotFound, fault.CouldNotValidate, fault.Unauthorized, fault.TooManyRequests, fault.Timeout,
		fault.InvalidAuth, fault.NoEdgeRoutersAvailable, fault.InvalidEnrollmentToken, fault.EnrollmentExpired,
		fault.InvalidEnrollMethod, fault.CouldNotProcessCSR,
	} {
		if k.Code == code {
			return k.Remedy
		}
	}
	return ""
}

// kindOf sorts a refusal of the API.
func kindOf(code string) error {
	switch code {
	case fault.InvalidAuth.Code:
		return ErrLogin
	case fault.NoEdgeRoutersAvailable.Code:
		return ErrNoRouter
	case fault.InvalidEnrollmentToken.Code, fault.EnrollmentExpired.Code, fault.InvalidEnrollMethod.Code, fault.CouldNotProcessCSR.Code:
		return ErrEnrollment
	}
	return nil
}

// fromClosed makes the error of a StateClosed that refuses a dial or bind.
func fromClosed(m *edge.StateClosed) *Error {
	e := &Error{Code: "REFUSED", Message: m.Reason}
	if s := m.Error; s != nil {
		e.Code, e.Message, e.hint = edgeCode(s.Code), s.Message, s.RetryHint
		if m.Reason != s.Message {
			e.Cause = m.Reason
		}
		if s.Reason != "" {
			e.Code, e.kind = s.Reason, kindOfDial(s.Reason)
		}
		if s.Remedy != "" { // for clients that read nothing else it ends the message
			e.Remedy = s.Remedy
			e.Message = strings.TrimSuffix(e.Message, "; "+s.Remedy)
		}
		switch s.Code {
		case edge.CodeAccessDenied:
			e.kind = ErrAccessDenied
		case edge.CodeInvalidService:
			e.kind = ErrServiceNotFound
		case edge.CodeInvalidEdgeRouterForSession:
			e.kind = ErrNoRouter
		case edge.CodeEncryptionDataMissing:
			e.kind = ErrEncryption
		case edge.CodePostureCheckFailed:
			e.kind = ErrAccessDenied
			e.Cause = strings.TrimSpace(e.Cause + " failing posture checks: " + strings.Join(s.FailingChecks, ", "))
		}
	}
	e.classify()
	return e
}

// kindOfDial sorts a dial that failed at a terminator.
func kindOfDial(reason string) error {
	switch reason {
	case "NO_TERMINATORS", "NO_ONLINE_TERMINATORS", ctrl.CodeTerminatorGone:
		return ErrNoTerminator
	case ctrl.CodeNoPath:
		return ErrNoPath
	case ctrl.CodeRejected:
		return ErrRejected
	case ctrl.CodeConnectionRefused, ctrl.CodeDialTimedOut, ctrl.CodeNameNotResolved, ctrl.CodePortNotAllowed,
		ctrl.CodeResourcesNotAvailable, ctrl.CodeMisconfigured, ctrl.CodeHostTimedOut, ctrl.CodeDialFailed:
		return ErrUnreachable
	}
	return nil
}

// classify recognises refusals of routers that give a text only, and adds a
// remedy where the router gave none.
func (e *Error) classify() {
	text := e.Message + " " + e.Cause
	has := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(text, p) {
				return true
			}
		}
		return false
	}
	switch {
	case e.kind != nil:
	case has("that this router can reach"):
		e.kind = ErrNoPath
	case has("has no terminators", "has no online terminators", "has no healthy terminators"):
		e.kind = ErrNoTerminator
	case has("failed to establish connection with terminator", "rejected by application"):
		e.kind = ErrRejected
	}
	told := e.Remedy
	defer func() {
		if told != "" {
			e.Remedy = told // the router's is about this very dial
		}
	}()
	switch e.kind {
	case ErrNoTerminator:
		if e.Code == "REFUSED" || e.Code == edgeCode(edge.CodeInternal) {
			e.Code = "NO_TERMINATORS"
		}
		e.Remedy = "start a host of the service, or wait until it is connected"
	case ErrNoPath:
		if e.Code == "REFUSED" || e.Code == edgeCode(edge.CodeInternal) {
			e.Code = ctrl.CodeNoPath
		}
		e.Remedy = ctrl.RemedyNoPath
	case ErrUnreachable:
		if e.Code == "REFUSED" || e.Code == edgeCode(edge.CodeInternal) {
			e.Code = ctrl.CodeDialFailed
		}
		e.Remedy = "see the log of the router that dialed"
	case ErrRejected:
		if e.Code == "REFUSED" || e.Code == edgeCode(edge.CodeInternal) {
			e.Code = "REJECTED"
		}
		e.Remedy = "see the log of the host"
	case ErrAccessDenied:
		e.Remedy = "ask an administrator for a service policy that grants this, and check posture requirements"
	case ErrServiceNotFound:
		e.Remedy = "check the name of the service, and ask an administrator for a service policy"
	case ErrEncryption:
		e.Remedy = "restart the host of the service so that it offers its key"
	}
}

func edgeCode(c edge.ErrorCode) string {
	var b strings.Builder
	for i, r := range c.String() {
		if i > 0 && r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	return strings.ToUpper(strings.ReplaceAll(b.String(), " ", "_"))
}

// interrupted is the error of a connection that the network ended before the
// peer had. It matches io.ErrUnexpectedEOF.
func interrupted(reason string) *Error {
	return &Error{Code: "CIRCUIT_ENDED", Message: "the network ended the connection", Cause: reason, kind: io.ErrUnexpectedEOF,
		Remedy: "dial again; a router or the peer may have gone away, or access was taken away"}
}

// endedBy is interrupted for a reason that the router gives.
func endedBy(m *edge.StateClosed) *Error {
	e := fromClosed(m)
	if e.kind == nil {
		e.kind = io.ErrUnexpectedEOF
	}
	if e.Code == edgeCode(edge.CodeInternal) {
		e.Code = "CIRCUIT_ENDED"
	}
	if e.Remedy == "" {
		e.Remedy = "dial again"
	}
	return e
}

// codeRouterLost is the code of everything that ran over a router that went away.
const codeRouterLost = "ROUTER_LOST"

// startOver reports whether a new session may help.
func (e *Error) startOver() bool {
	return e.hint == edge.RetryStartOver || e.Code == edgeCode(edge.CodeInvalidSession) || e.Code == edgeCode(edge.CodeInvalidAPISession) ||
		strings.HasPrefix(strings.ToLower(e.Message), "invalid session") || strings.HasPrefix(strings.ToLower(e.Message), "invalid api session")
}
