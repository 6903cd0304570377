package channel

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/weftnet/weft/wire/message"
)

type counter struct {
	n    atomic.Int64
	want int64
	done chan struct{}
}

func (r *counter) HandleFrame(_ *Channel, f *Frame) {
	f.Release()
	if r.n.Add(1) == r.want {
		close(r.done)
	}
}

func BenchmarkSend32KiB(b *testing.B) { benchSend(b, 32<<10) }
func BenchmarkSend64B(b *testing.B)   { benchSend(b, 64) }

func benchSend(b *testing.B, size int) {
	r := &counter{want: int64(b.N), done: make(chan struct{})}
	m, _ := startListener(b, ListenerConfig{Accept: accept(r)})
	c := dial(b, m, nil, Options{})
	msg := message.New(typeData, make([]byte, size))
	msg.Headers.PutUint32(1000, 1)
	b.SetBytes(int64(size))
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		c.Send(b.Context(), msg)
	}
	<-r.done
}

func BenchmarkRoundTrip(b *testing.B) {
	m, _ := startListener(b, ListenerConfig{Accept: accept(nil)})
	c := dial(b, m, nil, Options{})
	b.ResetTimer()
	for range b.N {
		if _, err := c.Request(b.Context(), message.New(TypePing, nil)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkIdleMemory(b *testing.B) {
	m, l := startListener(b, ListenerConfig{Accept: accept(nil)})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	const n = 200
	for range n {
		dial(b, m, nil, Options{})
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.HeapInuse+after.StackInuse-before.HeapInuse-before.StackInuse)/n/2, "B/end")
	b.ReportMetric(float64(len(l.Channels())), "channels")
}
