package main

import (
	"context"
	"fmt"
	"time"

	"github.com/weftnet/weft/bench/peer"
)

// weftPath is a way through Weft: a dialing end at the first of some routers in
// a line, and a hosting end at the last.
type weftPath struct {
	name      string
	routers   int
	encrypted bool
	proxy     bool // plain TCP into a proxy listener, else the SDK
	egress    bool // a plain server behind a terminator, else the SDK
}

var weftPaths = []weftPath{
	{name: "weft", routers: 1},
	{name: "weft-e2ee", routers: 1, encrypted: true},
	{name: "weft2", routers: 2},
	{name: "weft2-e2ee", routers: 2, encrypted: true},
	{name: "weft4", routers: 4},
	{name: "weft-egress", routers: 1, egress: true},
	{name: "weft2-egress", routers: 2, egress: true},
	{name: "weft-proxy", routers: 1, proxy: true, egress: true},
	{name: "weft2-proxy", routers: 2, proxy: true, egress: true},
}

// weftPathOf returns the description of a path; those of other SDKs have one
// router.
func weftPathOf(name string) weftPath {
	for _, p := range weftPaths {
		if p.name == name {
			return p
		}
	}
	return weftPath{name: name, routers: 1}
}

// path makes a service and both ends of a path, and waits until it carries
// something.
func (n *network) path(ctx context.Context, s settings, name string) (p path, err error) {
	w := weftPathOf(name)
	p = path{name: name, ideal: idealOf(name), middles: n.routers[:w.routers]}
	defer func() {
		if err != nil {
			p.stop()
		}
	}()
	service, err := n.api.service(ctx, name, w.encrypted)
	if err != nil {
		return p, err
	}
	if p.host, err = n.host(ctx, s, w, service); err != nil {
		return p, err
	}
	p.stops = append(p.stops, p.host)
	if p.dial, err = n.dialer(ctx, s, w); err != nil {
		return p, err
	}
	p.stops = append(p.stops, p.dial)
	return p, p.ready(ctx)
}

// ready waits until a connection works: links and terminators take a moment.
func (p path) ready(ctx context.Context) error {
	var err error
	for range 300 {
		var r peer.Result
		if err = p.dial.ask(peer.Job{Kind: "trips", Size: 1, Count: 10}, &r); err == nil {
			return nil
		}
		if !pause(ctx, 100*time.Millisecond) {
			return ctx.Err()
		}
	}
	return fmt.Errorf("%s does not come up: %w", p.name, err)
}

// host starts the hosting end of a path at its last router.
func (n *network) host(ctx context.Context, s settings, w weftPath, service string) (*process, error) {
	if w.egress {
		host, addr, err := startChild(ctx, s, w.name, "host", "tcp")
		if err != nil {
			return nil, err
		}
		_, err = n.api.Create(ctx, "terminators", map[string]any{"service": service, "router": n.ids[w.routers-1], "binding": "transport", "address": "tcp:" + addr})
		if err != nil {
			host.stop()
		}
		return host, err
	}
	return n.end(ctx, s, w, "host", w.routers)
}

// dialer starts the dialing end of a path.
func (n *network) dialer(ctx context.Context, s settings, w weftPath) (*process, error) {
	if w.proxy {
		dial, _, err := startChild(ctx, s, w.name, "dial", "tcp", fmt.Sprintf("127.0.0.1:%d", n.proxies[w.name]))
		return dial, err
	}
	return n.end(ctx, s, w, "dial", 1)
}

// end starts an SDK, ours or that of the ecosystem, whose identity may use one
// router of the line, counted from 1.
func (n *network) end(ctx context.Context, s settings, w weftPath, role string, router int) (*process, error) {
	file, err := n.enrol(ctx, w.name+"-"+role, attribute(router))
	if err != nil {
		return nil, err
	}
	var p *process
	switch w.name {
	case "go-sdk":
		p, _, err = startEnd(ctx, role, s.goSDK, role, file, w.name)
	case "go-sdk-win":
		p, _, err = startEnd(ctx, role, s.goSDK, role, file, w.name, "window")
	default:
		p, _, err = startChild(ctx, s, w.name, role, "weft", file, w.name)
	}
	return p, err
}

// attribute is the role of identities at a router of the line.
func attribute(router int) string { return fmt.Sprintf("at-%d", router) }
