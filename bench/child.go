package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/signal"
	"runtime/pprof"
	"slices"
	"sync"
	"time"
)

// child is one end of a measurement as a process of its own:
//
//	child host PATH ...    serves connections of a path
//	child dial PATH ...    opens them and carries out jobs from standard input
//	child relay ADDR       a plain TLS relay in front of ADDR
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
	case "relay":
		return relay(args[1])
	case "host":
		l, err := listenPath(ctx, args[1:])
		if err != nil {
			return err
		}
		fmt.Println(l.Addr().String())
		go serveAll(l)
		return untilEOF()
	case "dial":
		dial, err := dialPath(ctx, args[1:])
		if err != nil {
			return err
		}
		fmt.Println("ready")
		return jobs(dial)
	}
	return fmt.Errorf("unknown role %q", args[0])
}

func untilEOF() error {
	for s := bufio.NewScanner(os.Stdin); s.Scan(); {
	}
	return nil
}

type dialer func(ctx context.Context) (net.Conn, error)

// job is what a dialing child is asked to do.
type job struct {
	Kind    string // bulk, trips, dials, idle or release
	Streams int    // parallel connections or dials
	Bytes   int64  // bulk: total
	Size    int    // trips: message size
	Count   int    // trips, dials, idle: how many
}

// result is its answer.
type result struct {
	Elapsed time.Duration
	Trips   []time.Duration `json:",omitempty"` // sorted
}

func jobs(dial dialer) error {
	in := json.NewDecoder(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	var held []net.Conn
	for {
		var j job
		if err := in.Decode(&j); err != nil {
			return nil
		}
		res, err := do(dial, j, &held)
		if err != nil {
			fmt.Printf("error: %v\n", err)
			continue
		}
		if err := out.Encode(res); err != nil {
			return err
		}
	}
}

func do(dial dialer, j job, held *[]net.Conn) (result, error) {
	switch j.Kind {
	case "bulk":
		return bulk(dial, j)
	case "trips":
		return trips(dial, j)
	case "dials":
		return dialRate(dial, j)
	case "idle":
		return hold(dial, j, held)
	case "release":
		for _, c := range *held {
			_ = c.Close()
		}
		*held = nil
		return result{}, nil
	}
	return result{}, fmt.Errorf("unknown job %q", j.Kind)
}

// bulk sends Bytes over Streams connections and waits until all has arrived.
func bulk(dial dialer, j job) (result, error) {
	conns, err := open(dial, j.Streams, modeSink)
	defer closeAll(conns)
	if err != nil {
		return result{}, err
	}
	begin := time.Now()
	err = parallel(len(conns), func(i int) error { return send(conns[i], j.Bytes/int64(j.Streams)) })
	return result{Elapsed: time.Since(begin)}, err
}

// trips measures round trips one after the other on one connection.
func trips(dial dialer, j job) (result, error) {
	conns, err := open(dial, 1, modeEcho)
	defer closeAll(conns)
	if err != nil {
		return result{}, err
	}
	buf, all := make([]byte, j.Size), make([]time.Duration, 0, j.Count)
	for i := range j.Count + j.Count/10 {
		begin := time.Now()
		if err := roundTrip(conns[0], buf); err != nil {
			return result{}, err
		}
		if i >= j.Count/10 { // the first tenth warms up
			all = append(all, time.Since(begin))
		}
	}
	slices.Sort(all)
	return result{Trips: all}, nil
}

// dialRate opens Count connections with Streams dials at a time.
func dialRate(dial dialer, j job) (result, error) {
	todo := make(chan struct{}, j.Count)
	for range j.Count {
		todo <- struct{}{}
	}
	close(todo)
	begin := time.Now()
	err := parallel(j.Streams, func(int) error {
		for range todo {
			c, err := dial(context.Background())
			if err != nil {
				return err
			}
			_ = c.Close()
		}
		return nil
	})
	return result{Elapsed: time.Since(begin)}, err
}

// hold opens Count connections, uses each once and keeps them silent.
func hold(dial dialer, j job, held *[]net.Conn) (result, error) {
	begin := time.Now()
	var mu sync.Mutex
	per := j.Count / j.Streams
	err := parallel(j.Streams, func(int) error {
		conns, err := open(dial, per, modeEcho)
		mu.Lock()
		*held = append(*held, conns...)
		mu.Unlock()
		if err != nil {
			return err
		}
		buf := make([]byte, 1)
		for _, c := range conns {
			if err := roundTrip(c, buf); err != nil {
				return err
			}
		}
		return nil
	})
	return result{Elapsed: time.Since(begin)}, err
}

func parallel(n int, f func(i int) error) error {
	errs := make(chan error, n)
	for i := range n {
		go func() { errs <- f(i) }()
	}
	var first error
	for range n {
		if err := <-errs; err != nil && first == nil {
			first = err
		}
	}
	return first
}
