package ramp

import (
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"time"
)

// ErrClosed is returned by a set that is closed.
var ErrClosed = errors.New("the router is shutting down")

// farewell bounds the last record of a TLS connection.
const farewell = time.Second

// hangUp closes a connection at once; the farewell of TLS must not wait for the
// other side.
func hangUp(conn net.Conn) {
	if t, ok := conn.(*tls.Conn); ok {
		_ = t.SetWriteDeadline(time.Now().Add(farewell))
	}
	conn.Close()
}

// closeWrite ends what is written to a stream.
func closeWrite(conn net.Conn) {
	if c, ok := conn.(interface{ CloseWrite() error }); ok {
		_ = c.CloseWrite()
	}
}

// write writes pieces with as few system calls as the connection allows. The
// pieces' list is used up.
func write(conn net.Conn, pieces [][]byte) error {
	if t, ok := conn.(*tls.Conn); ok {
		if c, ok := t.NetConn().(*Corked); ok {
			c.cork()
			err := writeEach(conn, pieces)
			if ferr := c.flush(); err == nil {
				err = ferr
			}
			return err
		}
		return writeEach(conn, pieces)
	}
	bufs := net.Buffers(pieces)
	_, err := bufs.WriteTo(conn)
	return err
}

func writeEach(conn net.Conn, pieces [][]byte) error {
	for _, p := range pieces {
		if len(p) == 0 {
			continue
		}
		if _, err := conn.Write(p); err != nil {
			return err
		}
	}
	return nil
}

const corkSize = 64 << 10

var corkBuffers = sync.Pool{New: func() any { return new([corkSize]byte) }}

// Corked is the connection beneath a tls.Conn, which by itself makes a system
// call per record: it collects the records that are written together. It holds
// a buffer only meanwhile.
type Corked struct {
	net.Conn
	mu  sync.Mutex
	on  bool
	buf *[corkSize]byte
	n   int
}

// Cork wraps a connection before it is given to TLS.
func Cork(conn net.Conn) *Corked { return &Corked{Conn: conn} }

func (c *Corked) cork() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.on, c.buf, c.n = true, corkBuffers.Get().(*[corkSize]byte), 0
}

// flush writes what is collected and ends the collecting.
func (c *Corked) flush() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.write()
	corkBuffers.Put(c.buf)
	c.on, c.buf = false, nil
	return err
}

func (c *Corked) write() error {
	if c.n == 0 {
		return nil
	}
	_, err := c.Conn.Write(c.buf[:c.n])
	c.n = 0
	return err
}

// Write implements net.Conn.
func (c *Corked) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.on {
		return c.Conn.Write(p)
	}
	if c.n+len(p) > corkSize {
		if err := c.write(); err != nil {
			return 0, err
		}
	}
	if len(p) > corkSize {
		return c.Conn.Write(p)
	}
	c.n += copy(c.buf[c.n:], p)
	return len(p), nil
}
