package app

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"

	"github.com/weftnet/weft/control"
	"github.com/weftnet/weft/id"
	"github.com/weftnet/weft/limit"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/router/edge"
	"github.com/weftnet/weft/router/uplink"
	"github.com/weftnet/weft/wire/ctrl"
	wire "github.com/weftnet/weft/wire/edge"
)

func (r *Router) version() wire.Version {
	b := r.o.Build
	return wire.Version{Version: b.Version, Revision: b.Revision, BuildDate: b.Date, OS: runtime.GOOS, Arch: runtime.GOARCH}
}

func (r *Router) uplinkConfig(node uplink.Node, dial dialFunc) uplink.Config {
	cfg := r.o.Config
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	out := uplink.Config{
		EndpointsFile: endpointsFile(cfg.Ctrl.EndpointsFile), TLS: r.identity.ClientTLS(), Version: r.version().String(),
		Fingerprint: func() string { return pki.Fingerprint(r.identity.ClientCertificate().Leaf) },
		Hostname:    host, RunID: id.Short(), Node: node, Net: dial, Log: r.o.Log,
		FaultInterval: cfg.Forwarder.FaultTxInterval,
		Heartbeats: control.Heartbeats{
			Interval: cfg.Ctrl.Heartbeats.SendInterval, Check: cfg.Ctrl.Heartbeats.CheckInterval,
			Unresponsive: cfg.Ctrl.Heartbeats.UnresponsiveAfter, Close: cfg.Ctrl.Heartbeats.CloseUnresponsiveTimeout,
		},
		Terminators: r.terminatorLimits(), Trace: r.trace, CtrlListeners: ctrlListeners(cfg),
		DialTimeout: cfg.Ctrl.Options.ConnectTimeout, WriteTimeout: cfg.Ctrl.Options.WriteTimeout, Queue: cfg.Ctrl.Options.Queue(),
	}
	for _, e := range cfg.Ctrl.Endpoints {
		out.Endpoints = append(out.Endpoints, e.String())
	}
	if cfg.Edge != nil {
		e := cfg.Edge
		out.SnapshotFile, out.SaveInterval = e.DB, e.DBSaveInterval
		out.Sessions = uplink.SessionReports{Interval: e.Heartbeat, Chunk: e.ReportChunk, MinPause: e.ReportMinPause, MaxPause: e.ReportMaxPause}
		for _, l := range cfg.Listeners {
			if l.Binding == edge.Binding {
				out.Listeners = append(out.Listeners, &ctrl.Listener{Protocol: l.Address.Type, Address: l.Address.Type + "://" + l.Options.Advertise.String()})
			}
		}
	}
	return out
}

// terminatorLimits returns the bounds on changes of terminators.
func (r *Router) terminatorLimits() uplink.TerminatorLimits {
	cfg := r.o.Config
	out := uplink.TerminatorLimits{Queue: cfg.Forwarder.RateLimitedQueue, Workers: cfg.Forwarder.RateLimitedWorkers, Took: r.terminatorsTook}
	if w := cfg.Ctrl.RateLimiter; w.Enabled {
		out.Window = &limit.WindowConfig{
			Min: w.MinSize, Max: w.MaxSize, Success: w.SuccessThreshold, Increase: w.IncreaseFactor, Decrease: w.DecreaseFactor,
			IncreaseEvery: w.IncreaseCheckInterval, DecreaseEvery: w.DecreaseCheckInterval, Timeout: w.Timeout,
		}
	}
	return out
}

// endpointsFile returns the file of known controllers: the given one, or the
// one with the older name where only that is there.
func endpointsFile(path string) string {
	if _, err := os.Stat(path); err != nil && filepath.Ext(path) == "" {
		if _, err := os.Stat(path + ".yml"); err == nil {
			return path + ".yml"
		}
	}
	return path
}

// dialFunc makes TCP connections.
type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

// localDialer returns a dialer that leaves by an interface or local address,
// nil for an empty name.
func localDialer(bind string) (dialFunc, error) {
	if bind == "" {
		return nil, nil
	}
	ip := net.ParseIP(bind)
	if ip == nil {
		itf, err := net.InterfaceByName(bind)
		if err != nil {
			return nil, fmt.Errorf("ctrl.bind: no interface or local address %q", bind)
		}
		addrs, err := itf.Addrs()
		if err != nil || len(addrs) == 0 {
			return nil, fmt.Errorf("ctrl.bind: the interface %s has no address", bind)
		}
		if n, ok := addrs[0].(*net.IPNet); ok {
			ip = n.IP
		}
	}
	d := &net.Dialer{LocalAddr: &net.TCPAddr{IP: ip}}
	return d.DialContext, nil
}
