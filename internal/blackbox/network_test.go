package blackbox

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/weftnet/weft/internal/testnet"
	"github.com/weftnet/weft/pki"
)

// network is a controller and a router as processes of their own, with a
// well-behaved host and client whose life an attack must not disturb.
type network struct {
	*testnet.Network
	admin *rest
	good  *bystander
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
		fmt.Fprintln(os.Stderr, s.net.Logs())
	}
}

// end stops the shared network and reports what went wrong unnoticed.
func (s *sharedNetwork) end() error {
	if s.net == nil {
		return nil
	}
	defer s.net.stop()
	return s.net.Healthy()
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
			t.Log(n.Logs())
		}
	})
	return n
}

// options of every network here.
func options() testnet.Options {
	return testnet.Options{Program: program, Username: adminUser, Password: adminPassword, Patience: patience}
}

func startNetwork() (*network, error) {
	started, err := testnet.Start(options())
	if err != nil {
		return nil, err
	}
	n := &network{Network: started, admin: &rest{started.Admin}}
	if n.good, err = n.newBystander(); err != nil {
		n.stop()
		return nil, err
	}
	return n, nil
}

// unmade is a network with a directory and ports only.
func unmade(t *testing.T) *network {
	t.Helper()
	n, err := testnet.New(options())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Kill)
	return &network{Network: n}
}

// stop kills the processes and removes the directory.
func (n *network) stop() {
	if n.good != nil {
		n.good.close()
	}
	n.Kill()
}

// authority loads the CA that signs identities, routers and API sessions, as
// somebody with the key of the network would; tests make expired and odd
// certificates with it.
func (n *network) authority(t *testing.T) *pki.Authority {
	t.Helper()
	cert, err := os.ReadFile(filepath.Join(n.Dir, "pki", "edge.cert.pem"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(n.Dir, "pki", "edge.key.pem"))
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

func freePort(t *testing.T) int {
	t.Helper()
	port, err := testnet.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	return port
}
