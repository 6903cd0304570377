// Package interop drives clients that the project did not write against the
// real binary: the Go SDK of the ecosystem and its management client.
package interop

import (
	"bufio"
	"bytes"
	"context"
	"crypto/x509"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	edgeapis "github.com/openziti/sdk-golang/edge-apis"
	"github.com/openziti/sdk-golang/ziti"
)

const (
	adminUser     = "admin"
	adminPassword = "interop-admin-1"
)

// patience bounds how long a test waits for a condition; it is no measure of speed.
const patience = 60 * time.Second

var binary string

func TestMain(m *testing.M) {
	if os.Getenv(hostIdentity) != "" {
		os.Exit(hostProcess())
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "weft-interop")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "weft")
	build := exec.Command("go", "build", "-o", binary, "./cmd/weft")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build weft: %v\n%s", err, out)
		return 1
	}
	// The SDK asks this program for the name of the distribution at every dial.
	os.Setenv("HOST_ETC", dir)
	if err := os.WriteFile(filepath.Join(dir, "lsb-release"), []byte("DISTRIB_ID=test\n"), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if n := shared.net; n != nil {
		for _, p := range []*process{n.controller, n.router} {
			if p.exited() {
				fmt.Fprintf(os.Stderr, "%v has ended by itself:\n%s", p.args, p.tail())
				code = 1
			}
		}
		n.stop()
	}
	return code
}

var shared struct {
	once sync.Once
	net  *network
	err  error
}

// sharedNetwork is one network for all tests that leave its processes alone.
func sharedNetwork(t *testing.T) *network {
	t.Helper()
	shared.once.Do(func() { shared.net, shared.err = startNetwork() })
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.net
}

// ownNetwork is a network whose processes the test may kill.
func ownNetwork(t *testing.T) *network {
	t.Helper()
	n, err := startNetwork()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		n.stop()
		if t.Failed() {
			t.Logf("controller log:\n%s\nrouter log:\n%s", n.controller.tail(), n.router.tail())
		}
	})
	return n
}

// network is a controller and a router as processes of their own.
type network struct {
	dir        string
	apiPort    int
	routerPort int
	controller *process
	router     *process
	cas        *x509.CertPool
	admin      *edgeapis.ManagementApiClient
}

func startNetwork() (_ *network, err error) {
	dir, err := os.MkdirTemp("", "weft-network")
	if err != nil {
		return nil, err
	}
	n := &network{dir: dir, apiPort: freePort(), routerPort: freePort()}
	defer func() {
		if err != nil {
			n.stop()
		}
	}()
	if err := n.create(); err != nil {
		return nil, err
	}
	n.controller = newProcess("controller", "run", filepath.Join(dir, "controller.yml"))
	n.router = newProcess("router", "run", filepath.Join(dir, "router.yml"))
	if err := n.controller.start(); err != nil {
		return nil, err
	}
	if err := n.router.start(); err != nil {
		return nil, err
	}
	if err := n.waitAPI(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, n.controller.tail())
	}
	if err := n.login(); err != nil {
		return nil, fmt.Errorf("admin login: %w\n%s", err, n.controller.tail())
	}
	return n, n.waitRouter()
}

// create lets `weft up` make the directory, then stops it.
func (n *network) create() error {
	up := newProcess("up", "--dir", n.dir, "--api-port", strconv.Itoa(n.apiPort), "--router-port", strconv.Itoa(n.routerPort),
		"--username", adminUser, "--password", adminPassword, "--json")
	if err := up.start(); err != nil {
		return err
	}
	if !eventually(func() bool { return bytes.Contains(up.out(), []byte("{")) || up.exited() }) || up.exited() {
		up.kill()
		return fmt.Errorf("weft up did not become ready:\n%s", up.tail())
	}
	return up.interrupt()
}

func (n *network) url() string { return fmt.Sprintf("https://localhost:%d", n.apiPort) }

func (n *network) waitAPI() error {
	var last error
	ok := eventually(func() bool {
		n.cas, last = ziti.GetControllerWellKnownCaPool(n.url())
		return last == nil
	})
	if !ok {
		return fmt.Errorf("the API does not answer: %w", last)
	}
	return nil
}

func (n *network) login() error {
	u, err := url.Parse(n.url() + edgeapis.ManagementApiPath)
	if err != nil {
		return err
	}
	n.admin = edgeapis.NewManagementApiClient([]*url.URL{u}, n.cas, nil)
	cred := edgeapis.NewUpdbCredentials(adminUser, adminPassword)
	cred.CaPool = n.cas
	_, err = n.admin.Authenticate(cred, nil)
	return err
}

func (n *network) stop() {
	for _, p := range []*process{n.router, n.controller} {
		if p != nil {
			p.kill()
		}
	}
	os.RemoveAll(n.dir)
}

func freePort() int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func eventually(cond func() bool) bool {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if cond() {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
}

// process is one run of the binary that can be killed and started again.
type process struct {
	args []string

	mu     sync.Mutex
	cmd    *exec.Cmd
	done   chan struct{}
	stdout bytes.Buffer
	lines  []string // last lines of standard error
}

func newProcess(args ...string) *process { return &process{args: args} }

func (p *process) start() error {
	cmd := exec.Command(binary, p.args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
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
		for s := bufio.NewScanner(stderr); s.Scan(); {
			p.keep(s.Text())
		}
		_ = cmd.Wait()
		close(done)
	}()
	return nil
}

func (p *process) keep(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lines = append(p.lines, line); len(p.lines) > 200 {
		p.lines = p.lines[1:]
	}
}

func (p *process) out() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return bytes.Clone(p.stdout.Bytes())
}

func (p *process) tail() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var b bytes.Buffer
	for _, l := range p.lines {
		b.WriteString(l + "\n")
	}
	return b.String()
}

func (p *process) exited() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// kill is kill -9; it returns when the process is gone.
func (p *process) kill() {
	if p.cmd == nil {
		return
	}
	_ = p.cmd.Process.Kill()
	<-p.done
}

// interrupt is Ctrl-C; it returns when the process is gone.
func (p *process) interrupt() error {
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	select {
	case <-p.done:
		return nil
	case <-time.After(patience):
		p.kill()
		return fmt.Errorf("%v did not end after an interrupt", p.args)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }
