package blackbox

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/weftnet/weft/sdk"
)

// agentOf runs `weft agent` for a process and decodes its JSON.
func agentOf(t *testing.T, p *process, into any, args ...string) {
	t.Helper()
	args = append([]string{"agent"}, append(args, "-p", strconv.Itoa(p.PID()), "-o", "json")...)
	stdout, stderr, code := runToEnd(t, args...)
	if code != 0 {
		t.Fatalf("%v: exit code %d\n%s", args, code, stderr)
	}
	if err := json.Unmarshal([]byte(stdout), into); err != nil {
		t.Fatalf("%v: %v in %q", args, err, stdout)
	}
}

// carried is a circuit as an agent shows it.
type carried struct {
	CircuitID             string `json:"circuitId"`
	IdentityID            string `json:"identityId"`
	Initiator, Terminator struct{ Kind string }
}

// TestAgent: the agents of running processes show what they are and carry.
func TestAgent(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	g := n.newGuest(t)

	stdout, _, code := runToEnd(t, "agent", "list")
	for _, p := range []*process{n.Controller, n.Router} {
		if !strings.Contains(stdout, strconv.Itoa(p.PID())) || code != 0 {
			t.Errorf("agent list does not show %d:\n%s", p.PID(), stdout)
		}
	}
	var status struct {
		App, Version string
		Router       struct {
			Controllers []struct{ Connected bool }
			Circuits    int
			Clients     int
			Terminators int
		}
	}
	agentOf(t, n.Router, &status, "status")
	r := status.Router
	if status.App != "router" || len(r.Controllers) != 1 || !r.Controllers[0].Connected || r.Circuits < 1 || r.Clients < 2 || r.Terminators < 1 {
		t.Errorf("status of the router: %+v", status)
	}
	var controller struct {
		Controller struct{ RoutersOnline, Circuits int }
	}
	agentOf(t, n.Controller, &controller, "status")
	if controller.Controller.RoutersOnline != 1 || controller.Controller.Circuits < 1 {
		t.Errorf("status of the controller: %+v", controller)
	}
	for _, command := range []string{"circuits", "routes"} {
		var all []carried
		agentOf(t, n.Router, &all, command)
		found := false
		for _, c := range all {
			found = found || c.CircuitID == g.conn.CircuitID() && c.Initiator.Kind == "edge" && c.Terminator.Kind == "edge"
		}
		if !found {
			t.Errorf("%s do not show %s: %+v", command, g.conn.CircuitID(), all)
		}
	}
	var inspected struct {
		Values []struct{ AppID, Name, Value string }
	}
	agentOf(t, n.Router, &inspected, "inspect", "CIRCUIT:"+g.conn.CircuitID(), "sdk-terminators", "unheard-of")
	if len(inspected.Values) != 2 || inspected.Values[0].AppID != n.RouterID || !strings.Contains(inspected.Values[0].Value, g.conn.CircuitID()) {
		t.Errorf("values of the router: %+v", inspected)
	}
	text, _, code := runToEnd(t, "agent", "stack", "-p", strconv.Itoa(n.Router.PID()))
	if code != 0 || !strings.Contains(text, "goroutine ") {
		t.Errorf("stack: %d, %.200s", code, text)
	}
	_, stderr, code := runToEnd(t, "agent", "call", "disconnect", "-p", strconv.Itoa(n.Router.PID()))
	if code == 0 || !strings.Contains(stderr, "AGENT_DEBUG_OPS_OFF") {
		t.Errorf("a debug operation: %d, %s", code, stderr)
	}
	from := n.Router.Mark()
	if err := syscall.Kill(n.Router.PID(), syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the forwarding tables are in the log", func() bool {
		return n.Router.Logged(from, "forwarding table", g.conn.CircuitID()) != ""
	})
	n.unharmed(t)
}

