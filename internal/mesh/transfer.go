package mesh

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// piece is what is written and read at once, in bytes.
const piece = 32 << 10

// conn is a connection through the network or a plain one.
type conn interface {
	net.Conn
	CloseWrite() error
}

// transfer moves bytes in both directions and checks those that come.
type transfer struct {
	head
	conn     conn
	sent     atomic.Int64
	received atomic.Int64
	release  chan struct{} // closed when it may read

	mu   sync.Mutex
	done bool
	err  error
}

// record is what is known so far.
func (t *transfer) record() Record {
	t.mu.Lock()
	defer t.mu.Unlock()
	return Record{Sent: t.sent.Load(), Received: t.received.Load(), Done: t.done, Failure: failure(t.err)}
}

func (t *transfer) finish(err error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done, t.err = true, err
	return err
}

// dialer is the side that dialed: it sends, half-closes, and wants all that was
// ordered and the other side's word that it has got everything.
func (t *transfer) dialer() error {
	written := make(chan error, 1)
	go func() {
		err := t.head.write(t.conn)
		if err == nil {
			err = t.send(t.Seed, t.Up)
		}
		if err == nil {
			err = t.conn.CloseWrite()
		}
		written <- err
	}()
	<-t.release
	err := t.receive(t.Seed+1, t.Down)
	if err == nil {
		err = t.verdict()
	}
	if err != nil {
		t.conn.Close() // the writer must not wait for ever
	}
	return t.finish(errors.Join(err, <-written))
}

func (t *transfer) verdict() error {
	said, err := io.ReadAll(t.conn)
	if err == nil && string(said) != "ok" {
		err = fmt.Errorf("the other end says %q", said)
	}
	return err
}

// host is the other side, after the head.
func (t *transfer) host() error {
	written := make(chan error, 1)
	go func() { written <- t.send(t.Seed+1, t.Down) }()
	err := t.receive(t.Seed, t.Up)
	if err == nil {
		var n int
		if n, err = t.conn.Read(make([]byte, 1)); errors.Is(err, io.EOF) {
			err = nil
		} else if n > 0 {
			err = errors.New("more than all has come")
		}
	}
	if err != nil {
		t.conn.Close()
		return t.finish(errors.Join(err, <-written))
	}
	if err = <-written; err == nil {
		_, err = io.WriteString(t.conn, "ok")
	}
	return t.finish(errors.Join(err, t.conn.CloseWrite()))
}

func (t *transfer) send(seed uint64, count int64) error {
	stream, buf, begin := NewStream(seed), make([]byte, piece), time.Now()
	for left := count; left > 0; {
		b := buf[:min(left, piece)]
		stream.Fill(b)
		n, err := t.conn.Write(b)
		t.sent.Add(int64(n))
		if err != nil {
			return fmt.Errorf("write after %d bytes: %w", t.sent.Load(), err)
		}
		left -= int64(n)
		if t.Rate > 0 {
			time.Sleep(time.Until(begin.Add(time.Duration(float64(count-left) / float64(t.Rate) * float64(time.Second)))))
		}
	}
	return nil
}

func (t *transfer) receive(seed uint64, count int64) error {
	stream, buf := NewStream(seed), make([]byte, piece)
	for left := count; left > 0; {
		n, err := t.conn.Read(buf[:min(left, piece)])
		if wrong := stream.Check(buf[:n]); wrong != nil {
			return wrong
		}
		left -= int64(n)
		t.received.Add(int64(n))
		if err != nil && left > 0 {
			return fmt.Errorf("read after %d bytes: %w", t.received.Load(), err)
		}
	}
	return nil
}
