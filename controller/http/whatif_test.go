package http

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/state"
)

// randomNetwork has five identities that can log in, five services with a plain
// server at a router that no policy is about, three routers and some policies.
func randomNetwork(t *testing.T, seed uint64) (*fixture, *rand.Rand) {
	f, rnd := newFixture(t), rand.New(rand.NewPCG(seed, 3))
	f.change(func(cmd *state.Command) {
		cmd.Create(named(&model.EdgeRouter{Name: "host"}, "host"))
		for n := range 5 {
			id, sid := fmt.Sprint("i", n), fmt.Sprint("s", n)
			cmd.Create(named(&model.Identity{Name: id, Type: model.IdentityDefault, AuthPolicyID: model.DefaultAuthPolicyID, RoleAttributes: letters(rnd)}, id))
			cmd.Create(named(&model.Authenticator{Method: model.MethodCert, IdentityID: id, Fingerprint: fmt.Sprintf("%040d", n)}, "proof"+id))
			cmd.Create(named(&model.Service{Name: sid, TerminatorStrategy: "smartrouting", RoleAttributes: letters(rnd)}, sid))
			cmd.Create(named(&model.Terminator{ServiceID: sid, RouterID: "host", Binding: "transport", Address: "tcp:x:1"}, "t"+sid))
		}
		for n := range 3 {
			cmd.Create(named(&model.EdgeRouter{Name: fmt.Sprint("r", n), RoleAttributes: letters(rnd)}, fmt.Sprint("r", n)))
		}
	})
	f.routers = map[string]RouterStatus{"host": {Online: true}, "r0": {Online: true}, "r1": {Online: true}, "r2": {Online: true}}
	f.mesh.path = &Path{Routers: []string{"r0", "host"}, Cost: 1}
	for range 12 {
		f.randomly(rnd)
	}
	return f, rnd
}

func letters(rnd *rand.Rand) []string {
	out := []string{}
	for _, l := range []string{"a", "b", "c"} {
		if rnd.IntN(2) == 0 {
			out = append(out, l)
		}
	}
	return out
}

func someRoles(rnd *rand.Rand, prefix string, most int) []string {
	if rnd.IntN(4) == 0 {
		return []string{"#all"}
	}
	out := []string{}
	for _, l := range letters(rnd) {
		out = append(out, "#"+l)
	}
	if rnd.IntN(2) == 0 {
		out = append(out, fmt.Sprint("@", prefix, rnd.IntN(most)))
	}
	return out
}

// randomWhatIf is a change that is possible at the moment.
func (f *fixture) randomWhatIf(rnd *rand.Rand) obj {
	v := f.store.View()
	kind := []string{"service-policy", "edge-router-policy", "service-edge-router-policy", "posture-check", "identity", "service", "edge-router"}[rnd.IntN(7)]
	change := obj{"kind": kind, "action": "update"}
	switch kind {
	case "identity":
		change["entity"], change["roleAttributes"], change["disabled"] = fmt.Sprint("i", rnd.IntN(5)), letters(rnd), rnd.IntN(6) == 0
		return change
	case "service":
		change["entity"], change["roleAttributes"] = fmt.Sprint("s", rnd.IntN(5)), letters(rnd)
		return change
	case "edge-router":
		change["entity"], change["roleAttributes"] = fmt.Sprint("r", rnd.IntN(3)), letters(rnd)
		return change
	}
	name := fmt.Sprint(kind, rnd.IntN(4))
	known := v.FirstBy(whatIfKinds[kind], state.ByName, name) != nil
	switch {
	case known && rnd.IntN(3) == 0:
		return obj{"kind": kind, "action": "delete", "entity": name}
	case known:
		change["entity"] = name
	default:
		change["action"], change["name"] = "create", name
		if kind == "service-policy" {
			change["type"] = []string{"Dial", "Bind"}[rnd.IntN(2)]
		}
	}
	if kind == "posture-check" {
		change["roleAttributes"] = letters(rnd)
		return change
	}
	if !known {
		change["semantic"] = []string{"AllOf", "AnyOf"}[rnd.IntN(2)]
	}
	if kind != "service-edge-router-policy" {
		change["identityRoles"] = someRoles(rnd, "i", 5)
	}
	if kind != "edge-router-policy" {
		change["serviceRoles"] = someRoles(rnd, "s", 5)
	}
	if kind != "service-policy" {
		change["edgeRouterRoles"] = someRoles(rnd, "r", 3)
	} else if rnd.IntN(3) == 0 {
		change["postureCheckRoles"] = []string{"#" + []string{"a", "b", "c"}[rnd.IntN(3)]}
	}
	return change
}

