package ingress

import (
	"io"
	"net"
	"testing"

	"github.com/weftnet/weft/router/egress"
)

// BenchmarkProxy moves bytes from a connection of a proxy listener to a server.
func BenchmarkProxy(b *testing.B) {
	got := make(chan int64)
	at := server(b, func(c *net.TCPConn) {
		buf := make([]byte, 256<<10)
		var total int64
		for {
			k, err := c.Read(buf)
			if total += int64(k); err != nil {
				break
			}
		}
		got <- total
	})
	n := newNetwork(b)
	n.service("sink", egress.Binding, "tcp:"+at)
	_, in := n.streams(n.config("sink"))
	c, err := net.Dial("tcp", in)
	if err != nil {
		b.Fatal(err)
	}
	const piece = 256 << 10
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
	b.StopTimer()
	_, _ = io.Copy(io.Discard, c)
	c.Close()
}
