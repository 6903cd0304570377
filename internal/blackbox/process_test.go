package blackbox

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// process is a program that can be stopped, killed and started again.
type process struct {
	args []string
	env  []string // in addition to that of the tests

	mu     sync.Mutex
	cmd    *exec.Cmd
	done   chan struct{}
	code   int
	stdout bytes.Buffer
	lines  []string // of standard error, of all runs
}

func newProcess(args ...string) *process { return &process{args: args} }

// start runs the program; its standard error is kept line by line.
func (p *process) start() error {
	cmd := exec.Command(program, p.args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.Env = append(os.Environ(), p.env...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	cmd.Stdout = writerFunc(func(b []byte) (int, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.stdout.Write(b)
	})
	if err := cmd.Start(); err != nil {
		return err
	}
	done := make(chan struct{})
	p.mu.Lock()
	p.cmd, p.done = cmd, done
	p.mu.Unlock()
	go func() {
		s := bufio.NewScanner(stderr)
		s.Buffer(nil, 1<<20)
		for s.Scan() {
			p.mu.Lock()
			p.lines = append(p.lines, s.Text())
			p.mu.Unlock()
		}
		_ = cmd.Wait()
		p.mu.Lock()
		p.code = cmd.ProcessState.ExitCode()
		p.mu.Unlock()
		close(done)
	}()
	return nil
}

func (p *process) pid() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cmd.Process.Pid
}

func (p *process) ended() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.done
}

func (p *process) exited() bool {
	select {
	case <-p.ended():
		return true
	default:
		return false
	}
}

func (p *process) exitCode() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.code
}

func (p *process) out() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stdout.String()
}

// log returns the lines of standard error from number `from` on.
func (p *process) log(from int) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.lines[from:])
}

// mark is the number of lines so far, for log.
func (p *process) mark() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.lines)
}

// tail is the end of standard error.
func (p *process) tail() string {
	lines := p.log(0)
	return strings.Join(lines[max(0, len(lines)-100):], "\n")
}

// kill is kill -9; it returns when the process is gone.
func (p *process) kill() {
	if p.cmd == nil || p.exited() {
		return
	}
	_ = p.cmd.Process.Kill()
	<-p.ended()
}

// interrupt is Ctrl-C; it returns how long the process took to go.
func (p *process) interrupt() (time.Duration, error) {
	begin := time.Now()
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		return 0, err
	}
	select {
	case <-p.ended():
		return time.Since(begin), nil
	case <-time.After(patience):
		p.kill()
		return 0, fmt.Errorf("%v did not end after an interrupt", p.args)
	}
}

// panicked returns what the log says of a panic or a data race, "" without one.
func (p *process) panicked() string {
	lines := p.log(0)
	for i, l := range lines {
		if strings.Contains(l, "panic") || strings.HasPrefix(l, "fatal error:") || strings.Contains(l, "DATA RACE") {
			return strings.Join(lines[i:min(i+60, len(lines))], "\n")
		}
	}
	return ""
}

// resident is the resident memory of the process in bytes.
func (p *process) resident(t *testing.T) int { return p.status(t, "VmRSS") }

// allotted is the memory that the process has asked for, in bytes, whether it
// has used it or not.
func (p *process) allotted(t *testing.T) int { return p.status(t, "VmData") }

// status reads an entry of the process's status that is in kB.
func (p *process) status(t *testing.T, name string) int {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid()))
	if err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(l, name+":"); ok {
			n, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				t.Fatal(err)
			}
			return n << 10
		}
	}
	t.Fatalf("no %s in the status of the process", name)
	return 0
}

// wantGrown fails the test if the process has grown by more than max bytes since
// it had `before`.
func (p *process) wantGrown(t *testing.T, before, max int, why string) {
	t.Helper()
	grown := p.resident(t) - before
	t.Logf("%s: %d KiB more resident", why, grown>>10)
	if grown > max && !underRace {
		t.Errorf("%s: %d MiB more resident, at most %d expected", why, grown>>20, max>>20)
	}
}

// files is the number of files that the process has open.
func (p *process) files(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.pid()))
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// logged returns a line of the log after `from` that is JSON and contains all
// texts, "" without one.
func (p *process) logged(from int, texts ...string) string {
	for _, l := range p.log(from) {
		if json.Valid([]byte(l)) && !slices.ContainsFunc(texts, func(s string) bool { return !strings.Contains(l, s) }) {
			return l
		}
	}
	return ""
}

// wantLogged repeats an attack until the log of p has a line about it, with the
// port of the attacker and all texts: the rate of lines about strangers is
// bounded, so one of them may be missing.
func wantLogged(t *testing.T, p *process, attack func(), texts ...string) {
	t.Helper()
	from := p.mark()
	limit := time.Now().Add(patience)
	for time.Now().Before(limit) {
		attack()
		port, _ := lastPort.Load(t.Name())
		var line string
		if within(300*time.Millisecond, func() bool {
			line = p.logged(from, append(texts, port.(string))...)
			return line != ""
		}) {
			t.Logf("log: %s", line)
			return
		}
	}
	t.Fatalf("no line with %q in the log of %v", texts, p.args)
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
	if err := p.start(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-p.ended():
	case <-time.After(patience):
		p.kill()
		t.Fatalf("%v does not end\n%s", args, p.tail())
	}
	return p.out(), strings.Join(p.log(0), "\n"), p.exitCode()
}

// within reports whether cond becomes true before the time is over.
func within(d time.Duration, cond func() bool) bool {
	limit := time.NewTimer(d)
	defer limit.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if cond() {
			return true
		}
		select {
		case <-limit.C:
			return false
		case <-tick.C:
		}
	}
}

// eventually fails the test if cond does not become true.
func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	if !within(patience, cond) {
		t.Fatalf("never happened: %s", what)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }
