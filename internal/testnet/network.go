package testnet

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Options of a network.
type Options struct {
	Program            string // path of the program
	Host               *Host  // where the processes run, nil = this machine
	Address            string // name or IP address that is advertised, empty = the host's, or the program's own choice, localhost
	Username, Password string // of the first admin
	// Patience bounds every wait; it is no measure of speed.
	Patience time.Duration
}

// Network is a controller and a router as processes of their own, in a
// temporary directory. Its fields may be read at any time, and are changed by
// the methods that say so.
type Network struct {
	Dir        string // that of `weft up`
	APIPort    int
	RouterPort int
	Controller *Process // nil before Run, as the router
	Router     *Process
	CA         *x509.CertPool // the network's trust anchors, set by Run
	Admin      *API           // the management API, its session opened by WaitReady
	RouterID   string         // set by RouterOnline

	options Options
	temp    string
}

// New chooses a directory and ports. Kill or End gives them back.
func New(o Options) (*Network, error) {
	if o.Host != nil && o.Address == "" {
		o.Address = o.Host.Addr.String()
	}
	n := &Network{options: o}
	var err error
	if n.APIPort, err = FreePort(); err != nil {
		return nil, err
	}
	if n.RouterPort, err = FreePort(); err != nil {
		return nil, err
	}
	if n.temp, err = os.MkdirTemp("", "weft-network"); err != nil {
		return nil, err
	}
	n.Dir = filepath.Join(n.temp, "net")
	return n, nil
}

// Start makes a network, runs it and waits until it is ready.
func Start(o Options) (*Network, error) {
	n, err := New(o)
	if err != nil {
		return nil, err
	}
	for _, step := range []func() error{n.Create, n.Run, n.WaitReady} {
		if err := step(); err != nil {
			n.Kill()
			return nil, err
		}
	}
	return n, nil
}

// Up describes `weft up` with the directory, the ports and the admin.
func (n *Network) Up(more ...string) *Process {
	args := []string{"up", "--dir", n.Dir, "--api-port", strconv.Itoa(n.APIPort), "--router-port", strconv.Itoa(n.RouterPort),
		"--username", n.options.Username, "--password", n.options.Password, "--json"}
	if n.options.Address != "" {
		args = append(args, "--address", n.options.Address)
	}
	return n.process(append(args, more...)...)
}

// process describes a run of the program where the network is.
func (n *Network) process(args ...string) *Process {
	if n.options.Host != nil {
		return n.options.Host.NewProcess(n.options.Program, args...)
	}
	return NewProcess(n.options.Program, args...)
}

// Create lets `weft up` make the directory, then stops it.
func (n *Network) Create() error {
	up := n.Up()
	if err := up.Start(); err != nil {
		return err
	}
	defer up.Kill()
	ready := Within(n.options.Patience, func() bool { return strings.Contains(up.Stdout(), "{") || up.Exited() })
	if !ready || up.Exited() {
		return fmt.Errorf("weft up did not become ready:\n%s", up.Tail())
	}
	_, err := up.Interrupt(n.options.Patience)
	return err
}

// Run starts controller and router from the directory, and sets both, and CA.
func (n *Network) Run() error {
	if err := n.LoadCA(); err != nil {
		return err
	}
	n.Controller = n.process("controller", "run", filepath.Join(n.Dir, "controller.yml"))
	n.Router = n.process("router", "run", filepath.Join(n.Dir, "router.yml"))
	if err := n.Controller.Start(); err != nil {
		return err
	}
	return n.Router.Start()
}

// LoadCA sets CA from the directory.
func (n *Network) LoadCA() error {
	text, err := os.ReadFile(filepath.Join(n.Dir, "pki", "ca.pem"))
	if err != nil {
		return err
	}
	n.CA = x509.NewCertPool()
	if !n.CA.AppendCertsFromPEM(text) {
		return errors.New("no certificate in ca.pem")
	}
	return nil
}

// WaitReady waits until the admin can log in and the router is online, and sets
// Admin.
func (n *Network) WaitReady() error {
	n.Admin = n.API("/edge/management/v1", nil)
	var err error
	if !Within(n.options.Patience, func() bool {
		err = n.Admin.Login(context.Background(), n.options.Username, n.options.Password)
		return err == nil
	}) {
		return fmt.Errorf("no login: %w\n%s", err, n.Controller.Tail())
	}
	if !Within(n.options.Patience, n.RouterOnline) {
		return fmt.Errorf("the router does not come online\n%s\n%s", n.Controller.Tail(), n.Router.Tail())
	}
	return nil
}

// RouterOnline asks Admin whether the router is online, and sets RouterID.
func (n *Network) RouterOnline() bool {
	var routers []struct {
		ID       string
		IsOnline bool
	}
	if n.Admin.Call(context.Background(), "GET", "/edge-routers", nil, &routers) != nil || len(routers) != 1 {
		return false
	}
	n.RouterID = routers[0].ID
	return routers[0].IsOnline
}

// API returns a client of the API at path that trusts CA and presents cert, if
// there is one.
func (n *Network) API(path string, cert *tls.Certificate) *API {
	cfg := &tls.Config{RootCAs: n.CA}
	if cert != nil {
		cfg.Certificates = []tls.Certificate{*cert}
	}
	transport := &http.Transport{TLSClientConfig: cfg, MaxIdleConnsPerHost: 32, IdleConnTimeout: time.Minute}
	if n.options.Host != nil {
		transport.DialContext = n.options.Host.Dial
	}
	return &API{Base: "https://" + n.APIAddress() + path, HTTP: &http.Client{Timeout: n.options.Patience, Transport: transport}}
}

// APIAddress is host and port of the controller.
func (n *Network) APIAddress() string { return n.address(n.APIPort) }

// RouterAddress is host and port of the router.
func (n *Network) RouterAddress() string { return n.address(n.RouterPort) }

func (n *Network) address(port int) string {
	host := n.options.Address
	if host == "" {
		host = "localhost"
	}
	return net.JoinHostPort(host, strconv.Itoa(port))
}
