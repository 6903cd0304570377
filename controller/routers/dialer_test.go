package routers_test

import (
	"context"
	"crypto/tls"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/controller/routers"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/router/uplink"
	"github.com/weftnet/weft/wire/ctrl"
)

// listeningRouter runs an uplink that knows no controller and lets itself be
// called.
func (w *world) listeningRouter(id *pki.Identity, fingerprint string) (u *uplink.Uplink, address string) {
	w.t.Helper()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	must(w.t, err)
	address = "tls:" + inner.Addr().String()
	u = uplink.New(uplink.Config{
		CtrlListeners: []*ctrl.CtrlListener{{Address: address, Groups: []string{"far"}}}, TLS: id.ClientTLS(),
		Fingerprint: func() string { return fingerprint }, Version: "1.0|r|d|linux|amd64", Hostname: "here", Node: newNode(), RetryMax: 100 * time.Millisecond, Log: w.log,
	})
	mux := channel.NewMux(inner, channel.MuxConfig{})
	l, err := mux.Listener(&tls.Config{
		MinVersion: tls.VersionTLS12, ClientAuth: tls.RequireAnyClientCert, VerifyConnection: pki.VerifyClients(id.Bundle, id.Bundle, time.Now),
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return id.ClientCertificate(), nil },
	}, ctrl.ALPN)
	must(w.t, err)
	calls := channel.NewListener(l, u.ListenerConfig())
	ctx, cancel := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() { mux.Serve() })
	work.Go(func() { calls.Serve() })
	work.Go(func() {
		if err := u.Run(ctx); err != nil {
			w.t.Error(err)
		}
	})
	w.t.Cleanup(func() { cancel(); calls.Close(); mux.Close(); work.Wait() })
	return u, address
}

func (c *controller) dial(t *testing.T, cfg routers.DialerConfig) *routers.Dialer {
	t.Helper()
	d := c.registry.NewDialer(cfg)
	ctx, cancel := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() { d.Run(ctx) })
	t.Cleanup(func() { cancel(); work.Wait() })
	return d
}

// reachable has the state say where a router may be called.
func (w *world) reachable(routerID, address string, groups ...string) {
	w.apply(command().Patch(model.KindEdgeRouter, routerID, map[string]any{"ctrlChanListeners": map[string][]string{address: groups}}))
}

func TestControllerCallsRouters(t *testing.T) {
	w := newWorld(t)
	id, fingerprint := w.routerIdentity("r1")
	w.populate("r1", fingerprint)
	c := w.startController("", nil)
	u, address := w.listeningRouter(id, fingerprint)
	cfg := routers.DialerConfig{
		Identity: w.controllerIdentity(), Groups: []string{"far"}, Min: time.Millisecond, Max: 50 * time.Millisecond, Factor: 2, Queue: 4, Workers: 2,
	}
	d := c.dial(t, cfg)
	w.reachable("r1", address, "near")
	if called := d.Called(); len(called) > 0 {
		t.Errorf("a listener of another group is called: %+v", called)
	}
	w.reachable("r1", address, "far")
	eventually(t, "the router has a controller", func() bool { return u.Status().Connected && c.registry.Online("r1") })
	if s := u.Status(); s.ControllerID != "ctrl1" || u.RouterID() != "r1" {
		t.Errorf("the session: %+v", s)
	}
	eventually(t, "and a slice", u.Filled)
	c.registry.Disconnect("r1")
	eventually(t, "it is called again", func() bool { s := u.Status(); return s.Connected && c.registry.Online("r1") })
	w.apply(command().Patch(model.KindEdgeRouter, "r1", map[string]any{"disabled": true}))
	eventually(t, "a disabled router is let go", func() bool { return !u.Status().Connected && !c.registry.Online("r1") })
	eventually(t, "and not called", func() bool { return len(d.Called()) == 0 })
}

func TestControllerCallsNobodyElse(t *testing.T) {
	w := newWorld(t)
	_, enrolled := w.routerIdentity("r1")
	other, print := w.routerIdentity("r1") // an earlier certificate, or an impostor's
	w.populate("r1", enrolled)
	c := w.startController("", nil)
	u, address := w.listeningRouter(other, print)
	d := c.dial(t, routers.DialerConfig{Identity: w.controllerIdentity(), Groups: []string{"far"}, Min: time.Millisecond, Max: 10 * time.Millisecond, Factor: 2, Queue: 1, Workers: 1})
	w.reachable("r1", address, "far")
	eventually(t, "the impostor is refused again and again", func() bool {
		called := d.Called()
		return len(called) == 1 && called[0].Failures > 3 && strings.Contains(called[0].Error, "not the enrolled one")
	})
	if u.Status().Connected || c.registry.Online("r1") {
		t.Error("a session with an impostor")
	}
}

func TestRouterTakesCallsOfControllersOnly(t *testing.T) {
	w := newWorld(t)
	id, fingerprint := w.routerIdentity("r1")
	stranger, _ := w.routerIdentity("r2")
	w.populate("r1", fingerprint)
	u, address := w.listeningRouter(id, fingerprint)
	_, _, err := channel.Dial(t.Context(), channel.DialConfig{
		Address: strings.TrimPrefix(address, "tls:"), ALPN: ctrl.ALPN,
		TLS: &tls.Config{InsecureSkipVerify: true, GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return stranger.ClientCertificate(), nil }},
	})
	if err == nil || !strings.Contains(err.Error(), "only controllers may call") {
		t.Errorf("another router called: %v", err)
	}
	if u.Status().Connected {
		t.Error("connected")
	}
}
