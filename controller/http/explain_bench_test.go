package http

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/state"
)

// mixed is a network of 10,000 identities, 1,000 services and 1,000 service
// policies of mixed roles, with 50 routers that are all online.
func mixed(b *testing.B) *fixture {
	f := populated(b, 10000)
	cmd := state.NewCommand(f.now, state.Author{}, state.Source{}).AsSystem()
	for i := range 50 {
		id := fmt.Sprint("r", i)
		cmd.Create(named(&model.EdgeRouter{Name: id, RoleAttributes: []string{"public"}}, id))
		f.routers[id] = RouterStatus{Online: true}
	}
	for i := range 1000 {
		id := fmt.Sprint("s", i)
		cmd.Create(named(&model.Service{Name: id, TerminatorStrategy: "smartrouting", RoleAttributes: []string{fmt.Sprint("app", i%100)}}, id))
		cmd.Create(named(&model.Terminator{ServiceID: id, RouterID: fmt.Sprint("r", i%50), Binding: "transport", Address: "tcp:x:1"}, "t"+id))
		p := &model.ServicePolicy{Name: fmt.Sprint("p", i), Type: model.Dial, Semantic: model.AnyOf,
			IdentityRoles: []string{fmt.Sprint("#group", i%100)}, ServiceRoles: []string{fmt.Sprint("#app", i%97)}}
		switch i % 10 {
		case 0:
			p.IdentityRoles, p.ServiceRoles = []string{"#all"}, []string{"@" + id}
		case 1:
			p.Type, p.IdentityRoles = model.Bind, []string{fmt.Sprintf("@id%08d", i)}
		}
		cmd.Create(named(p, p.Name))
	}
	cmd.Create(named(&model.EdgeRouterPolicy{Name: "use", Semantic: model.AnyOf, IdentityRoles: []string{"#all"}, EdgeRouterRoles: []string{"#public"}}, "use"))
	cmd.Create(named(&model.ServiceEdgeRouterPolicy{Name: "serve", Semantic: model.AnyOf, ServiceRoles: []string{"#all"}, EdgeRouterRoles: []string{"#all"}}, "serve"))
	f.apply(cmd)
	var all []policy.Change // the feed of so many changes at once is cut short
	for _, kind := range whatIfKinds {
		for e := range f.store.View().All(kind) {
			if change, ok := slice(state.Change{Kind: kind, ID: e.Meta().ID, New: e}); ok {
				all = append(all, change)
			}
		}
	}
	f.engine.Apply(f.now, all...)
	f.mesh.path = &Path{Routers: []string{"r0", "r1"}, Links: []string{"l"}, Cost: 7}
	return f
}

// cpu runs a benchmark and reports the CPU time of the process as well, which
// other processes of the machine do not change much.
func cpu(b *testing.B, f func()) {
	used := func() float64 {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return float64(u.Utime.Nano()+u.Stime.Nano()) / 1000
	}
	start := used()
	for b.Loop() {
		f()
	}
	b.ReportMetric((used()-start)/float64(b.N), "cpu-µs/op")
}

func BenchmarkMixed(b *testing.B) {
	f := mixed(b)
	ask := func(name, method, path, body, want string) {
		b.Run(name, func(b *testing.B) {
			f.do(method, path, body).status(200).contains("data", want)
			w := &discard{http.Header{}}
			cpu(b, func() {
				r := httptest.NewRequest(method, path, strings.NewReader(body))
				r.Header.Set("zt-session", "admin")
				clear(w.h)
				f.handler.ServeHTTP(w, r)
			})
		})
	}
	ask("explain allowed", "GET", m("/explain?identity=identity-00007&service=s0"), "", "allowed:true")
	ask("explain refused", "GET", m("/explain?identity=identity-00007&service=s8"), "", "NO_DIAL_POLICY")
	ask("explain bind", "GET", m("/explain?identity=identity-00007&service=s8&type=bind"), "", "NO_BIND_POLICY")
	ask("who-can", "GET", m("/who-can?service=s0&limit=100"), "", "identity-00098")
	ask("what-can", "GET", m("/what-can?identity=identity-00007&limit=100"), "", "name:s0")
	ask("services of one identity", "GET", m("/identities/id00000007/services?limit=100"), "", "name:s0")
	ask("what-if attribute", "POST", m("/what-if"), `{"changes":[{"action":"update","kind":"identity","entity":"identity-00007","roleAttributes":["group3"]}]}`, "identity-00007")
	ask("what-if policy for all", "POST", m("/what-if"),
		`{"changes":[{"action":"create","kind":"service-policy","name":"all","type":"Dial","identityRoles":["#all"],"serviceRoles":["#all"]}]}`, "gained:8")
	b.Run("policy for all created, changed, deleted", func(b *testing.B) {
		cpu(b, func() {
			id := f.create("service-policies", obj{"name": "all", "type": "Dial", "semantic": "AnyOf", "identityRoles": []string{"#all"}, "serviceRoles": []string{"#all"}})
			f.do("PATCH", m("/service-policies/%s", id), obj{"type": "Bind"}).status(200)
			f.do("DELETE", m("/service-policies/%s", id), nil).status(200)
		})
	})
}
