package http

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/id"
)

// errorMeta is the meta member of every error envelope.
const errorMeta = `,"meta":{"apiEnrollmentVersion":"0.0.1","apiVersion":"0.0.1"}}` + "\n"

// fail answers with the envelope of a refusal. What nobody foresaw is logged
// with the request id that the caller gets.
func (c *call) fail(err error) {
	if errors.Is(err, context.DeadlineExceeded) {
		err = fault.Timeout.New(nil)
	}
	f := fault.From(err)
	requestID := id.Short()
	if f.Kind.Status >= 500 && f.Kind.Status != http.StatusServiceUnavailable {
		c.s.log.Error("request failed", "requestId", requestID, "method", c.r.Method, "path", c.r.URL.Path, "error", err.Error())
	}
	if f.WWWAuthenticate != "" {
		c.w.Header().Set("WWW-Authenticate", f.WWWAuthenticate)
	}
	b := append(c.out[:0], `{"error":`...)
	b = appendFault(b, f, requestID)
	c.out = append(b, errorMeta...)
	c.send(f.Kind.Status)
}

// appendFault writes the error object. A field error inside INVALID_FIELD is
// reported as COULD_NOT_VALIDATE.
func appendFault(b []byte, f *fault.Error, requestID string) []byte {
	kind := f.Kind
	var field *fault.FieldError
	if kind.Code == "INVALID_FIELD" && errors.As(f.Cause, &field) {
		kind = fault.CouldNotValidate
	}
	b = append(b, `{"code":`...)
	b = api.AppendString(b, kind.Code)
	b = append(b, `,"message":`...)
	b = api.AppendString(b, kind.Message)
	if requestID != "" {
		b = append(b, `,"requestId":`...)
		b = api.AppendString(b, requestID)
	}
	if help := f.Help(); help != "" {
		b = append(b, `,"remedy":`...)
		b = api.AppendString(b, help)
	}
	if f.Cause != nil || len(f.Data) > 0 {
		b = append(b, `,"cause":`...)
		b = appendCause(b, f)
	}
	return append(b, '}')
}

func appendCause(b []byte, f *fault.Error) []byte {
	switch cause := f.Cause.(type) {
	case *fault.FieldError:
		b = append(b, `{"field":`...)
		b = api.AppendString(b, cause.Field)
		b = append(b, `,"reason":`...)
		b = api.AppendString(b, cause.Reason)
		b = append(b, `,"value":`...)
		b = api.AppendString(b, fmt.Sprint(cause.Value))
	case *fault.Error:
		return appendFault(b, cause, "")
	default:
		b = append(b, '{')
		if cause != nil && len(f.Data) == 0 {
			b = append(b, `"code":"UNHANDLED",`...)
		}
		text := f.Kind.Message
		if cause != nil {
			text = cause.Error()
		}
		b = append(b, `"message":`...)
		b = api.AppendString(b, text)
	}
	if len(f.Data) > 0 {
		b = append(b, `,"data":`...)
		b = api.AppendAny(b, f.Data)
	}
	return append(b, '}')
}
