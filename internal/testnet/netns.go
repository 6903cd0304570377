package testnet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
)

// ErrNoHosts is the reason when hosts cannot be made here: they need Linux, the
// rights of root, and the programs ip and nft.
var ErrNoHosts = errors.New("hosts cannot be made here")

// setnsCalls are the numbers of the system call setns.
var setnsCalls = map[string]uintptr{"amd64": 308, "arm64": 268}

// namespace is a network namespace without a name. It lives as long as this
// process or one that runs in it, so that a crash leaves nothing behind.
type namespace struct{ file *os.File }

func newNamespace() (*namespace, error) {
	if setnsCalls[runtime.GOARCH] == 0 {
		return nil, fmt.Errorf("%w: number of setns on %s is not known", ErrNoHosts, runtime.GOARCH)
	}
	var n namespace
	err := away(func() (err error) {
		if err := syscall.Unshare(syscall.CLONE_NEWNET); err != nil {
			return fmt.Errorf("%w: a network namespace needs the rights of root: %w", ErrNoHosts, err)
		}
		n.file, err = os.Open(threadNamespace())
		return err
	})
	return &n, err
}

// do calls f in the namespace: processes that f starts and sockets that it
// opens belong to it.
func (n *namespace) do(f func() error) error {
	return away(func() error {
		if err := setns(n.file); err != nil {
			return err
		}
		return f()
	})
}

// run is do for a program, which gets input as its standard input.
func (n *namespace) run(input string, program string, args ...string) error {
	if n == nil {
		return fmt.Errorf("%w: an address of this machine has no wires", ErrNoHosts)
	}
	var out strings.Builder
	cmd := exec.Command(program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &out, &out
	if err := n.do(cmd.Start); err != nil {
		return fmt.Errorf("%s: %w", program, err)
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("%s %s: %w: %s\n%s", program, strings.Join(args, " "), err, strings.TrimSpace(out.String()), input)
	}
	return nil
}

// dial opens a connection from the namespace to an IP address and port.
func (n *namespace) dial(ctx context.Context, network, address string) (conn net.Conn, err error) {
	err = n.do(func() (err error) {
		var d net.Dialer
		conn, err = d.DialContext(ctx, network, address)
		return err
	})
	return conn, err
}

// path names the namespace for other programs.
func (n *namespace) path() string {
	return fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), n.file.Fd())
}

func (n *namespace) close() error { return n.file.Close() }

// away calls f on a thread that may change its namespace, and brings the thread
// back. It must not end: processes that it has started would end with it.
func away(f func() error) error {
	runtime.LockOSThread()
	home, err := os.Open(threadNamespace())
	if err != nil {
		runtime.UnlockOSThread()
		return err
	}
	defer home.Close()
	err = f()
	if back := setns(home); back != nil {
		return errors.Join(err, fmt.Errorf("a thread is lost in a namespace: %w", back))
	}
	runtime.UnlockOSThread()
	return err
}

func threadNamespace() string {
	return fmt.Sprintf("/proc/self/task/%d/ns/net", syscall.Gettid())
}

func setns(f *os.File) error {
	if _, _, errno := syscall.RawSyscall(setnsCalls[runtime.GOARCH], f.Fd(), syscall.CLONE_NEWNET, 0); errno != 0 {
		return os.NewSyscallError("setns", errno)
	}
	return nil
}
