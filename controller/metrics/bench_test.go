package metrics

import (
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/weftnet/weft/observe"
)

// BenchmarkWrite is a scrape of 100 routers with 1,000 ends of links each, which
// is ten times a full mesh.
func BenchmarkWrite(b *testing.B) {
	f := newFixture()
	i := observe.NewInstruments(nil)
	for n := range 1000 {
		link := fmt.Sprintf("link.4owATiXmB23D4owATiX%d.", n)
		i.Histogram(link + "latency").Update(3e6)
		i.Histogram(link + "queue_time").Update(3e3)
		for _, way := range []string{"tx", "rx"} {
			i.Meter(link + way + ".bytesrate").Mark(12345)
			i.Meter(link + way + ".msgrate").Mark(1)
			i.Histogram(link + way + ".msgsize").Update(999)
		}
	}
	report := reportOf(i)
	for n := range 100 {
		id := fmt.Sprintf("router%d", n)
		f.online[id] = true
		f.Take(id, report)
	}
	b.ReportAllocs()
	var written countingWriter
	for b.Loop() {
		written = 0
		if err := f.Write(&written, false); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(written)/1e6, "MB/page")
}

// BenchmarkTake is the report of such a router.
func BenchmarkTake(b *testing.B) {
	f := newFixture()
	i := observe.NewInstruments(nil)
	for n := range 1000 {
		i.Histogram(fmt.Sprintf("link.4owATiXmB23D4owATiX%d.latency", n)).Update(3e6)
	}
	report := reportOf(i)
	b.ReportAllocs()
	for b.Loop() {
		f.Take("r1", report)
	}
}

type countingWriter int

func (c *countingWriter) Write(p []byte) (int, error) {
	*c += countingWriter(len(p))
	return io.Discard.Write(p)
}

// BenchmarkTimer is what an instrument costs a request, with the two readings of
// the clock.
func BenchmarkTimer(b *testing.B) {
	t := observe.NewInstruments(nil).Timer("/edge/management/v1/services/:id.GET")
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		t.Update(time.Since(start))
	}
}
