package sdk

import (
	"io"
	"runtime"
	"testing"
)

// Throughput of one stream through a router in the same process: the bytes
// pass both ends and the router, so a byte counts for three.
func BenchmarkStream(b *testing.B) {
	for _, m := range modes {
		b.Run(m.name, func(b *testing.B) {
			d, h := pair(b, m.plain, m.encrypted)
			done := make(chan error)
			go func() {
				_, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{h}, make([]byte, 64<<10))
				done <- err
			}()
			buf := make([]byte, 64<<10)
			b.SetBytes(int64(len(buf)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := d.Write(buf); err != nil {
					b.Fatal(err)
				}
			}
			d.CloseWrite()
			if err := <-done; err != nil {
				b.Fatal(err)
			}
		})
	}
}

func BenchmarkDial(b *testing.B) {
	n := newFakeNet(b)
	n.router(nil)
	n.service("echo", false, PermissionDial, PermissionBind)
	l, err := n.client(Options{}).Listen("echo")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	c := n.client(Options{})
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			conn, err := c.Dial(b.Context(), "echo")
			if err != nil {
				b.Error(err)
				return
			}
			conn.Close()
		}
	})
}

// Memory of idle connections, both ends and the router's tables together.
func BenchmarkIdleConnections(b *testing.B) {
	n := newFakeNet(b)
	n.router(nil)
	n.service("echo", true, PermissionDial, PermissionBind)
	l, err := n.client(Options{}).Listen("echo")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	accepted := make(chan *Conn, 10_000)
	go func() {
		for {
			c, err := l.AcceptConn()
			if err != nil {
				return
			}
			accepted <- c
		}
	}()
	c := n.client(Options{})
	const count = 2000
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		goroutines := runtime.NumGoroutine()
		var conns []*Conn
		for range count {
			d, err := c.Dial(b.Context(), "echo")
			if err != nil {
				b.Fatal(err)
			}
			h := <-accepted
			one := make([]byte, 1)
			if _, err := d.Write(one); err != nil {
				b.Fatal(err)
			}
			if _, err := h.Read(one); err != nil {
				b.Fatal(err)
			}
			if _, err := h.Write(one); err != nil {
				b.Fatal(err)
			}
			if _, err := d.Read(one); err != nil {
				b.Fatal(err)
			}
			conns = append(conns, d, h)
		}
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapInuse-before.HeapInuse)/count/2, "bytes/end")
		b.ReportMetric(float64(runtime.NumGoroutine()-goroutines), "goroutines")
		for _, c := range conns {
			c.Close()
		}
	}
}
