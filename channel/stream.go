package channel

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	readBufferSize  = 64 << 10
	writeBufferSize = 64 << 10
)

// readBuffers and writeBuffers are shared by all connections of the process:
// a connection holds one only while bytes move.
var (
	readBuffers  = sync.Pool{New: func() any { return new([readBufferSize]byte) }}
	writeBuffers = sync.Pool{New: func() any { return new([writeBufferSize]byte) }}
)

// stream is the buffered connection beneath a tls.Conn, which by itself makes
// one or two system calls per record. Reading takes a pooled buffer when the
// socket is readable and gives it back when it is empty. Writing goes straight
// through unless the stream is corked; then it collects records.
type stream struct {
	net.Conn
	raw syscall.RawConn // nil if the connection is no socket

	in, out atomic.Uint64 // bytes from and to the operating system

	// reading side, used by one goroutine at a time
	rbuf    *[readBufferSize]byte
	rpos    int
	rend    int
	rerr    error
	record  recordScan
	tryRead func(fd uintptr) bool // made once, so that a read does not allocate
	idle    func()                // called before a read that may wait; nil = nothing

	wmu     sync.Mutex
	corked  bool
	wbuf    *[writeBufferSize]byte
	wlen    int
	werr    error
	timeout time.Duration // per write that waits, 0 for none
	limited bool          // a deadline is set, of the last such write

	tryWrite func(fd uintptr) bool // made once: writes wbuf without waiting
	took     int                   // result of tryWrite
}

func newStream(c net.Conn) *stream {
	s := &stream{Conn: c}
	if sc, ok := c.(syscall.Conn); ok {
		if raw, err := sc.SyscallConn(); err == nil {
			s.raw = raw
			s.tryRead, s.tryWrite = s.readSocket, s.writeSocket
		}
	}
	return s
}

// readSocket is called by the poller; false means: wait until readable.
func (s *stream) readSocket(fd uintptr) bool {
	buf := readBuffers.Get().(*[readBufferSize]byte)
	for {
		n, err := syscall.Read(int(fd), buf[:])
		switch {
		case err == syscall.EINTR:
			continue
		case err == syscall.EAGAIN:
			readBuffers.Put(buf)
			return false
		case err != nil || n <= 0:
			readBuffers.Put(buf)
			s.rerr = err
			return true
		}
		s.rbuf, s.rpos, s.rend = buf, 0, n
		s.in.Add(uint64(n))
		return true
	}
}

// fill waits for bytes and buffers them.
func (s *stream) fill() error {
	if s.rerr = nil; s.idle != nil {
		s.idle()
	}
	if s.raw == nil {
		buf := readBuffers.Get().(*[readBufferSize]byte)
		n, err := s.Conn.Read(buf[:])
		if n == 0 {
			readBuffers.Put(buf)
			return err
		}
		s.rbuf, s.rpos, s.rend = buf, 0, n
		s.in.Add(uint64(n))
		return nil
	}
	if err := s.raw.Read(s.tryRead); err != nil {
		return &net.OpError{Op: "read", Net: "tcp", Addr: s.RemoteAddr(), Err: err}
	}
	if s.rbuf != nil {
		return nil
	}
	if s.rerr != nil {
		return &net.OpError{Op: "read", Net: "tcp", Addr: s.RemoteAddr(), Err: s.rerr}
	}
	return io.EOF
}

// Read hands out at most the rest of the current TLS record: the buffer of the
// tls.Conn above then stays as small as one record and is empty after each.
func (s *stream) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if s.rbuf == nil {
		if err := s.fill(); err != nil {
			return 0, err
		}
	}
	avail := s.rbuf[s.rpos:s.rend]
	n := copy(p, avail[:min(len(avail), s.record.limit(avail))])
	s.record.advance(avail[:n])
	s.rpos += n
	if s.rpos == s.rend {
		readBuffers.Put(s.rbuf)
		s.rbuf = nil
	}
	return n, nil
}

// recordScan follows the record boundaries of a TLS stream.
type recordScan struct {
	head [5]byte // type, version, length
	n    int     // bytes of head seen
	left int     // bytes of the record's payload to come
}

