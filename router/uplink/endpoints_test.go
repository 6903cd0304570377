package uplink

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/weftnet/weft/wire/ctrl"
)

func list(index uint64, leader bool, ids ...string) *ctrl.Endpoints {
	m := &ctrl.Endpoints{Index: index, Leader: leader}
	for _, id := range ids {
		m.Controllers = append(m.Controllers, &ctrl.Controller{Id: id, Addresses: []string{"tls:" + id + ":6262"}})
	}
	return m
}

// TestListsOfControllers: who is known after lists of leaders and others.
func TestListsOfControllers(t *testing.T) {
	steps := []struct {
		name string
		m    *ctrl.Endpoints
		want []string
	}{
		{"the first list counts", list(5, false, "a", "b"), []string{"a:6262", "b:6262"}},
		{"an empty one does not", list(6, true), []string{"a:6262", "b:6262"}},
		{"who is not the leader only adds", list(7, false, "a", "c"), []string{"a:6262", "b:6262", "c:6262"}},
		{"an old list does not count", list(6, false, "d"), []string{"a:6262", "b:6262", "c:6262"}},
		{"the leader removes", list(7, true, "a", "c"), []string{"a:6262", "c:6262"}},
		{"also with an index that begins anew", list(1, true, "a"), []string{"a:6262"}},
	}
	file := filepath.Join(t.TempDir(), "endpoints")
	u := New(Config{EndpointsFile: file, Endpoints: []string{"tls:spare:1"}})
	must(t, u.loadEndpoints())
	for _, s := range steps {
		u.takeEndpoints(s.m)
		want := append(s.want, "spare:1")
		if got := u.controllers.addresses(); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", s.name, got, want)
		}
		again := New(Config{EndpointsFile: file, Endpoints: []string{"tls:spare:1"}})
		must(t, again.loadEndpoints())
		if got := again.controllers.addresses(); !slices.Equal(got, want) {
			t.Errorf("%s: from the file %v, want %v", s.name, got, want)
		}
	}
	b, err := os.ReadFile(file)
	must(t, err)
	const want = "controllers:\n    - endpoints:\n        - address: tls:a:6262\n          groups: []\n      id: a\nendpoints:\n    - tls:a:6262\n"
	if string(b) != want {
		t.Errorf("the file is\n%s", b)
	}
	info, err := os.Stat(file)
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Error(info.Mode())
	}
}

// TestPeersAreKept: a router that starts without a controller finds the others.
func TestPeersAreKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "db", "edge.db")
	u := New(Config{SnapshotFile: file})
	_, err := u.apply(newTruth(t).whole())
	must(t, err)
	u.takePeers(&ctrl.Peers{Whole: true, Put: []*ctrl.Peer{{RouterId: "r2", Online: true}, {RouterId: "r3"}}})
	u.takePeers(&ctrl.Peers{Put: []*ctrl.Peer{{RouterId: "r4"}}, Removed: []string{"r3"}})
	must(t, u.save(file))
	var got []string
	again := New(Config{SnapshotFile: file, Peers: func(m *ctrl.Peers) {
		for _, p := range m.Put {
			if p.Online {
				t.Error("a peer that was online long ago counts as online")
			}
			got = append(got, p.RouterId)
		}
	}})
	again.tellPeers()
	slices.Sort(got)
	if !slices.Equal(got, []string{"r2", "r4"}) {
		t.Error(got)
	}
}
