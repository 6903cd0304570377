package field

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weftnet/weft/internal/testnet"
)

// host is the address of everything: a literal, as clients send it in TLS, too.
const host = "127.0.0.1"

// network is a controller and a router as processes of their own.
type network struct {
	*testnet.Network
	admin *manager
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
	return s.net.End()
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

func startNetwork() (*network, error) {
	started, err := testnet.Start(testnet.Options{Program: program, Address: host, Username: adminUser, Password: adminPassword, Patience: patience})
	if err != nil {
		return nil, err
	}
	n := &network{Network: started}
	n.admin = &manager{base: n.url("/edge/management/v1"), http: plainClient(n.CA)}
	if err := n.admin.login(adminUser, adminPassword); err != nil {
		n.Kill()
		return nil, err
	}
	return n, nil
}

func (n *network) url(path string) string { return "https://" + n.APIAddress() + path }

// serial makes names unique within the process.
var serial atomic.Int64

func unique(name string) string { return fmt.Sprintf("%s-%d", name, serial.Add(1)) }

func within(d time.Duration, cond func() bool) bool { return testnet.Within(d, cond) }
