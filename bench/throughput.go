package main

import (
	"context"
	"fmt"
	"time"

	"github.com/weftnet/weft/bench/peer"
)

// path is one thing to measure: two ends and what is between them.
type path struct {
	name   string
	dial   *process
	host   *process
	middle *process // nil for a direct connection
	stops  []*process
}

func (p path) stop() {
	for _, s := range p.stops {
		s.stop()
	}
}

// limits are the paths that Weft is compared with: TCP and TLS directly, and TLS
// through one plain relay.
func limits(ctx context.Context, s settings) ([]path, error) {
	var all []path
	for _, kind := range s.choose("tcp", "tls", "chain") {
		proto := kind
		if kind == "chain" {
			proto = "tls"
		}
		host, addr, err := startChild(ctx, s, kind, "host", proto)
		if err != nil {
			return all, err
		}
		p := path{name: kind, host: host, stops: []*process{host}}
		if kind == "chain" {
			if p.middle, addr, err = startChild(ctx, s, kind, "relay", addr); err != nil {
				return all, err
			}
			p.stops = append(p.stops, p.middle)
		}
		if p.dial, _, err = startChild(ctx, s, kind, "dial", proto, addr); err != nil {
			return all, err
		}
		p.stops = append(p.stops, p.dial)
		all = append(all, p)
	}
	return all, nil
}

// measured is the limits and Weft, clear and with end-to-end encryption.
func measured(ctx context.Context, s settings) ([]path, *network, error) {
	all, err := limits(ctx, s)
	if err != nil {
		return all, nil, err
	}
	wanted := s.choose("weft", "weft-e2ee")
	if s.goSDK != "" {
		wanted = append(wanted, s.choose("go-sdk", "go-sdk-win")...)
	}
	if len(wanted) == 0 {
		return all, nil, nil
	}
	n, err := newNetwork(ctx, s)
	if err != nil {
		return all, nil, err
	}
	for _, name := range wanted {
		p, err := n.path(ctx, s, name)
		if err != nil {
			return all, n, err
		}
		all = append(all, p)
	}
	return all, n, nil
}

type sample struct{ rate, dial, middle, host float64 }

// throughput moves bytes over 1, 8 and 64 streams.
func throughput(ctx context.Context, s settings) error {
	paths, n, err := measured(ctx, s)
	defer closePaths(paths, n)
	if err != nil {
		return err
	}
	fmt.Printf("%-10s %-8s %10s %8s   CPU s/GiB: %8s %8s %8s\n", "path", "streams", "MiB/s", "of chain", "dialer", "middle", "host")
	for _, streams := range []int{1, 8, 64} {
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
		chain := middleOf(got["chain"], func(x sample) float64 { return x.rate })
		for _, p := range paths {
			f := func(pick func(sample) float64) float64 { return middleOf(got[p.name], pick) }
			rate := f(func(x sample) float64 { return x.rate })
			fmt.Printf("%-10s %-8d %10.0f %8s              %8.2f %8.2f %8.2f\n", p.name, streams, rate, share(rate, chain),
				f(func(x sample) float64 { return x.dial }), f(func(x sample) float64 { return x.middle }), f(func(x sample) float64 { return x.host }))
		}
	}
	if n != nil {
		now, peak := n.router.resident()
		fmt.Printf("router resident: %s now, %s at most\n", kib(now), kib(peak))
	}
	return nil
}

func (p path) bulk(streams int, bytes int64) (sample, error) {
	before := p.cpu()
	var r peer.Result
	if err := p.dial.ask(peer.Job{Kind: "bulk", Streams: streams, Bytes: bytes}, &r); err != nil {
		return sample{}, err
	}
	after := p.cpu()
	cost := func(i int) float64 { return perGiB(after[i]-before[i], bytes) }
	return sample{rate: mib(bytes, r.Elapsed), dial: cost(0), middle: cost(1), host: cost(2)}, nil
}

func (p path) cpu() (all [3]time.Duration) {
	for i, proc := range []*process{p.dial, p.middle, p.host} {
		if proc != nil {
			all[i] = proc.cpu()
		}
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
