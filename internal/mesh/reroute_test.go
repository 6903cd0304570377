package mesh

import (
	"testing"

	"github.com/weftnet/weft/internal/testnet"
)

// mib is what sizes and rates count in: a mebibyte, or less of it where the race
// detector makes everything slow.
const mib = mebibyte / testnet.Slowdown

// TestLinkLosses: 256 MiB in both directions survive ten lost links in a row
// and a controller that is killed in the middle.
func TestLinkLosses(t *testing.T) {
	long(t)
	f := diamond(t)
	conn := dial(t, f.dialer, f.hosted(t, f.host))
	tr, err := conn.Start(Load{Up: 256 * mib, Down: 256 * mib, Rate: 12 * mib})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		middle := f.middle(t, conn.Circuit)
		end := []string{"r1", "r4"}[i%2]
		if err := testnet.Tear(f.mesh.Router(end).Host, f.mesh.Router(middle).Host); err != nil {
			t.Fatal(err)
		}
		f.moved(t, conn.Circuit, middle)
		goesOn(t, tr, 4*mib)
		if err := f.mesh.Hosts.Heal(); err != nil {
			t.Fatal(err)
		}
		if i == 4 {
			f.mesh.Controller.Kill()
			goesOn(t, tr, 4*mib)
			if err := f.mesh.StartController(); err != nil {
				t.Fatal(err)
			}
		}
		f.whole(t)
	}
	if now, err := tr.Progress(); err != nil || now.Done {
		t.Fatalf("the transfer was over too early: %+v, %v", now, err)
	}
	complete(t, tr)
}

// TestTransitKilled: the circuits of a router that dies go another way.
func TestTransitKilled(t *testing.T) {
	f := diamond(t)
	var all []*Transfer
	var conns []*Conn
	for _, service := range []string{f.hosted(t, f.host), f.egress(t, "r4")} {
		for range 4 {
			conn := dial(t, f.dialer, service)
			tr, err := conn.Start(Load{Up: 32 * mib, Down: 32 * mib, Rate: 6 * mib})
			if err != nil {
				t.Fatal(err)
			}
			conns, all = append(conns, conn), append(all, tr)
		}
	}
	goesOn(t, all[0], mib)
	victim := f.middle(t, conns[0].Circuit)
	f.mesh.Router(victim).Process.Kill()
	for _, conn := range conns {
		f.moved(t, conn.Circuit, victim)
	}
	for _, tr := range all {
		complete(t, tr)
	}
	if err := f.mesh.StartRouters(); err != nil {
		t.Fatal(err)
	}
	f.whole(t)
}

// TestSilentCut: packets that vanish in one direction only, or both, are
// noticed and the circuit moves.
func TestSilentCut(t *testing.T) {
	long(t)
	f := diamond(t)
	service := f.hosted(t, f.host)
	for name, cut := range map[string]func(a, b *testnet.Host) error{
		"there": testnet.CutOneWay,
		"back":  func(a, b *testnet.Host) error { return testnet.CutOneWay(b, a) },
		"both":  testnet.Cut,
	} {
		t.Run(name, func(t *testing.T) {
			conn := dial(t, f.dialer, service)
			tr, err := conn.Start(Load{Up: 32 * mib, Down: 32 * mib, Rate: 8 * mib})
			if err != nil {
				t.Fatal(err)
			}
			goesOn(t, tr, mib)
			middle := f.middle(t, conn.Circuit)
			if err := cut(f.mesh.Router("r1").Host, f.mesh.Router(middle).Host); err != nil {
				t.Fatal(err)
			}
			f.moved(t, conn.Circuit, middle)
			complete(t, tr)
			if err := f.mesh.Hosts.Heal(); err != nil {
				t.Fatal(err)
			}
			f.whole(t)
		})
	}
}