// TestLogLevel: the level of a running process changes, as a whole and by part.
func TestLogLevel(t *testing.T) {
	t.Parallel()
	n := ownNetwork(t)
	var levels struct {
		Level string
		Parts map[string]string
	}
	from := n.Router.Mark()
	agentOf(t, n.Router, &levels, "log-level", "error")
	agentOf(t, n.Router, &levels, "log-level", "info", "--part", "router/edge")
	if levels.Level != "error" || levels.Parts["router/edge"] != "info" {
		t.Errorf("levels: %+v", levels)
	}
	n.newGuest(t)
	eventually(t, "the part logs", func() bool { return n.Router.Logged(from, "client connected") != "" })
	from = n.Router.Mark()
	agentOf(t, n.Router, &levels, "log-level", "clear", "--part", "router/edge")
	n.newGuest(t)
	if line := n.Router.Logged(from, "client connected"); line != "" {
		t.Errorf("the part logs still: %s", line)
	}
}

// dialError is why a dial fails, nil if it does not.
func dialError(g *guest) error {
	c, err := g.client.DialWithOptions(context.Background(), g.name, sdk.DialOptions{Timeout: patience})
	if err == nil {
		c.Close()
	}
	return err
}

// TestQuiesce: a quiesced router carries on what it carries and takes nothing
// new, also after its controller has started anew.
func TestQuiesce(t *testing.T) {
	t.Parallel()
	n := ownNetwork(t)
	g := n.newGuest(t)
	var q struct{ Quiesced bool }
	agentOf(t, n.Router, &q, "quiesce")
	refused := func() {
		t.Helper()
		var e *sdk.Error
		if err := dialError(g); !errors.As(err, &e) || e.Code != "ROUTER_QUIESCED" || e.Remedy == "" {
			t.Errorf("a dial through a quiesced router: %v", err)
		}
		if err := echo(g.conn); err != nil {
			t.Errorf("the circuit from before: %v", err)
		}
	}
	refused()
	n.Controller.Kill()
	if err := n.Controller.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the router is connected again", func() bool {
		var status struct {
			Router struct{ Controllers []struct{ Connected bool } }
		}
		agentOf(t, n.Router, &status, "status")
		return len(status.Router.Controllers) == 1 && status.Router.Controllers[0].Connected
	})
	refused()
	agentOf(t, n.Router, &q, "router", "dequiesce")
	eventually(t, "dials work again", func() bool { return dialError(g) == nil })
}

// TestOrderlyStop: stop waits for circuits, but no longer than it may.
func TestOrderlyStop(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		within string
		leave  bool // the circuit ends by itself
	}{{"the circuit ends", "10m", true}, {"the time is over", "300ms", false}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			n := ownNetwork(t)
			g := n.newGuest(t)
			n.good.close()
			stop := newProcess("agent", "stop", "--within", tt.within, "-p", strconv.Itoa(n.Router.PID()))
			if err := stop.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(stop.Kill)
			if tt.leave {
				eventually(t, "the router refuses dials", func() bool { return dialError(g) != nil })
				if err := echo(g.conn); err != nil {
					t.Errorf("the circuit ends before its time: %v", err)
				}
				if n.Router.Exited() {
					t.Error("the router is gone with a circuit in use")
				}
				g.conn.Close()
			}
			for _, p := range []*process{n.Router, stop} {
				select {
				case <-p.Ended():
				case <-time.After(patience):
					t.Fatalf("%v does not end\n%s", p.Args, p.Tail())
				}
				if p.ExitCode() != 0 {
					t.Errorf("%v: exit code %d\n%s", p.Args, p.ExitCode(), p.Tail())
				}
			}
			if !strings.Contains(stop.Stdout(), "stopped") {
				t.Errorf("stop says %q", stop.Stdout())
			}
		})
	}
}

// TestHurriedStop: a second stop replaces the time of the first.
func TestHurriedStop(t *testing.T) {
	t.Parallel()
	n := ownNetwork(t)
	n.newGuest(t)
	pid := strconv.Itoa(n.Router.PID())
	for _, args := range [][]string{{"--within", "10m", "--no-wait"}, {"--within", "0s"}} {
		stdout, stderr, code := runToEnd(t, append([]string{"agent", "stop", "-p", pid}, args...)...)
		if code != 0 {
			t.Fatalf("%v: exit code %d\n%s%s", args, code, stdout, stderr)
		}
	}
	select {
	case <-n.Router.Ended():
	case <-time.After(patience):
		t.Fatal("the router does not end")
	}
	if n.Router.ExitCode() != 0 {
		t.Errorf("exit code %d\n%s", n.Router.ExitCode(), n.Router.Tail())
	}
}

