package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weftnet/weft/bench/peer"
)

// idlePaths are those whose silent circuits are measured.
var idlePaths = []string{"weft", "weft4", "weft-egress"}

// idle measures what silent circuits cost: resident memory per circuit of both
// ends and the routers, and CPU while nothing happens.
func idle(ctx context.Context, s settings) error {
	wanted := slices.DeleteFunc(slices.Clone(idlePaths), func(p string) bool { return !s.wants(p) })
	count := s.count
	if count == 0 {
		count = 10000
	}
	own, err := ownCost(ctx, s, count)
	if err != nil {
		return err
	}
	for _, name := range wanted {
		if err := idlePath(ctx, s, name, count, own); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// idlePath measures one path in a network of its own.
func idlePath(ctx context.Context, s settings, name string, count int, own map[string]int64) error {
	n, err := newNetwork(ctx, s, []string{name})
	if err != nil {
		return err
	}
	defer n.stop()
	p, err := n.path(ctx, s, name)
	if err != nil {
		return err
	}
	defer p.stop()
	procs := append(append([]*process{p.dial}, p.middles...), p.host, n.controller)
	before := residents(procs)
	fmt.Printf("%s, no circuits: router %s, controller %s resident\n", name, kib(before[1]), kib(before[len(before)-1]))
	var r peer.Result
	if err := p.dial.ask(peer.Job{Kind: "idle", Count: count, Streams: 16}, &r); err != nil {
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
	fmt.Printf("%d silent circuits:\n%-20s %14s %14s %14s\n", count, "process", "per circuit", "of the program", "CPU")
	for i, proc := range procs {
		fmt.Printf("%-20s %14s %14s %13.2f%%\n", proc.name, kib((after[i]-before[i])/int64(count)), kib(own[role(proc)]), 100*(quiet[i]-busy[i]).Seconds()/watch.Seconds())
	}
	return p.dial.ask(peer.Job{Kind: "release"}, &r)
}

// ownCost is what a silent connection of the load program itself takes at each
// end, in bytes: measured over plain TCP, where a host has a goroutine with its
// buffer, and both ends a connection of the standard library.
func ownCost(ctx context.Context, s settings, count int) (map[string]int64, error) {
	s.paths = []string{"tcp"}
	all, err := limits(ctx, s)
	defer closePaths(all, nil)
	if err != nil {
		return nil, err
	}
	count = min(count, 4000) // of file descriptors there are fewer
	procs := []*process{all[0].dial, all[0].host}
	before := residents(procs)
	var r peer.Result
	if err := all[0].dial.ask(peer.Job{Kind: "idle", Count: count, Streams: 16}, &r); err != nil {
		return nil, err
	}
	if !pause(ctx, 3*time.Second) {
		return nil, ctx.Err()
	}
	own := map[string]int64{}
	for i, now := range residents(procs) {
		own[role(procs[i])] = (now - before[i]) / int64(count)
	}
	return own, nil
}

// role is dial, host and so on, without the path.
func role(p *process) string { return p.name[strings.LastIndexByte(p.name, ' ')+1:] }

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
