package policy_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/weftnet/weft/model/role"
	"github.com/weftnet/weft/policy"
)

// naive evaluates every question from the plain entities.
type naive map[string]policy.Entity

func key(k policy.Kind, id string) string { return fmt.Sprint(k, "/", id) }

func (n naive) identity(id string) *policy.Identity {
	e, _ := n[key(policy.KindIdentity, id)].(*policy.Identity)
	return e
}
func (n naive) service(id string) *policy.Service {
	e, _ := n[key(policy.KindService, id)].(*policy.Service)
	return e
}
func (n naive) router(id string) *policy.Router {
	e, _ := n[key(policy.KindRouter, id)].(*policy.Router)
	return e
}

func (n naive) granting(r policy.Relation, left, right string) []string {
	var out []string
	for _, e := range n {
		var sem role.Semantic
		var l, rt role.Set
		switch p := e.(type) {
		case *policy.ServicePolicy:
			if (p.Action == policy.Bind) != (r == policy.MayBind) || r > policy.MayBind {
				continue
			}
			sem, l, rt = p.Semantic, p.Identities, p.Services
		case *policy.EdgeRouterPolicy:
			if r != policy.MayUse {
				continue
			}
			sem, l, rt = p.Semantic, p.Identities, p.Routers
		case *policy.ServiceEdgeRouterPolicy:
			if r != policy.MayServeBy {
				continue
			}
			sem, l, rt = p.Semantic, p.Services, p.Routers
		default:
			continue
		}
		if n.selects(l, sem, r, 0, left) && n.selects(rt, sem, r, 1, right) {
			out = append(out, e.Key())
		}
	}
	slices.Sort(out)
	return out
}

func (n naive) selects(s role.Set, sem role.Semantic, r policy.Relation, side int, id string) bool {
	var attributes []string
	switch {
	case side == 0 && r != policy.MayServeBy:
		e := n.identity(id)
		if e == nil {
			return false
		}
		attributes = e.Attributes
	case side == 1 && r > policy.MayBind:
		e := n.router(id)
		if e == nil {
			return false
		}
		attributes = e.Attributes
	default:
		e := n.service(id)
		if e == nil {
			return false
		}
		attributes = e.Attributes
	}
	return s.Match(sem, id, attributes)
}

// demandsNothing reports whether a service policy selects no posture check.
func (n naive) demandsNothing(id string) bool {
	p := n[key(policy.KindServicePolicy, id)].(*policy.ServicePolicy)
	for _, e := range n {
		if c, ok := e.(*policy.PostureCheck); ok && p.PostureChecks.Match(p.Semantic, c.ID, c.Attributes) {
			return false
		}
	}
	return true
}

func (n naive) allowed(a policy.Action, i, s string) bool {
	r := policy.MayDial
	if a == policy.Bind {
		r = policy.MayBind
	}
	if id := n.identity(i); id == nil || id.Disabled || !slices.ContainsFunc(n.granting(r, i, s), n.demandsNothing) {
		return false
	}
	for x := range 5 {
		id := fmt.Sprint("r", x)
		if e := n.router(id); e != nil && !e.Disabled &&
			len(n.granting(policy.MayUse, i, id)) > 0 && len(n.granting(policy.MayServeBy, s, id)) > 0 {
			return true
		}
	}
	return false
}

var letters = []string{"a", "b", "c", "d"}

func randomAttributes(rnd *rand.Rand) []string {
	var out []string
	for _, l := range letters {
		if rnd.IntN(3) == 0 {
			out = append(out, l)
		}
	}
	return out
}

func randomSet(t *testing.T, rnd *rand.Rand, prefix string) role.Set {
	if rnd.IntN(4) == 0 {
		return set(t, "#all")
	}
	var entries []string
	for range rnd.IntN(3) {
		entries = append(entries, "#"+letters[rnd.IntN(len(letters))])
	}
	for range rnd.IntN(2) {
		entries = append(entries, fmt.Sprint("@", prefix, rnd.IntN(5)))
	}
	return set(t, entries...)
}

// randomPosture is empty most of the time, as in real policies.
func randomPosture(t *testing.T, rnd *rand.Rand) role.Set {
	if rnd.IntN(3) > 0 {
		return role.Set{}
	}
	return randomSet(t, rnd, "pc")
}

func randomChange(t *testing.T, rnd *rand.Rand) policy.Change {
	n := rnd.IntN(5)
	sem := role.Semantic(rnd.IntN(2))
	kind := policy.Kind(rnd.IntN(7) + 1)
	id := fmt.Sprint([]string{"", "i", "s", "r", "sp", "erp", "serp", "pc"}[kind], n)
	if rnd.IntN(4) == 0 {
		return policy.Remove(kind, id)
	}
	switch kind {
	case policy.KindIdentity:
		return policy.Put(&policy.Identity{ID: id, Name: id, Disabled: rnd.IntN(8) == 0, Attributes: randomAttributes(rnd)})
	case policy.KindService:
		return policy.Put(&policy.Service{ID: id, Name: id, Attributes: randomAttributes(rnd)})
	case policy.KindRouter:
		return policy.Put(&policy.Router{ID: id, Name: id, Disabled: rnd.IntN(8) == 0, Attributes: randomAttributes(rnd)})
	case policy.KindServicePolicy:
		return policy.Put(&policy.ServicePolicy{ID: id, Name: id, Action: policy.Action(rnd.IntN(2)), Semantic: sem,
			Identities: randomSet(t, rnd, "i"), Services: randomSet(t, rnd, "s"), PostureChecks: randomPosture(t, rnd)})
	case policy.KindPostureCheck:
		return policy.Put(&policy.PostureCheck{ID: id, Name: id, Attributes: randomAttributes(rnd)})
	case policy.KindEdgeRouterPolicy:
		return policy.Put(&policy.EdgeRouterPolicy{ID: id, Name: id, Semantic: sem,
			Identities: randomSet(t, rnd, "i"), Routers: randomSet(t, rnd, "r")})
	default:
		return policy.Put(&policy.ServiceEdgeRouterPolicy{ID: id, Name: id, Semantic: sem,
			Services: randomSet(t, rnd, "s"), Routers: randomSet(t, rnd, "r")})
	}
}

