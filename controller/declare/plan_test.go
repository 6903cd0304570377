package declare

import (
	"strings"
	"testing"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

const small = `
configs:
  - name: web.host
    configType: host.v1
    data: {protocol: tcp, address: localhost, port: 80}
services:
  - name: web
    configs: [web.host]
    roleAttributes: [public]
    tags: {team: a}
edgeRouters:
  - name: r1
    isTunnelerEnabled: true
identities:
  - name: alice
    roleAttributes: [staff]
    serviceHostingCosts: {web: 7}
    serviceConfigs: {web: {host.v1: web.host}}
    enrollment: {ott: true}
  - name: r1
    type: Router
    roleAttributes: [hosts]
servicePolicies:
  - name: dial
    type: Dial
    identityRoles: ["@alice", "#staff"]
    serviceRoles: ["@web"]
terminators:
  - service: web
    router: r1
    binding: transport
    address: tcp:localhost:80
`

// TestApply makes a network, finds nothing to do the second time, and shows what
// changes member by member.
func TestApply(t *testing.T) {
	n := newNetwork(t)
	p := n.apply(small, Options{})
	if got := count(p, Create); got != 6 || count(p, Update) != 1 {
		t.Fatalf("%d created, %d updated: %+v", got, count(p, Update), p.Changes)
	}
	v := n.store.View()
	web := state.FirstBy[model.Service](v, state.ByName, "web")
	alice := state.FirstBy[model.Identity](v, state.ByName, "alice")
	dial := state.FirstBy[model.ServicePolicy](v, state.ByName, "dial")
	if web == nil || !web.EncryptionRequired || len(web.Configs) != 1 || alice.ServiceHostingCosts[web.ID] != 7 || len(alice.ServiceConfigs) != 1 ||
		dial.Semantic != model.AnyOf || !strings.Contains(strings.Join(dial.IdentityRoles, " "), "@"+alice.ID) || v.Count(model.KindTerminator) != 1 {
		t.Errorf("the network is not as declared: %+v %+v %+v", web, alice, dial)
	}
	if p := n.apply(small, Options{Prune: true}); len(p.Command.Ops) != 0 || count(p, None) != 7 {
		t.Errorf("the second time: %d operations, %+v", len(p.Command.Ops), p.Changes)
	}
	p = n.apply(strings.Replace(small, "[public]", "[public, new]", 1), Options{})
	if len(p.Command.Ops) != 2 || count(p, Update) != 1 {
		t.Fatalf("%d operations for one member: %+v", len(p.Command.Ops), p.Changes)
	}
	for _, c := range p.Changes {
		if c.Action == Update && (c.Name != "web" || len(c.Members) != 1 || c.Members[0].Name != "roleAttributes" ||
			string(c.Members[0].Before) != `["public"]` || string(c.Members[0].After) != `["new","public"]` || c.Line != 7) {
			t.Errorf("%+v", c)
		}
	}
}

// TestPrune deletes what is not declared, within its bounds and nothing else.
func TestPrune(t *testing.T) {
	n := newNetwork(t)
	n.apply(small, Options{})
	n.apply("services: [{name: other, tags: {team: b}}]\nidentities: [{name: bob}, {name: me}]", Options{})
	me := state.FirstBy[model.Identity](n.store.View(), state.ByName, "me").ID
	p, err := n.plan("services: [{name: new, tags: {team: a}}]", Options{Prune: true, Selector: Selector{"team": "a"}})
	if err != nil || count(p, Delete) != 1 {
		t.Errorf("within a tag: %v %+v", err, p)
	}
	if _, err := n.plan("services: [{name: other, tags: {team: a}}]", Options{Selector: Selector{"team": "a"}}); err == nil || !strings.Contains(err.Error(), "somebody else") {
		t.Errorf("somebody else's: %v", err)
	}
	p, err = n.plan("identities: []", Options{Prune: true, Caller: me})
	if err != nil || count(p, Delete) != 2 {
		t.Errorf("admin, caller and router identity must stay: %v %+v", err, p)
	}
	p, err = n.plan("", Options{Prune: true, Scope: Sections()})
	if err != nil {
		t.Fatal(err)
	}
	n.write(p.Command)
	v := n.store.View()
	if v.Count(model.KindService)+v.Count(model.KindConfig)+v.Count(model.KindServicePolicy)+v.Count(model.KindEdgeRouter) != 0 ||
		v.Count(model.KindIdentity) != 1 || v.Count(model.KindAuthPolicy) != 1 || v.Count(model.KindConfigType) == 0 {
		t.Error("not everything, or too much, was deleted")
	}
	n.apply("identities: [{name: x}]", Options{})
	if _, err := n.plan("identities: []\nservicePolicies: [{name: p, type: Dial, identityRoles: ['@x']}]", Options{Prune: true}); err == nil || !strings.Contains(err.Error(), "would be deleted") {
		t.Errorf("what is mentioned: %v", err)
	}
}

// TestConcurrent applies a plan to a state that has changed since: it is refused
// as a whole.
func TestConcurrent(t *testing.T) {
	n := newNetwork(t)
	n.apply(small, Options{})
	p, err := n.plan("services: [{name: web, roleAttributes: [x]}, {name: more}]", Options{})
	if err != nil {
		t.Fatal(err)
	}
	web := state.FirstBy[model.Service](n.store.View(), state.ByName, "web").ID
	n.write(command().Patch(model.KindService, web, map[string]any{"roleAttributes": []string{"meanwhile"}}))
	if _, err := n.store.View().Try(p.Command); err == nil || !strings.Contains(err.Error(), "changed meanwhile") {
		t.Errorf("%v", err)
	}
}

// TestSecondStep declares signers and auth policies that mention each other.
func TestSecondStep(t *testing.T) {
	n := newNetwork(t)
	text := `
externalJwtSigners: [{name: idp, issuer: https://idp, audience: weft, jwksEndpoint: https://idp/keys, enrollAuthPolicy: by-token}]
authPolicies: [{name: by-token, primary: {extJwt: {allowed: true, allowedSigners: [idp]}}}]
`
	p := n.apply(text, Options{})
	v := n.store.View()
	signer, policy := state.FirstBy[model.ExternalJwtSigner](v, state.ByName, "idp"), state.FirstBy[model.AuthPolicy](v, state.ByName, "by-token")
	if signer.EnrollAuthPolicyID != policy.ID || policy.Primary.ExtJwt.AllowedSigners[0] != signer.ID || count(p, Create) != 2 {
		t.Errorf("%+v %+v %+v", signer, policy, p.Changes)
	}
	if p := n.apply(text, Options{}); len(p.Command.Ops) != 0 {
		t.Errorf("the second time: %+v", p.Changes)
	}
}
