package testnet

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"os/exec"
	"sync"
)

// mostHosts fit into a network.
const mostHosts = 250

// Hosts are machines on one network of their own: network namespaces, connected
// by a bridge. Nothing outside can reach them or be reached by them, and
// everything is gone with Close or with the process. Those of LocalHosts are
// only addresses of this machine. Methods are safe for concurrent use.
type Hosts struct {
	bridge *namespace // nil for addresses of this machine
	net    [3]byte

	mu  sync.Mutex
	all []*Host
}

// Host is a machine with an address of its own.
type Host struct {
	Name string
	Addr netip.Addr

	number int
	space  *namespace // nil for an address of this machine

	mu     sync.Mutex
	slow   map[int]Pace // by number of the other host
	shaped bool         // eth0 has classes for them
}

// NewHosts makes a network without hosts. The error is ErrNoHosts where that is
// not possible.
func NewHosts() (*Hosts, error) {
	for _, program := range []string{"ip", "nft", "tc"} {
		if _, err := exec.LookPath(program); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNoHosts, err)
		}
	}
	bridge, err := newNamespace()
	if err != nil {
		return nil, err
	}
	if err := bridge.run("link add lan type bridge\nlink set lan up\n", "ip", "-batch", "-"); err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", ErrNoHosts, err), bridge.close())
	}
	return &Hosts{bridge: bridge, net: [3]byte{10, 77, 0}}, nil
}

// LocalHosts are hosts for which an address of this machine's loopback
// interface must do: their processes can be killed, their ways cannot be cut or
// slowed down. They need no rights, and a system that has all of 127.0.0.0/8.
func LocalHosts() *Hosts {
	return &Hosts{net: [3]byte{127, byte(1 + rand.IntN(250)), byte(rand.IntN(250))}}
}

// Add makes a host.
func (h *Hosts) Add(name string) (*Host, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	number := len(h.all) + 1
	if number > mostHosts {
		return nil, fmt.Errorf("more than %d hosts", mostHosts)
	}
	addr := netip.AddrFrom4([4]byte{h.net[0], h.net[1], h.net[2], byte(number)})
	host := &Host{Name: name, Addr: addr, number: number, slow: make(map[int]Pace)}
	if h.bridge != nil {
		var err error
		if host.space, err = newNamespace(); err != nil {
			return nil, err
		}
		if err := host.connect(h.bridge); err != nil {
			return nil, errors.Join(err, host.space.close())
		}
	}
	h.all = append(h.all, host)
	return host, nil
}

// connect gives the host its interface eth0 and the table of cuts.
func (h *Host) connect(bridge *namespace) error {
	wire := fmt.Sprintf("link add h%d type veth peer name eth0 netns %s\nlink set h%d master lan\nlink set h%d up\n",
		h.number, h.space.path(), h.number, h.number)
	if err := bridge.run(wire, "ip", "-batch", "-"); err != nil {
		return err
	}
	own := fmt.Sprintf("link set lo up\naddr add %s/24 dev eth0\nlink set eth0 up\n", h.Addr)
	if err := h.space.run(own, "ip", "-batch", "-"); err != nil {
		return err
	}
	return h.space.run(cutTable, "nft", "-f", "-")
}

// Close removes the hosts; processes that still run on them lose the network
// with their end.
func (h *Hosts) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all error
	if h.bridge == nil {
		return nil
	}
	for _, host := range h.all {
		all = errors.Join(all, host.space.close())
	}
	h.all = nil
	return errors.Join(all, h.bridge.close())
}

// NewProcess describes a run of program on the host.
func (h *Host) NewProcess(program string, args ...string) *Process {
	p := NewProcess(program, args...)
	p.on = h.space
	return p
}

// Dial opens a connection from the host to an IP address and port.
func (h *Host) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	if h.space == nil {
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}
	return h.space.dial(ctx, network, address)
}

// Do calls f with the host's network: sockets that f opens itself, not in
// another goroutine, are the host's.
func (h *Host) Do(f func() error) error {
	if h.space == nil {
		return f()
	}
	return h.space.do(f)
}
