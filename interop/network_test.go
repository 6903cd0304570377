// Package interop drives clients that the project did not write against the
// real binary: the Go SDK of the ecosystem and its management client.
package interop

import (
	"context"
	"crypto/x509"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	edgeapis "github.com/openziti/sdk-golang/edge-apis"
	"github.com/openziti/sdk-golang/ziti"

	"github.com/weftnet/weft/internal/testnet"
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
	if binary, err = testnet.Program(context.Background(), "..", dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	// The SDK asks this program for the name of the distribution at every dial.
	os.Setenv("HOST_ETC", dir)
	if err := os.WriteFile(filepath.Join(dir, "lsb-release"), []byte("DISTRIB_ID=test\n"), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if err := endSharedMesh(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	if n := shared.net; n != nil {
		for _, p := range n.Processes() {
			if p.Exited() {
				fmt.Fprintf(os.Stderr, "%v has ended by itself:\n%s", p.Args, p.Tail())
				code = 1
			}
		}
		n.Kill()
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
		n.Kill()
		if t.Failed() {
			t.Log(n.Logs())
		}
	})
	return n
}

// network is a controller and a router as processes of their own, and what the
// third-party client has learnt of them by itself.
type network struct {
	*testnet.Network
	cas   *x509.CertPool
	admin *edgeapis.ManagementApiClient
	// roles are attributes that identities get along with one of the given end,
	// unless they get those in extra.
	roles map[string]string
	extra []string
	// mark is added to the names of identities.
	mark string
}

func startNetwork() (*network, error) {
	made, err := testnet.New(testnet.Options{Program: binary, Username: adminUser, Password: adminPassword, Patience: patience})
	if err != nil {
		return nil, err
	}
	n := &network{Network: made}
	for _, step := range []func() error{n.Create, n.Run, n.waitAPI, n.login, n.waitRouter} {
		if err := step(); err != nil {
			n.Kill()
			return nil, fmt.Errorf("%w\n%s", err, n.Logs())
		}
	}
	return n, nil
}

func (n *network) url() string { return "https://" + n.APIAddress() }

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
	if _, err = n.admin.Authenticate(cred, nil); err != nil {
		return fmt.Errorf("admin login: %w", err)
	}
	return nil
}

func eventually(cond func() bool) bool { return testnet.Within(patience, cond) }
