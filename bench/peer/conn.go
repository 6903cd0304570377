package peer

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
)

// ModeEcho is the first byte of a connection whose host sends back what it reads.
const ModeEcho = modeEcho

// The first byte of a connection says what its host does with the rest.
const (
	modeSink byte = 's' // reads until the end, then answers with the count
	modeEcho byte = 'e'
	modeIdle byte = 'i' // echo with a buffer that does not count
)

// Chunk is what bulk transfers read and write at once, in bytes.
const Chunk = 64 << 10

const chunk = Chunk

// Serve answers connections until the listener is closed.
func Serve(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			_ = serveConn(c)
		}()
	}
}

func serveConn(c net.Conn) error {
	var mode [1]byte
	if _, err := io.ReadFull(c, mode[:]); err != nil {
		return err
	}
	switch mode[0] {
	case modeEcho:
		return echo(c, 2048)
	case modeIdle:
		return echo(c, 16)
	}
	return sink(c)
}

func echo(c net.Conn, size int) error {
	buf := make([]byte, size)
	for {
		n, err := c.Read(buf)
		if err != nil {
			return err
		}
		if _, err := c.Write(buf[:n]); err != nil {
			return err
		}
	}
}

// sink reads eight bytes with a count, then as many bytes, and sends the count back.
func sink(c net.Conn) error {
	var head [8]byte
	if _, err := io.ReadFull(c, head[:]); err != nil {
		return err
	}
	left := int64(binary.LittleEndian.Uint64(head[:]))
	buf := make([]byte, chunk)
	for left > 0 {
		n, err := c.Read(buf[:min(int64(len(buf)), left)])
		if left -= int64(n); err != nil && left > 0 {
			return err
		}
	}
	_, err := c.Write(head[:])
	return err
}

func send(c net.Conn, count int64) error {
	var head [8]byte
	binary.LittleEndian.PutUint64(head[:], uint64(count))
	if _, err := c.Write(head[:]); err != nil {
		return err
	}
	buf := make([]byte, chunk)
	for left := count; left > 0; left -= chunk {
		if _, err := c.Write(buf[:min(left, chunk)]); err != nil {
			return err
		}
	}
	_, err := io.ReadFull(c, head[:])
	return err
}

// RoundTrip sends buf and reads as much.
func RoundTrip(c net.Conn, buf []byte) error {
	if _, err := c.Write(buf); err != nil {
		return err
	}
	_, err := io.ReadFull(c, buf)
	return err
}

func open(dial Dialer, n int, mode byte) ([]net.Conn, error) {
	conns := make([]net.Conn, 0, n)
	for range n {
		c, err := dial(context.Background())
		if err != nil {
			return conns, fmt.Errorf("dial %d of %d: %w", len(conns)+1, n, err)
		}
		conns = append(conns, c)
		if _, err := c.Write([]byte{mode}); err != nil {
			return conns, err
		}
	}
	return conns, nil
}

func closeAll(conns []net.Conn) {
	for _, c := range conns {
		_ = c.Close()
	}
}
