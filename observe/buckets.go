package observe

import "strings"

// maxBuckets is the largest number of buckets of a histogram.
const maxBuckets = 13

// The bounds of histograms. Routers report what is within them, so that other
// bounds need another number of them.
var (
	timeBounds = []float64{50e3, 100e3, 250e3, 1e6, 2.5e6, 5e6, 10e6, 25e6, 100e6, 250e6, 1e9, 5e9} // nanoseconds
	sizeBounds = []float64{64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20}       // bytes
)

// Bounds returns the upper bounds of the buckets of a histogram or timer, which
// follow from its name: those of sizes, in bytes, end in size, all others are
// times in nanoseconds. The result is shared.
func Bounds(name string) []float64 {
	name, _, _ = strings.Cut(name, ":")
	if strings.HasSuffix(name, "size") {
		return sizeBounds
	}
	return timeBounds
}

// bucket returns the place of a value among bounds.
func bucket(bounds []float64, v float64) int {
	for i, b := range bounds {
		if v <= b {
			return i
		}
	}
	return len(bounds)
}
