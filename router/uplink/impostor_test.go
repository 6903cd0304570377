package uplink

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/wire/ctrl"
)

// TestARouterIsNoController: a router that has a certificate for the name of the
// controller, as routers may ask for, gets no say in another router: not even a
// hello, after which it could end circuits before anybody looks.
func TestARouterIsNoController(t *testing.T) {
	network, err := pki.NewNetwork("weft.test", time.Now())
	must(t, err)
	key, err := pki.NewKey()
	must(t, err)
	dns, ips := pki.SplitNames([]string{"127.0.0.1", "localhost"})
	chain, err := network.Edge.Issue(pki.Leaf{
		PublicKey: key.Public(), DNSNames: dns, IPAddresses: ips, URIs: []*url.URL{pki.RouterSPIFFE("weft.test", "r1")},
	}, time.Now())
	must(t, err)
	router := tls.Certificate{PrivateKey: key, Leaf: chain[0]}
	for _, c := range chain {
		router.Certificate = append(router.Certificate, c.Raw)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	mux := channel.NewMux(l, channel.MuxConfig{})
	inner, err := mux.Listener(&tls.Config{Certificates: []tls.Certificate{router}}, ctrl.ALPN)
	must(t, err)
	var hellos atomic.Int32
	impostor := channel.NewListener(inner, channel.ListenerConfig{Accept: func(context.Context, *channel.Peer) (*channel.Accepted, error) {
		hellos.Add(1)
		return &channel.Accepted{}, nil
	}})
	var work sync.WaitGroup
	work.Go(func() { _ = mux.Serve() })
	work.Go(func() { _ = impostor.Serve() })
	defer func() { impostor.Close(); mux.Close(); work.Wait() }()
	trusted := pki.NewBundle(network.Root.Certificate, network.Edge.Certificate)
	u := New(Config{TLS: &tls.Config{InsecureSkipVerify: true, VerifyConnection: func(s tls.ConnectionState) error {
		return pki.VerifyServer(s, trusted, time.Now())
	}}})
	if _, err := u.connect(t.Context(), l.Addr().String()); !errors.Is(err, pki.ErrNotController) {
		t.Errorf("got %v", err)
	}
	if n := hellos.Load(); n != 0 {
		t.Errorf("%d hellos", n)
	}
}
