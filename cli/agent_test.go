package cli_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/weftnet/weft/agent"
	"github.com/weftnet/weft/cli"
)

// fakeProcess serves an agent with fixed answers; `last` is what was asked for.
type fakeProcess struct {
	server *agent.Server
	last   string
}

func (p *fakeProcess) answer(name string, result any) agent.Operation {
	params := []agent.Param{{Name: "level"}, {Name: "part"}, {Name: "keys"}, {Name: "within"}, {Name: "id"}}
	return agent.Operation{Name: name, Doc: "does " + name, Params: params, Debug: name == "close-link", Do: func(_ context.Context, args agent.Args) (any, error) {
		p.last = name
		for _, param := range params {
			if v := args[param.Name]; v != "" {
				p.last += " " + param.Name + "=" + v
			}
		}
		if name == "stop" {
			go p.server.Close()
		}
		return result, nil
	}}
}

func startFake(t *testing.T) *fakeProcess {
	t.Helper()
	base, err := os.MkdirTemp("", "c") // short, for the socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	t.Setenv("XDG_RUNTIME_DIR", base)
	t.Setenv("TMPDIR", base)
	p := &fakeProcess{}
	route := obj{"circuitId": "c1", "identityId": "alice", "serviceId": "web", "path": 2, "createdAt": "2026-11-20T12:00:00Z",
		"initiator": obj{"kind": "edge"}, "terminator": obj{"kind": "link", "link": "l1", "lost": true}}
	p.server, err = agent.Listen(agent.Config{Info: agent.Info{App: "router", ID: "r1", Alias: "east", Version: "v1"}, Operations: []agent.Operation{
		p.answer("status", obj{"app": "router", "router": obj{"circuits": 3, "controllers": []any{obj{"latency": "1ms"}}}}),
		p.answer("links", obj{
			"links": []any{obj{"id": "l1", "dest": "r2", "dialAddress": "tls:r2:1", "dialed": true, "latency": "1ms", "connections": []any{1, 2}}},
			"destinations": []any{
				obj{"id": "r2", "linkStates": []any{obj{"establishedLinkId": "l1", "status": "established"}}},
				obj{"id": "r3", "linkStates": []any{obj{"status": "waiting", "targetAddress": "tls:r3:1", "lastError": obj{"code": "REFUSED", "message": "no"}}}},
			}}),
		p.answer("circuits", []any{route}), p.answer("routes", []any{route}),
		p.answer("quiesce", obj{"quiesced": true, "circuits": 4, "connected": true}), p.answer("dequiesce", obj{"quiesced": false}),
		p.answer("log-level", obj{"level": "info", "parts": obj{"router/edge": "debug"}}),
		p.answer("memory", obj{"heap": 5}), p.answer("gc", obj{"heap": 4}), p.answer("stack", agent.Text("goroutine 1")),
		p.answer("inspect", obj{"values": []any{obj{"appId": "r1", "name": "links", "value": `{"links":[]}`}}}),
		p.answer("heap", agent.File(func(w io.Writer) error { _, err := w.Write([]byte("profile")); return err })),
		p.answer("cluster-list", []any{obj{"id": "c1", "address": "tls:c1:1280", "voter": true, "leader": true, "version": "v1", "connected": true}}),
		p.answer("cluster-remove", obj{}), p.answer("snapshot", obj{"path": "/var/state-1"}),
		p.answer("stop", obj{"within": "30s", "circuits": 1}), p.answer("close-link", "closed"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.server.Close() })
	return p
}

func runAgent(args ...string) (stdout, stderr string, code int) {
	var out, err bytes.Buffer
	code = cli.Run(context.Background(), cli.Options{Version: "1.2.3", Stdin: strings.NewReader(""), Stdout: &out, Stderr: &err}, append([]string{"agent"}, args...))
	return out.String(), err.String(), code
}

func TestAgentCommands(t *testing.T) {
	p := startFake(t)
	pid := strconv.Itoa(os.Getpid())
	file := filepath.Join(t.TempDir(), "heap")
	for _, tt := range []struct {
		line string
		want string // in the output
		last string // operation and arguments
	}{
		{"list", pid + "  router  r1  east", ""},
		{"ps -o json", `"alias": "east"`, ""},
		{"status", "router.controllers[0].latency  1ms", "status"},
		{"stats --alias east -o json", `"circuits": 3`, "status"},
		{"links", "l1  r2      tls:r2:1  yes     1ms      2            established  -", "links"},
		{"links", "-   r3      tls:r3:1  yes     -        0            waiting      REFUSED: no", "links"},
		{"router dump-links --app-id r1 -p " + pid, "l1  r2", "links"},
		{"circuits", "c1       alice     web      -           2026-11-20T12:00:00Z  no", "circuits"},
		{"routes", "c1       2     link l1 (lost)      edge", "routes"},
		{"router dump-routes --app-type router", "link l1", "routes"},
		{"quiesce", "takes no new circuits; 4 are in use", "quiesce"},
		{"router dequiesce --app-alias east", "takes new circuits", "dequiesce"},
		{"log-level", "router/edge  debug", "log-level"},
		{"log-level debug --part router/edge", "(all)        info", "log-level level=debug part=router/edge"},
		{"set-log-level trace", "(all)", "log-level level=trace"},
		{"memory", "heap  5", "memory"},
		{"gc", "heap  4", "gc"},
		{"stack", "goroutine 1", "stack"},
		{"inspect LINKS config", "r1.links\n{\n  \"links\": []\n}", "inspect keys=LINKS config"},
		{"cluster list", "Id  Address      Voter  Leader  Version  Connected  Preferred\nc1  tls:c1:1280  true   true    v1       true       false\n", "cluster-list"},
		{"cluster remove c1 --dry-run", "would let router r1 (pid " + pid + ") do cluster-remove id=c1", "cluster-list"},
		{"quiesce --dry-run -o csv", "APP,ID,PID,OPERATION\nrouter,r1," + pid + ",quiesce", "cluster-list"},
		{"stop --dry-run -o json", `"operation": "stop"`, "cluster-list"},
		{"cluster remove c1", "", "cluster-remove id=c1"},
		{"controller snapshot-db", "/var/state-1", "snapshot"},
		{"snapshot", "/var/state-1", "snapshot"},
		{"heap " + file, "", "heap"},
		{"call", "close-link      level part keys within id  does close-link (debug operations are off)", "heap"},
		{"call status", `"app":"router"`, "status"},
	} {
		stdout, stderr, code := runAgent(strings.Fields(tt.line)...)
		if code != 0 || !strings.Contains(stdout, tt.want) || p.last != tt.last {
			t.Errorf("%s: exit code %d, asked %q\n%s%s", tt.line, code, p.last, stdout, stderr)
		}
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "profile" {
		t.Errorf("heap profile: %q, %v", b, err)
	}
	stdout, stderr, code := runAgent("stop", "--within", "1m")
	if code != 0 || !strings.Contains(stdout, "router r1 (pid "+pid+") stopped.") || !strings.Contains(stderr, "1 circuits") || p.last != "stop within=1m0s" {
		t.Errorf("stop: %d, asked %q\n%s%s", code, p.last, stdout, stderr)
	}
}

func TestAgentRefusals(t *testing.T) {
	p := startFake(t)
	for _, tt := range []struct {
		line string
		exit int
		want string
	}{
		{"status --pid 1", cli.ExitNotFound, "AGENT_NO_PROCESS"},
		{"status --app controller", cli.ExitNotFound, "router r1 (pid "},
		{"status --addr unix:/nowhere/a.sock", cli.ExitUnavailable, "AGENT_UNREACHABLE"},
		{"status --addr tcp:127.0.0.1:1", cli.ExitUsage, "AGENT_BAD_ARGUMENT"},
		{"status -o xml", cli.ExitUsage, "USAGE"},
		{"call close-link id=l1", cli.ExitRefused, "AGENT_DEBUG_OPS_OFF"},
		{"call status now", cli.ExitUsage, "NAME=VALUE"},
		{"inspect", cli.ExitUsage, "USAGE"},
		{"goroutines", cli.ExitNotFound, "no process that can do that runs"},
	} {
		stdout, stderr, code := runAgent(strings.Fields(tt.line)...)
		if code != tt.exit || !strings.Contains(stderr, tt.want) || stdout != "" {
			t.Errorf("%s: exit code %d\n%s%s", tt.line, code, stdout, stderr)
		}
	}
	if err := p.server.Close(); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := runAgent("status"); code != cli.ExitNotFound || !strings.Contains(stderr, "runs no controller and no router") {
		t.Errorf("no process: %d, %s", code, stderr)
	}
}
