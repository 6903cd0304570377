package network

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/weftnet/weft/wire/ctrl"
)

// TestEndStartsAnew: a circuit ends at once when a router at its end is back
// without it, and not before.
func TestEndStartsAnew(t *testing.T) {
	for _, end := range []string{"r1", "r3"} {
		inSim(t, 3, func(t *testing.T, s *sim) {
			s.bed.terminator("tr3", "r3", nil)
			s.join("r1", "r2")
			s.join("r2", "r3")
			again := func() string {
				s.connectAll()
				for _, l := range []string{"r1", "r3"} {
					s.join("r2", l)
				}
				id, a := s.routers["r1"].dial()
				if id == "" {
					t.Fatal(a)
				}
				return id
			}
			id := again()
			s.routers[end].crash()
			time.Sleep(5 * time.Second)
			if c := s.net.Circuit(id); c == nil || c.State != Waiting {
				t.Fatal("it may come back", c)
			}
			s.routers[end].connect()
			time.Sleep(time.Second)
			s.want(end+" is back without it", id)

			id = again()
			s.restartController()
			s.routers[end].crash()
			for _, r := range s.sorted() {
				if r.id != end {
					r.connect()
				}
			}
			time.Sleep(5 * time.Second)
			if c := s.net.Circuit(id); c == nil || c.State != Incomplete {
				t.Fatal("it may come back to a controller that has started anew", c)
			}
			s.routers[end].connect()
			time.Sleep(time.Second)
			s.want(end+" is back without it, at a controller that did not know it", id)

			id = again()
			s.restartController()
			s.routers[end].crash()
			s.routers[end].connect()
			time.Sleep(time.Second)
			s.connectAll()
			time.Sleep(time.Second)
			s.want(end+" was back first", id)
			if n := s.events["deletedPEER_GONE"]; n < 3 || len(s.net.unwell)+len(s.net.byRouter) != 0 {
				t.Error(s.events)
			}
		})
	}
}

// TestEndedWhileAway: what a router reports that has ended while it was away
// ends there at once.
func TestEndedWhileAway(t *testing.T) {
	inSim(t, 3, func(t *testing.T, s *sim) {
		s.bed.terminator("tr3", "r3", nil)
		s.join("r1", "r2")
		s.join("r2", "r3")
		id, _ := s.routers["r1"].dial()
		s.routers["r2"].disconnect()
		s.routers["r3"].hang(id)
		time.Sleep(time.Second)
		s.routers["r2"].connect()
		time.Sleep(time.Second)
		s.want("ended while the transit router was away", id)
	})
}

// TestNoRouterOfACircuit: circuits none of whose routers is connected are listed
// as such, come back with their routers, and are forgotten in the end.
func TestNoRouterOfACircuit(t *testing.T) {
	inSim(t, 2, func(t *testing.T, s *sim) {
		s.bed.terminator("tr1", "r1", nil)
		alone, _ := s.routers["r1"].dial()
		is := func(what string, id string, want CircuitState) {
			t.Helper()
			var got CircuitState
			if c := s.net.Circuit(id); c != nil {
				got = c.State
			}
			if got != want {
				t.Errorf("%s: %q, want %q", what, got, want)
			}
		}
		s.routers["r1"].disconnect()
		is("its router is away", alone, Unconfirmed)
		time.Sleep(ForgetWait - time.Minute)
		s.routers["r1"].connect()
		is("its router is back", alone, Active)
		s.routers["r1"].disconnect()
		time.Sleep(ForgetWait - time.Minute)
		is("its router is away again", alone, Unconfirmed)
		time.Sleep(time.Minute + 2*time.Second)
		is("its router stays away", alone, "")
		if len(s.net.unwell)+len(s.net.byRouter) != 0 {
			t.Error("something is left")
		}
		s.routers["r1"].connect()
		is("its router has it all the time", alone, Active)
		s.want("at the end", alone, "r1")
	})
}

// TestFirstReports: reports of everything that were made before a link do not
// take it away.
func TestFirstReports(t *testing.T) {
	inSim(t, 2, func(t *testing.T, s *sim) {
		s.join("r1", "r2")
		l := s.links["l1"].report()
		s.net.LinkChanges("r1", &ctrl.LinkChanges{Gone: []*ctrl.LinkGone{{Id: "l1", Iteration: 1}}})
		s.net.LinkChanges("r2", &ctrl.LinkChanges{Gone: []*ctrl.LinkGone{{Id: "l1", Iteration: 1}}})
		for _, ends := range [][2]string{{"r1", "r2"}, {"r2", "r1"}} {
			l.Iteration++
			s.net.LinkChanges(ends[0], &ctrl.LinkChanges{Put: []*ctrl.Link{l}})
			s.net.LinkChanges(ends[1], &ctrl.LinkChanges{Whole: true})
			if x := s.net.Link("l1"); x == nil || !x.Usable() {
				t.Error("taken away by an older report", x)
			}
			s.net.LinkChanges(ends[1], &ctrl.LinkChanges{Whole: true, Put: []*ctrl.Link{l}})
			s.net.LinkChanges(ends[1], &ctrl.LinkChanges{Whole: true})
			if x := s.net.Link("l1"); x.Usable() {
				t.Error("not taken away by a newer report", x)
			}
		}
		l.Iteration++
		s.net.LinkChanges("r1", &ctrl.LinkChanges{Put: []*ctrl.Link{l}})
		time.Sleep(defaultPending + 2*time.Second)
		synctest.Wait()
		if _, there := s.links["l1"]; there {
			t.Error("the other end does not have it, and it was not closed")
		}
	})
}
