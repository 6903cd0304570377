package testnet

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func newHosts(t *testing.T, names ...string) (*Hosts, []*Host) {
	t.Helper()
	hosts, err := NewHosts()
	if errors.Is(err, ErrNoHosts) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := hosts.Close(); err != nil {
			t.Error(err)
		}
	})
	var all []*Host
	for _, name := range names {
		h, err := hosts.Add(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, h)
	}
	return hosts, all
}

// serve answers connections to port 7 of the host with what comes.
func serve(t *testing.T, h *Host) {
	t.Helper()
	var l net.Listener
	if err := h.Do(func() (err error) { l, err = net.Listen("tcp", h.Addr.String()+":7"); return err }); err != nil {
		t.Fatal(err)
	}
	var accepting, answering sync.WaitGroup
	var conns []net.Conn
	accepting.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			conns = append(conns, c)
			answering.Go(func() { defer c.Close(); _, _ = io.Copy(c, c) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		accepting.Wait()
		for _, c := range conns {
			c.Close()
		}
		answering.Wait()
	})
}

// reaches reports whether a connection can be made within a while.
func reaches(from, to *Host, within time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	c, err := from.Dial(ctx, "tcp", to.Addr.String()+":7")
	if err == nil {
		c.Close()
	}
	return err == nil
}

// TestHosts: hosts reach each other, and a cut is silent, both
// ways or one way, until it is healed.
func TestHosts(t *testing.T) {
	hosts, all := newHosts(t, "a", "b", "c")
	a, b, c := all[0], all[1], all[2]
	serve(t, a)
	serve(t, b)
	if !reaches(a, b, patience) || !reaches(b, a, patience) || !reaches(c, a, patience) {
		t.Fatal("hosts do not reach each other")
	}
	conn, err := a.Dial(t.Context(), "tcp", b.Addr.String()+":7")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, cut := range []func() error{
		func() error { return Cut(a, b) }, func() error { return CutOneWay(a, b) }, func() error { return CutOneWay(b, a) },
	} {
		if err := cut(); err != nil {
			t.Fatal(err)
		}
		if reaches(a, b, 100*time.Millisecond) || !reaches(c, a, patience) {
			t.Error("a cut is between two hosts")
		}
		if err := Heal(a, b); err != nil {
			t.Fatal(err)
		}
		if !reaches(a, b, patience) {
			t.Error("a healed cut")
		}
	}
	if _, err := conn.Write([]byte("x")); err != nil {
		t.Error(err)
	}
	if _, err := conn.Read(make([]byte, 1)); err != nil {
		t.Errorf("a connection survives cuts: %v", err)
	}
	if err := Tear(a, b); err != nil {
		t.Fatal(err)
	}
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write([]byte("x")); err != nil {
		t.Error(err)
	}
	if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("a connection over a torn way: %v", err)
	}
	if err := hosts.Heal(); err != nil || !reaches(a, b, patience) {
		t.Errorf("a healed way: %v", err)
	}
}

// TestPace: packets to one host are slow, to another not, nor back.
func TestPace(t *testing.T) {
	hosts, all := newHosts(t, "a", "b", "c")
	a, b, c := all[0], all[1], all[2]
	serve(t, b)
	serve(t, c)
	if err := SetPace(a, b, Pace{BytesPerSecond: 1 << 20}); err != nil {
		t.Fatal(err)
	}
	if err := SetPace(a, c, Pace{BytesPerSecond: 1 << 30}); err != nil {
		t.Fatal(err)
	}
	const bytes = 512 << 10
	slow, fast := timed(t, a, b, bytes), timed(t, a, c, bytes)
	if slow < 300*time.Millisecond || fast > slow/2 {
		t.Errorf("512 KiB took %v on the slow way, %v on the other", slow, fast)
	}
	if err := hosts.Heal(); err != nil {
		t.Fatal(err)
	}
	if again := timed(t, a, b, bytes); again > slow/2 {
		t.Errorf("512 KiB took %v on the healed way, %v before", again, slow)
	}
}

// timed sends bytes and waits until all are back.
func timed(t *testing.T, from, to *Host, bytes int) time.Duration {
	t.Helper()
	c, err := from.Dial(t.Context(), "tcp", to.Addr.String()+":7")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	begin := time.Now()
	go func() { _, _ = c.Write(make([]byte, bytes)) }()
	if _, err := io.ReadFull(c, make([]byte, bytes)); err != nil {
		t.Fatal(err)
	}
	return time.Since(begin)
}

// TestProcessOnHost: a process sees the network of its host, can be frozen, and
// its namespace goes with it.
func TestProcessOnHost(t *testing.T) {
	_, all := newHosts(t, "a")
	p := all[0].NewProcess("/bin/sh", "-c", "ip -4 -o addr show; while :; do sleep 0.01; done")
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	defer p.Kill()
	if !Within(patience, func() bool { return strings.Contains(p.Stdout(), "10.77.0.1/24") }) {
		t.Fatalf("addresses %q", p.Stdout())
	}
	if err := p.Freeze(); err != nil {
		t.Fatal(err)
	}
	if err := p.Thaw(); err != nil {
		t.Fatal(err)
	}
}

// TestLocalHosts: hosts that are addresses of this machine are apart by their
// addresses only, and say that they cannot be cut off.
func TestLocalHosts(t *testing.T) {
	hosts := LocalHosts()
	var all []*Host
	for _, name := range []string{"a", "b"} {
		h, err := hosts.Add(name)
		if err != nil {
			t.Fatal(err)
		}
		l, err := net.Listen("tcp", net.JoinHostPort(h.Addr.String(), "0"))
		if err != nil {
			t.Skip(err)
		}
		defer l.Close()
		all = append(all, h)
		c, err := h.Dial(t.Context(), "tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_ = c.Close()
	}
	if all[0].Addr == all[1].Addr || !all[0].Addr.IsLoopback() {
		t.Errorf("addresses %v and %v", all[0].Addr, all[1].Addr)
	}
	if err := Cut(all[0], all[1]); !errors.Is(err, ErrNoHosts) {
		t.Errorf("cut: %v", err)
	}
	if err := errors.Join(hosts.Heal(), hosts.Close()); err != nil {
		t.Error(err)
	}
}
