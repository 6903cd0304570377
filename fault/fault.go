// Package fault is the catalogue of refusals. A refusal has a stable code, an
// HTTP status, a message, a cause and, where one exists, a remedy; it is made
// at the place that knows the reason and travels unchanged to the person who
// waits: in REST envelopes, on the edge protocol and in CLI output.
package fault

import (
	"errors"
	"fmt"
)

// Kind is one entry of the catalogue. It is an error itself, so that
// errors.Is(err, fault.NotFound) works on every refusal of that kind.
type Kind struct {
	Code    string // stable, upper case
	Status  int    // HTTP status
	Message string // fixed text of the code
	Remedy  string // what the caller can do, may be empty
}

// Error returns the fixed text of the kind.
func (k *Kind) Error() string { return k.Message }

// New returns a refusal of this kind with a cause, which may be nil.
func (k *Kind) New(cause error) *Error { return &Error{Kind: k, Cause: cause} }

// Errorf returns a refusal of this kind whose cause is the formatted text.
func (k *Kind) Errorf(format string, args ...any) *Error {
	return &Error{Kind: k, Cause: fmt.Errorf(format, args...)}
}

// Field returns a refusal of this kind that names the field at fault.
func (k *Kind) Field(name, reason string, value any) *Error {
	return &Error{Kind: k, Cause: &FieldError{Field: name, Reason: reason, Value: value}}
}

// Error is one refusal.
type Error struct {
	Kind            *Kind
	Cause           error          // may be nil, a *FieldError or another *Error
	Remedy          string         // overrides the kind's remedy
	Data            map[string]any // extra data of the cause
	WWWAuthenticate string         // header of a 401, may be empty
}

// Error returns the code, the message and the cause.
func (e *Error) Error() string {
	if e.Cause == nil {
		return e.Kind.Code + ": " + e.Kind.Message
	}
	return e.Kind.Code + ": " + e.Kind.Message + ": " + e.Cause.Error()
}

// Unwrap lets errors.Is and errors.As reach the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Cause}
}

// Help returns the remedy: the refusal's own or that of its kind.
func (e *Error) Help() string {
	if e.Remedy != "" {
		return e.Remedy
	}
	return e.Kind.Remedy
}

// WithRemedy returns a copy of e with a remedy for this case.
func (e *Error) WithRemedy(format string, args ...any) *Error {
	c := *e
	c.Remedy = fmt.Sprintf(format, args...)
	return &c
}

// FieldError names the field of a request that is at fault.
type FieldError struct {
	Field  string
	Reason string
	Value  any // nil where the value is secret
}

// Error names the field and the reason.
func (e *FieldError) Error() string { return e.Field + ": " + e.Reason }

// From returns the refusal in the chain of err; an error that is none becomes
// Unhandled with err as its cause. It returns nil for nil.
func From(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	var k *Kind
	if errors.As(err, &k) {
		return k.New(nil)
	}
	return Unhandled.New(err)
}
