package edge

import (
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/router/egress"
	"github.com/weftnet/weft/wire/ctrl"
)

// ways are the ways in which a circuit ends. Some end all circuits of the bed.
var ways = []struct {
	name string
	end  func(b *bed, d, h *sdk, dialer, host conn)
}{
	{"dialer closes", func(_ *bed, _, _ *sdk, d, _ conn) { _ = d.Close() }},
	{"host closes", func(_ *bed, _, _ *sdk, _, h conn) { _ = h.Close() }},
	{"both close", func(_ *bed, _, _ *sdk, d, h conn) { _, _ = d.Close(), h.Close() }},
	{"half closes", func(_ *bed, _, _ *sdk, d, h conn) {
		_, _ = d.CloseWrite(), h.CloseWrite()
		_, _ = io.ReadAll(d)
		_, _ = io.ReadAll(h)
		_, _ = d.Close(), h.Close()
	}},
	{"closed while data is under way", func(_ *bed, _, _ *sdk, d, h conn) {
		go func() { _, _ = d.Write(make([]byte, 300_000)) }()
		go func() { _, _ = h.Write(make([]byte, 300_000)) }()
		_ = h.Close()
		_ = d.Close()
	}},
	{"dialer's channel ends", func(_ *bed, d, _ *sdk, _, _ conn) { d.ch.Close() }},
	{"host's channel ends", func(_ *bed, _, h *sdk, _, _ conn) { h.ch.Close() }},
	{"removed", func(b *bed, _, _ *sdk, _, _ conn) {
		for _, c := range b.table.All() {
			b.table.Unroute("gone", c.ID)
		}
	}},
	{"dial access lost", func(b *bed, _, _ *sdk, _, _ conn) { b.net.deny(policy.Dial, "d", "svc"); b.srv.Recheck(nil) }},
	{"bind access lost", func(b *bed, _, _ *sdk, _, _ conn) { b.net.deny(policy.Bind, "h", "svc"); b.srv.Recheck(nil) }},
	{"service session ended", func(b *bed, _, _ *sdk, _, _ conn) { b.net.kill("s-d/d/svc/Dial"); b.srv.RecheckSessions() }},
	{"api session ended", func(b *bed, _, _ *sdk, _, _ conn) { b.net.kill("s-d"); b.srv.RecheckSessions() }},
}

// TestEveryEndLeavesNothing ends a thousand circuits in every way between every
// kind of clients: no goroutine, entry, connection id or byte stays behind.
func TestEveryEndLeavesNothing(t *testing.T) {
	b := newBed(t, func(c *Config) { c.leave = 100 * time.Millisecond })
	const each = 21
	before, files := runtime.NumGoroutine(), descriptors(t)
	total := 0
	for _, way := range ways {
		for _, kind := range []struct{ dialer, host bool }{{true, true}, {true, false}, {false, true}, {false, false}} {
			name := fmt.Sprintf("%s, dialer window %v, host window %v", way.name, kind.dialer, kind.host)
			d, h := b.connect("d"), b.connect("h")
			l := h.host("svc", kind.host)
			var wg sync.WaitGroup
			var ends []func()
			for range each {
				dc, _, err := d.dial("svc", kind.dialer)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				hc := <-l.accepted
				total++
				ends = append(ends, func() {
					_, _ = dc.Write([]byte("something"))
					way.end(b, d, h, dc, hc)
				})
			}
			for _, end := range ends {
				wg.Go(end)
			}
			wg.Wait()
			gone := func() bool {
				return b.table.Len() == 0 && b.used() == 0
			}
			if !within(5*time.Second, gone) {
				t.Fatalf("%s: %d circuits and %d bytes stay", name, b.table.Len(), b.used())
			}
			if !within(5*time.Second, func() bool { return sinks(b, "d") == 0 && sinks(b, "h") <= 1 }) {
				t.Fatalf("%s: %d and %d connection ids stay", name, sinks(b, "d"), sinks(b, "h"))
			}
			d.ch.Close()
			h.ch.Close()
			eventually(t, name+": clients and terminators are gone", func() bool {
				return len(b.srv.allClients()) == 0 && len(b.srv.allTerminators()) == 0 && len(b.net.hosted()) == 0
			})
			b.net.mu.Lock()
			clear(b.net.denied)
			clear(b.net.dead)
			b.net.mu.Unlock()
		}
	}
	if total < 1000 {
		t.Fatalf("only %d circuits", total)
	}
	if !within(15*time.Second, func() bool { return runtime.NumGoroutine() <= before+2 }) {
		t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
	}
	if !within(15*time.Second, func() bool { return descriptors(t) <= files+1 }) {
		t.Errorf("%d descriptors before, %d after", files, descriptors(t))
	}
}

// TestEveryEndOfEgress does the same for circuits to a plain server.
func TestEveryEndOfEgress(t *testing.T) {
	b := newBed(t)
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	accepted := make(chan conn, 100)
	go func() {
		for {
			c, err := server.Accept()
			if err != nil {
				return
			}
			accepted <- c.(*net.TCPConn)
		}
	}()
	if err := b.net.PutTerminator(t.Context(), &ctrl.Terminator{Id: "plain", ServiceId: "svc", Binding: egress.Binding, Address: "tcp:" + server.Addr().String()}); err != nil {
		t.Fatal(err)
	}
	before, files := runtime.NumGoroutine(), descriptors(t)
	for _, way := range append(ways[:5:5], ways[7], ways[8], ways[10], ways[11], ways[5]) {
		for _, window := range []bool{true, false} {
			name := fmt.Sprintf("%s, dialer window %v", way.name, window)
			d := b.connect("d")
			var hosts []conn
			var ends []func()
			var wg sync.WaitGroup
			for range 21 {
				dc, _, err := d.dial("svc", window)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				hc := <-accepted
				hosts = append(hosts, hc)
				ends = append(ends, func() {
					_, _ = dc.Write([]byte("something"))
					way.end(b, d, nil, dc, hc)
					if way.name == "host closes" { // which is half of the end for a plain server
						_, _ = io.Copy(io.Discard, dc)
						_ = dc.Close()
					}
				})
			}
			for _, end := range ends {
				wg.Go(end)
			}
			wg.Wait()
			// Who sees the end of the other side leaves.
			for _, h := range hosts {
				go func() { _, _ = io.Copy(io.Discard, h); _ = h.Close() }()
			}
			if !within(5*time.Second, func() bool { return b.table.Len() == 0 && b.used() == 0 && sinks(b, "d") == 0 }) {
				t.Fatalf("%s: %d circuits, %d bytes, %d connection ids stay", name, b.table.Len(), b.used(), sinks(b, "d"))
			}
			d.ch.Close()
			b.net.mu.Lock()
			clear(b.net.denied)
			clear(b.net.dead)
			b.net.mu.Unlock()
		}
	}
	if !within(15*time.Second, func() bool { return runtime.NumGoroutine() <= before+2 && descriptors(t) <= files+1 }) {
		t.Errorf("%d goroutines and %d descriptors before, %d and %d after", before, files, runtime.NumGoroutine(), descriptors(t))
	}
}

func within(d time.Duration, cond func() bool) bool {
	for deadline := time.Now().Add(d); !cond(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}

func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("descriptors cannot be counted here")
	}
	return len(list)
}
