package link

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"
)

// way is a TCP proxy in front of a node that a test can stop, slow down and cut.
type way struct {
	addr string
	to   string

	mu     sync.Mutex
	open   chan struct{} // closed while bytes move
	rate   int           // bytes per second and direction, 0 for as fast as it goes
	hole   bool          // bytes are taken and go nowhere
	conns  map[net.Conn]bool
	served int
}

func newWay(t testing.TB, to string) *way {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &way{addr: l.Addr().String(), to: to, open: make(chan struct{}), conns: make(map[net.Conn]bool)}
	close(w.open)
	ctx, cancel := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			work.Go(func() { w.serve(ctx, c) })
		}
	})
	t.Cleanup(func() {
		cancel()
		l.Close()
		w.cut()
		work.Wait()
	})
	return w
}

func (w *way) serve(ctx context.Context, c net.Conn) {
	defer c.Close()
	d, err := (&net.Dialer{}).DialContext(ctx, "tcp", w.to)
	if err != nil {
		return
	}
	defer d.Close()
	w.mu.Lock()
	w.conns[c], w.conns[d] = true, true
	w.served++
	w.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	var both sync.WaitGroup
	both.Go(func() { w.copy(ctx, d, c) })
	both.Go(func() { w.copy(ctx, c, d) })
	both.Wait()
	w.mu.Lock()
	delete(w.conns, c)
	delete(w.conns, d)
	w.mu.Unlock()
}

func (w *way) copy(ctx context.Context, to, from net.Conn) {
	defer to.Close()
	b := make([]byte, 4096)
	for {
		n, err := from.Read(b)
		w.mu.Lock()
		open, rate, hole := w.open, w.rate, w.hole
		w.mu.Unlock()
		if hole && err == nil {
			continue
		}
		select {
		case <-open:
		case <-ctx.Done():
			return
		}
		if rate > 0 {
			select {
			case <-time.After(time.Duration(n) * time.Second / time.Duration(rate)):
			case <-ctx.Done():
				return
			}
		}
		if _, e := to.Write(b[:n]); e != nil || err != nil {
			return
		}
	}
}

// stop has all bytes wait, those of new connections too.
func (w *way) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open = make(chan struct{})
}

// heal lets them go on.
func (w *way) heal() {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.open)
}

// swallow takes all bytes and passes none on, as the system of a process that
// stands still does for a while.
func (w *way) swallow() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hole = true
}

func (w *way) slow(rate int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rate = rate
}

// cut closes all connections.
func (w *way) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.conns {
		c.Close()
	}
}

// tellWay tells n of another node that is reached by w.
func tellWay(n, other *node, w *way) {
	p := other.peer()
	p.Listeners[0].Address = "tls:" + w.addr
	n.Peers(peers(p))
}
