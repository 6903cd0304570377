package app

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/weftnet/weft/agent"
	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/observe"
)

// TestConfigValue: everything is shown by its key, secrets are not.
func TestConfigValue(t *testing.T) {
	cfg, _, err := conf.ParseRouter("router.yml", []byte(`
v: 3
identity:
  cert: c.pem
  key: "pem:-----BEGIN PRIVATE KEY-----secret"
  server_key: keys/server.pem
  ca: ca.pem
ctrl: {endpoint: tls:ctrl:1280, startupTimeout: 7s}
proxy: {type: http, address: proxy:80, username: me, password: hunter2}
edge: {csr: {sans: {dns: [a, b]}}}
listeners:
  - {binding: edge, address: tls:0.0.0.0:3022, options: {advertise: a:3022}}
`), func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	text := valueText(configValue(cfg))
	for _, secret := range []string{"PRIVATE KEY", "secret", "hunter2"} {
		if strings.Contains(text, secret) {
			t.Errorf("the configuration shows %q", secret)
		}
	}
	var got struct {
		Identity struct{ Key string }
		Ctrl     struct{ StartupTimeout string }
		Proxy    struct{ Username, Password, Address string }
		Edge     struct {
			CSR struct{ Sans struct{ DNS []string } }
		}
		Listeners []struct{ Options struct{ Advertise string } }
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if got.Identity.Key != "pem:***" || got.Ctrl.StartupTimeout != "7s" || got.Proxy.Username != "me" || got.Proxy.Password != "***" ||
		len(got.Edge.CSR.Sans.DNS) != 2 || got.Listeners[0].Options.Advertise != "a:3022" || !strings.Contains(text, "keys/server.pem") {
		t.Errorf("configuration: %s", text)
	}
}

// inspectedValue returns a value of JSON from what inspect answers.
func inspectedValue(t *testing.T, values map[string]string, key string) (out map[string]any) {
	t.Helper()
	text, ok := values[key]
	if !ok {
		t.Errorf("no value %s", key)
		return nil
	}
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Errorf("%s is no JSON object: %v in %.200s", key, err, text)
	}
	return out
}

// TestInspectValues: what controller and router of a network with one circuit
// say of themselves.
func TestInspectValues(t *testing.T) {
	n := newTestNetwork(t)
	service, _ := n.service("echo", false)
	n.echo(n.identity("host"), "echo")
	c := n.dial(n.identity("guest"), "echo")
	if err := talk(c, "hello"); err != nil {
		t.Fatal(err)
	}
	all := n.router.routes()
	if len(all) != 1 {
		t.Fatalf("forwarding tables: %+v", all)
	}
	circuit := all[0].Circuit
	keys := []string{"Router-Circuits", "circuit:" + circuit, "CIRCUITANDSTACKS:" + circuit, "router-edge-circuits", "sdk-terminators", "ert-terminators",
		"router-controllers", "router-data-model", "router-data-model-index", "identity-connection-statuses", "links", "config",
		"router-sdk-circuits", "metrics:all", "stackdump", "circuit:unknown", "nonsense", ""}
	values := n.router.inspect(testContext(t), keys)
	for _, key := range keys[:14] {
		inspectedValue(t, values, key)
	}
	if len(values) != 15 || !strings.Contains(values["stackdump"], "goroutine ") {
		t.Errorf("%d values", len(values))
	}
	shown := inspectedValue(t, values, "circuit:"+circuit)
	if ends, _ := shown["edgeEnds"].([]any); shown["serviceId"] != service || len(ends) != 2 {
		t.Errorf("the circuit: %v", shown)
	}
	if !strings.Contains(values["CIRCUITANDSTACKS:"+circuit], "goroutine ") {
		t.Error("a circuit without stacks")
	}
	if !strings.Contains(values["sdk-terminators"], `"state":"established"`) || !strings.Contains(values["sdk-terminators"], service) {
		t.Errorf("terminators: %s", values["sdk-terminators"])
	}
	if !strings.Contains(values["metrics:all"], `"circuits":{"type":"gauge","values":{"value":1}}`) {
		t.Errorf("metrics: %s", values["metrics:all"])
	}
	if !strings.Contains(values["router-controllers"], `"connected":true`) {
		t.Errorf("controllers: %s", values["router-controllers"])
	}

	keys = []string{"connected-routers", "connected-peers", "TERMINATOR-COSTS", "links", "config", "router-data-model-index",
		"router-messaging", "router-data-model", "ctrl-dialer", "stackdump", "nonsense"}
	values = n.controller.inspect(testContext(t), keys)
	if len(values) != len(keys)-1 {
		t.Errorf("%d values of the controller", len(values))
	}
	if !strings.Contains(values["connected-routers"], n.router.id) {
		t.Errorf("routers: %s", values["connected-routers"])
	}
	costs, _ := inspectedValue(t, values, "TERMINATOR-COSTS")["terminators"].([]any)
	if len(costs) != 1 || costs[0].(map[string]any)["circuitCount"] != 1.0 {
		t.Errorf("costs: %v", costs)
	}
}

// supervised runs Supervise for the router and returns a client of its agent.
func (n *testNetwork) supervised(ctx context.Context, o AgentOptions) (*agent.Client, <-chan error) {
	n.t.Helper()
	base, err := os.MkdirTemp("", "s") // short, for the socket
	if err != nil {
		n.t.Fatal(err)
	}
	n.t.Cleanup(func() { os.RemoveAll(base) })
	n.t.Setenv("XDG_RUNTIME_DIR", base)
	n.t.Setenv("TMPDIR", base)
	o.Enabled = true
	ended := make(chan error, 1)
	levels := observe.NewLevels(slog.LevelInfo)
	go func() {
		ended <- Supervise(ctx, n.router, SuperviseOptions{App: "router", Agent: o, Levels: levels, Build: Build{Version: Version}, Log: testUp(n.t).Log})
	}()
	var p *agent.Process
	until(n.t, "the agent answers", func() bool {
		all, err := agent.Find(ctx)
		if err != nil {
			n.t.Fatal(err)
		}
		p, err = agent.Pick(all, agent.Selector{PID: os.Getpid()})
		return err == nil
	})
	c := agent.NewClient(p.Address)
	n.t.Cleanup(c.Close)
	return c, ended
}

// TestDebugOperations: they break what they say, and the router recovers.
func TestDebugOperations(t *testing.T) {
	n := newTestNetwork(t)
	n.service("echo", false)
	n.echo(n.identity("host"), "echo")
	guest := n.identity("guest")
	conn := n.dial(guest, "echo")
	ctx, end := context.WithCancel(testContext(t))
	c, ended := n.supervised(ctx, AgentOptions{DebugOps: true})
	since := n.router.uplink.Status().Since
	var answer map[string]any
	if err := c.Read(ctx, "disconnect", nil, &answer); err != nil || answer["disconnected"] != true {
		t.Fatalf("disconnect: %v, %v", answer, err)
	}
	until(t, "the router is connected again", func() bool {
		s := n.router.uplink.Status()
		return s.Connected && s.Since != since
	})
	if err := c.Read(ctx, "end-circuit", agent.Args{"id": n.router.routes()[0].Circuit}, &answer); err != nil {
		t.Fatal(err)
	}
	conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, err := conn.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the circuit is still there: %v", err)
	}
	for _, op := range []string{"end-circuit", "close-link"} {
		var refused *agent.Error
		if err := c.Read(ctx, op, agent.Args{"id": "unknown"}, &answer); !errors.As(err, &refused) || refused.Code != "NOT_FOUND" {
			t.Errorf("%s of nothing: %v", op, err)
		}
	}
	end()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestSignals: SIGUSR2 ends nothing but the profile, SIGQUIT ends the process.
func TestSignals(t *testing.T) {
	n := newTestNetwork(t)
	ctx := testContext(t)
	c, ended := n.supervised(ctx, AgentOptions{})
	for _, s := range []syscall.Signal{syscall.SIGUSR1, syscall.SIGUSR2} {
		if err := syscall.Kill(os.Getpid(), s); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Describe(ctx); err != nil {
			t.Fatalf("after %s: %v", s, err)
		}
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
