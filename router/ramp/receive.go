package ramp

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/weftnet/weft/flow"
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

// receive calls put with what arrives at a connection until put or the
// connection fails; the end of a stream is io.EOF. What was read is
// b[front:front+n], with room around it; b is valid during the call. With
// datagrams each call is one.
func receive(conn net.Conn, most int, datagrams bool, put func(b []byte, n int) error) error {
	raw := socketOf(conn)
	if raw == nil {
		return receiveRecords(conn, most, put)
	}
	var b buffer
	in := socketReader{
		raw:  raw,
		take: func() []byte { b = buffers.Get().(buffer); return b[front : front+most] },
		give: func() { buffers.Put(b); b = nil },
		put: func(n int) error {
			was := b
			b = nil // while it waits, nothing keeps the memory
			defer buffers.Put(was)
			return put(was[:], n)
		},
	}
	return in.run(datagrams)
}

// lendFrom is the size from which the memory of a read is passed on with what it
// holds, in bytes; less than that is copied, and the memory used again.
const lendFrom = 32 << 10

// receivePlain writes what arrives at a socket to a circuit, until either fails.
func receivePlain(raw syscall.RawConn, to *flow.Conn, datagrams bool, touch func()) error {
	most := min(readSize, to.MaxPayload())
	if datagrams {
		most = MaxDatagram
	}
	var b flow.Buffer
	in := socketReader{
		raw:  raw,
		take: func() []byte { b = flow.NewBuffer(readSize); return b.Bytes()[:most] },
		give: func() { b.Release(); b = flow.Buffer{} },
		put: func(n int) error {
			touch()
			was := b
			b = flow.Buffer{} // while it waits, nothing keeps the memory
			if n >= lendFrom {
				return to.WriteBuffer(was, n)
			}
			defer was.Release()
			return to.WriteMessage(flow.Item{Data: was.Bytes()[:n]})
		},
	}
	return in.run(datagrams)
}

// socketOf returns the socket of a connection, nil if it has none to wait for.
func socketOf(conn net.Conn) syscall.RawConn {
	socket, ok := conn.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return nil
	}
	return raw
}

// socketReader reads from a socket into memory that it takes only when there is
// something to read.
type socketReader struct {
	raw  syscall.RawConn
	take func() []byte
	give func()            // back what was taken
	put  func(n int) error // pass n bytes of it on, memory included

	n   int
	err error
}

// run reads until the end of the stream or a failure.
func (r *socketReader) run(datagrams bool) error {
	try := r.try
	for {
		if err := r.raw.Read(try); err != nil {
			return err
		}
		switch {
		case r.err == syscall.ECONNREFUSED && datagrams:
			r.give() // nobody listens at the moment: the fate of a datagram
		case r.err != nil:
			r.give()
			return r.err
		case r.n == 0 && !datagrams:
			r.give()
			return io.EOF
		default:
			if err := r.put(r.n); err != nil {
				return err
			}
		}
	}
}

// try is called by the poller; false means: wait until readable.
func (r *socketReader) try(fd uintptr) bool {
	b := r.take()
	for {
		r.n, r.err = syscall.Read(int(fd), b)
		if r.err != syscall.EINTR {
			break
		}
	}
	if r.err == syscall.EAGAIN {
		r.give()
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
