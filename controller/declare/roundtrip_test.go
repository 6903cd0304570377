package declare

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/weftnet/weft/model"
)

// TestRoundTrip exports random networks, applies the text to an empty one, and
// exports that: the same text, and nothing left to do. Both ways of writing are
// tried.
func TestRoundTrip(t *testing.T) {
	for seed := range uint64(12) {
		n := newNetwork(t)
		randomNetwork(n, rand.New(rand.NewPCG(seed, 1)))
		for _, asJSON := range []bool{false, true} {
			text := n.export(ExportOptions{JSON: asJSON})
			other := newNetwork(t)
			other.rules.ids = 1000
			other.apply(text, Options{})
			if got := other.export(ExportOptions{JSON: asJSON}); got != text {
				t.Fatalf("seed %d: exported and, after it was applied:\n%s", seed, firstDifference(text, got))
			}
			if p := other.apply(text, Options{Prune: true}); len(p.Command.Ops) != 0 {
				t.Fatalf("seed %d: the second time: %+v", seed, p.Command.Ops)
			}
			if p := n.apply(text, Options{Prune: true, Scope: Sections()}); len(p.Command.Ops) != 0 {
				t.Fatalf("seed %d: its own export changes the network: %+v", seed, p.Changes)
			}
		}
	}
}

// randomNetwork fills a network with entities of every section.
func randomNetwork(n *network, r *rand.Rand) {
	words := []string{"a", "b c", "true", "7", "#x", "null", "ä€😀", "x: y", "- z", "'q\"", "<&>", "multi\nline", " trim ", "0x1f", "~"}
	word := func() string { return words[r.IntN(len(words))] }
	some := func(of []string) (out []string) {
		for _, s := range of {
			if r.IntN(3) == 0 {
				out = append(out, s)
			}
		}
		return out
	}
	attributes := func() []string { return some([]string{"dev", "ops", "7", "true", "a b", "ü"}) }
	tags := func() model.Tags {
		if r.IntN(2) == 0 {
			return nil
		}
		return model.Tags{word(): word(), "n": float64(r.IntN(1000000)) / 8, "b": r.IntN(2) == 0, "null": nil}
	}
	ids := map[model.Kind][]string{}
	c := command()
	add := func(e model.Entity) {
		k := e.Kind()
		id := fmt.Sprintf("%s-%d", k, len(ids[k]))
		ids[k] = append(ids[k], id)
		e.Meta().ID, e.Meta().Tags = id, tags()
		if err := model.Derive(e); err != nil {
			n.Fatal(err)
		}
		c.Create(e)
	}
	name := func(k model.Kind) string { return fmt.Sprintf("%s %d %s", word(), len(ids[k]), k) }
	roles := func(k model.Kind) (out []string) {
		if r.IntN(5) == 0 {
			return []string{"#all"}
		}
		for _, id := range some(ids[k]) {
			out = append(out, "@"+id)
		}
		for _, a := range attributes() {
			out = append(out, "#"+a)
		}
		return out
	}
	pick := func(k model.Kind) string { return ids[k][r.IntN(len(ids[k]))] }
	for range 2 {
		add(&model.ConfigType{Name: name(model.KindConfigType), Schema: json.RawMessage(`{"type":"object","x-n":1.50,"é":"<"}`)})
	}
	for range 4 {
		add(&model.Config{Name: name(model.KindConfig), ConfigTypeID: pick(model.KindConfigType),
			Data: json.RawMessage(fmt.Sprintf(`{"z":%d,"a":{"deep":[1,2.50,null,"%s"]},"big":12345678901234567890}`, r.IntN(99), "07"))})
	}
	for range 5 {
		s := &model.Service{Name: name(model.KindService), EncryptionRequired: r.IntN(2) == 0, RoleAttributes: attributes(), MaxIdleTimeMillis: int64(r.IntN(3)) * 1000}
		if r.IntN(2) == 0 {
			s.Configs = []string{pick(model.KindConfig)}
		}
		add(s)
	}
	signer := &model.ExternalJwtSigner{Name: name(model.KindExternalJwtSigner), Issuer: word(), Audience: new(string), JwksEndpoint: new(string), Enabled: r.IntN(2) == 0}
	*signer.Audience, *signer.JwksEndpoint = "weft", "https://idp/keys"
	add(signer)
	add(&model.CA{Name: name(model.KindCA), CertPem: certificateAuthority(n.T), IsAuthEnabled: true, IdentityRoles: attributes(), IdentityNameFormat: "[caName]"})
	p := &model.AuthPolicy{Name: name(model.KindAuthPolicy)}
	p.Primary.Updb.Allowed, p.Primary.ExtJwt.AllowedSigners = true, some(ids[model.KindExternalJwtSigner])
	add(p)
	add(&model.PostureCheck{Name: name(model.KindPostureCheck), TypeID: model.PostureDomain, Domains: []string{"corp"}, RoleAttributes: attributes()})
	for range 3 {
		add(&model.EdgeRouter{Name: name(model.KindEdgeRouter), IsTransit: r.IntN(3) == 0, Cost: r.IntN(10), NoTraversal: r.IntN(2) == 0})
	}
	for range 4 {
		i := &model.Identity{Name: name(model.KindIdentity), Type: model.IdentityDefault, IsAdmin: r.IntN(4) == 0, RoleAttributes: attributes(),
			AuthPolicyID: pick(model.KindAuthPolicy), DefaultHostingCost: r.IntN(3), ServiceHostingCosts: map[string]int{pick(model.KindService): r.IntN(9)}}
		if r.IntN(2) == 0 {
			external := word()
			i.ExternalID = &external
			i.ServiceHostingPrecedences = map[string]string{pick(model.KindService): model.PrecedenceRequired}
		}
		if r.IntN(2) == 0 && i.ExternalID != nil {
			*i.ExternalID += i.Name
		} else {
			i.ExternalID = nil
		}
		add(i)
	}
	for range 3 {
		add(&model.ServicePolicy{Name: name(model.KindServicePolicy), Type: model.Dial, Semantic: model.AllOf,
			IdentityRoles: roles(model.KindIdentity), ServiceRoles: roles(model.KindService), PostureCheckRoles: roles(model.KindPostureCheck)})
		add(&model.EdgeRouterPolicy{Name: name(model.KindEdgeRouterPolicy), Semantic: model.AnyOf, IdentityRoles: roles(model.KindIdentity), EdgeRouterRoles: roles(model.KindEdgeRouter)})
		add(&model.ServiceEdgeRouterPolicy{Name: name(model.KindServiceEdgeRouterPolicy), Semantic: model.AnyOf, ServiceRoles: roles(model.KindService), EdgeRouterRoles: roles(model.KindEdgeRouter)})
		add(&model.Terminator{ServiceID: pick(model.KindService), RouterID: pick(model.KindEdgeRouter), Binding: "transport",
			Address: fmt.Sprintf("tcp:h:%d", len(ids[model.KindTerminator])), Cost: r.IntN(4)})
	}
	n.write(c)
}

// firstDifference returns the first lines that differ, and those before.
func firstDifference(a, b string) string {
	p, q := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(p), len(q)) {
		if p[i] != q[i] {
			return strings.Join(p[max(0, i-5):i], "\n") + "\n< " + p[i] + "\n> " + q[i]
		}
	}
	return "one is longer"
}
