// Package peer is one end of a measurement: a process that serves connections,
// or opens them and carries out jobs. The path between the ends is the caller's,
// so that clients of other makers measure themselves in the same way.
package peer

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"slices"
	"sync"
	"time"
)

// Host tells where it listens and serves until the end of standard input.
func Host(l net.Listener) error {
	fmt.Println(l.Addr().String())
	go Serve(l)
	return UntilEOF()
}

// UntilEOF waits for the end of standard input, which ends an end.
func UntilEOF() error {
	for s := bufio.NewScanner(os.Stdin); s.Scan(); {
	}
	return nil
}

// Dialer opens a connection of a path.
type Dialer func(ctx context.Context) (net.Conn, error)

// Job is what a dialing end is asked to do.
type Job struct {
	Kind    string // bulk, trips, dials, idle or release
	Streams int    // parallel connections or dials
	Bytes   int64  // bulk: total
	Size    int    // trips: message size
	Count   int    // trips, dials, idle: how many
}

// Result is its answer.
type Result struct {
	Elapsed time.Duration
	Trips   []time.Duration `json:",omitempty"` // sorted
	Ends    []time.Duration `json:",omitempty"` // bulk: when each stream was through, sorted
}

// Dial carries out jobs from standard input until its end.
func Dial(dial Dialer) error {
	fmt.Println("ready")
	in := json.NewDecoder(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	var held []net.Conn
	for {
		var j Job
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

func do(dial Dialer, j Job, held *[]net.Conn) (Result, error) {
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
		return Result{}, nil
	}
	return Result{}, fmt.Errorf("unknown job %q", j.Kind)
}

// bulk sends Bytes over Streams connections and waits until all has arrived.
func bulk(dial Dialer, j Job) (Result, error) {
	conns, err := open(dial, j.Streams, modeSink)
	defer closeAll(conns)
	if err != nil {
		return Result{}, err
	}
	ends := make([]time.Duration, len(conns))
	begin := time.Now()
	err = Parallel(len(conns), func(i int) error {
		defer func() { ends[i] = time.Since(begin) }()
		return send(conns[i], j.Bytes/int64(j.Streams))
	})
	elapsed := time.Since(begin)
	slices.Sort(ends)
	return Result{Elapsed: elapsed, Ends: ends}, err
}

// trips measures round trips one after the other on one connection.
func trips(dial Dialer, j Job) (Result, error) {
	conns, err := open(dial, 1, modeEcho)
	defer closeAll(conns)
	if err != nil {
		return Result{}, err
	}
	buf, all := make([]byte, j.Size), make([]time.Duration, 0, j.Count)
	for i := range j.Count + j.Count/10 {
		begin := time.Now()
		if err := RoundTrip(conns[0], buf); err != nil {
			return Result{}, err
		}
		if i >= j.Count/10 { // the first tenth warms up
			all = append(all, time.Since(begin))
		}
	}
	slices.Sort(all)
	return Result{Trips: all}, nil
}

// dialRate opens Count connections with Streams dials at a time.
func dialRate(dial Dialer, j Job) (Result, error) {
	todo := make(chan struct{}, j.Count)
	for range j.Count {
		todo <- struct{}{}
	}
	close(todo)
	begin := time.Now()
	err := Parallel(j.Streams, func(int) error {
		for range todo {
			c, err := dial(context.Background())
			if err != nil {
				return err
			}
			_ = c.Close()
		}
		return nil
	})
	return Result{Elapsed: time.Since(begin)}, err
}

// hold opens Count connections, uses each once and keeps them silent.
func hold(dial Dialer, j Job, held *[]net.Conn) (Result, error) {
	begin := time.Now()
	var mu sync.Mutex
	per := j.Count / j.Streams
	err := Parallel(j.Streams, func(int) error {
		conns, err := open(dial, per, modeIdle)
		mu.Lock()
		*held = append(*held, conns...)
		mu.Unlock()
		if err != nil {
			return err
		}
		buf := make([]byte, 1)
		for _, c := range conns {
			if err := RoundTrip(c, buf); err != nil {
				return err
			}
		}
		return nil
	})
	return Result{Elapsed: time.Since(begin)}, err
}

// Parallel runs f n times at once and returns the first error, after the last.
func Parallel(n int, f func(i int) error) error {
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
