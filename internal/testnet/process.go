package testnet

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Process is a program that can be interrupted, killed and started again. What
// it writes is kept in memory, of all its runs. It dies with its parent. Its
// methods are safe for concurrent use, except Start, Kill and Interrupt, which
// are for one caller at a time.
type Process struct {
	Args []string
	Env  []string // in addition to that of the parent; set before Start
	// Input is standard input, for one run; set before Start. Nil is none.
	Input *os.File
	// Output, if it is set before Start, gets standard output, which is not
	// kept then.
	Output io.Writer

	program string
	on      *namespace // nil for that of the parent

	mu      sync.Mutex
	cmd     *exec.Cmd // nil before the first start
	done    chan struct{}
	stdout  bytes.Buffer
	lines   []string // of standard error
	partial []byte   // line of standard error that has not ended
}

// NewProcess describes a run of program; Start runs it.
func NewProcess(program string, args ...string) *Process {
	return &Process{Args: args, program: program}
}

// Start runs the program, the first time or after its end.
func (p *Process) Start() error {
	cmd := exec.Command(p.program, p.Args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.Env = append(os.Environ(), p.Env...)
	cmd.Stdout, cmd.Stderr = writer(p.keepOutput), writer(p.keepLog)
	if p.Input != nil {
		cmd.Stdin = p.Input
	}
	if p.Output != nil {
		cmd.Stdout = p.Output
	}
	start := cmd.Start
	if p.on != nil {
		start = func() error { return p.on.do(cmd.Start) }
	}
	if err := start(); err != nil {
		return err
	}
	done := make(chan struct{})
	p.mu.Lock()
	p.cmd, p.done = cmd, done
	p.mu.Unlock()
	go func() {
		defer close(done)
		_ = cmd.Wait() // the exit code tells
		p.endLine()
	}()
	return nil
}

// PID is the number of the last process that was started.
func (p *Process) PID() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cmd.Process.Pid
}

// Ended returns a channel that is closed when the running process is gone and
// everything it wrote is kept.
func (p *Process) Ended() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.done
}

// Exited reports whether a started process is gone.
func (p *Process) Exited() bool {
	select {
	case <-p.Ended():
		return true
	default:
		return false
	}
}

// ExitCode is that of an ended process, -1 if a signal ended it.
func (p *Process) ExitCode() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cmd.ProcessState.ExitCode()
}

// Kill is kill -9; it returns when the process is gone. It does nothing to one
// that does not run.
func (p *Process) Kill() {
	if p.Ended() == nil || p.Exited() {
		return
	}
	_ = p.cmd.Process.Kill()
	<-p.Ended()
}

// Interrupt is Ctrl-C; it returns how long the process took to go. One that has
// ended by itself is an error, and one that takes longer than patience is
// killed and an error.
func (p *Process) Interrupt(patience time.Duration) (time.Duration, error) {
	if p.Exited() {
		return 0, fmt.Errorf("%v has ended by itself\n%s", p.Args, p.Tail())
	}
	begin := time.Now()
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		return 0, err
	}
	select {
	case <-p.Ended():
		return time.Since(begin), nil
	case <-time.After(patience):
		p.Kill()
		return 0, fmt.Errorf("%v did not end after an interrupt\n%s", p.Args, p.Tail())
	}
}

// Freeze stops the process as a debugger does: it is there and does nothing,
// until Thaw.
func (p *Process) Freeze() error { return p.signal(syscall.SIGSTOP) }

// Thaw lets a frozen process go on.
func (p *Process) Thaw() error { return p.signal(syscall.SIGCONT) }

func (p *Process) signal(s os.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cmd.Process.Signal(s)
}

// writer is a function that takes what is written.
type writer func([]byte) (int, error)

// Write implements io.Writer.
func (w writer) Write(b []byte) (int, error) { return w(b) }

func (p *Process) keepOutput(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stdout.Write(b)
}

func (p *Process) keepLog(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.partial = append(p.partial, b...)
	for {
		line, rest, found := bytes.Cut(p.partial, []byte("\n"))
		if !found {
			return len(b), nil
		}
		p.lines = append(p.lines, strings.TrimSuffix(string(line), "\r"))
		p.partial = rest
	}
}

// endLine keeps a last line without a line feed.
func (p *Process) endLine() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.partial) > 0 {
		p.lines, p.partial = append(p.lines, string(p.partial)), nil
	}
}
