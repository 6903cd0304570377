package app

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/control"
	"github.com/weftnet/weft/controller/routers"
	"github.com/weftnet/weft/observe"
)

// restartController restarts the controller with another configuration.
func (n *testNetwork) restartController(change func(*conf.Controller)) {
	n.t.Helper()
	n.stopController()
	cfg, _, err := conf.LoadController(n.up.ControllerFile, nil)
	if err == nil {
		change(cfg)
		n.controller, err = StartController(testContext(n.t), ControllerOptions{Config: cfg, Build: Build{Version: Version}, Log: testUp(n.t).Log})
	}
	if err != nil {
		n.t.Fatal(err)
	}
}

// TestKeysReachTheController reads a configuration and looks at what the parts of
// a controller are made with.
func TestKeysReachTheController(t *testing.T) {
	cfg := controllerFile(t, func(s string) string {
		s = strings.Replace(s, "  options:\n", "  options:\n    outQueueSize: 300\n    maxQueuedConnects: 7\n    maxOutstandingConnects: 20\n    connectTimeoutMs: 1234\n    writeTimeout: 7s\n    routerHeartbeats: {sendInterval: 11s, checkInterval: 2s, closeUnresponsiveTimeout: 31s}\n", 1)
		return s + `
tls: {handshakeTimeout: 3s, rateLimiter: {enabled: true, minSize: 6, maxSize: 66, successThreshold: 0.8, increaseFactor: 1.5, decreaseFactor: 0.7, increaseCheckInterval: 3, decreaseCheckInterval: 4}}
network:
  cycleSeconds: 61
  routeTimeoutSeconds: 11
  createCircuitRetries: 3
  pendingLinkTimeoutSeconds: 12
  initialLinkLatency: 66s
  minRouterCost: 13
  smart: {rerouteFraction: 1, rerouteCap: 5, minCostDelta: 16}
  routerMessaging: {queueSize: 101, maxWorkers: 102}
additionalTrustDomains: ["spiffe://old.example", older.example]
`
	})
	c := &Controller{o: ControllerOptions{Config: cfg}, store: &store{}, feed: &routers.Feed{}}
	tuning := c.tuning()
	if h := tuning.Heartbeats; tuning.Queue != 300 || tuning.WriteTimeout != 7*time.Second || h.Interval != 11*time.Second || h.Check != 2*time.Second || h.Close != 31*time.Second {
		t.Errorf("tuning %+v", tuning)
	}
	if o := cfg.Ctrl.Options; o.Hellos() != 27 || o.ConnectTimeout != 1234*time.Millisecond {
		t.Errorf("hellos %d %s", o.Hellos(), o.ConnectTimeout)
	}
	mux := muxConfig(cfg, nil)
	if mux.HandshakeTimeout != 3*time.Second || mux.Handshakes == nil {
		t.Errorf("handshakes %+v", mux)
	} else if size, _ := mux.Handshakes.Size(); size != 66 || cfg.TLS.RateLimiter.Timeout != 5*time.Second {
		t.Errorf("window %d, time-out %s", size, cfg.TLS.RateLimiter.Timeout)
	}
	n := c.networkConfig(nil)
	if n.Cycle != 61*time.Second || n.RouteTimeout != 11*time.Second || n.Attempts != 3 || n.PendingLinkTimeout != 12*time.Second ||
		n.InitialLinkLatency != 66*time.Second || n.MinRouterCost != 13 || n.Smart.Fraction != 1 || n.Smart.Cap != 5 || n.Smart.MinDelta != 16 {
		t.Errorf("network %+v", n)
	}
	if m := c.messaging(); m.QueueSize != 101 || m.MaxWorkers != 102 {
		t.Errorf("messaging %+v", m)
	}
	if got := strings.Join(trustDomains(cfg.AdditionalTrustDomains), " "); got != "old.example older.example" {
		t.Errorf("trust domains %s", got)
	}
}

// TestControllerCallsTheRouter has a router that knows no controller.
func TestControllerCallsTheRouter(t *testing.T) {
	n := newTestNetwork(t)
	at := conf.Address{Type: "tls", Host: "127.0.0.1", Port: testPorts(t, 1)[0]}
	listen := func(c *conf.Router) {
		c.Ctrl.Listeners = []conf.CtrlListener{{Bind: at, Advertise: at, Groups: conf.Strings{"far"}}}
	}
	n.restartWith(listen) // tells where it may be called
	until(t, "the controller has noted where the router may be called", func() bool {
		d, err := n.admin.Management().DetailEdgeRouter(testContext(t), n.router.id)
		return err == nil && len(d.CtrlChanListeners[at.String()]) == 1 && d.CtrlChanListeners[at.String()][0] == "far"
	})
	n.restartController(func(c *conf.Controller) {
		c.Ctrl.Dialer.Enabled, c.Ctrl.Dialer.Groups, c.Ctrl.Dialer.DialDelay, c.Ctrl.Dialer.MinRetryInterval = true, conf.Strings{"far"}, 0, time.Millisecond
	})
	n.restartWith(func(c *conf.Router) {
		listen(c)
		c.Ctrl.Endpoint, c.Ctrl.Endpoints, c.Ctrl.EndpointsFile = conf.Address{}, nil, filepath.Join(t.TempDir(), "none")
	})
	until(t, "the controller shows the router online", func() bool { return n.controller.registry.Online(n.router.id) })
	if called := n.controller.dialer.Called(); len(called) != 1 || called[0].Address != at.String() {
		t.Errorf("called %+v", called)
	}
}