// really makes a change of what-if by the operations that make such changes.
func (f *fixture) really(change obj) {
	f.t.Helper()
	kind, body := whatIfKinds[change["kind"].(string)], obj{}
	for name, value := range change {
		switch name {
		case "kind", "action", "entity":
		case "disabled":
			body["disabledAt"] = nil
			if value == true {
				body["disabledAt"] = f.now
			}
		default:
			body[name] = value
		}
	}
	f.change(func(cmd *state.Command) {
		if change["action"] == "create" {
			e, err := newFrom(kind, body)
			if err != nil {
				f.t.Fatal(err)
			}
			cmd.Create(e)
			return
		}
		e := f.store.View().FirstBy(kind, state.ByName, change["entity"].(string))
		if change["action"] == "delete" {
			cmd.Delete(kind, e.Meta().ID)
			return
		}
		cmd.Patch(kind, e.Meta().ID, body)
	})
}

func (f *fixture) randomly(rnd *rand.Rand) { f.really(f.randomWhatIf(rnd)) }

// access is all that policies say about the entities of a random network.
func (f *fixture) access() map[string]bool {
	v, out := f.engine.View(), map[string]bool{}
	for n := range 5 {
		i := fmt.Sprint("i", n)
		for k := range 5 {
			s := fmt.Sprint("s", k)
			out["dial "+i+" "+s] = v.Check(policy.Dial, i, s, "").Allowed()
			out["bind "+i+" "+s] = v.Check(policy.Bind, i, s, "").Allowed()
		}
		for _, r := range []string{"r0", "r1", "r2", "host"} {
			out["identity-router "+i+" "+r] = v.Related(policy.MayUse, i, r)
			out["service-router "+fmt.Sprint("s", n)+" "+r] = v.Related(policy.MayServeBy, fmt.Sprint("s", n), r)
		}
	}
	return out
}

// What what-if says is what happens, and nothing is written before.
func TestWhatIfIsWhatHappens(t *testing.T) {
	for seed := range uint64(8) {
		f, rnd := randomNetwork(t, seed)
		for round := range 15 {
			change, index := f.randomWhatIf(rnd), f.store.View().Index()
			a := f.do("POST", m("/what-if"), obj{"changes": []obj{change}, "limit": 500}).status(200)
			if f.store.View().Index() != index {
				t.Fatal("what-if wrote something")
			}
			before := f.access()
			f.really(change)
			gained, lost := map[string]bool{}, map[string]bool{}
			for pair, is := range f.access() {
				if was := before[pair]; is && !was {
					gained[pair] = true
				} else if was && !is {
					lost[pair] = true
				}
			}
			if got := a.pairs("gains"); !reflect.DeepEqual(got, gained) {
				t.Fatalf("seed %d, round %d: %v: gains %v, really %v", seed, round, change, got, gained)
			}
			if got := a.pairs("losses"); !reflect.DeepEqual(got, lost) {
				t.Fatalf("seed %d, round %d: %v: losses %v, really %v", seed, round, change, got, lost)
			}
		}
	}
}

