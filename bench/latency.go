package main

import (
	"context"
	"fmt"
	"time"
)

// latency measures round trips of 1 byte and 1 KiB on one connection.
func latency(ctx context.Context, s settings) error {
	paths, n, err := measured(ctx, s)
	defer closePaths(paths, n)
	if err != nil {
		return err
	}
	count := s.count
	if count == 0 {
		count = 5000
	}
	fmt.Printf("%-10s %-6s %10s %10s %10s %10s\n", "path", "bytes", "p50", "p90", "p99", "p99.9")
	for _, size := range []int{1, 1024} {
		got := map[string][][]time.Duration{}
		for range s.rounds {
			for _, p := range paths {
				var r result
				if err := p.dial.ask(job{Kind: "trips", Size: size, Count: count}, &r); err != nil {
					return fmt.Errorf("%s: %w", p.name, err)
				}
				got[p.name] = append(got[p.name], r.Trips)
			}
		}
		for _, p := range paths {
			at := func(q float64) time.Duration {
				var v []time.Duration
				for _, trips := range got[p.name] {
					v = append(v, percentile(trips, q))
				}
				return median(v).Round(100 * time.Nanosecond)
			}
			fmt.Printf("%-10s %-6d %10v %10v %10v %10v\n", p.name, size, at(0.5), at(0.9), at(0.99), at(0.999))
		}
	}
	return nil
}

// dials measures connections opened and closed per second.
func dials(ctx context.Context, s settings) error {
	paths, n, err := measured(ctx, s)
	defer closePaths(paths, n)
	if err != nil {
		return err
	}
	count := s.count
	if count == 0 {
		count = 2000
	}
	fmt.Printf("%-10s %-12s %12s\n", "path", "concurrency", "dials/s")
	for _, at := range []int{1, 16, 64} {
		got := map[string][]float64{}
		for range s.rounds {
			for _, p := range paths {
				var r result
				if err := p.dial.ask(job{Kind: "dials", Streams: at, Count: count}, &r); err != nil {
					return fmt.Errorf("%s: %w", p.name, err)
				}
				got[p.name] = append(got[p.name], float64(count)/r.Elapsed.Seconds())
			}
		}
		for _, p := range paths {
			fmt.Printf("%-10s %-12d %12.0f\n", p.name, at, median(got[p.name]))
		}
	}
	return nil
}
