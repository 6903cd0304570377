package edge

import (
	"errors"
	"testing"

	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/wire/edge"
)

// What the policies say reaches the client as they say it.
func TestNoAccess(t *testing.T) {
	d := policy.Decision{Code: policy.PostureUnknown, Rule: "the rule", Remedy: "the remedy"}
	e := noAccess(d.Fault())
	if e.Code != edge.CodeAccessDenied || e.Reason != string(d.Code) || e.Message != d.Rule || e.Remedy != d.Remedy || codeOf(e) != string(d.Code) {
		t.Errorf("got %+v", e)
	}
	if e := noAccess(errors.New("no")); e.Code != edge.CodeAccessDenied || e.Message != "no" || e.Reason != "" {
		t.Errorf("got %+v", e)
	}
}
