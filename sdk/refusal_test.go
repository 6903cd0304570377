package sdk

import (
	"errors"
	"testing"

	"github.com/weftnet/weft/wire/ctrl"
	"github.com/weftnet/weft/wire/edge"
)

func TestRefusalsOfDials(t *testing.T) {
	const remedy = "do something about it"
	reason := func(code, text string) *edge.StateClosed {
		return &edge.StateClosed{Reason: text + "; " + remedy, Error: &edge.StructuredError{
			Message: text + "; " + remedy, Code: edge.CodeInternal, Reason: code, Remedy: remedy,
		}}
	}
	failed := "failed to establish connection with terminator address t. error: (x)"
	for _, tt := range []struct {
		name         string
		m            *edge.StateClosed
		kind         error
		code, remedy string
	}{
		{"server refuses", reason(ctrl.CodeConnectionRefused, failed), ErrUnreachable, "CONNECTION_REFUSED", remedy},
		{"server silent", reason(ctrl.CodeDialTimedOut, failed), ErrUnreachable, "DIAL_TIMED_OUT", remedy},
		{"no name", reason(ctrl.CodeNameNotResolved, failed), ErrUnreachable, "DNS_RESOLUTION_FAILED", remedy},
		{"port", reason(ctrl.CodePortNotAllowed, failed), ErrUnreachable, "PORT_NOT_ALLOWED", remedy},
		{"host silent", reason(ctrl.CodeHostTimedOut, failed), ErrUnreachable, "HOST_TIMED_OUT", remedy},
		{"host says no", reason(ctrl.CodeRejected, failed), ErrRejected, "REJECTED", remedy},
		{"no path", reason(ctrl.CodeNoPath, "service s has no terminators that this router can reach"), ErrNoPath, "NO_PATH", remedy},
		{"nobody hosts", reason("NO_TERMINATORS", "service s has no terminators"), ErrNoTerminator, "NO_TERMINATORS", remedy},
		{"hosts are offline", reason("NO_ONLINE_TERMINATORS", "service s has no online terminators"), ErrNoTerminator, "NO_ONLINE_TERMINATORS", remedy},
		{"no controller", reason("NO_CONTROLLER", "no controller available, cannot create circuit"), nil, "NO_CONTROLLER", remedy},
		{"too many", reason("TOO_MANY_CIRCUITS", "as many as one may have"), nil, "TOO_MANY_CIRCUITS", remedy},
		{"text only", &edge.StateClosed{Reason: "service s has no terminators"}, ErrNoTerminator, "NO_TERMINATORS", "start a host of the service, or wait until it is connected"},
		{"text only, no path", &edge.StateClosed{Reason: "service s has no terminators that this router can reach"}, ErrNoPath, "NO_PATH", ctrl.RemedyNoPath},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := fromClosed(tt.m)
			if tt.kind != nil && !errors.Is(e, tt.kind) || e.Code != tt.code || e.Remedy != tt.remedy {
				t.Errorf("%v, kind %v, remedy %q", e, e.kind, e.Remedy)
			}
			if s := tt.m.Error; s != nil && (e.Message+"; "+remedy != s.Message || e.Cause != "") {
				t.Errorf("the remedy is said twice: %q, cause %q", e.Message, e.Cause)
			}
		})
	}
}