func TestNewListener(t *testing.T) {
	n := newTestNetwork(t)
	n.restartController(func(c *conf.Controller) {
		c.Ctrl.Options.NewListener = conf.Address{Type: "tls", Host: "127.0.0.1", Port: c.Ctrl.Listener.Port}
	})
	file := n.router.o.Config.Ctrl.EndpointsFile
	until(t, "the router has written the new address", func() bool {
		text, err := os.ReadFile(file)
		return err == nil && bytes.Contains(text, []byte("tls:127.0.0.1:")) && !bytes.Contains(text, []byte("tls:localhost:"))
	})
	cfg, _, err := conf.LoadController(n.up.ControllerFile, nil)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Ctrl.Options.NewListener = conf.Address{Type: "tls", Host: "elsewhere.example", Port: 1}
	if err := CheckController(cfg, observe.Discard()); err == nil || !strings.Contains(err.Error(), "ctrl.options.newListener") {
		t.Errorf("an address that is no name of the certificate: %v", err)
	}
}

func TestControllerTrace(t *testing.T) {
	n := newTestNetwork(t)
	file := filepath.Join(t.TempDir(), "trace")
	n.restartController(func(c *conf.Controller) { c.Trace = &conf.Trace{Path: file} })
	for _, want := range []string{`"direction":"sent","type":`, `"name":"Register"`, `"direction":"received"`, `"name":"SliceUpdate"`, `"router":"` + n.router.id} {
		until(t, "in the trace: "+want, func() bool { return bytes.Contains(mustRead(t, file), []byte(want)) })
	}
	if d := control.Sent; d != "sent" {
		t.Error(d)
	}
}

// led is a cluster whose leader a test chooses.
type led struct {
	mu      sync.Mutex
	leader  string
	changed chan struct{}
}

func (l *led) Leader() (string, string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.leader, ""
}

func (l *led) Changed() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changed
}

func (l *led) elect(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leader = id
	close(l.changed)
	l.changed = make(chan struct{})
}

// lines is a log that a test reads.
type lines struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(b)
}

func (l *lines) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.all.String(), text)
}

func TestWarningWithoutALeader(t *testing.T) {
	node, log := &led{leader: "a", changed: make(chan struct{})}, &lines{}
	ctx, cancel := context.WithCancel(t.Context())
	var work sync.WaitGroup
	work.Go(func() {
		watchLeader(ctx, node, 20*time.Millisecond, observe.NewLog(log, observe.LogConfig{}))
	})
	defer work.Wait()
	defer cancel()
	const warning = "cluster running without leader for longer than configured threshold"
	for times := 1; times <= 2; times++ {
		node.elect("")
		until(t, "a warning", func() bool { return log.count(warning) == times })
		node.elect("")
		node.elect("b")
		until(t, "a leader again", func() bool { return log.count("cluster has a leader again") == times })
	}
	if n := log.count(warning); n != 2 {
		t.Errorf("%d warnings", n)
	}
}

func TestStatusOfIdentities(t *testing.T) {
	for _, c := range []struct {
		source    string
		active    bool
		reported  routers.IdentityStatus
		connected bool
		status    routers.IdentityStatus
	}{
		{"heartbeats", true, routers.IdentityOffline, true, routers.IdentityOnline},
		{"heartbeats", false, routers.IdentityOnline, false, routers.IdentityOnline},
		{"connect-events", true, routers.IdentityUnknown, false, routers.IdentityUnknown},
		{"connect-events", false, routers.IdentityOnline, true, routers.IdentityOnline},
		{"hybrid", false, routers.IdentityOffline, false, routers.IdentityOffline},
		{"hybrid", true, routers.IdentityUnknown, true, routers.IdentityOnline},
		{"hybrid", false, routers.IdentityOnline, true, routers.IdentityOnline},
	} {
		s := &statuses{
			cfg: conf.IdentityStatus{Source: c.source}, active: func(string) bool { return c.active },
			reported: func(string) routers.IdentityStatus { return c.reported },
		}
		if connected, status := s.of("x"); connected != c.connected || status != c.status {
			t.Errorf("%+v: %v %s", c, connected, status)
		}
	}
	forgot := make(chan time.Duration, 1)
	s := &statuses{cfg: conf.IdentityStatus{ScanInterval: time.Millisecond, UnknownTimeout: time.Hour}, forget: func(d time.Duration) {
		select {
		case forgot <- d:
		default:
		}
	}}
	ctx, cancel := context.WithCancel(t.Context())
	var work sync.WaitGroup
	work.Go(func() { s.run(ctx) })
	if d := <-forgot; d != time.Hour {
		t.Errorf("forgets what is older than %s", d)
	}
	cancel()
	work.Wait()
}
