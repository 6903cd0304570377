package blackbox

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/weftnet/weft/pki"
)

// network is a controller and a router as processes of their own, with a
// well-behaved host and client whose life an attack must not disturb.
type network struct {
	dir        string
	apiPort    int
	routerPort int
	controller *process
	router     *process
	ca         *x509.CertPool
	admin      *rest
	routerID   string
	good       *bystander
}

// shared is one network for all tests that leave its processes alone.
var shared sharedNetwork

type sharedNetwork struct {
	once sync.Once
	net  *network
	err  error
}

// tell prints the logs of the shared network.
func (s *sharedNetwork) tell() {
	if s.net != nil {
		fmt.Fprintf(os.Stderr, "log of the shared controller:\n%s\nlog of the shared router:\n%s\n", s.net.controller.tail(), s.net.router.tail())
	}
}

// end stops the shared network and reports what went wrong unnoticed.
func (s *sharedNetwork) end() error {
	if s.net == nil {
		return nil
	}
	defer s.net.stop()
	for _, p := range []*process{s.net.controller, s.net.router} {
		if line := p.panicked(); line != "" {
			return fmt.Errorf("%v panicked: %s", p.args, line)
		}
	}
	return nil
}

// commonNetwork returns the shared network.
func commonNetwork(t *testing.T) *network {
	t.Helper()
	shared.once.Do(func() { shared.net, shared.err = startNetwork() })
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.net
}

// ownNetwork is a network whose processes the test may overload or kill.
func ownNetwork(t *testing.T) *network {
	t.Helper()
	n, err := startNetwork()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		n.stop()
		if t.Failed() {
			t.Logf("log of the controller:\n%s\nlog of the router:\n%s", n.controller.tail(), n.router.tail())
		}
	})
	return n
}

func startNetwork() (_ *network, err error) {
	dir, err := os.MkdirTemp("", "weft-network")
	if err != nil {
		return nil, err
	}
	n := &network{dir: filepath.Join(dir, "net"), apiPort: freePort(), routerPort: freePort()}
	defer func() {
		if err != nil {
			n.stop()
		}
	}()
	if err := n.create(); err != nil {
		return nil, err
	}
	if n.ca, err = loadCAs(filepath.Join(n.dir, "pki", "ca.pem")); err != nil {
		return nil, err
	}
	n.controller = newProcess("controller", "run", filepath.Join(n.dir, "controller.yml"))
	n.router = newProcess("router", "run", filepath.Join(n.dir, "router.yml"))
	if err := errors.Join(n.controller.start(), n.router.start()); err != nil {
		return nil, err
	}
	n.admin = n.rest("/edge/management/v1", nil)
	if err := n.waitReady(); err != nil {
		return nil, err
	}
	n.good, err = n.newBystander()
	return n, err
}

func (n *network) waitReady() error {
	var err error
	if !within(patience, func() bool {
		err = n.admin.loginPassword(adminUser, adminPassword)
		return err == nil
	}) {
		return fmt.Errorf("no login: %w\n%s", err, n.controller.tail())
	}
	if !within(patience, n.routerOnline) {
		return fmt.Errorf("the router does not come online\n%s\n%s", n.controller.tail(), n.router.tail())
	}
	return nil
}

func (n *network) routerOnline() bool {
	var routers []struct {
		ID       string
		IsOnline bool
	}
	if n.admin.call("GET", "/edge-routers", nil, &routers) != nil || len(routers) != 1 {
		return false
	}
	n.routerID = routers[0].ID
	return routers[0].IsOnline
}

// create lets `weft up` make the directory, then stops it.
func (n *network) create() error {
	up := newUp(n.dir, n.apiPort, n.routerPort)
	if err := up.start(); err != nil {
		return err
	}
	defer up.kill()
	if !within(patience, func() bool { return strings.Contains(up.out(), "{") || up.exited() }) || up.exited() {
		return fmt.Errorf("weft up did not become ready:\n%s", up.tail())
	}
	_, err := up.interrupt()
	return err
}

func newUp(dir string, apiPort, routerPort int, more ...string) *process {
	return newProcess(append([]string{"up", "--dir", dir, "--api-port", strconv.Itoa(apiPort), "--router-port", strconv.Itoa(routerPort),
		"--username", adminUser, "--password", adminPassword, "--json"}, more...)...)
}

func (n *network) apiAddress() string { return net.JoinHostPort("localhost", strconv.Itoa(n.apiPort)) }
func (n *network) routerAddress() string {
	return net.JoinHostPort("localhost", strconv.Itoa(n.routerPort))
}

// stop kills the processes and removes the directory.
func (n *network) stop() {
	if n.good != nil {
		n.good.close()
	}
	for _, p := range []*process{n.router, n.controller} {
		if p != nil {
			p.kill()
		}
	}
	_ = os.RemoveAll(filepath.Dir(n.dir))
}

// authority loads the CA that signs identities, routers and API sessions, as
// somebody with the key of the network would; tests make expired and odd
// certificates with it.
func (n *network) authority(t *testing.T) *pki.Authority {
	t.Helper()
	cert, err := os.ReadFile(filepath.Join(n.dir, "pki", "edge.cert.pem"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(n.dir, "pki", "edge.key.pem"))
	if err != nil {
		t.Fatal(err)
	}
	certs, err := pki.ParseCertificates(cert)
	if err != nil {
		t.Fatal(err)
	}
	key, err := pki.ParseKey(text)
	if err != nil {
		t.Fatal(err)
	}
	a, err := pki.NewAuthority(certs[0], key, certs[1:]...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func loadCAs(path string) (*x509.CertPool, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	b, err := pki.ParseBundle(text)
	if err != nil {
		return nil, err
	}
	return b.Pool(), nil
}

// nextPort walks below the range that the system gives to outgoing connections,
// of which the tests open thousands.
var nextPort atomic.Int32

// freePort returns a TCP port that nobody uses at the moment and that no other
// test gets.
func freePort() int {
	const first, count = 12000, 18000
	for {
		port := first + (os.Getpid()*61+int(nextPort.Add(1)))%count
		l, err := net.Listen("tcp", net.JoinHostPort("0.0.0.0", strconv.Itoa(port)))
		if err == nil {
			l.Close()
			return port
		}
	}
}
