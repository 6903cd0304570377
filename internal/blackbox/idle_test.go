package blackbox

import (
	"crypto/tls"
	"net"
	"sync"
	"syscall"
	"testing"
	"time"
)

// idleConnections is how many connections that say nothing a port gets: 10,000
// if the limits of the machine allow that for both ends, and fewer under the race
// detector.
func idleConnections() int {
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l) != nil {
		return 500
	}
	return min(10000/slowdown, int(l.Cur)*3/4)
}

// TestIdleConnections: thousands of connections that never say anything cost
// little, delay nobody and are gone within the time limit.
func TestIdleConnections(t *testing.T) {
	t.Parallel()
	n := ownNetwork(t)
	count := idleConnections()
	n.unharmed(t)
	for _, p := range n.ports() {
		t.Run(p.name, func(t *testing.T) {
			memory, before, from := resident(t, p.process), files(t, p.process), p.process.Mark()
			begin := time.Now()
			conns := flood(t, p.address, count)
			defer func() {
				for _, c := range conns {
					c.Close()
				}
			}()
			opened := time.Since(begin)
			n.unharmed(t)
			served := time.Since(begin)
			t.Logf("%d connections in %s, a normal client was served after %s, %d files open",
				len(conns), opened.Round(time.Millisecond), (served - opened).Round(time.Millisecond), files(t, p.process))
			wantGrown(t, p.process, memory, 64<<20, "silent connections")
			eventually(t, "all files closed", func() bool { return files(t, p.process) <= before+20 })
			if took := time.Since(begin); took > opened+helloTooLate {
				t.Errorf("the last one was closed after %s", took)
			}
			if p.process.Logged(from, "connection refused") == "" {
				t.Error("nothing in the log")
			}
			n.unharmed(t)
		})
	}
}

// flood opens connections that say nothing, some at a time.
func flood(t *testing.T, address string, count int) []net.Conn {
	t.Helper()
	conns := make([]net.Conn, count)
	var all sync.WaitGroup
	const workers = 16
	for w := range workers {
		all.Go(func() {
			for i := w; i < count; i += workers {
				c, err := net.DialTimeout("tcp", address, patience)
				if err != nil {
					t.Error(err)
					return
				}
				conns[i] = c
			}
		})
	}
	all.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return conns
}

// TestIdleAfterHandshake: the same with connections that stop after the TLS
// handshake, which costs the server more.
func TestIdleAfterHandshake(t *testing.T) {
	t.Parallel()
	n := ownNetwork(t)
	p := n.person(t)
	n.unharmed(t)
	const count = 1000 / slowdown
	for _, tt := range []struct {
		port
		cert *tls.Certificate
		alpn []string
	}{
		{n.ports()[0], &p.cert, nil},
		{n.ports()[1], nil, []string{"http/1.1"}},
		{n.ports()[1], n.routerCertificate(t), []string{"weft-ctrl"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			memory, before := resident(t, tt.process), files(t, tt.process)
			conns := make([]*tls.Conn, count)
			for i := range conns {
				conns[i] = mustDialTLS(t, tt.address, tt.cert, tt.alpn...)
			}
			n.unharmed(t)
			wantGrown(t, tt.process, memory, 96<<20, "connections that are silent after the handshake")
			eventually(t, "all files closed", func() bool { return files(t, tt.process) <= before+20 })
			n.unharmed(t)
		})
	}
}
