package policy_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/weftnet/weft/policy"
)

// compareCan checks the lists of who can and what can against single answers.
func compareCan(t *testing.T, seed uint64, v *policy.View, allowed map[question]bool) {
	t.Helper()
	who, what := map[question]bool{}, map[question]bool{}
	for _, a := range []policy.Action{policy.Dial, policy.Bind} {
		for n := range 5 {
			i, s := fmt.Sprint("i", n), fmt.Sprint("s", n)
			for e := range v.WhoCan(a, s) {
				who[question{a, e.ID, s}] = true
			}
			for e := range v.WhatCan(a, i) {
				what[question{a, i, e.ID}] = true
			}
		}
	}
	for q, want := range allowed {
		if who[q] != want || what[q] != want {
			t.Fatalf("seed %d: %v: want %v, WhoCan %v, WhatCan %v", seed, q, want, who[q], what[q])
		}
	}
}

// What a fork was told stays with it, and the comparison of both names exactly
// the pairs whose answers differ.
func TestCompareForks(t *testing.T) {
	for seed := range uint64(16) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		e, plain := policy.New(), naive{}
		change := func(n naive) policy.Change {
			c := randomChange(t, rnd)
			if c.Entity == nil {
				delete(n, key(c.Kind, c.ID))
			} else {
				n[key(c.Kind, c.ID)] = c.Entity
			}
			return c
		}
		for range 60 {
			e.Apply(t0, change(plain))
		}
		for range 20 {
			fork, other := e.Fork(), maps.Clone(plain)
			var batch []policy.Change
			for range rnd.IntN(4) + 1 {
				batch = append(batch, change(other))
			}
			effects := fork.Apply(t0, batch...)
			before, after := snapshot(plain), snapshot(other)
			compare(t, seed, e.View(), plain, before)
			compare(t, seed, fork.View(), other, after)
			c := policy.Compare(e.View(), fork.View(), effects, 1000)
			comparePairs(t, seed, "dial", c.Dial, policy.Dial, before, after)
			comparePairs(t, seed, "bind", c.Bind, policy.Bind, before, after)
			compareRelation(t, seed, c.Use, policy.MayUse, "i", e.View(), fork.View())
			compareRelation(t, seed, c.ServedBy, policy.MayServeBy, "s", e.View(), fork.View())
			e.Apply(t0, change(plain)) // the fork does not see it
			compare(t, seed, fork.View(), other, after)
		}
	}
}

func pairs(list []policy.Pair) []string {
	out := []string{}
	for _, p := range list {
		out = append(out, p.Left.Key()+" "+p.Right.Key())
	}
	slices.Sort(out)
	return out
}

func comparePairs(t *testing.T, seed uint64, what string, d policy.Difference, a policy.Action, before, after map[question]bool) {
	t.Helper()
	gained, lost := []string{}, []string{}
	for q, was := range before {
		switch is := after[q]; {
		case q.action != a || was == is:
		case is:
			gained = append(gained, q.identity+" "+q.service)
		default:
			lost = append(lost, q.identity+" "+q.service)
		}
	}
	slices.Sort(gained)
	slices.Sort(lost)
	if !slices.Equal(pairs(d.Gains), gained) || !slices.Equal(pairs(d.Losses), lost) || d.Gained != len(gained) || d.Lost != len(lost) {
		t.Fatalf("seed %d: %s: got %+v, want %v and %v", seed, what, d, gained, lost)
	}
}

func compareRelation(t *testing.T, seed uint64, d policy.Difference, r policy.Relation, prefix string, old, now *policy.View) {
	t.Helper()
	gained, lost := []string{}, []string{}
	for l := range 5 {
		for x := range 5 {
			left, right := fmt.Sprint(prefix, l), fmt.Sprint("r", x)
			switch was, is := old.Related(r, left, right), now.Related(r, left, right); {
			case is && !was:
				gained = append(gained, left+" "+right)
			case was && !is:
				lost = append(lost, left+" "+right)
			}
		}
	}
	if !slices.Equal(pairs(d.Gains), gained) || !slices.Equal(pairs(d.Losses), lost) || d.Gained != len(gained) || d.Lost != len(lost) {
		t.Fatalf("seed %d: relation %d: got %+v, want %v and %v", seed, r, d, gained, lost)
	}
}

func TestCompareLimit(t *testing.T) {
	e := large(t)
	fork := e.Fork()
	effects := fork.Apply(t0.Add(time.Hour), policy.Put(&policy.ServicePolicy{ID: "all", Identities: set(t, "#all"), Services: set(t, "#all")}))
	d := policy.Compare(e.View(), fork.View(), effects, 5).Dial
	if d.Gained != 10000*1000-2000 || d.Lost != 0 || len(d.Gains) != 5 || d.Gains[0].Left.Key() != "i0" {
		t.Errorf("got %d gained, %d lost, %v", d.Gained, d.Lost, pairs(d.Gains))
	}
}

