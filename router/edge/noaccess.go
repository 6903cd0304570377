package edge

import (
	"errors"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/wire/edge"
)

// lostBind tells a host that it may not serve any more. Clients know the words.
func lostBind(err error) *edge.StructuredError {
	e := noAccess(err)
	e.Message = "bind access lost"
	return e
}

// noAccess refuses what policies do not grant, with their own code, words and
// remedy if the error has them.
func noAccess(err error) *edge.StructuredError {
	e := &edge.StructuredError{Message: err.Error(), Code: edge.CodeAccessDenied, RetryHint: edge.RetryStartOver}
	var f *fault.Error
	if !errors.As(err, &f) {
		return e
	}
	if code, ok := f.Data["policyCode"].(string); ok {
		e.Reason = code
	}
	if f.Cause != nil {
		e.Message = f.Cause.Error()
	}
	e.Remedy = f.Help()
	return e
}