// limit is how many of the next bytes belong to the current record; b is what
// is at hand.
func (r *recordScan) limit(b []byte) int {
	if r.left > 0 {
		return r.left
	}
	need := len(r.head) - r.n
	if len(b) < need {
		return len(b)
	}
	h := r.head
	copy(h[r.n:], b)
	return need + int(h[3])<<8 + int(h[4])
}

// advance notes that b, which is within the limit, was handed out.
func (r *recordScan) advance(b []byte) {
	if r.left > 0 {
		r.left -= len(b)
		return
	}
	k := copy(r.head[r.n:], b)
	if r.n += k; r.n == len(r.head) {
		r.n = 0
		r.left = int(r.head[3])<<8 + int(r.head[4]) - (len(b) - k)
	}
}

// waitReadable returns when the first bytes have arrived, holding no memory
// before that.
func (s *stream) waitReadable() error {
	if s.rbuf != nil {
		return nil
	}
	return s.fill()
}

// Write collects p if the stream is corked and writes it otherwise.
func (s *stream) Write(p []byte) (int, error) {
	s.wmu.Lock()
	defer s.wmu.Unlock()
	if s.werr != nil {
		return 0, s.werr
	}
	if !s.corked {
		return s.write(p)
	}
	if s.wlen+len(p) > writeBufferSize {
		if err := s.flush(); err != nil {
			return 0, err
		}
	}
	if len(p) > writeBufferSize {
		return s.write(p)
	}
	if s.wbuf == nil {
		s.wbuf = writeBuffers.Get().(*[writeBufferSize]byte)
	}
	s.wlen += copy(s.wbuf[s.wlen:], p)
	return len(p), nil
}

func (s *stream) write(p []byte) (int, error) {
	if s.timeout > 0 {
		s.Conn.SetWriteDeadline(time.Now().Add(s.timeout))
		s.limited = true
	}
	n, err := s.Conn.Write(p)
	s.out.Add(uint64(max(n, 0)))
	if err != nil {
		s.werr = err
	}
	return n, err
}

func (s *stream) flush() error {
	if s.wlen == 0 {
		return s.werr
	}
	n := s.wlen
	s.wlen = 0
	_, err := s.write(s.wbuf[:n])
	return err
}

// tryCork is cork without waiting for a write; false if there is one.
func (s *stream) tryCork() bool {
	if !s.wmu.TryLock() {
		return false
	}
	s.corked = true
	s.wmu.Unlock()
	return true
}

// writeSocket is called once by the poller, which never waits for it.
func (s *stream) writeSocket(fd uintptr) bool {
	for {
		n, err := syscall.Write(int(fd), s.wbuf[:s.wlen])
		switch err {
		case nil:
			s.took = n
			s.out.Add(uint64(n))
		case syscall.EINTR:
			continue
		case syscall.EAGAIN:
			s.took = 0
		default:
			s.werr = &net.OpError{Op: "write", Net: "tcp", Addr: s.RemoteAddr(), Err: err}
		}
		return true
	}
}

// tryUncork is uncork without waiting. If it returns false, bytes are left or
// writing has failed: the stream stays corked, and uncork goes on.
func (s *stream) tryUncork() bool {
	s.wmu.Lock()
	defer s.wmu.Unlock()
	if s.werr == nil && s.wlen > 0 {
		s.took = 0
		if s.limited { // it may have passed, and this does not wait
			s.Conn.SetWriteDeadline(time.Time{})
			s.limited = false
		}
		if err := s.raw.Write(s.tryWrite); err != nil && s.werr == nil {
			s.werr = err
		}
		s.wlen = copy(s.wbuf[:], s.wbuf[s.took:s.wlen])
	}
	if s.werr != nil || s.wlen > 0 {
		return false
	}
	s.release()
	return true
}

// release ends the collecting, with nothing left to write.
func (s *stream) release() {
	s.corked = false
	if s.wbuf != nil {
		writeBuffers.Put(s.wbuf)
		s.wbuf = nil
	}
}

// cork makes Write collect until uncork.
func (s *stream) cork() {
	s.wmu.Lock()
	s.corked = true
	s.wmu.Unlock()
}

// uncork writes what was collected and gives the buffer back.
func (s *stream) uncork() error {
	s.wmu.Lock()
	defer s.wmu.Unlock()
	err := s.flush()
	s.release()
	return err
}
