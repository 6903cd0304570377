package mesh

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/weftnet/weft/internal/testnet"
)

// tell lets an operator on a router's machine say something to its agent.
func (f *fixture) tell(t *testing.T, router string, args ...string) string {
	t.Helper()
	pid := strconv.Itoa(f.mesh.Router(router).Process.PID())
	p := testnet.NewProcess(program, append(append([]string{"agent"}, args...), "-p", pid)...)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-p.Ended():
	case <-time.After(patience):
		p.Kill()
		t.Fatalf("%v does not end", p.Args)
	}
	if p.ExitCode() != 0 {
		t.Fatalf("%v: exit code %d\n%s", p.Args, p.ExitCode(), p.Tail())
	}
	return p.Stdout()
}

// TestQuiescedRouters: the controller leads no new circuit through a quiesced router;
// those that are there go on.
func TestQuiescedRouters(t *testing.T) {
	f := diamond(t)
	service := f.hosted(t, f.host)
	t.Cleanup(func() {
		for _, r := range []string{"r2", "r3", "r4"} {
			f.tell(t, r, "dequiesce")
		}
	})

	before, also := dial(t, f.dialer, service), dial(t, f.dialer, service)
	used := f.Path(before.Circuit)[1]
	other := map[string]string{"r2": "r3", "r3": "r2"}[used]
	f.tell(t, used, "quiesce")
	around := func() bool {
		conn := dial(t, f.dialer, service)
		defer conn.Close()
		return slices.Equal(f.Path(conn.Circuit), []string{"r1", other, "r4"})
	}
	if !testnet.Within(patience, around) { // the controller hears of it a moment later
		t.Fatalf("new circuits still use %s", used)
	}
	for range 5 {
		if !around() {
			t.Errorf("a new circuit uses %s", used)
		}
	}
	if _, err := before.Echo(10, 1000); err != nil {
		t.Errorf("the circuit from before: %v", err)
	}
	if path := f.Path(before.Circuit); !slices.Equal(path, []string{"r1", used, "r4"}) {
		t.Errorf("the circuit from before has moved to %v", path)
	}
	if status := f.tell(t, used, "status"); !strings.Contains(status, "router.quiesced") {
		t.Errorf("status: %s", status)
	}

	f.tell(t, other, "quiesce")
	refused := func() bool {
		conn, err := f.dialer.DialWithin(service, 5*time.Second)
		if err == nil {
			conn.Close()
		}
		return err != nil
	}
	if !testnet.Within(patience, refused) {
		t.Error("a circuit without a way that is not quiesced")
	}
	f.tell(t, used, "dequiesce")
	if !testnet.Within(patience, func() bool { return !refused() }) {
		t.Error("no circuit although the router takes them again")
	}

	f.tell(t, "r4", "quiesce")
	if !testnet.Within(patience, refused) {
		t.Error("a circuit that ends at a quiesced router")
	}
	if _, err := also.Echo(10, 1000); err != nil {
		t.Errorf("the circuit from before, which ends at a quiesced router: %v", err)
	}
}
