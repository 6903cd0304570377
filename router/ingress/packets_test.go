package ingress

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/weftnet/weft/router/egress"
	"github.com/weftnet/weft/router/ramp"
)

func TestDatagramsKeepTheirBounds(t *testing.T) {
	n := newNetwork(t)
	n.service("echo", egress.BindingUDP, "udp:"+udpEcho(t))
	p, at := n.packets(n.config("echo"))
	c := dial(t, "udp", at)
	b := make([]byte, 64<<10)
	for _, size := range []int{1, 0, 7, 1400, 9000, ramp.MaxDatagram, 3} {
		d := make([]byte, size)
		_, _ = rand.Read(d)
		if _, err := c.Write(d); err != nil {
			t.Fatal(err)
		}
		k, err := c.Read(b)
		if err != nil || !bytes.Equal(b[:k], d) {
			t.Fatalf("%d bytes came back as %d, %v", size, k, err)
		}
	}
	if p.Open() != 1 {
		t.Errorf("%d sessions for one source", p.Open())
	}
}

// TestSourcesAreApart: each source of datagrams has a circuit of its own.
func TestSourcesAreApart(t *testing.T) {
	n := newNetwork(t)
	n.service("echo", egress.Binding, "udp:"+udpEcho(t)) // transport takes udp: too
	p, at := n.packets(n.config("echo"))
	var work sync.WaitGroup
	for i := range 20 {
		c := dial(t, "udp", at)
		work.Go(func() {
			want := fmt.Sprintf("from %d", i)
			_, _ = c.Write([]byte(want))
			b := make([]byte, 100)
			if k, err := c.Read(b); err != nil || string(b[:k]) != want {
				t.Errorf("%q, %v", b[:k], err)
			}
		})
	}
	work.Wait()
	if p.Open() != 20 || n.table.Len() != 20 {
		t.Errorf("%d sessions, %d circuits", p.Open(), n.table.Len())
	}
}

// TestSilentSourcesEnd: a session without traffic ends with its circuit, and the
// source gets another one afterwards.
func TestSilentSourcesEnd(t *testing.T) {
	n := newNetwork(t)
	n.service("echo", egress.BindingUDP, "udp:"+udpEcho(t))
	cfg := n.config("echo")
	cfg.Idle, cfg.Look = 100*time.Millisecond, 10*time.Millisecond
	p, at := n.packets(cfg)
	c := dial(t, "udp", at)
	for range 2 {
		_, _ = c.Write([]byte("x"))
		if _, err := c.Read(make([]byte, 10)); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the end of the session", func() bool { return p.Open() == 0 && n.table.Len() == 0 })
	}
}

// TestSourcesAreBounded: datagrams of more sources than there may be are dropped.
func TestSourcesAreBounded(t *testing.T) {
	n := newNetwork(t)
	n.service("echo", egress.BindingUDP, "udp:"+udpEcho(t))
	cfg := n.config("echo")
	cfg.MaxSources = 1
	_, at := n.packets(cfg)
	one, two := dial(t, "udp", at), dial(t, "udp", at)
	_, _ = one.Write([]byte("1"))
	if _, err := one.Read(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	_, _ = two.Write([]byte("2"))
	_ = two.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	if k, err := two.Read(make([]byte, 10)); err == nil {
		t.Errorf("%d bytes for a second source", k)
	}
}

// TestDatagramRequest: with transport_udp the first datagram names the service.
func TestDatagramRequest(t *testing.T) {
	n := newNetwork(t)
	n.service("echo", egress.BindingUDP, "udp:"+udpEcho(t))
	p, at := n.packets(n.config(""))
	for service, ok := range map[string]bool{"echo": true, "none": false} {
		c := dial(t, "udp", at)
		_, _ = fmt.Fprintf(c, `{"id":"me","svcId":%q}`+"\n", service)
		b := make([]byte, 1000)
		k, err := c.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		var a answer
		if err := json.Unmarshal(b[:k], &a); err != nil || a.Success != ok {
			t.Fatalf("%s: %s, %v", service, b[:k], err)
		}
		if !ok {
			continue
		}
		_, _ = c.Write([]byte("hello"))
		if k, err := c.Read(b); err != nil || string(b[:k]) != "hello" {
			t.Errorf("%q, %v", b[:k], err)
		}
	}
	eventually(t, "the end of what failed", func() bool { return p.Open() == 1 })
}

// TestUnixDatagrams: datagrams of this machine's programs, by a path.
func TestUnixDatagrams(t *testing.T) {
	n := newNetwork(t)
	n.service("echo", egress.BindingUDP, "udp:"+udpEcho(t))
	dir := t.TempDir()
	at := &net.UnixAddr{Name: filepath.Join(dir, "in"), Net: "unixgram"}
	l, err := net.ListenUnixgram("unixgram", at)
	if err != nil {
		t.Fatal(err)
	}
	p := NewPackets(l, n.config("echo"))
	n.serve(p.Serve, p.Close)
	c, err := net.DialUnix("unixgram", &net.UnixAddr{Name: filepath.Join(dir, "out"), Net: "unixgram"}, at)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	for _, want := range []string{"one", "two"} {
		_, _ = c.Write([]byte(want))
		b := make([]byte, 100)
		if k, err := c.Read(b); err != nil || string(b[:k]) != want {
			t.Fatalf("%q, %v", b[:k], err)
		}
	}
}
