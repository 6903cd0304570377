package edge

import (
	"fmt"
	"io"
	"runtime"
	"sync"
	"testing"
)

// BenchmarkThroughput moves data from dialers to a host; all parties share the
// process, so that its CPU time is that of both ends and the router.
func BenchmarkThroughput(b *testing.B) {
	for _, streams := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("streams=%d", streams), func(b *testing.B) {
			const size = 64 << 10
			bed := newBed(b)
			l := bed.connect("h").host("svc", true)
			s := bed.connect("d")
			var out, in []conn
			for range streams {
				c, _, err := s.dial("svc", true)
				if err != nil {
					b.Fatal(err)
				}
				out, in = append(out, c), append(in, <-l.accepted)
			}
			b.SetBytes(size)
			b.ResetTimer()
			var wg sync.WaitGroup
			for i := range streams {
				wg.Go(func() {
					buf := make([]byte, size)
					for range b.N/streams + 1 {
						if _, err := out[i].Write(buf); err != nil {
							b.Error(err)
							return
						}
					}
					_ = out[i].CloseWrite()
				})
				wg.Go(func() {
					buf := make([]byte, 256<<10)
					for {
						if _, err := in[i].Read(buf); err == io.EOF {
							return
						} else if err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			wg.Wait()
			b.StopTimer()
			for i := range streams {
				_ = out[i].Close()
			}
		})
	}
}

func BenchmarkRoundTrip(b *testing.B) {
	for _, window := range []bool{true, false} {
		b.Run(fmt.Sprintf("window=%v", window), func(b *testing.B) {
			bed := newBed(b)
			l := bed.connect("h").host("svc", window)
			c, _, err := bed.connect("d").dial("svc", window)
			if err != nil {
				b.Fatal(err)
			}
			host := <-l.accepted
			var wg sync.WaitGroup
			wg.Go(func() { _, _ = io.Copy(host, host); _ = host.Close() })
			buf := make([]byte, 1024)
			b.ResetTimer()
			for range b.N {
				if _, err := c.Write(buf); err != nil {
					b.Fatal(err)
				}
				if _, err := io.ReadFull(c, buf); err != nil {
					b.Fatal(err)
				}
			}
			b.StopTimer()
			_ = c.CloseWrite()
			wg.Wait()
			_ = c.Close()
		})
	}
}

func BenchmarkDial(b *testing.B) {
	bed := newBed(b)
	l := bed.connect("h").host("svc", true)
	s := bed.connect("d")
	go func() {
		for c := range l.accepted {
			go func() { _, _ = io.Copy(io.Discard, c); _ = c.Close() }()
		}
	}()
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			c, _, err := s.dial("svc", true)
			if err != nil {
				b.Error(err)
				return
			}
			_ = c.Close()
		}
	})
	b.StopTimer()
	eventually(b, "all circuits end", func() bool { return bed.table.Len() == 0 })
	close(l.accepted)
}

// BenchmarkIdleCircuit reports the memory of a silent circuit: both ends and
// the router, without what the operating system holds.
func BenchmarkIdleCircuit(b *testing.B) {
	bed := newBed(b)
	l := bed.connect("h").host("svc", true)
	s := bed.connect("d")
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc + m.StackInuse
	}
	before := heap()
	conns := make([]conn, 0, 2*b.N)
	for range b.N {
		c, _, err := s.dial("svc", true)
		if err != nil {
			b.Fatal(err)
		}
		host := <-l.accepted
		if _, err := c.Write([]byte("x")); err != nil {
			b.Fatal(err)
		}
		if _, err := host.Read(make([]byte, 1)); err != nil {
			b.Fatal(err)
		}
		conns = append(conns, c, host)
	}
	b.ReportMetric(float64(int64(heap()-before))/float64(b.N), "B/circuit")
	for _, c := range conns {
		_ = c.Close()
	}
}
