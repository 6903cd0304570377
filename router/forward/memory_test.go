package forward

import (
	"runtime"
	"testing"
)

// BenchmarkIdleTransit tells what a circuit costs a router that it only passes.
func BenchmarkIdleTransit(b *testing.B) {
	const circuits = 10_000
	for range b.N {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		table, _ := transit(b, circuits)
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/circuits, "B/circuit")
		runtime.KeepAlive(table)
	}
}
