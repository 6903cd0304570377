package routers_test

import (
	"testing"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/policy"
)

// A policy that comes to demand posture grants nothing any more, at routers and
// at the controller, and grants again when the check is gone.
func TestPostureAtRouters(t *testing.T) {
	w := newWorld(t)
	id, fingerprint := w.routerIdentity("r1")
	w.populate("r1", fingerprint)
	c := w.startController("", make(activity, 100))
	u, _ := w.startRouter(id, fingerprint, c.address, "", newNode())
	ready(t, u)
	ask := func() policy.Code { return u.View().Check(policy.Dial, "dialer", "svc", "r1").Code }
	if ask() != policy.Granted {
		t.Fatal(ask())
	}
	w.apply(command().Create(entity("check", &model.PostureCheck{Name: "managed", TypeID: model.PostureDomain, Domains: []string{"example.com"}, RoleAttributes: []string{"corp"}})).
		Patch(model.KindServicePolicy, "dial", map[string]any{"postureCheckRoles": []string{"#corp"}}))
	eventually(t, "the router refuses", func() bool { return ask() == policy.PostureUnknown })
	a, err := u.CreateCircuit(t.Context(), circuitRequest("c1"))
	if err != nil || a.Refusal.GetCode() != string(policy.PostureUnknown) || a.Refusal.Remedy == "" {
		t.Error(a, err)
	}
	w.apply(command().Delete(model.KindPostureCheck, "check"))
	eventually(t, "the router grants", func() bool { return ask() == policy.Granted })
}
