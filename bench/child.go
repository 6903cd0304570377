package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/pprof"

	"github.com/weftnet/weft/bench/peer"
)

// child is one end of a measurement as a process of its own:
//
//	child host PATH ...    serves connections of a path
//	child dial PATH ...    opens them and carries out jobs from standard input
//	child bare             answers HTTPS requests as it is told on standard input
//	child relay IN OUT ADDR  a plain relay in front of ADDR, IN and OUT tcp or tls
func child(args []string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	signal.Ignore(os.Interrupt) // the end of standard input ends a child
	if len(args) > 2 && args[0] == "-profile" {
		f, err := os.Create(args[1])
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
		args = args[2:]
	}
	switch args[0] {
	case "bare":
		return bare()
	case "relay":
		return relay(args[1], args[2], args[3])
	case "host":
		l, err := listenPath(ctx, args[1:])
		if err != nil {
			return err
		}
		return peer.Host(l)
	case "dial":
		dial, err := dialPath(ctx, args[1:])
		if err != nil {
			return err
		}
		return peer.Dial(dial)
	}
	return fmt.Errorf("unknown role %q", args[0])
}
