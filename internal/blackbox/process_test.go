package blackbox

import (
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weftnet/weft/internal/testnet"
)

// process is a program that can be stopped, killed and started again.
type process = testnet.Process

func newProcess(args ...string) *process { return testnet.NewProcess(program, args...) }

// resident is the resident memory of the process in bytes.
func resident(t *testing.T, p *process) int {
	t.Helper()
	return memory(t, p, testnet.Resident)
}

// allotted is the memory that the process has asked for, in bytes, whether it
// has used it or not.
func allotted(t *testing.T, p *process) int {
	t.Helper()
	return memory(t, p, testnet.Allotted)
}

func memory(t *testing.T, p *process, entry string) int {
	t.Helper()
	n, err := testnet.Memory(p.PID(), entry)
	if err != nil {
		t.Fatal(err)
	}
	return int(n)
}

// wantGrown fails the test if the process has grown by more than max bytes since
// it had `before`.
func wantGrown(t *testing.T, p *process, before, max int, why string) {
	t.Helper()
	grown := resident(t, p) - before
	t.Logf("%s: %d KiB more resident", why, grown>>10)
	if grown > max && !underRace {
		t.Errorf("%s: %d MiB more resident, at most %d expected", why, grown>>20, max>>20)
	}
}

// files is the number of files that the process has open.
func files(t *testing.T, p *process) int {
	t.Helper()
	n, err := testnet.Files(p.PID())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// wantLogged repeats an attack until the log of p has a line about it, with the
// port of the attacker and all texts: the rate of lines about strangers is
// bounded, so one of them may be missing.
func wantLogged(t *testing.T, p *process, attack func(), texts ...string) {
	t.Helper()
	from := p.Mark()
	limit := time.Now().Add(patience)
	for time.Now().Before(limit) {
		attack()
		port, _ := lastPort.Load(t.Name())
		var line string
		if testnet.Within(300*time.Millisecond, func() bool {
			line = p.Logged(from, append(texts, port.(string))...)
			return line != ""
		}) {
			t.Logf("log: %s", line)
			return
		}
	}
	t.Fatalf("no line with %q in the log of %v", texts, p.Args)
}

// lastPort is the local port of the last connection that a test dialed, by the
// name of the test.
var lastPort sync.Map

func noteDialed(t *testing.T, c net.Conn) {
	_, port, _ := net.SplitHostPort(c.LocalAddr().String())
	lastPort.Store(t.Name(), port)
}

// runToEnd runs the program and returns its output and exit code.
func runToEnd(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	p := newProcess(args...)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-p.Ended():
	case <-time.After(patience):
		p.Kill()
		t.Fatalf("%v does not end\n%s", args, p.Tail())
	}
	return p.Stdout(), strings.Join(p.Log(0), "\n"), p.ExitCode()
}

// within reports whether cond becomes true before the time is over.
func within(d time.Duration, cond func() bool) bool { return testnet.Within(d, cond) }

// eventually fails the test if cond does not become true.
func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	if !within(patience, cond) {
		t.Fatalf("never happened: %s", what)
	}
}
