package mesh

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/weftnet/weft/internal/testnet"
)

// TestStalledReaders: circuits whose reader has stopped do not slow the others
// on the same routers and links.
func TestStalledReaders(t *testing.T) {
	long(t)
	f := diamond(t)
	service := f.hosted(t, f.host)
	load := func() time.Duration {
		begin := time.Now()
		var all []*Transfer
		for range 4 {
			all = append(all, start(t, f.dialer, service, Load{Up: 4 * mib, Down: 16 * mib}))
		}
		for _, tr := range all {
			complete(t, tr)
		}
		return time.Since(begin)
	}
	load() // warm up
	free := load()
	var stalled []*Transfer
	for range 8 {
		stalled = append(stalled, start(t, f.dialer, service, Load{Down: 32 * mib, Hold: true}))
	}
	for _, tr := range stalled { // the host can write no more
		f.full(t, tr)
	}
	held := load()
	t.Logf("%v alone, %v beside stalled readers", free, held)
	if held > 5*free+time.Second {
		t.Errorf("stalled readers slow others: %v alone, %v beside them", free, held)
	}
	for _, tr := range stalled {
		if err := tr.Release(); err != nil {
			t.Fatal(err)
		}
	}
	for _, tr := range stalled {
		complete(t, tr)
	}
}

// full waits until the host of a held transfer cannot write any more.
func (f *fixture) full(t *testing.T, tr *Transfer) {
	t.Helper()
	var last int64 = -1
	same := 0
	if !testnet.Within(patience, func() bool {
		rec, err := f.host.Hosted(tr.Seed)
		if err != nil || rec.Sent == 0 || rec.Sent != last {
			last, same = rec.Sent, 0
			return false
		}
		same++
		return same > 20
	}) {
		t.Fatal("the host of a stalled reader writes on and on")
	}
}

// TestSlowLink: many streams share a slow link fairly, and what waits for it
// does not pile up in the router.
func TestSlowLink(t *testing.T) {
	long(t)
	f := diamond(t)
	const streams, each = 100, 800 << 10 / testnet.Slowdown
	r1, r4 := f.mesh.Router("r1"), f.mesh.Router("r4")
	for _, middle := range []string{"r2", "r3"} {
		if err := testnet.SetPace(f.mesh.Router(middle).Host, r4.Host, testnet.Pace{BytesPerSecond: 8 * mib}); err != nil {
			t.Fatal(err)
		}
	}
	service := f.hosted(t, f.host)
	var conns []*Conn
	for range streams {
		conns = append(conns, dial(t, f.dialer, service))
	}
	all := make([]*Transfer, streams)
	var started sync.WaitGroup
	for i, conn := range conns { // all at once: who comes first is no question of fairness
		started.Go(func() {
			var err error
			if all[i], err = conn.Start(Load{Up: each}); err != nil {
				t.Error(err)
			}
		})
	}
	started.Wait()
	if t.Failed() {
		t.FailNow()
	}
	// Half of everything has arrived: how much of each?
	var got []int64
	if !testnet.Within(patience, func() bool {
		var sum int64
		got = got[:0]
		for _, tr := range all {
			rec, err := f.host.Hosted(tr.Seed)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, rec.Received)
			sum += rec.Received
		}
		return sum >= streams*each/2
	}) {
		t.Fatalf("it stands still at %v", got)
	}
	slices.Sort(got)
	t.Logf("at half: least %d, a tenth %d, median %d, nine tenths %d, most %d of %d bytes",
		got[0], got[streams/10], got[streams/2], got[streams*9/10], got[streams-1], each)
	if got[streams/10] < got[streams/2]/4 {
		t.Errorf("unfair: %v", got)
	}
	for _, r := range []*testnet.MeshRouter{r1, f.mesh.Router("r2"), f.mesh.Router("r3")} {
		use, err := testnet.Memory(r.Process.PID(), testnet.Peak)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s took at most %d MiB", r.Name, use/mebibyte)
		if use > 160*mebibyte*testnet.Slowdown {
			t.Errorf("%s took %d MiB", r.Name, use/mebibyte)
		}
	}
	for _, tr := range all {
		complete(t, tr)
	}
}