// After every batch of random changes the engine answers like the naive
// evaluation, the earlier view answers as before, and the effects name every
// pair whose access has changed.
func TestRandomChanges(t *testing.T) {
	for seed := range uint64(16) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		e, plain, now := policy.New(), naive{}, t0
		for range 50 {
			before, old := snapshot(plain), e.View()
			beforeServices := servicesOf(plain)
			var batch []policy.Change
			for range rnd.IntN(4) + 1 {
				c := randomChange(t, rnd)
				batch = append(batch, c)
				if c.Entity == nil {
					delete(plain, key(c.Kind, c.ID))
				} else {
					plain[key(c.Kind, c.ID)] = c.Entity
				}
			}
			now = now.Add(time.Second)
			f := e.Apply(now, batch...)
			after, afterServices := snapshot(plain), servicesOf(plain)
			compare(t, seed, e.View(), plain, after)
			for q, was := range before {
				if old.Check(q.action, q.identity, q.service, "").Allowed() != was {
					t.Fatalf("seed %d: the earlier view changed its answer to %v", seed, q)
				}
				if after[q] == was {
					continue
				}
				if !f.Pair(q.identity, q.service) || !f.Identity(q.identity) || !f.Service(q.service) || was && !f.Loss() {
					t.Fatalf("seed %d: effects miss %v after %v", seed, q, batch)
				}
			}
			for i, was := range beforeServices {
				if plain.identity(i) != nil && afterServices[i] != was && !e.View().ChangedAt(i).Equal(now) {
					t.Fatalf("seed %d: services of %s changed from %s to %s, but not ChangedAt", seed, i, was, afterServices[i])
				}
			}
		}
	}
}

type question struct {
	action            policy.Action
	identity, service string
}

func snapshot(n naive) map[question]bool {
	out := map[question]bool{}
	for i := range 5 {
		for s := range 5 {
			for _, a := range []policy.Action{policy.Dial, policy.Bind} {
				q := question{a, fmt.Sprint("i", i), fmt.Sprint("s", s)}
				out[q] = n.allowed(q.action, q.identity, q.service)
			}
		}
	}
	return out
}

func servicesOf(n naive) map[string]string {
	out := map[string]string{}
	for i := range 5 {
		id := fmt.Sprint("i", i)
		for s := range 5 {
			for _, r := range []policy.Relation{policy.MayDial, policy.MayBind} {
				if sid := fmt.Sprint("s", s); len(n.granting(r, id, sid)) > 0 {
					out[id] += fmt.Sprint(r, sid, " ")
				}
			}
		}
	}
	return out
}

func compare(t *testing.T, seed uint64, v *policy.View, n naive, allowed map[question]bool) {
	t.Helper()
	for q, want := range allowed {
		if got := v.Check(q.action, q.identity, q.service, ""); got.Allowed() != want {
			t.Fatalf("seed %d: %v: got %+v, want %v", seed, q, got, want)
		}
	}
	prefix := map[policy.Relation][2]string{policy.MayDial: {"i", "s"}, policy.MayBind: {"i", "s"}, policy.MayUse: {"i", "r"}, policy.MayServeBy: {"s", "r"}}
	compareCan(t, seed, v, allowed)
	for r, p := range prefix {
		for l := range 5 {
			left, rights := fmt.Sprint(p[0], l), 0
			for x := range 5 {
				right := fmt.Sprint(p[1], x)
				var got []string
				for _, e := range v.Granting(r, left, right) {
					got = append(got, e.Key())
				}
				slices.Sort(got)
				want := n.granting(r, left, right)
				if !slices.Equal(got, want) || v.Related(r, left, right) != (len(want) > 0) {
					t.Fatalf("seed %d: %d %s %s: got %v, want %v", seed, r, left, right, got, want)
				}
				if len(want) > 0 {
					rights++
				}
			}
			for range v.Rights(r, left) {
				rights--
			}
			if rights != 0 {
				t.Fatalf("seed %d: Rights(%d, %s) differs by %d", seed, r, left, rights)
			}
			if r == policy.MayDial {
				compareUsable(t, v, left)
			}
		}
	}
}

func compareUsable(t *testing.T, v *policy.View, identity string) {
	t.Helper()
	var want []string
	for _, r := range []policy.Relation{policy.MayDial, policy.MayBind} {
		for e := range v.Rights(r, identity) {
			want = append(want, e.Key())
		}
	}
	slices.Sort(want)
	if got := v.Usable(identity); !slices.Equal(got, slices.Compact(want)) {
		t.Fatalf("usable by %s: %v, want %v", identity, got, want)
	}
}
