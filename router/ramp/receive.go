package ramp

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

const (
	readSize   = 64 << 10 // bytes of a read; also more than any datagram has
	sealedSize = 32 << 10 // bytes of a read that becomes one encrypted message
	front      = 64       // bytes before what was read, for encryption
	back       = 32       // bytes behind it
)

// buffers are shared by all sockets of the process: one is held only while
// there is something to read.
var buffers = sync.Pool{New: func() any { return new([front + readSize + back]byte) }}

type buffer = *[front + readSize + back]byte

// receive calls put with what arrives at a socket until put or the socket
// fails; the end of a stream is io.EOF. What was read is b[front:front+n], with
// room around it; b is valid during the call. With datagrams each call is one.
func receive(conn net.Conn, most int, datagrams bool, put func(b []byte, n int) error) error {
	socket, ok := conn.(syscall.Conn)
	if !ok {
		return receiveRecords(conn, most, put)
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return err
	}
	in := socketReader{most: most}
	try := in.try
	for {
		if err := raw.Read(try); err != nil {
			return err
		}
		b, n, err := in.b, in.n, in.err
		in.b = nil
		switch {
		case err == syscall.ECONNREFUSED && datagrams:
			err = nil // nobody listens at the moment: the fate of a datagram
		case err == nil && n == 0 && !datagrams:
			err = io.EOF
		case err == nil:
			err = put(b[:], n)
		}
		buffers.Put(b)
		if err != nil {
			return err
		}
	}
}

// socketReader reads from a socket into a pooled buffer.
type socketReader struct {
	most int
	b    buffer
	n    int
	err  error
}

// try is called by the poller; false means: wait until readable.
func (r *socketReader) try(fd uintptr) bool {
	r.b = buffers.Get().(buffer)
	for {
		r.n, r.err = syscall.Read(int(fd), r.b[front:front+r.most])
		if r.err != syscall.EINTR {
			break
		}
	}
	if r.err == syscall.EAGAIN {
		buffers.Put(r.b)
		r.b = nil
		return false
	}
	return true
}

const (
	idleSize = 2 << 10         // buffer of a TLS connection that waits
	busyTime = 5 * time.Second // after which a silent one waits
)

// receiveRecords is receive for connections without a socket of their own to
// wait for, that is TLS: the buffer has to be there before the data is. While
// data flows it is a large one of the pool, else a small one.
func receiveRecords(conn net.Conn, most int, put func(b []byte, n int) error) error {
	small := make([]byte, front+idleSize+back)
	for {
		n, err := conn.Read(small[front : front+idleSize])
		if n > 0 {
			if perr := put(small, n); perr != nil {
				return perr
			}
		}
		if err != nil {
			return err
		}
		if n < idleSize {
			continue
		}
		if err := receiveBusy(conn, most, put); err != nil {
			return err
		}
	}
}

// receiveBusy reads into a large buffer until nothing has come for a while.
func receiveBusy(conn net.Conn, most int, put func(b []byte, n int) error) error {
	b := buffers.Get().(buffer)
	defer buffers.Put(b)
	for {
		if err := conn.SetReadDeadline(time.Now().Add(busyTime)); err != nil {
			return err
		}
		n, err := conn.Read(b[front : front+most])
		if n > 0 {
			if perr := put(b[:], n); perr != nil {
				return perr
			}
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return conn.SetReadDeadline(time.Time{})
		}
		if err != nil {
			return err
		}
	}
}