// TestQuitSignal: SIGQUIT leaves the stacks and ends the process in order.
func TestQuitSignal(t *testing.T) {
	t.Parallel()
	n := ownNetwork(t)
	if err := syscall.Kill(n.Router.PID(), syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	select {
	case <-n.Router.Ended():
	case <-time.After(patience):
		t.Fatal("the router does not end")
	}
	if log := strings.Join(n.Router.Log(0), "\n"); n.Router.ExitCode() != 0 || !strings.Contains(log, "goroutine ") {
		t.Errorf("exit code %d, log\n%s", n.Router.ExitCode(), n.Router.Tail())
	}
}

// TestEvents: the file of a subscriber tells the life of a circuit.
func TestEvents(t *testing.T) {
	t.Parallel()
	n := unmade(t)
	if err := n.Create(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(n.Dir, "events.log")
	config, err := os.OpenFile(filepath.Join(n.Dir, "controller.yml"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = config.WriteString(`
events:
  journal:
    subscriptions:
      - type: fabric.routers
      - {type: circuit, include: [created, deleted, failed]}
      - type: terminator
      - type: apiSession
      - {type: authentication, include: [success]}
      - type: cluster
      - type: connect
      - {type: entityChange, include: [services]}
      - {type: entityCount, interval: 1s}
      - type: sdk
      - type: edge.sessions
      - type: audit
    handler: {type: file, format: json, path: ` + file + `}
`)
	if err := errors.Join(err, config.Close()); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(n.Run(), n.WaitReady()); err != nil {
		t.Fatal(err)
	}
	n.admin = &rest{n.Admin}
	g := n.newGuest(t)
	id := g.conn.CircuitID()
	g.conn.Close()
	_, unhosted := n.openService(t)
	if c, err := g.client.Dial(context.Background(), unhosted); err == nil {
		c.Close()
		t.Error("a dial of a service without hosts")
	}
	has := func(texts ...string) bool {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			all := true
			for _, text := range texts {
				all = all && strings.Contains(line, text)
			}
			if all {
				return true
			}
		}
		return false
	}
	for _, texts := range [][]string{
		{`"namespace":"fabric.routers"`, `"event_type":"router-online"`},
		{`"namespace":"circuit"`, `"event_type":"created"`, id, n.RouterID},
		{`"namespace":"circuit"`, `"event_type":"deleted"`, id, `"duration":`},
		{`"namespace":"circuit"`, `"event_type":"failed"`, `"failure_cause":"NO_TERMINATORS"`},
		{`"namespace":"terminator"`, `"event_type":"created"`, g.service, `"precedence":"default"`, `"router_online":true`},
		{`"namespace":"apiSession"`, `"event_type":"created"`, `"token":""`},
		{`"namespace":"authentication"`, `"event_type":"success"`, `"type":"password"`, `"success":true`},
		{`"namespace":"cluster"`, `"eventType":"state.has_leader"`, `"raftIndex":`},
		{`"namespace":"cluster"`, `"eventType":"leadership.gained"`},
		{`"namespace":"connect"`, `"src_type":"router"`, n.RouterID},
		{`"namespace":"connect"`, `"src_type":"identity"`, `"dst_type":"router"`, n.RouterID},
		{`"namespace":"entityChange"`, `"eventType":"created"`, g.service, `"raftIndex":`, `"method":"POST"`, `"entityType":"services"`},
		{`"namespace":"entityCount"`, `"terminators":1`},
		{`"namespace":"sdk"`, `"event_type":"sdk-online"`},
		{`"namespace":"edge.sessions"`, `"session_type":"Dial"`, g.service},
		{`"namespace":"audit"`, `"action":"created"`, g.service, `"operation":"createService"`, `"sessionId":"c`},
	} {
		eventually(t, "an event with "+strings.Join(texts, " "), func() bool { return has(texts...) })
	}
}
