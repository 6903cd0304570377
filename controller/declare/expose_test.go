package declare

import (
	"strings"
	"testing"

	"github.com/weftnet/weft/model"
)

// TestExpose makes services reachable in one plan each, again without a change,
// and takes them away with all that belongs to them.
func TestExpose(t *testing.T) {
	n := newNetwork(t)
	n.apply("edgeRouters: [{name: r1}]\nidentities: [{name: server}]", Options{})
	expose := func(x *Exposure) *Plan {
		t.Helper()
		d, err := x.Document()
		if err != nil {
			t.Fatal(err)
		}
		p, err := Make(n.store.View(), d, Options{Prune: true, Selector: x.Selector(), Command: command()}, n.rules)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Command.Ops) > 0 {
			n.write(p.Command)
		}
		return p
	}
	web := &Exposure{Name: "web", To: []string{"tcp:localhost:8080"}, Hosts: []string{"server", "#hosts"}, Dial: []string{"#staff"}, As: []string{"web.corp:80"}}
	if p := expose(web); count(p, Create) != 5 {
		t.Errorf("%+v", p.Changes)
	}
	text := n.export(ExportOptions{Selector: web.Selector()})
	for _, want := range []string{"configType: host.v1", "address: localhost", "- web.corp", "low: 80", "'#hosts'", "'@server'", "'#staff'", "type: Bind"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing in\n%s", want, text)
		}
	}
	if p := expose(web); len(p.Command.Ops) != 0 {
		t.Errorf("the second time: %+v", p.Changes)
	}
	web.Hosts, web.Routers, web.To = nil, []string{"r1"}, []string{"tcp:localhost:8080", "udp:[::1]:53"}
	if p := expose(web); count(p, Create) != 2 || count(p, Delete) != 2 || count(p, Update) != 2 {
		t.Errorf("from a host to a router: %+v", p.Changes)
	}
	bindings := func(want int, binding string) { // the router ends the encryption of clients, if there is one
		t.Helper()
		if text := n.export(ExportOptions{Selector: web.Selector()}); strings.Count(text, "binding: "+binding+"\n") != want {
			t.Errorf("not %d terminators with the binding %s in\n%s", want, binding, text)
		}
	}
	bindings(2, "edge_transport")
	web.Plain = true
	expose(web)
	bindings(1, "transport")
	bindings(1, "transport_udp")
	empty, err := Read(nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Make(n.store.View(), empty, Options{Prune: true, Selector: web.Selector(), Command: command()}, n.rules)
	if err != nil {
		t.Fatal(err)
	}
	n.write(p.Command)
	if v := n.store.View(); v.Count(model.KindService)+v.Count(model.KindConfig)+v.Count(model.KindServicePolicy)+v.Count(model.KindTerminator) != 0 || v.Count(model.KindEdgeRouter) != 1 {
		t.Error("something is left, or too much is gone")
	}
}

func TestExposeRefusals(t *testing.T) {
	ok := Exposure{Name: "web", To: []string{"tcp:h:1"}, Hosts: []string{"x"}}
	for field, change := range map[string]func(*Exposure){
		"name": func(x *Exposure) { x.Name = "" }, "host": func(x *Exposure) { x.Hosts = nil },
		"to": func(x *Exposure) { x.To = []string{"h:1"} }, "as": func(x *Exposure) { x.As = []string{"web:9-8"} },
	} {
		x := ok
		change(&x)
		if _, err := x.Document(); err == nil || !strings.Contains(err.Error(), field+": ") {
			t.Errorf("%s: %v", field, err)
		}
	}
}
