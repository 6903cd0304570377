package network

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/weftnet/weft/wire/ctrl"
)

// inSim runs fn with a mesh of routers that are all connected.
func inSim(t *testing.T, routers int, fn func(t *testing.T, s *sim)) {
	synctest.Test(t, func(t *testing.T) {
		s := newSim(t, 1, routers)
		defer s.close()
		s.connectAll()
		fn(t, s)
	})
}

// want fails the test if a circuit is not as it should be: its routers in
// order, none for a circuit that must be gone.
func (s *sim) want(what, id string, routers ...string) {
	s.t.Helper()
	c := s.net.Circuit(id)
	var got []string
	if c != nil {
		for _, h := range c.Path {
			got = append(got, h.RouterID)
		}
	}
	if len(got) != len(routers) {
		s.t.Fatalf("%s: %s over %v, want %v", what, id, got, routers)
	}
	for i := range got {
		if got[i] != routers[i] {
			s.t.Fatalf("%s: %s over %v, want %v", what, id, got, routers)
		}
	}
	for _, d := range s.compare() {
		s.t.Error(what+":", d)
	}
}

func TestCircuitOverThreeRouters(t *testing.T) {
	inSim(t, 3, func(t *testing.T, s *sim) {
		s.bed.terminator("tr3", "r3", nil)
		s.join("r1", "r2")
		s.join("r3", "r2")
		id, a := s.routers["r1"].dial()
		if a.GetRefusal() != nil || string(a.PeerData[7]) != "from r3" || a.Route.Path != 1 || a.Route.DownstreamLink != "l1" {
			t.Fatal(a)
		}
		s.want("created", id, "r1", "r2", "r3")
		if s.net.DynamicCost("tr3") != 2 {
			t.Error("cost")
		}
		s.routers["r3"].hang(id)
		time.Sleep(time.Second)
		s.want("ended by the host", id)
		if s.net.DynamicCost("tr3") != 0 || len(s.net.byLink)+len(s.net.byRouter)+len(s.net.byIdentity)+len(s.net.unwell)+len(s.net.requests) != 0 {
			t.Error("something is left")
		}
	})
}

func TestReroute(t *testing.T) {
	inSim(t, 4, func(t *testing.T, s *sim) {
		s.bed.terminator("tr4", "r4", nil)
		s.join("r1", "r2")
		s.join("r2", "r4")
		id, _ := s.routers["r1"].dial()
		s.join("r1", "r3")
		s.join("r3", "r4")
		s.cut("l2")
		time.Sleep(time.Second)
		s.want("a link is lost", id, "r1", "r3", "r4")
		s.join("r2", "r4")
		s.routers["r3"].crash()
		time.Sleep(time.Second)
		s.want("a router is lost", id, "r1", "r2", "r4")

		s.cut("l1")
		time.Sleep(PathWait - 2*time.Second)
		if c := s.net.Circuit(id); c == nil || c.State != Waiting {
			t.Fatal("not waiting", c)
		}
		s.join("r2", "r1")
		time.Sleep(time.Second)
		s.want("a path comes up while it waits", id, "r1", "r2", "r4")
		s.net.RemoveLink("l6", "by hand")
		time.Sleep(PathWait + 2*time.Second)
		s.want("no path", id)
		if s.events["deletedNO_PATH"] != 1 {
			t.Error(s.events)
		}
	})
}

func TestCircuitsOutliveTheController(t *testing.T) {
	inSim(t, 4, func(t *testing.T, s *sim) {
		s.bed.terminator("tr4", "r4", nil)
		s.join("r1", "r2")
		s.join("r2", "r4")
		id, _ := s.routers["r1"].dial()
		for _, order := range [][]string{{"r1", "r2", "r4"}, {"r4", "r2", "r1"}, {"r2", "r4", "r1"}} {
			s.restartController()
			for _, r := range order {
				s.routers[r].connect()
				time.Sleep(40 * time.Second)
			}
			s.want("adopted", id, "r1", "r2", "r4")
			if len(s.net.unwell) > 0 || s.net.DynamicCost("tr4") != 2 {
				t.Error("unwell, or its cost is not known")
			}
		}
		s.restartController()
		s.join("r1", "r3")
		s.join("r3", "r4")
		s.cut("l2")
		for _, r := range []string{"r4", "r3", "r1"} {
			s.routers[r].connect()
		}
		time.Sleep(time.Second)
		s.routers["r2"].connect()
		time.Sleep(time.Second)
		s.want("a link died meanwhile", id, "r1", "r3", "r4")

		s.restartController()
		s.routers["r1"].connect()
		s.routers["r4"].connect()
		time.Sleep(5 * time.Second)
		if c := s.net.Circuit(id); c == nil || c.State != Incomplete {
			t.Fatal("not incomplete", c)
		}
		s.join("r1", "r4")
		time.Sleep(10 * time.Second)
		s.routers["r3"].connect()
		time.Sleep(time.Second)
		s.want("a router in between stays away", id, "r1", "r4")

		s.restartController()
		s.routers["r4"].crash()
		for _, r := range s.sorted() {
			r.connect()
		}
		time.Sleep(PathWait + adoptWait + 5*time.Second)
		s.want("an end is lost meanwhile", id)
	})
}

