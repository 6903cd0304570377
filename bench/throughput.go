package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/weftnet/weft/bench/peer"
)

// path is one thing to measure: two ends and what is between them.
type path struct {
	name    string
	ideal   string // path that it is compared with
	dial    *process
	host    *process
	middles []*process // none for a direct connection
	stops   []*process
}

func (p path) stop() {
	for _, s := range p.stops {
		s.stop()
	}
}

// measured is the limits and Weft.
func measured(ctx context.Context, s settings) ([]path, *network, error) {
	all, err := limits(ctx, s)
	if err != nil {
		return all, nil, err
	}
	wanted := s.weftPaths()
	if len(wanted) == 0 {
		return all, nil, nil
	}
	n, err := newNetwork(ctx, s, wanted)
	if err != nil {
		return all, nil, err
	}
	for _, name := range wanted {
		p, err := n.path(ctx, s, name)
		if err != nil {
			return all, n, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, p)
	}
	return all, n, nil
}

// sample is one transfer: MiB/s, CPU seconds per GiB, and how fair it was: when
// the first twentieth of the streams was through, as a part of the time that all
// but the last twentieth took.
type sample struct{ rate, dial, middle, host, even float64 }

// throughput moves bytes over 1, 8, 64 and 1,000 streams.
func throughput(ctx context.Context, s settings) error {
	paths, n, err := measured(ctx, s)
	defer closePaths(paths, n)
	if err != nil {
		return err
	}
	fmt.Printf("%-14s %-8s %10s %9s   CPU s/GiB: %8s %8s %8s %10s %8s\n", "path", "streams", "MiB/s", "of ideal", "dialer", "middle", "host", "of relay", "even")
	everybody := processes(paths)
	for _, streams := range s.streams {
		for _, proc := range everybody {
			proc.forgetPeak()
		}
		got := map[string][]sample{}
		for range s.rounds {
			for _, p := range paths {
				one, err := p.bulk(streams, s.bytes)
				if err != nil {
					return fmt.Errorf("%s, %d streams: %w", p.name, streams, err)
				}
				got[p.name] = append(got[p.name], one)
			}
		}
		for _, p := range paths {
			of := func(name string, pick func(sample) float64) float64 { return middleOf(got[name], pick) }
			rate, middle := func(x sample) float64 { return x.rate }, func(x sample) float64 { return x.middle }
			fmt.Printf("%-14s %-8d %10.0f %9s              %8.2f %8.2f %8.2f %10s %7.0f%%\n", p.name, streams,
				of(p.name, rate), share(of(p.name, rate), of(p.ideal, rate)),
				of(p.name, func(x sample) float64 { return x.dial }), of(p.name, middle), of(p.name, func(x sample) float64 { return x.host }),
				share(of(p.name, middle), of(p.ideal, middle)), 100*of(p.name, func(x sample) float64 { return x.even }))
		}
		for _, proc := range everybody {
			now, peak := proc.resident()
			fmt.Printf("  %-20s %5.0f MiB resident, %5.0f at most\n", proc.name, float64(now)/(1<<20), float64(peak)/(1<<20))
		}
	}
	return nil
}

// processes are all of some paths, each once.
func processes(paths []path) (all []*process) {
	for _, p := range paths {
		for _, proc := range append([]*process{p.dial, p.host}, p.middles...) {
			if !slices.Contains(all, proc) {
				all = append(all, proc)
			}
		}
	}
	return all
}

func (p path) bulk(streams int, bytes int64) (sample, error) {
	before := p.cpu()
	var r peer.Result
	if err := p.dial.ask(peer.Job{Kind: "bulk", Streams: streams, Bytes: bytes}, &r); err != nil {
		return sample{}, err
	}
	after := p.cpu()
	cost := func(i int) float64 { return perGiB(after[i]-before[i], bytes) }
	even := 1.0
	if last := percentile(r.Ends, 0.95); last > 0 {
		even = float64(percentile(r.Ends, 0.05)) / float64(last)
	}
	return sample{rate: mib(bytes, r.Elapsed), dial: cost(0), middle: cost(1), host: cost(2), even: even}, nil
}

// cpu is the time that the dialer, a process between the ends in the mean, and
// the host have spent.
func (p path) cpu() (all [3]time.Duration) {
	all[0], all[2] = p.dial.cpu(), p.host.cpu()
	for _, m := range p.middles {
		all[1] += m.cpu() / time.Duration(len(p.middles))
	}
	return all
}

func middleOf(all []sample, pick func(sample) float64) float64 {
	var v []float64
	for _, s := range all {
		v = append(v, pick(s))
	}
	return median(v)
}

func closePaths(paths []path, n *network) {
	for _, p := range paths {
		p.stop()
	}
	if n != nil {
		n.stop()
	}
}
