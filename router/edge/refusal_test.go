package edge

import (
	"testing"

	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/wire/ctrl"
	"github.com/weftnet/weft/wire/edge"
)

func TestRefusalsOfControllers(t *testing.T) {
	for _, tt := range []struct {
		code string
		want edge.ErrorCode
		hint edge.RetryHint
	}{
		{string(policy.NoDialPolicy), edge.CodeAccessDenied, edge.RetryStartOver},
		{string(policy.NoBindPolicy), edge.CodeAccessDenied, edge.RetryStartOver},
		{string(policy.ServiceUnknown), edge.CodeInvalidService, edge.RetryNotRetriable},
		{string(policy.IdentityUnknown), edge.CodeInvalidAPISession, edge.RetryStartOver},
		{string(policy.IdentityDisabled), edge.CodeInvalidAPISession, edge.RetryStartOver},
		{"SESSION_ENDED", edge.CodeInvalidAPISession, edge.RetryStartOver},
		{string(policy.NoCommonRouter), edge.CodeInvalidEdgeRouterForSession, edge.RetryStartOver},
		{string(policy.ServiceNotRouted), edge.CodeInvalidEdgeRouterForSession, edge.RetryStartOver},
		{"INVALID_TERMINATOR", edge.CodeInvalidTerminator, edge.RetryNotRetriable},
		{"NO_TERMINATORS", edge.CodeInternal, edge.RetryDefault},
		{"SOMETHING_NEW", edge.CodeInternal, edge.RetryDefault},
	} {
		t.Run(tt.code, func(t *testing.T) {
			e := refusalOf(&ctrl.Refusal{Code: tt.code, Remedy: "do this"})
			if e.Code != tt.want || e.RetryHint != tt.hint {
				t.Errorf("got %v with hint %v, want %v with %v", e.Code, e.RetryHint, tt.want, tt.hint)
			}
			if e.Message != "refused by the controller: "+tt.code || e.Remedy != "do this" || e.Reason != tt.code {
				t.Errorf("text %q, reason %q, remedy %q", e.Message, e.Reason, e.Remedy)
			}
		})
	}
}
