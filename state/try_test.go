package state

import (
	"errors"
	"testing"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
)

// TestTry tries a command: its result shows what follows from it, the store
// stays as it is, and a refusal names its op.
func TestTry(t *testing.T) {
	s, err := New()
	if err != nil {
		t.Fatal(err)
	}
	first, err := Initial(noon)
	if err != nil {
		t.Fatal(err)
	}
	text, err := first.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Apply([]uint64{1}, [][]byte{text}); err != nil {
		t.Fatal(err)
	}
	before := s.View()
	web := &model.Service{Name: "web"}
	web.ID = "s1"
	policy := &model.ServicePolicy{Name: "p", Type: model.Dial, Semantic: model.AnyOf, ServiceRoles: []string{"@s1"}}
	policy.ID = "p1"
	after, err := before.Try(NewCommand(noon, Author{}, Source{}).Create(web).Create(policy))
	if err != nil {
		t.Fatal(err)
	}
	if FirstBy[model.Service](after, ByName, "web") == nil || after.Count(model.KindService) != 1 {
		t.Error("the trial does not show the new service")
	}
	gone, err := after.Try(NewCommand(noon, Author{}, Source{}).Delete(model.KindService, "s1"))
	if err != nil {
		t.Fatal(err)
	}
	if p := Get[model.ServicePolicy](gone, "p1"); p == nil || len(p.ServiceRoles) != 0 {
		t.Errorf("the mention of a deleted service stays: %+v", p)
	}
	if before.Count(model.KindService) != 0 || s.View() != before || Get[model.ServicePolicy](after, "p1").ServiceRoles == nil {
		t.Error("a trial changed what it began with")
	}
	again := *web
	again.ID = "s2"
	_, err = after.Try(NewCommand(noon, Author{}, Source{}).Delete(model.KindServicePolicy, "p1").Create(&again))
	var refused *OpError
	if !errors.As(err, &refused) || refused.Op != 1 || !errors.Is(err, fault.CouldNotValidate) {
		t.Errorf("a name that is taken: %v", err)
	}
}