// pairs are those that the random network knows of.
func (a *answer) pairs(which string) map[string]bool {
	out := map[string]bool{}
	for _, k := range a.at("data.kinds").([]any) {
		kind := k.(map[string]any)
		list := kind[which].([]any)
		if count := kind[map[string]string{"gains": "gained", "losses": "lost"}[which]]; count != float64(len(list)) {
			a.t.Fatalf("%v %s are counted, %d listed", count, which, len(list))
		}
		for _, p := range list {
			pair := p.(map[string]any)
			name := func(side string) string { return pair[side].(map[string]any)["id"].(string) }
			if len(name("from")) > 3 {
				continue // the admin
			}
			if pair["policy"] == nil || which == "losses" && (kind["kind"] == "dial" || kind["kind"] == "bind") && pair["reason"] == nil {
				a.t.Fatalf("%s without policy or reason: %v", which, pair)
			}
			out[fmt.Sprint(kind["kind"], " ", name("from"), " ", name("to"))] = true
		}
	}
	return out
}

func TestWhatIf(t *testing.T) {
	f := reachable(t)
	ask := func(changes ...obj) *answer { return f.do("POST", m("/what-if"), obj{"changes": changes}) }
	a := ask(obj{"action": "update", "kind": "identity", "entity": "alice", "roleAttributes": []string{}}).status(200)
	a.is("data.kinds.0.lost", 1).is("data.kinds.0.losses.0.from.name", "alice").is("data.kinds.0.losses.0.to.name", "web").
		is("data.kinds.0.losses.0.policy.name", "web-dial").contains("data.kinds.0.losses.0.reason", "no Dial service policy contains both")
	// What one change creates, the next may name.
	a = ask(obj{"action": "create", "kind": "identity", "name": "bob"},
		obj{"action": "create", "kind": "service-policy", "name": "new", "type": "Dial", "identityRoles": []string{"@bob"}, "serviceRoles": []string{"@web"}}).status(200)
	a.is("data.kinds.0.gained", 1).is("data.kinds.0.gains.0.from.name", "bob").is("data.kinds.0.gains.0.policy.name", "new")
	// Deleting an identity takes its rights.
	ask(obj{"action": "delete", "kind": "identity", "entity": "host"}).status(200).is("data.kinds.1.lost", 1)
	for _, tt := range []struct {
		change obj
		status int
		field  string
	}{
		{obj{"action": "update", "kind": "identity", "entity": "nobody"}, 404, ""},
		{obj{"action": "update", "kind": "identity"}, 400, "changes.0.entity"},
		{obj{"action": "fly", "kind": "identity", "entity": "alice"}, 400, "changes.0.action"},
		{obj{"action": "update", "kind": "key", "entity": "alice"}, 400, "changes.0.kind"},
		{obj{"action": "update", "kind": "identity", "entity": "alice", "serviceRoles": []string{"#a"}}, 400, "changes.0.serviceRoles"},
		{obj{"action": "update", "kind": "service", "entity": "web", "disabled": true}, 400, "changes.0.disabled"},
		{obj{"action": "create", "kind": "service-policy", "name": "x", "identityRoles": []string{"bare"}}, 400, "changes.0.identityRoles"},
		{obj{"action": "create", "kind": "service-policy", "name": "x", "identityRoles": []string{"@nobody"}}, 400, "changes.0.identityRoles"},
		{obj{"action": "create", "kind": "service-policy", "name": "web-dial"}, 400, "changes.0.name"},
		{obj{"action": "create", "kind": "service-policy"}, 400, "changes.0.name"},
		{obj{"kind": "service-policy"}, 400, "changes.0.action"},
	} {
		a := ask(tt.change).status(tt.status)
		if tt.field != "" {
			a.is("error.cause.field", tt.field)
		}
	}
	f.do("POST", m("/what-if"), obj{}).status(200).is("data.kinds.0.gained", 0)
	text := "identities:\n  - name: carol\n    roleAttributes: [staff]\n"
	f.do("POST", m("/what-if"), obj{"declaration": obj{"files": []obj{{"name": "x.yaml", "text": text}}}}).status(200).
		is("data.kinds.0.gained", 1).is("data.kinds.0.gains.0.from.name", "carol").is("data.kinds.0.gains.0.policy.name", "web-dial")
	f.do("POST", m("/what-if"), obj{"declaration": obj{"files": []obj{{}}}}).status(400)
	f.do("POST", m("/what-if"), obj{"changes": make([]obj, 1001)}).status(400)
}
