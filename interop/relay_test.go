package interop

import (
	"io"
	"net"
	"sync"
)

// relay is a way between two routers that can be cut.
type relay struct {
	addr, to string

	mu       sync.Mutex
	listener net.Listener // nil while it is cut
	conns    map[net.Conn]bool
}

// heal lets connections through, the first time or after a cut.
func (r *relay) heal() error {
	l, err := net.Listen("tcp", r.addr)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.listener, r.conns = l, make(map[net.Conn]bool)
	go accept(l, func(in net.Conn) {
		if out, err := net.Dial("tcp", r.to); err == nil {
			r.pass(l, in, out)
		}
	})
	return nil
}

// pass copies both ways until one of them ends or the way is cut.
func (r *relay) pass(of net.Listener, in, out net.Conn) {
	defer out.Close()
	r.mu.Lock()
	whole := r.listener == of
	if whole {
		r.conns[in], r.conns[out] = true, true
	}
	r.mu.Unlock()
	if !whole {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(out, in)
		_ = out.Close()
	}()
	_, _ = io.Copy(in, out)
	_ = in.Close()
	<-done
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.conns, in)
	delete(r.conns, out)
}

// cut ends all connections and takes no new ones.
func (r *relay) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.listener != nil {
		_ = r.listener.Close()
		r.listener = nil
	}
	for c := range r.conns {
		_ = c.Close()
	}
}
