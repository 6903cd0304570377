package field

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
)

// host is the address of everything: a literal, as clients send it in TLS, too.
const host = "127.0.0.1"

// network is a controller and a router as processes of their own.
type network struct {
	dir                string
	apiPort            int
	controller, router *process
	ca                 *x509.CertPool
	admin              *manager
	routerID           string
}

// shared is one network for all tests.
var shared sharedNetwork

type sharedNetwork struct {
	once sync.Once
	net  *network
	err  error
}

// end stops the shared network and reports what went wrong unnoticed.
func (s *sharedNetwork) end() error {
	if s.net == nil {
		return nil
	}
	return s.net.stop()
}

// common returns the shared network.
func common(t *testing.T) *network {
	t.Helper()
	shared.once.Do(func() { shared.net, shared.err = startNetwork() })
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.net
}

func startNetwork() (_ *network, err error) {
	dir, err := os.MkdirTemp("", "weft-field-network")
	if err != nil {
		return nil, err
	}
	n := &network{dir: filepath.Join(dir, "net"), apiPort: freePort()}
	defer func() {
		if err != nil {
			err = errors.Join(err, n.stop())
		}
	}()
	if err := n.create(); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(n.dir, "pki", "ca.pem"))
	if err != nil {
		return nil, err
	}
	n.ca = x509.NewCertPool()
	if !n.ca.AppendCertsFromPEM(text) {
		return nil, errors.New("no certificate in ca.pem")
	}
	if n.controller, err = start("controller", "run", filepath.Join(n.dir, "controller.yml")); err != nil {
		return nil, err
	}
	if n.router, err = start("router", "run", filepath.Join(n.dir, "router.yml")); err != nil {
		return nil, err
	}
	return n, n.waitReady()
}

// create lets `weft up` make the directory, then stops it.
func (n *network) create() error {
	up, err := start("up", "--dir", n.dir, "--address", host, "--api-port", strconv.Itoa(n.apiPort),
		"--router-port", strconv.Itoa(freePort()), "--username", adminUser, "--password", adminPassword, "--json")
	if err != nil {
		return err
	}
	if !within(patience, func() bool { return strings.Contains(up.stdout(), "{") || up.exited() }) || up.exited() {
		return fmt.Errorf("weft up is not ready\n%s", up.tail())
	}
	return up.stop()
}

func (n *network) waitReady() error {
	n.admin = &manager{base: n.url("/edge/management/v1"), http: plainClient(n.ca)}
	var err error
	if !within(patience, func() bool {
		err = n.admin.login(adminUser, adminPassword)
		return err == nil
	}) {
		return fmt.Errorf("no login: %w\n%s", err, n.controller.tail())
	}
	if !within(patience, n.routerOnline) {
		return fmt.Errorf("the router does not come online\n%s", n.router.tail())
	}
	return nil
}

func (n *network) routerOnline() bool {
	a, err := n.admin.send("GET", "/edge-routers", nil)
	if err != nil || a.status != 200 {
		return false
	}
	list, _ := a.body["data"].([]any)
	if len(list) != 1 {
		return false
	}
	r, _ := list[0].(map[string]any)
	n.routerID, _ = r["id"].(string)
	online, _ := r["isOnline"].(bool)
	return online
}

func (n *network) apiAddress() string { return net.JoinHostPort(host, strconv.Itoa(n.apiPort)) }

func (n *network) url(path string) string { return "https://" + n.apiAddress() + path }

// stop ends the processes and removes the directory.
func (n *network) stop() error {
	var err error
	for _, p := range []*process{n.router, n.controller} {
		if p != nil {
			err = errors.Join(err, p.stop(), p.healthy())
		}
	}
	return errors.Join(err, os.RemoveAll(filepath.Dir(n.dir)))
}

func freePort() int {
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		panic(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// serial makes names unique within the process.
var serial atomic.Int64

func unique(name string) string { return fmt.Sprintf("%s-%d", name, serial.Add(1)) }
