package testnet

import (
	"slices"
	"strings"
	"testing"
	"time"
)

const patience = 30 * time.Second

func shell(t *testing.T, script string) *Process {
	t.Helper()
	p := NewProcess("/bin/sh", "-c", script)
	p.Env = []string{"WORD=kept"}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p
}

// TestProcess: output and log are kept, over a second run, too.
func TestProcess(t *testing.T) {
	p := shell(t, `echo "$WORD"; echo one >&2; echo '{"msg":"two"}' >&2; printf three >&2; exit 7`)
	<-p.Ended()
	if p.Stdout() != "kept\n" || p.ExitCode() != 7 || !slices.Equal(p.Log(0), []string{"one", `{"msg":"two"}`, "three"}) {
		t.Errorf("%q, exit code %d, log %q", p.Stdout(), p.ExitCode(), p.Log(0))
	}
	if p.Logged(0, "two") == "" || p.Logged(0, "one") != "" || p.Logged(2, "two") != "" {
		t.Error("Logged finds JSON lines from a number on")
	}
	if _, err := p.Interrupt(patience); err == nil || !strings.Contains(err.Error(), "by itself") {
		t.Errorf("interrupt of an ended process: %v", err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	<-p.Ended()
	if p.Mark() != 6 || !strings.HasSuffix(p.Tail(), "three") {
		t.Errorf("log of two runs: %q", p.Tail())
	}
}

func TestInterrupt(t *testing.T) {
	p := shell(t, `trap 'echo bye; exit 3' INT; echo ready; while :; do sleep 0.01; done`)
	if !Within(patience, func() bool { return p.Stdout() == "ready\n" }) {
		t.Fatal("it does not start")
	}
	for _, entry := range []string{Resident, Peak, Allotted} {
		if n, err := Memory(p.PID(), entry); n <= 0 || err != nil {
			t.Errorf("%s: %d, %v", entry, n, err)
		}
	}
	if n, err := Files(p.PID()); n < 3 || err != nil {
		t.Errorf("%d files, %v", n, err)
	}
	if _, err := CPU(p.PID()); err != nil {
		t.Error(err)
	}
	if _, err := p.Interrupt(patience); err != nil || p.ExitCode() != 3 || p.Stdout() != "ready\nbye\n" {
		t.Errorf("%v, exit code %d, %q", err, p.ExitCode(), p.Stdout())
	}
}

// TestStubborn: what ignores Ctrl-C is killed, and that is an error.
func TestStubborn(t *testing.T) {
	p := shell(t, `trap '' INT; echo ready; while :; do sleep 0.01; done`)
	if !Within(patience, func() bool { return p.Stdout() == "ready\n" }) {
		t.Fatal("it does not start")
	}
	if _, err := p.Interrupt(50 * time.Millisecond); err == nil || !p.Exited() || p.ExitCode() != -1 {
		t.Errorf("%v, exited %v", err, p.Exited())
	}
}

func TestPanicked(t *testing.T) {
	for _, tt := range []struct {
		name, log string
		want      bool
	}{
		{"quiet", "all is well", false},
		{"panic", "panic: oh", true},
		{"recovered", `{"msg":"panic of a handler"}`, true},
		{"runtime", "fatal error: concurrent map writes", true},
		{"race", "WARNING: DATA RACE", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := shell(t, "echo '"+tt.log+"' >&2")
			<-p.Ended()
			if got := p.Panicked(); (got != "") != tt.want {
				t.Errorf("got %q", got)
			}
		})
	}
}
