package mesh

import (
	"testing"

	"github.com/weftnet/weft/internal/testnet"
)

// TestNoPath: without another path circuits wait. One that gets its link back
// in time goes on, the other ends with a code that says so at both ends.
func TestNoPath(t *testing.T) {
	long(t)
	f := diamond(t)
	service := f.hosted(t, f.host)
	r4 := f.mesh.Router("r4").Host
	apart := func() {
		t.Helper()
		for _, middle := range []string{"r2", "r3"} {
			if err := testnet.Tear(r4, f.mesh.Router(middle).Host); err != nil {
				t.Fatal(err)
			}
		}
		if !testnet.Within(patience, func() bool { return len(f.links(t)) == 2 }) {
			t.Fatalf("links %+v", f.links(t))
		}
	}
	tr := start(t, f.dialer, service, Load{Up: 24 * mib, Down: 24 * mib, Rate: 8 * mib})
	goesOn(t, tr, mib)
	apart()
	if err := f.mesh.Hosts.Heal(); err != nil {
		t.Fatal(err)
	}
	f.whole(t)
	complete(t, tr)

	lost := start(t, f.dialer, service, Load{Up: 240 * mib, Down: 240 * mib, Rate: 8 * mib})
	goesOn(t, lost, mib)
	apart()
	if _, err := f.dialer.Dial(service); err == nil {
		t.Error("a dial without a path")
	} else if fail, is := err.(*Failure); !is || fail.Code != "NO_PATH" {
		t.Errorf("dial without a path: %+v", err)
	}
	_, err := lost.Wait()
	if fail, is := err.(*Failure); !is || fail.Code != "NO_PATH" {
		t.Errorf("the dialer is told %+v", err)
	}
	var rec Record
	if !testnet.Within(patience, func() bool {
		rec, err = f.host.Hosted(lost.Seed)
		return err != nil || rec.Done
	}) || err != nil || rec.Failure == nil || rec.Failure.Code != "NO_PATH" {
		t.Errorf("the host is told %+v, %v", rec.Failure, err)
	}
}
