package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/weftnet/weft/bench/peer"
)

// hops are the connections between the processes of a path, from the dialer to
// the host.
type hops []string

// ideals are the limits: what two ends with plain relays between them reach,
// with as many processes as a path of Weft and the same kinds of connections.
var ideals = []struct {
	name string
	hops hops
}{
	{"tcp", hops{"tcp"}},
	{"tls", hops{"tls"}},
	{"chain", hops{"tls", "tls"}},
	{"chain2", hops{"tls", "tls", "tls"}},
	{"chain4", hops{"tls", "tls", "tls", "tls", "tls"}},
	{"chain-egress", hops{"tls", "tcp"}},
	{"chain2-egress", hops{"tls", "tls", "tcp"}},
	{"chain-proxy", hops{"tcp", "tcp"}},
	{"chain2-proxy", hops{"tcp", "tls", "tcp"}},
}

// limits starts the wanted limits.
func limits(ctx context.Context, s settings) ([]path, error) {
	var all []path
	for _, ideal := range ideals {
		if !s.wants(ideal.name) {
			continue
		}
		p, err := plainPath(ctx, s, ideal.name, ideal.hops)
		all = append(all, p)
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// plainPath starts a host, relays and a dialer.
func plainPath(ctx context.Context, s settings, name string, h hops) (p path, err error) {
	p = path{name: name, ideal: name}
	last := len(h) - 1
	host, addr, err := startChild(ctx, s, name, "host", h[last])
	if err != nil {
		return p, err
	}
	p.host, p.stops = host, []*process{host}
	for i := last - 1; i >= 0; i-- {
		relay, at, err := startChild(ctx, s, fmt.Sprintf("%s-%d", name, i+1), "relay", h[i], h[i+1], addr)
		if err != nil {
			return p, err
		}
		p.middles, p.stops, addr = append([]*process{relay}, p.middles...), append(p.stops, relay), at
	}
	if p.dial, _, err = startChild(ctx, s, name, "dial", h[0], addr); err != nil {
		return p, err
	}
	p.stops = append(p.stops, p.dial)
	return p, nil
}

// relay is the honest ideal of a router: one connection in, one out, each tcp or
// tls, and nothing else.
func relay(in, out, target string) error {
	l, err := listenPlain(in)
	if err != nil {
		return err
	}
	fmt.Println(l.Addr().String())
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go pass(conn, out, target)
		}
	}()
	return peer.UntilEOF()
}

func listenPlain(kind string) (net.Listener, error) {
	switch kind {
	case "tcp":
		return net.Listen("tcp", "127.0.0.1:0")
	case "tls":
		return listenTLS()
	}
	return nil, fmt.Errorf("unknown kind of connection %q", kind)
}

func dialPlain(ctx context.Context, kind, target string) (net.Conn, error) {
	if kind == "tls" {
		return (&tls.Dialer{Config: anyServer()}).DialContext(ctx, "tcp", target)
	}
	return new(net.Dialer).DialContext(ctx, "tcp", target)
}

func pass(in net.Conn, kind, target string) {
	defer in.Close()
	out, err := dialPlain(context.Background(), kind, target)
	if err != nil {
		return
	}
	defer out.Close()
	done := make(chan struct{}, 2)
	one := func(dst, src net.Conn) {
		_, _ = io.CopyBuffer(struct{ io.Writer }{dst}, struct{ io.Reader }{src}, make([]byte, peer.Chunk))
		_ = dst.(interface{ CloseWrite() error }).CloseWrite()
		done <- struct{}{}
	}
	go one(out, in)
	go one(in, out)
	<-done
	<-done
}

// idealOf is the limit that a path of Weft is compared with.
func idealOf(name string) string {
	name = strings.TrimSuffix(name, "-e2ee")
	if rest, ok := strings.CutPrefix(name, "weft"); ok {
		return "chain" + rest
	}
	return "chain"
}
