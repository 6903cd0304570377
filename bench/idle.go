package main

import (
	"context"
	"fmt"
	"time"
)

// idle measures what silent circuits cost: resident memory per circuit of both
// ends and the router, and CPU while nothing happens.
func idle(ctx context.Context, s settings) error {
	n, err := newNetwork(ctx, s)
	if err != nil {
		return err
	}
	defer n.stop()
	p, err := n.path(ctx, s, false)
	if err != nil {
		return err
	}
	defer p.stop()
	count := s.count
	if count == 0 {
		count = 10000
	}
	procs := []*process{p.dial, n.router, p.host, n.controller}
	before := residents(procs)
	fmt.Printf("idle, no circuits: router %s, controller %s resident\n", kib(before[1]), kib(before[3]))
	var r result
	if err := p.dial.ask(job{Kind: "idle", Count: count, Streams: 16}, &r); err != nil {
		return err
	}
	if !pause(ctx, 5*time.Second) { // let the garbage collectors settle
		return ctx.Err()
	}
	after, busy := residents(procs), cpus(procs)
	const watch = 10 * time.Second
	if !pause(ctx, watch) {
		return ctx.Err()
	}
	quiet := cpus(procs)
	fmt.Printf("%d silent circuits:\n%-12s %14s %14s\n", count, "process", "per circuit", "CPU")
	for i, proc := range procs {
		fmt.Printf("%-12s %14s %13.2f%%\n", proc.name, kib((after[i]-before[i])/int64(count)), 100*(quiet[i]-busy[i]).Seconds()/watch.Seconds())
	}
	return p.dial.ask(job{Kind: "release"}, &r)
}

func residents(procs []*process) (all []int64) {
	for _, p := range procs {
		now, _ := p.resident()
		all = append(all, now)
	}
	return all
}

func cpus(procs []*process) (all []time.Duration) {
	for _, p := range procs {
		all = append(all, p.cpu())
	}
	return all
}