func TestRouterWithoutController(t *testing.T) {
	inSim(t, 3, func(t *testing.T, s *sim) {
		s.bed.terminator("tr3", "r3", nil)
		s.join("r1", "r2")
		s.join("r2", "r3")
		s.join("r1", "r3")
		cost := 1000
		s.net.ChangeLink("l3", &cost, nil)
		id, _ := s.routers["r1"].dial()
		s.routers["r2"].disconnect()
		time.Sleep(2 * time.Minute)
		s.want("it only lost its controller", id, "r1", "r2", "r3")
		if _, a := s.routers["r1"].dial(); len(s.net.Circuits()) != 2 || a.Route.DownstreamLink != "l3" {
			t.Error("a new circuit leads over a router that the controller cannot reach", a)
		}
		s.routers["r2"].connect()
		s.net.SetQuiesced("r2", true)
		if _, a := s.routers["r1"].dial(); a.GetRoute().GetDownstreamLink() != "l3" {
			t.Error("a new circuit leads over a quiesced router", a)
		}
		s.net.SetQuiesced("r3", true)
		if _, a := s.routers["r1"].dial(); a.GetRefusal().GetCode() != CodeNoOnlineTerminators {
			t.Error("a new circuit leads to a quiesced router", a)
		}
		s.net.SetQuiesced("r1", true)
		if _, a := s.routers["r1"].dial(); a.GetRefusal().GetCode() != CodeRouterQuiesced {
			t.Error("a new circuit begins at a quiesced router", a)
		}
		s.want("quiesced", id, "r1", "r2", "r3")
		s.net.RouterGone("r2")
		time.Sleep(time.Second)
		if c := s.net.Circuit(id); len(c.Path) != 2 {
			t.Error("not moved off a router that was disabled", c.Path)
		}
		s.net.RouterGone("r3")
		if n := len(s.net.Circuits()); n != 0 {
			t.Error(n, "circuits end at a router that was deleted")
		}
	})
}

func TestAttemptsOverOtherPaths(t *testing.T) {
	inSim(t, 4, func(t *testing.T, s *sim) {
		s.bed.terminator("tr4", "r4", nil)
		s.join("r1", "r2")
		s.join("r2", "r4")
		s.join("r1", "r3")
		s.join("r3", "r4")
		s.mu.Lock()
		delete(s.links, "l2") // nobody has noticed yet
		s.mu.Unlock()
		id, a := s.routers["r1"].dial()
		if a.GetRefusal() != nil || a.Route.Path != 2 {
			t.Fatal(a)
		}
		time.Sleep(time.Second)
		s.want("second attempt", id, "r1", "r3", "r4")
		if c := s.net.DynamicCost("tr4"); c != 2 {
			t.Error("a lost link counts as a failure of the terminator", c)
		}
	})
}

func TestLinksTakenOutOfUse(t *testing.T) {
	inSim(t, 3, func(t *testing.T, s *sim) {
		s.bed.terminator("tr3", "r3", nil)
		s.join("r1", "r3")
		id, _ := s.routers["r1"].dial()
		down, up := true, false
		s.net.ChangeLink("l1", nil, &down)
		time.Sleep(2 * PathWait)
		s.want("no other path", id, "r1", "r3")
		if _, a := s.routers["r1"].dial(); a.GetRefusal().GetCode() != ctrl.CodeNoPath {
			t.Error(a)
		}
		s.join("r1", "r2")
		s.join("r2", "r3")
		time.Sleep(2 * time.Second)
		s.want("another path", id, "r1", "r2", "r3")
		s.net.ChangeLink("l1", nil, &up)
		time.Sleep(time.Minute)
		s.want("a better path", id, "r1", "r3")

		l := s.links["l1"].report()
		l.Unresponsive = true
		s.net.LinkChanges("r1", &ctrl.LinkChanges{Put: []*ctrl.Link{l}})
		time.Sleep(time.Second)
		s.want("an unresponsive link", id, "r1", "r2", "r3")
	})
}

func TestFaultsAndEndsInBetween(t *testing.T) {
	inSim(t, 3, func(t *testing.T, s *sim) {
		s.bed.terminator("tr3", "r3", nil)
		s.join("r1", "r2")
		s.join("r2", "r3")
		id, _ := s.routers["r1"].dial()
		time.Sleep(10 * time.Second)
		s.routers["r2"].mu.Lock()
		delete(s.routers["r2"].circuits, id)
		s.routers["r2"].mu.Unlock()
		s.net.CircuitFaults("r2", []string{id, "unknown"})
		time.Sleep(time.Second)
		s.want("faulted", id, "r1", "r2", "r3")
		s.routers["r2"].hang(id)
		time.Sleep(time.Second)
		s.want("ended in between", id, "r1", "r2", "r3")
		if drop := s.net.ConfirmCircuits("r2", &ctrl.ConfirmCircuits{Circuits: []*ctrl.IdleCircuit{{CircuitId: id}, {CircuitId: "x"}}}); len(drop) != 1 || drop[0] != "x" {
			t.Error(drop)
		}
		s.routers["r3"].mu.Lock()
		delete(s.routers["r3"].circuits, id)
		s.routers["r3"].mu.Unlock()
		s.net.CircuitFaults("r1", []string{id})
		time.Sleep(10 * time.Second)
		s.net.CircuitFaults("r1", []string{id})
		time.Sleep(time.Second)
		s.want("an end does not know it", id)
	})
}
