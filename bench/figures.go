package main

import (
	"fmt"
	"slices"
	"time"
)

// median of a set of figures; zero for none.
func median[T int64 | float64 | time.Duration](all []T) T {
	if len(all) == 0 {
		return 0
	}
	s := slices.Clone(all)
	slices.Sort(s)
	return s[len(s)/2]
}

// percentile of sorted figures, p between 0 and 1.
func percentile(sorted []time.Duration, p float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(p*float64(len(sorted))))]
}

func mib(bytes int64, d time.Duration) float64 { return float64(bytes) / (1 << 20) / d.Seconds() }

func perGiB(cpu time.Duration, bytes int64) float64 {
	return cpu.Seconds() / (float64(bytes) / (1 << 30))
}

func kib(bytes int64) string { return fmt.Sprintf("%.1f KiB", float64(bytes)/1024) }

// share is a ratio as text, a dash if there is nothing to compare with.
func share(part, whole float64) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f%%", 100*part/whole)
}
