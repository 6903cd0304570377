package http

import (
	"slices"
	"strings"

	"github.com/weftnet/weft/api"
	policyrules "github.com/weftnet/weft/controller/rules"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/state"
)

// consequences compares the policies in force with those of a view that was
// tried by changes of some entities, given by their ids; nil for unknown ones.
func (c *call) consequences(next *state.View, touched map[model.Kind][]string, limit int) (*api.WhatIfAnswer, error) {
	fork := c.s.cfg.Fork()
	old := fork.View()
	changes, err := c.differences(next, touched)
	if err != nil {
		return nil, err
	}
	effects := fork.Apply(c.s.cfg.Now(), changes...)
	d := policy.Compare(old, fork.View(), effects, limit)
	w := weighing{c: c, old: old, now: fork.View()}
	return &api.WhatIfAnswer{Kinds: []api.WhatIfKind{
		w.kind("dial", d.Dial, policy.MayDial), w.kind("bind", d.Bind, policy.MayBind),
		w.kind("identity-router", d.Use, policy.MayUse), w.kind("service-router", d.ServedBy, policy.MayServeBy),
	}}, nil
}

// differences finds what policies see of the way from the state of the call to
// another that was made by changes of some entities. Policies may follow from
// any change, identities from those of their routers.
func (c *call) differences(next *state.View, touched map[model.Kind][]string) ([]policy.Change, error) {
	var out []policy.Change
	now := c.s.cfg.Now()
	for _, name := range sortedKeys(whatIfKinds) {
		kind := whatIfKinds[name]
		slice, _ := policyrules.Kind(kind)
		var found []model.Entity
		if touched == nil || kind == model.KindIdentity && touched[model.KindEdgeRouter] != nil || strings.HasSuffix(name, "-policy") {
			found = differing(c.state, next, kind)
		} else {
			found = among(c.state, next, kind, touched[kind])
		}
		for _, e := range found {
			if next.Get(kind, e.Meta().ID) == nil {
				out = append(out, policy.Remove(slice, e.Meta().ID))
				continue
			}
			seen, err := policyrules.Entity(e, now)
			if err != nil {
				return nil, err
			}
			out = append(out, policy.Put(seen))
		}
	}
	return out, nil
}

// among is differing for entities with some ids.
func among(old, next *state.View, kind model.Kind, ids []string) []model.Entity {
	var out []model.Entity
	for _, id := range sortedUnique(ids) {
		switch before, after := old.Get(kind, id), next.Get(kind, id); {
		case before == after:
		case after == nil:
			out = append(out, before)
		default:
			out = append(out, after)
		}
	}
	return out
}

// differing returns the entities of a kind that are new, different or gone;
// what has not changed is the same entity in both.
func differing(old, next *state.View, kind model.Kind) []model.Entity {
	before, after := slices.Collect(old.All(kind)), slices.Collect(next.All(kind))
	var out []model.Entity
	for len(before) > 0 || len(after) > 0 {
		switch {
		case len(after) == 0 || len(before) > 0 && before[0].Meta().ID < after[0].Meta().ID:
			out, before = append(out, before[0]), before[1:]
		case len(before) == 0 || after[0].Meta().ID < before[0].Meta().ID:
			out, after = append(out, after[0]), after[1:]
		default:
			if before[0] != after[0] {
				out = append(out, after[0])
			}
			before, after = before[1:], after[1:]
		}
	}
	return out
}

// weighing names what makes the difference between two views.
type weighing struct {
	c        *call
	old, now *policy.View
}

func (w weighing) kind(name string, d policy.Difference, r policy.Relation) api.WhatIfKind {
	out := api.WhatIfKind{Kind: name, Gained: d.Gained, Lost: d.Lost}
	for _, p := range d.Gains {
		out.Gains = append(out.Gains, w.pair(p, r, w.now))
	}
	for _, p := range d.Losses {
		pair := w.pair(p, r, w.old)
		pair.Reason = w.reason(p, r)
		out.Losses = append(out.Losses, pair)
	}
	return out
}

// pair names both sides and the policy that grants in a view.
func (w weighing) pair(p policy.Pair, r policy.Relation, v *policy.View) api.WhatIfPair {
	out := api.WhatIfPair{From: w.ref(p.Left), To: w.ref(p.Right)}
	for _, e := range v.Granting(r, p.Left.Key(), p.Right.Key()) {
		if sp, ok := e.(*policy.ServicePolicy); ok && !v.Grants(sp) {
			continue
		}
		ref := w.c.policyRef(e)
		out.Policy = &ref
		break
	}
	return out
}

// reason says why a pair would be refused.
func (w weighing) reason(p policy.Pair, r policy.Relation) string {
	switch r {
	case policy.MayDial:
		return w.now.Check(policy.Dial, p.Left.Key(), p.Right.Key(), "").Rule
	case policy.MayBind:
		return w.now.Check(policy.Bind, p.Left.Key(), p.Right.Key(), "").Rule
	}
	return ""
}

// ref refers to an entity that may not exist yet, or not any more.
func (w weighing) ref(e policy.Entity) api.Ref {
	set := w.c.s.links.identity
	switch e.Kind() {
	case policy.KindService:
		set = w.c.s.links.service
	case policy.KindRouter:
		set = w.c.s.links.edgeRouter
	}
	if e.Kind() == policy.KindIdentity {
		r := w.c.identityRef(e.Key())
		r.Name = policy.NameOf(e)
		return r
	}
	return api.Ref{Links: api.Links{Set: set, ID: e.Key()}, Entity: set.Plural, ID: e.Key(), Name: policy.NameOf(e)}
}
