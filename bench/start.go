package main

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/weftnet/weft/bench/peer"
)

// start measures from an empty directory to the first byte through a new
// service between two new identities, and how long a listener opened right
// after enrolment takes to be dialable.
func start(ctx context.Context, s settings) error {
	var first, dialable, restarts []time.Duration
	for range s.rounds {
		n, err := prepare(s)
		if err != nil {
			return err
		}
		f, d, r, err := n.firstByte(ctx)
		n.stop()
		if err != nil {
			return err
		}
		first, dialable, restarts = append(first, f), append(dialable, d), append(restarts, r)
	}
	fmt.Printf("empty directory to first byte: %v\n", median(first).Round(time.Millisecond))
	fmt.Printf("listener opened to dialable:   %v\n", median(dialable).Round(time.Millisecond))
	fmt.Printf("second start to first write:   %v\n", median(restarts).Round(time.Millisecond))
	return nil
}

func (n *network) firstByte(ctx context.Context) (first, dialable, restart time.Duration, err error) {
	begin := time.Now()
	up, err := n.up(ctx)
	if err != nil {
		return
	}
	if _, err = n.api.service(ctx, "first", true); err != nil {
		return
	}
	var files [2]string
	for i, name := range []string{"host", "client"} {
		if files[i], err = n.enrol(ctx, name); err != nil {
			return
		}
	}
	opened := time.Now()
	l, err := listenWeft(ctx, files[0], "first")
	if err != nil {
		return
	}
	defer l.Close()
	go peer.Serve(l)
	dial, err := dialWeft(ctx, files[1], "first")
	if err != nil {
		return
	}
	c, err := dial(ctx)
	if err != nil {
		return
	}
	dialable = time.Since(opened)
	if err = firstTrip(c); err != nil {
		return
	}
	first = time.Since(begin)
	up.stop()
	begin = time.Now()
	if up, err = n.up(ctx); err != nil {
		return
	}
	_, err = n.api.Create(ctx, "services", map[string]any{"name": "second start", "encryptionRequired": false})
	restart = time.Since(begin)
	up.stop()
	return
}

func firstTrip(c net.Conn) error {
	defer c.Close()
	if _, err := c.Write([]byte{peer.ModeEcho}); err != nil {
		return err
	}
	return peer.RoundTrip(c, make([]byte, 1))
}
