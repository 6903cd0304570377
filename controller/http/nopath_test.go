package http

import (
	"testing"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

// Why there is no path: the ends first, then what bars the easiest way.
func TestWhyThereIsNoPath(t *testing.T) {
	f := newFixture(t)
	for _, name := range []string{"a", "b", "c", "d"} {
		e := &model.EdgeRouter{Name: "router-" + name}
		e.ID = name
		f.apply(state.NewCommand(f.now, state.Author{}, state.Source{}).AsSystem().Create(e))
		f.routers[name] = RouterStatus{Online: true}
	}
	link := func(id, from, to string) *Link {
		return &Link{ID: id, DialerID: from, AcceptorID: to, State: linkConnected}
	}
	change := func(body obj, ids ...string) {
		for _, id := range ids {
			f.do("PATCH", fb("/routers/%s", id), body).status(200)
		}
	}
	ask := func(reason, remedy string) {
		t.Helper()
		f.do("GET", fb("/paths?from=a&to=c"), nil).status(200).is("data.code", "NO_PATH").is("data.reason", reason).is("data.remedy", remedy)
	}
	const join = "give a router of either side a link listener that one of the other side can reach, and that one a link dialer with a common group"
	ask("no chain of links leads from router-a, which is linked with none, to router-c, which is linked with none", join)
	f.mesh.links = []*Link{link("ab", "a", "b"), link("da", "d", "a")}
	ask("no chain of links leads from router-a, which is linked with router-b, router-d, to router-c, which is linked with none", join)

	// a-b-c and a-d-c: the way with fewer obstacles is the one to clear.
	f.mesh.links = append(f.mesh.links, link("bc", "c", "b"), link("dc", "d", "c"), link("gone", "a", "unknown"))
	change(obj{"noTraversal": true}, "b", "d")
	f.mesh.links[1].Down = true
	ask("router router-b carries no traffic between others (noTraversal)", "weft update router router-b --no-traversal=false")
	change(obj{"noTraversal": false}, "d")
	f.mesh.links[0].State = "Unresponsive"
	ask("link da between router-d and router-a is down", "weft update link da --down=false")
	f.mesh.links[1].Down, f.routers["d"] = false, RouterStatus{}
	ask("router router-d is offline", "start it, or see its log for why it does not reach the controller")
	f.mesh.links = f.mesh.links[:1:1]
	f.mesh.links = append(f.mesh.links, link("bc", "c", "b"))
	ask("link ab between router-a and router-b is unresponsive; router router-b carries no traffic between others (noTraversal)",
		"check the network between the two routers; weft update router router-b --no-traversal=false")

	here := f.routers["a"]
	f.routers["a"], f.routers["c"] = RouterStatus{}, RouterStatus{}
	ask("router router-a is offline; router router-c is offline", "start it, or see its log for why it does not reach the controller")
	f.routers["a"] = here
	f.routers["c"] = RouterStatus{Online: true, Quiesced: true}
	change(obj{"disabled": true}, "a")
	ask("router router-a is disabled; router router-c is quiesced", "weft update router router-a --disabled=false; weft agent dequiesce on its machine")

	// What the controller says where nothing is in the way.
	f.routers["d"] = RouterStatus{Online: true}
	f.do("GET", fb("/paths?from=d&to=d"), nil).is("data.reason", "no link joins them")
}
