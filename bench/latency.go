package main

import (
	"context"
	"fmt"
	"time"

	"github.com/weftnet/weft/bench/peer"
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
	fmt.Printf("%-10s %-6s %10s %10s %10s %10s   CPU each: %8s %8s %8s\n", "path", "bytes", "p50", "p90", "p99", "p99.9", "dialer", "middle", "host")
	for _, size := range []int{1, 1024} {
		got, cost := map[string][][]time.Duration{}, map[string][3]time.Duration{}
		for range s.rounds {
			for _, p := range paths {
				var r peer.Result
				before := p.cpu()
				if err := p.dial.ask(peer.Job{Kind: "trips", Size: size, Count: count}, &r); err != nil {
					return fmt.Errorf("%s: %w", p.name, err)
				}
				got[p.name] = append(got[p.name], r.Trips)
				total := cost[p.name]
				for i, after := range p.cpu() {
					total[i] += after - before[i]
				}
				cost[p.name] = total
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
			each := func(i int) time.Duration {
				return (cost[p.name][i] / time.Duration(s.rounds*(count+count/10))).Round(100 * time.Nanosecond)
			}
			fmt.Printf("%-10s %-6d %10v %10v %10v %10v             %8v %8v %8v\n", p.name, size, at(0.5), at(0.9), at(0.99), at(0.999), each(0), each(1), each(2))
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
				var r peer.Result
				if err := p.dial.ask(peer.Job{Kind: "dials", Streams: at, Count: count}, &r); err != nil {
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
