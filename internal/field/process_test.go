package field

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// process is the program, running.
type process struct {
	args []string
	cmd  *exec.Cmd
	done chan struct{}

	mu       sync.Mutex
	out, err bytes.Buffer
}

// start runs the program with the arguments.
func start(args ...string) (*process, error) {
	p := &process{args: args, cmd: exec.Command(program, args...), done: make(chan struct{})}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	p.cmd.Stdout, p.cmd.Stderr = p.keep(&p.out), p.keep(&p.err)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(p.done)
		_ = p.cmd.Wait()
	}()
	return p, nil
}

// writer is a function that takes what is written.
type writer func([]byte) (int, error)

func (w writer) Write(b []byte) (int, error) { return w(b) }

func (p *process) keep(to *bytes.Buffer) writer {
	return func(b []byte) (int, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		return to.Write(b)
	}
}

func (p *process) stdout() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.String()
}

// log is everything the program has logged.
func (p *process) log() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err.String()
}

// tail is the end of the log.
func (p *process) tail() string {
	lines := strings.Split(p.log(), "\n")
	return strings.Join(lines[max(0, len(lines)-60):], "\n")
}

func (p *process) exited() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// stop is Ctrl-C; it returns when the process is gone.
func (p *process) stop() error {
	if p.exited() {
		return fmt.Errorf("%v has ended by itself\n%s", p.args, p.tail())
	}
	_ = p.cmd.Process.Signal(os.Interrupt)
	select {
	case <-p.done:
		return nil
	case <-time.After(patience):
		_ = p.cmd.Process.Kill()
		<-p.done
		return fmt.Errorf("%v does not end after an interrupt\n%s", p.args, p.tail())
	}
}

// healthy returns an error if the process panicked or raced.
func (p *process) healthy() error {
	for _, word := range []string{"panic:", "\"panic", "fatal error:", "DATA RACE"} {
		if strings.Contains(p.log(), word) {
			return fmt.Errorf("%v: %s in its log\n%s", p.args, word, p.log())
		}
	}
	return nil
}

// within waits until ok returns true and reports whether it did in time.
func within(d time.Duration, ok func() bool) bool {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for limit := time.Now().Add(d); time.Now().Before(limit); <-tick.C {
		if ok() {
			return true
		}
	}
	return ok()
}
