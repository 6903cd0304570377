package routers_test

import (
	"testing"

	"github.com/weftnet/weft/controller/routers"
	"github.com/weftnet/weft/model"
)

func TestPostureIgnored(t *testing.T) {
	w := newWorld(t)
	w.populate("r1", "f1")
	w.apply(command().Create(entity("pc", &model.PostureCheck{Name: "pc", TypeID: "MFA", RoleAttributes: []string{"strict"}})).
		Patch(model.KindServicePolicy, "dial", map[string]any{"postureCheckRoles": []string{"#strict"}}))
	strict := routers.NewFeed(w.store, w.bundle().PEM(), w.log, nil)
	if len(strict.Policy().Posture("dial")) != 1 {
		t.Fatal("the policy demands no posture")
	}
	lax := routers.NewFeed(w.store, w.bundle().PEM(), w.log, nil)
	lax.IgnorePosture()
	if n := len(lax.Policy().Posture("dial")); n != 0 {
		t.Errorf("%d posture checks are left", n)
	}
}
