package interop

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"sync/atomic"
	"testing"
	"time"
)

// stream writes to an echo and compares every byte that comes back with what
// was written there, so that a failure says where.
type stream struct {
	name   string
	conn   net.Conn
	seed   [32]byte
	moved  atomic.Int64 // bytes that came back and were right
	most   int64        // bytes to write, 0 is until stop
	stop   chan struct{}
	wrote  chan int64
	result chan error
}

var seeds atomic.Uint64

// startStream writes up to most bytes, or until complete.
func startStream(name string, c net.Conn, most int64) *stream {
	s := &stream{name: name, conn: c, most: most, stop: make(chan struct{}), wrote: make(chan int64, 1), result: make(chan error, 2)}
	copy(s.seed[:], fmt.Sprint("stream ", seeds.Add(1)))
	go s.write()
	go s.read()
	return s
}

const block = 32 << 10

func (s *stream) write() {
	source, buf, total := rand.NewChaCha8(s.seed), make([]byte, block), int64(0)
	for s.most == 0 || total < s.most {
		select {
		case <-s.stop:
			if s.most == 0 {
				s.endWriting(total, s.conn.(interface{ CloseWrite() error }).CloseWrite())
				return
			}
		default:
		}
		_, _ = source.Read(buf)
		n, err := s.conn.Write(buf)
		if total += int64(n); err != nil {
			s.endWriting(total, err)
			return
		}
	}
	s.endWriting(total, s.conn.(interface{ CloseWrite() error }).CloseWrite())
}

func (s *stream) endWriting(total int64, err error) {
	if err != nil {
		err = fmt.Errorf("%s: writing after %d bytes: %w", s.name, total, err)
	}
	s.wrote <- total
	s.result <- err
}

func (s *stream) read() {
	source, want, got := rand.NewChaCha8(s.seed), make([]byte, block), make([]byte, block)
	for {
		n, err := io.ReadAtLeast(s.conn, got, 1)
		at := s.moved.Load()
		_, _ = source.Read(want[:n])
		for i := range got[:n] {
			if got[i] != want[i] {
				s.result <- fmt.Errorf("%s: byte %d of %d is wrong", s.name, at+int64(i), at+int64(n))
				return
			}
		}
		s.moved.Add(int64(n))
		if errors.Is(err, io.EOF) {
			err = nil
			if total := <-s.wrote; total != s.moved.Load() {
				err = fmt.Errorf("%s: the end after %d of %d bytes", s.name, s.moved.Load(), total)
			}
			s.result <- err
			return
		}
		if err != nil {
			s.result <- fmt.Errorf("%s: reading after %d bytes: %w", s.name, s.moved.Load(), err)
			return
		}
	}
}

// wait waits for the end of a stream, whatever it is.
func (s *stream) wait(d time.Duration) error {
	defer s.conn.Close()
	var all error
	timeout := time.After(d)
	for range 2 {
		select {
		case err := <-s.result:
			if all = errors.Join(all, err); err != nil {
				return all
			}
		case <-timeout:
			return errors.Join(all, fmt.Errorf("%s: no end after %v, %d bytes came back", s.name, d, s.moved.Load()))
		}
	}
	return all
}

// goesOn waits until all streams have moved more bytes.
func goesOn(t *testing.T, all []*stream, more int64) {
	t.Helper()
	before := make([]int64, len(all))
	for i, s := range all {
		before[i] = s.moved.Load()
	}
	for i, s := range all {
		if !eventually(func() bool { return s.moved.Load() >= before[i]+more || len(s.result) > 0 }) {
			t.Errorf("%s stands still: %d bytes, then %d", s.name, before[i], s.moved.Load())
		} else if len(s.result) > 0 {
			t.Errorf("%s has ended: %v", s.name, <-s.result)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
}