// TestEveryEnd: a thousand circuits, ended in every possible way, leave nothing
// behind in any process.
func TestEveryEnd(t *testing.T) {
	long(t)
	f := diamond(t)
	hosted, egress := f.hosted(t, f.host), f.egress(t, "r4")
	before := make(map[string]Use)
	f.settle(t)
	measure := func() map[string]Use {
		out := make(map[string]Use)
		for _, r := range f.mesh.Routers {
			use, err := f.UseOf(r.Process)
			if err != nil {
				t.Fatal(err)
			}
			out[r.Name] = use
		}
		return out
	}
	f.endAll(t, 20, hosted, egress) // what is kept for reuse is there now
	f.settle(t)
	before = measure()
	f.endAll(t, 1000/testnet.Slowdown, hosted, egress)
	f.settle(t)
	var after map[string]Use
	if !testnet.Within(patience, func() bool {
		after = measure()
		for name, use := range after {
			if use.Goroutines > before[name].Goroutines+3 || use.Files > before[name].Files+3 {
				return false
			}
		}
		return true
	}) {
		t.Errorf("left over:\nbefore %+v\nafter  %+v", before, after)
	}
	t.Logf("before %+v\nafter  %+v", before, after)
}

// endAll makes circuits and ends them in turns: by the dialer, by the host, by
// half closes, by the controller, in the middle of data, and by the death of
// the dialing process.
func (f *fixture) endAll(t *testing.T, count int, services ...string) {
	t.Helper()
	mortal, err := f.client(fmt.Sprintf("mortal-%d", serial.Add(1)), "r1")
	if err != nil {
		t.Fatal(err)
	}
	for i := range count {
		service := services[i%len(services)]
		by := f.dialer
		if i%7 == 6 {
			by = mortal
		}
		conn, err := by.Dial(service)
		if err != nil {
			t.Fatalf("dial %d: %v\n%s", i, err, f.mesh.Logs())
		}
		switch i % 7 {
		case 0: // nothing was ever sent
			err = conn.Close()
		case 1: // an exchange, then the end
			if _, err = conn.Echo(1, 100); err == nil {
				err = conn.Close()
			}
		case 2: // both sides half-close
			var tr *Transfer
			if tr, err = conn.Start(Load{Up: 1000, Down: 1000}); err == nil {
				_, err = tr.Wait()
			}
			_ = conn.Close()
		case 3: // the controller ends it
			err = f.EndCircuit(conn.Circuit)
			_ = conn.Close()
		case 4: // in the middle of data
			if _, err = conn.Start(Load{Up: 10 * mib, Down: 10 * mib, Rate: mib}); err == nil {
				err = conn.Close()
			}
		case 5: // the dialer has said its last word, and goes
			if err = conn.CloseWrite(); err == nil {
				err = conn.Close()
			}
		case 6: // the process dies, below
			_, err = conn.Echo(1, 100)
		}
		if err != nil {
			t.Fatalf("circuit %d: %v", i, err)
		}
	}
	mortal.Process.Kill()
}

// settle waits until there is no circuit anywhere.
func (f *fixture) settle(t *testing.T) {
	t.Helper()
	var left string
	if !testnet.Within(patience, func() bool {
		all, err := f.Circuits()
		if err != nil {
			t.Fatal(err)
		}
		left = fmt.Sprintf("%d at the controller", len(all))
		if len(all) > 0 {
			return false
		}
		for _, r := range f.mesh.Routers {
			tables, err := f.Tables(r)
			if err != nil {
				t.Fatal(err)
			}
			if len(tables.Circuits) > 0 {
				left = fmt.Sprintf("%d at %s: %+v", len(tables.Circuits), r.Name, tables.Circuits)
				return false
			}
		}
		return true
	}) {
		t.Fatalf("circuits are left: %s", left)
	}
}

// agrees waits until the tables of controller and routers agree.
func (f *fixture) agrees(t *testing.T) {
	t.Helper()
	var err error
	if !testnet.Within(patience, func() bool { err = f.Agree(); return err == nil }) {
		t.Errorf("controller and routers disagree: %v", err)
	}
}
