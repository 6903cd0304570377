package channel

import (
	"net"
	"testing"
	"time"

	"github.com/weftnet/weft/limit"
)

// TestHandshakesAdapt: a handshake beyond the window is closed, and one that
// never ends makes the window smaller.
func TestHandshakesAdapt(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := limit.NewWindow(limit.WindowConfig{Min: 1, Max: 2, DecreaseEvery: 1, Decrease: 0.5}, nil)
	mux := NewMux(inner, MuxConfig{HandshakeTimeout: 100 * time.Millisecond, Handshakes: w})
	done := make(chan struct{})
	go func() { defer close(done); mux.Serve() }()
	defer func() { mux.Close(); <-done }()
	begin := func() net.Conn {
		c, err := net.Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		c.Write([]byte{22, 3, 1}) // of a record that never comes
		return c
	}
	wait := func(what string, ok func() bool) {
		t.Helper()
		for end := time.Now().Add(20 * time.Second); !ok(); time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("not so: ", what)
			}
		}
	}
	begin()
	begin()
	wait("two under way", func() bool { _, n := w.Size(); return n == 2 })
	third := begin()
	third.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, err := third.Read(make([]byte, 1)); err == nil {
		t.Error("a third handshake was answered")
	}
	wait("a smaller window", func() bool {
		size, n := w.Size()
		if n == 0 && size > 1 {
			begin() // one more that takes too long
			wait("it is under way or over", func() bool { now, n := w.Size(); return n > 0 || now == 1 })
		}
		return size == 1
	})
}
