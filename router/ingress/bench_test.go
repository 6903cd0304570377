package ingress

import (
	"net"
	"testing"

	"github.com/weftnet/weft/router/egress"
)

// BenchmarkProxy moves bytes from a connection of a proxy listener to a server.
func BenchmarkProxy(b *testing.B) {
	at, got := sink(b)
	n := newNetwork(b)
	n.service("sink", egress.Binding, "tcp:"+at)
	_, in := n.streams(n.config("sink"))
	pour(b, in, got)
}

// BenchmarkPlainRelay is the same through a relay that copies.
func BenchmarkPlainRelay(b *testing.B) {
	at, got := sink(b)
	in := server(b, func(c *net.TCPConn) {
		out, err := net.Dial("tcp", at)
		if err != nil {
			b.Error(err)
			return
		}
		defer out.Close()
		for buf := make([]byte, 64<<10); ; {
			k, err := c.Read(buf)
			if err != nil {
				return
			}
			if _, err := out.Write(buf[:k]); err != nil {
				return
			}
		}
	})
	pour(b, in, got)
}

const piece = 256 << 10

// sink is a server that counts what it gets from a connection.
func sink(b *testing.B) (at string, got chan int64) {
	got = make(chan int64, 1)
	return server(b, func(c *net.TCPConn) {
		var total int64
		for buf := make([]byte, piece); ; {
			k, err := c.Read(buf)
			if total += int64(k); err != nil {
				break
			}
		}
		got <- total
	}), got
}

// pour sends b.N pieces and waits until all of them have arrived.
func pour(b *testing.B, at string, got chan int64) {
	c, err := net.Dial("tcp", at)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	buf := make([]byte, piece)
	b.SetBytes(piece)
	b.ResetTimer()
	for range b.N {
		if _, err := c.Write(buf); err != nil {
			b.Fatal(err)
		}
	}
	_ = c.(*net.TCPConn).CloseWrite()
	if total := <-got; total != int64(b.N)*piece {
		b.Errorf("%d of %d bytes", total, int64(b.N)*piece)
	}
}