func TestMatch(t *testing.T) {
	e := policy.New()
	e.Apply(t0,
		policy.Put(&policy.Identity{ID: "i", Name: "alice", Attributes: []string{"a", "b"}}),
		policy.Put(&policy.Service{ID: "s", Name: "web", Attributes: []string{"x"}}),
		policy.Put(&policy.ServicePolicy{ID: "all", Identities: set(t, "#all"), Services: set(t, "@other")}),
		policy.Put(&policy.ServicePolicy{ID: "id", Identities: set(t, "@i", "#c"), Services: set(t, "#x", "#y")}),
		policy.Put(&policy.ServicePolicy{ID: "both", Identities: set(t, "#a", "#b"), Services: set(t, "#y", "#z")}),
		policy.Put(&policy.ServicePolicy{ID: "any", Semantic: 1, Identities: set(t, "#c", "#d"), Services: set(t, "#x")}))
	for _, tt := range []struct {
		policy string
		kind   policy.Kind
		want   string
	}{
		{"all", policy.KindIdentity, "{true [#all] [] false}"},
		{"all", policy.KindService, "{false [] [] false}"},
		{"id", policy.KindIdentity, "{true [@i] [] false}"},
		{"id", policy.KindService, "{false [] [y] false}"},
		{"both", policy.KindIdentity, "{true [#a #b] [] false}"},
		{"any", policy.KindIdentity, "{false [] [c d] true}"},
	} {
		id := map[policy.Kind]string{policy.KindIdentity: "i", policy.KindService: "s"}[tt.kind]
		if got := fmt.Sprint(e.View().Match(policy.KindServicePolicy, tt.policy, tt.kind, id)); got != tt.want {
			t.Errorf("%s of kind %d: got %s, want %s", tt.policy, tt.kind, got, tt.want)
		}
	}
	gaps, more := e.View().Gaps(policy.MayDial, "i", "s", 3)
	var order []string
	for _, g := range gaps {
		order = append(order, fmt.Sprint(g.Policy.Key(), " ", g.Left))
	}
	if fmt.Sprint(order) != "[id false any true both false]" || more != 1 {
		t.Errorf("got %v and %d more", order, more)
	}
}

// A policy with checks grants nothing as long as one of them exists.
func TestPosture(t *testing.T) {
	e := large(t)
	ask := func() policy.Code { return e.View().Check(policy.Dial, "i7", "s7", "").Code }
	put := func(roles ...string) {
		e.Apply(t0, policy.Put(&policy.ServicePolicy{ID: "p7", Name: "p7", Identities: set(t, "#g7"), Services: set(t, "@s7"), PostureChecks: set(t, roles...)}))
	}
	check := func(attributes ...string) *policy.Effects {
		return e.Apply(t0, policy.Put(&policy.PostureCheck{ID: "c", Name: "os", Attributes: attributes}))
	}
	if put("#managed"); ask() != policy.Granted {
		t.Error("no check has the attribute, and the policy does not grant")
	}
	before := e.View().ChangedAt("i7")
	if f := check("managed"); ask() != policy.PostureUnknown || !f.Loss() || !f.Pair("i7", "s7") || !e.View().ChangedAt("i7").After(before) {
		t.Error("a check that came is not seen")
	}
	d := e.View().Check(policy.Dial, "i7", "s7", "")
	if f := d.Fault(); f.Kind.Code != "INVALID_POSTURE" || d.Rule == "" || len(e.View().Posture("p7")) != 1 || e.View().Allows(policy.Dial, "i7", "s7") || !e.View().Related(policy.MayDial, "i7", "s7") {
		t.Errorf("got %v, %+v", f, d)
	}
	if f := check("other"); ask() != policy.Granted || f.Loss() || !f.Pair("i7", "s7") {
		t.Error("a check that has lost the attribute still counts")
	}
	if put("@c"); ask() != policy.PostureUnknown {
		t.Error("a check by id does not count")
	}
	e.Apply(t0, policy.Put(&policy.ServicePolicy{ID: "more", Identities: set(t, "@i7"), Services: set(t, "@s7")}))
	if ask() != policy.Granted {
		t.Error("another policy without checks does not grant")
	}
	e.Apply(t0, policy.Remove(policy.KindServicePolicy, "more"), policy.Remove(policy.KindPostureCheck, "c"))
	if ask() != policy.Granted {
		t.Error("a check that is gone still counts")
	}
}

func BenchmarkCompareForAll(b *testing.B) {
	e := large(b)
	change := policy.Put(&policy.ServicePolicy{ID: "all", Identities: set(b, "#all"), Services: set(b, "#all")})
	for b.Loop() {
		fork := e.Fork()
		effects := fork.Apply(t0, change)
		if policy.Compare(e.View(), fork.View(), effects, 20).Dial.Gained == 0 {
			b.Fatal("nothing gained")
		}
	}
}
