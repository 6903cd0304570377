package app

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/weftnet/weft/conf"
)

// routerChecks asks a web server of the router for its health.
func (n *testNetwork) routerChecks(address, path string) (status int, failing map[string]string) {
	n.t.Helper()
	c := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: n.router.identity.Bundle().Pool()}}}
	res, err := c.Get("https://" + address + path)
	if err != nil {
		n.t.Fatal(err)
	}
	defer res.Body.Close()
	var doc struct {
		Data struct {
			Checks []struct {
				ID      string
				Healthy bool
				Err     struct{ Message string }
			}
		}
	}
	if err := json.NewDecoder(res.Body).Decode(&doc); err != nil {
		n.t.Fatal(err)
	}
	failing = make(map[string]string)
	for _, check := range doc.Data.Checks {
		if !check.Healthy {
			failing[check.ID] = check.Err.Message
		}
	}
	return res.StatusCode, failing
}

// restartWith starts the router anew with another configuration.
func (n *testNetwork) restartWith(change func(*conf.Router)) {
	n.t.Helper()
	n.stopRouter()
	cfg, _, err := conf.LoadRouter(n.up.RouterFile, nil)
	if err != nil {
		n.t.Fatal(err)
	}
	change(cfg)
	if n.router, err = StartRouter(testContext(n.t), RouterOptions{Config: cfg, Build: Build{Version: Version}, Log: testUp(n.t).Log}); err != nil {
		n.t.Fatal(err)
	}
	if err := n.router.Ready(testContext(n.t)); err != nil {
		n.t.Fatal(err)
	}
}

func TestRouterHealthChecks(t *testing.T) {
	n := newTestNetwork(t)
	at := conf.HostPort{Host: "localhost", Port: testPorts(t, 1)[0]}
	n.restartWith(func(c *conf.Router) {
		c.Web = []conf.WebServer{{Name: "health", BindPoints: []conf.BindPoint{{Interface: at, Address: at}}, APIs: []conf.WebAPI{{Binding: "health-checks"}},
			Options: conf.WebOptions{ReadTimeout: 5 * time.Second, WriteTimeout: 10 * time.Second, IdleTimeout: 5 * time.Second, MinTLSVersion: "TLS1.2", MaxTLSVersion: "TLS1.3"}}}
		c.HealthChecks.CtrlPingCheck.InitialDelay, c.HealthChecks.CtrlPingCheck.Interval = 20*time.Millisecond, 10*time.Millisecond
		c.HealthChecks.LinkCheck.InitialDelay, c.HealthChecks.LinkCheck.Interval = 20*time.Millisecond, 10*time.Millisecond
	})
	for _, path := range []string{"/health-checks", "/anything", "/"} {
		until(t, "healthy at "+path, func() bool {
			status, failing := n.routerChecks(at.String(), path)
			return status == http.StatusOK && len(failing) == 0
		})
	}
	n.stopController()
	until(t, "unhealthy without a controller", func() bool {
		status, failing := n.routerChecks(at.String(), "/health-checks?type=short")
		_, ping := failing["controllerPing"]
		return status == http.StatusServiceUnavailable && ping
	})
	n.startController()
	n.restartWith(func(c *conf.Router) {
		c.Web = []conf.WebServer{{Name: "health", BindPoints: []conf.BindPoint{{Interface: at, Address: at}}, APIs: []conf.WebAPI{{Binding: "health-checks"}}}}
		c.HealthChecks.LinkCheck.MinLinks, c.HealthChecks.LinkCheck.Interval = 1, 10*time.Millisecond
	})
	until(t, "unhealthy without the links it is to have", func() bool {
		_, failing := n.routerChecks(at.String(), "/")
		return failing["link.health"] == "link count 0 less than configured minimum of 1"
	})
}

func TestRouterWebServerOfItsOwnIdentity(t *testing.T) {
	n := newTestNetwork(t)
	at := conf.HostPort{Host: "localhost", Port: testPorts(t, 1)[0]}
	dir := t.TempDir()
	c := n.plainCertificate()
	for name, text := range map[string]string{"cert": pemOf(c), "key": keyOf(t, c)} {
		writeText(t, dir+"/"+name, text)
	}
	n.restartWith(func(r *conf.Router) {
		own := conf.Identity{Cert: dir + "/cert", ServerCert: "file://" + dir + "/cert", Key: dir + "/key", CA: r.Identity.CA}
		r.Web = []conf.WebServer{{Name: "own", Identity: &own, BindPoints: []conf.BindPoint{{Interface: at, Address: at}}, APIs: []conf.WebAPI{{Binding: "health-checks"}},
			Options: conf.WebOptions{MinTLSVersion: "TLS1.2", MaxTLSVersion: "TLS1.2"}}}
	})
	conn, err := tls.DialWithDialer(&net.Dialer{Timeout: 10 * time.Second}, "tcp", at.String(), &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if state := conn.ConnectionState(); state.PeerCertificates[0].Subject.CommonName != "plain" || state.Version != tls.VersionTLS12 {
		t.Errorf("server %s, TLS %x", state.PeerCertificates[0].Subject, state.Version)
	}
}

func TestRouterRefusesUnknownAPIs(t *testing.T) {
	_, _, err := conf.ParseRouter("r.yml", fmt.Appendf(nil, `v: 3
identity: {cert: a, key: b, ca: c}
ctrl: {endpoint: "tls:one:1"}
web: [{name: x, bindPoints: [{interface: "0.0.0.0:1", address: "localhost:1"}], apis: [{binding: edge-client}]}]
`), nil)
	if err == nil {
		t.Error("a router with edge-client was accepted")
	}
}
