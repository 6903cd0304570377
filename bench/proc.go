package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/weftnet/weft/internal/testnet"
)

// process is a child whose CPU time and memory can be read while it runs.
type process struct {
	name  string
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines *bufio.Scanner
}

// start runs a program. Its standard output is read line by line with next.
func startProcess(ctx context.Context, name string, log io.Writer, program string, args ...string) (*process, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.Stderr = log
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	lines := bufio.NewScanner(stdout)
	lines.Buffer(nil, 1<<20)
	return &process{name: name, cmd: cmd, stdin: stdin, lines: lines}, nil
}

// startChild runs this program as one end of the named path and waits for its
// first line, which says that it is ready.
func startChild(ctx context.Context, s settings, path string, args ...string) (*process, string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, "", err
	}
	call := []string{"child"}
	if s.profiles != "" {
		call = append(call, "-profile", filepath.Join(s.profiles, path+"-"+args[0]+".pprof"))
	}
	return startEnd(ctx, path+" "+args[0], self, append(call, args...)...)
}

// startEnd runs a program that speaks the protocol of package peer.
func startEnd(ctx context.Context, name, program string, args ...string) (*process, string, error) {
	p, err := startProcess(ctx, name, discard{}, program, args...)
	if err != nil {
		return nil, "", err
	}
	ready, err := p.next()
	if err != nil {
		p.stop()
		return nil, "", err
	}
	return p, ready, nil
}

func (p *process) next() (string, error) {
	if !p.lines.Scan() {
		return "", fmt.Errorf("%s ended: %v", p.name, p.cmd.Wait())
	}
	return p.lines.Text(), nil
}

// ask sends a request to a child and decodes its answer.
func (p *process) ask(req, answer any) error {
	if err := json.NewEncoder(p.stdin).Encode(req); err != nil {
		return err
	}
	line, err := p.next()
	if err != nil {
		return err
	}
	if msg, failed := strings.CutPrefix(line, "error: "); failed {
		return fmt.Errorf("%s: %s", p.name, msg)
	}
	return json.Unmarshal([]byte(line), answer)
}

func (p *process) stop() {
	_ = p.stdin.Close()
	_ = p.cmd.Process.Signal(os.Interrupt)
	done := make(chan struct{})
	go func() { _ = p.cmd.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		_ = p.cmd.Process.Kill()
		<-done
	}
}

// cpu is the time that the process has spent so far, user and system; 0 for one
// that is gone.
func (p *process) cpu() time.Duration {
	spent, _ := testnet.CPU(p.cmd.Process.Pid)
	return spent
}

// forgetPeak has the highest resident memory counted anew, where the system can.
func (p *process) forgetPeak() {
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p.cmd.Process.Pid), []byte("5"), 0)
}

// resident is the resident memory in bytes: now, and at its highest; 0 for a
// process that is gone.
func (p *process) resident() (now, peak int64) {
	now, _ = testnet.Memory(p.cmd.Process.Pid, testnet.Resident)
	peak, _ = testnet.Memory(p.cmd.Process.Pid, testnet.Peak)
	return now, peak
}
