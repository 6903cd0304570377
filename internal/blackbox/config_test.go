package blackbox

import (
	"context"
	"errors"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"
	"go.yaml.in/yaml/v3"

	"github.com/weftnet/weft/sdk"
)

// document is a configuration file.
type document map[string]any

func readDocument(t *testing.T, path string) document {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var d document
	if err := yaml.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// write stores the document in a new directory and returns its path.
func (d document) write(t *testing.T) string {
	t.Helper()
	text, err := yaml.Marshal(map[string]any(d))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "config.yml")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// without is a copy that lacks a section.
func (d document) without(key string) document {
	c := maps.Clone(d)
	delete(c, key)
	return c
}

// with is a copy with another section.
func (d document) with(key string, value any) document {
	c := maps.Clone(d)
	c[key] = value
	return c
}

func (n *network) controllerFile() string { return filepath.Join(n.Dir, "controller.yml") }
func (n *network) routerFile() string     { return filepath.Join(n.Dir, "router.yml") }

// TestCheck: the check commands name what is wrong and where.
func TestCheck(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	router, controller := readDocument(t, n.routerFile()), readDocument(t, n.controllerFile())
	notYAML := filepath.Join(t.TempDir(), "broken.yml")
	if err := os.WriteFile(notYAML, []byte("v: 3\n\tidentity: [\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	identity := func(key, value string) map[string]any {
		c := map[string]any{"cert": "", "server_cert": "", "key": "", "ca": ""}
		maps.Copy(c, router["identity"].(document))
		c[key] = value
		return c
	}
	events := func(kind string) map[string]any {
		return map[string]any{"sink": map[string]any{
			"subscriptions": []any{map[string]any{"type": kind}},
			"handler":       map[string]any{"type": "stdout", "format": "json"},
		}}
	}
	for _, tt := range []struct {
		name, kind, file string
		good             bool
		want             []string
	}{
		{"router", "router", n.routerFile(), true, nil},
		{"controller", "controller", n.controllerFile(), true, nil},
		{"router without v", "router", router.without("v").write(t), false, []string{"v", "missing"}},
		{"router of another version", "router", router.with("v", 2).write(t), false, []string{"v", "3"}},
		{"router without ctrl", "router", router.without("ctrl").write(t), false, []string{"ctrl", "missing"}},
		{"router without identity", "router", router.without("identity").write(t), false, []string{"identity", "missing"}},
		{"router without an endpoint", "router", router.with("ctrl", map[string]any{}).write(t), false, []string{"ctrl", "endpoint"}},
		{"router with a key misspelt", "router", router.with("listners", router["listeners"]).without("listeners").write(t), false, []string{"listners", "listeners"}},
		{"router with plugins", "router", router.with("plugins", []string{"x.so"}).write(t), false, []string{"plugins"}},
		{"router whose certificate is missing", "router", router.with("identity", identity("cert", "/no/such/file")).write(t), false, []string{"identity.cert", "/no/such/file"}},
		{"router whose key is another's", "router", router.with("identity", identity("key", filepath.Join(n.Dir, "pki", "controller.key.pem"))).write(t), false, []string{"identity", "key"}},
		{"not YAML", "router", notYAML, false, []string{"broken.yml", "line"}},
		{"no file", "router", "/no/such/config.yml", false, []string{"/no/such/config.yml"}},
		{"controller without ctrl", "controller", controller.without("ctrl").write(t), false, []string{"ctrl", "missing"}},
		{"controller without identity", "controller", controller.without("identity").write(t), false, []string{"identity", "missing"}},
		{"controller without a place for data", "controller", controller.without("cluster").write(t), false, []string{"cluster", "db"}},
		{"controller with raft", "controller", controller.with("raft", map[string]any{}).write(t), false, []string{"raft", "cluster"}},
		{"controller without events", "controller", controller.with("events", map[string]any{}).write(t), true, nil},
		{"controller with events", "controller", controller.with("events", events("usage")).write(t), true, nil},
		{"controller with events that there are not", "controller", controller.with("events", events("cirquit")).write(t), true, []string{"cirquit", "valid types are"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, code := runToEnd(t, tt.kind, "check", tt.file)
			t.Logf("exit code %d\n%s%s", code, stdout, stderr)
			if (code == 0) != tt.good {
				t.Errorf("exit code %d", code)
			}
			for _, w := range tt.want {
				if !strings.Contains(stdout+stderr, w) {
					t.Errorf("%q is not in the message", w)
				}
			}
			if tt.good {
				return
			}
			// What does not check does not run either.
			if _, _, code := runToEnd(t, tt.kind, "run", tt.file); code == 0 {
				t.Error("it runs all the same")
			}
		})
	}
}

// restartRouter runs the router of a network with another configuration.
func (n *network) restartRouter(t *testing.T, file string) {
	t.Helper()
	if _, err := n.Router.Interrupt(patience); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the router is offline", func() bool { return !n.RouterOnline() })
	n.Router = newProcess("router", "run", file)
	if err := n.Router.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the router is online", n.RouterOnline)
}

// TestRouterWithoutEdge: a router without an edge section serves no SDK, and
// listens for none.
func TestRouterWithoutEdge(t *testing.T) {
	t.Parallel()
	n := ownNetwork(t)
	n.restartRouter(t, readDocument(t, n.routerFile()).without("edge").without("link").write(t))
	if open(n.RouterAddress()) {
		t.Error("the edge port is open")
	}
	if line := n.Router.Logged(0, "edge"); line == "" {
		t.Error("the log does not say that SDKs cannot connect")
	} else {
		t.Logf("log: %s", line)
	}
	_, err := n.good.guest.DialWithOptions(context.Background(), n.good.service, sdk.DialOptions{Timeout: time.Second})
	if err == nil {
		t.Error("a dial succeeded")
	}
	t.Logf("dial: %v", err)
}

// tcpEcho is a plain server that the network knows nothing of.
func tcpEcho(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go serveEcho(l)
	return l.Addr().String()
}

// TestRouterWithoutDialers: egress is what the dialers section allows, and
// nothing without it. Services that SDKs host are not affected.
func TestRouterWithoutDialers(t *testing.T) {
	t.Parallel()
	n := ownNetwork(t)
	service, name := n.openService(t)
	n.admin.mustCreate(t, "terminators", map[string]any{"service": service, "router": n.RouterID, "binding": "transport", "address": "tcp:" + tcpEcho(t)})
	client := n.person(t).sdk(t)
	dial := func() error {
		c, err := client.DialWithOptions(context.Background(), name, sdk.DialOptions{Timeout: patience})
		if err != nil {
			return err
		}
		defer c.Close()
		return echo(c)
	}
	if err := dial(); err != nil {
		t.Fatalf("with a dialers section: %v", err)
	}
	n.restartRouter(t, readDocument(t, n.routerFile()).without("dialers").write(t))
	var err error
	if !within(patience, func() bool {
		err = dial()
		var refusal *sdk.Error
		return errors.As(err, &refusal) && !strings.Contains(err.Error(), "connect: connection refused")
	}) {
		t.Fatalf("got %v, want a refusal", err)
	}
	t.Logf("refused: %v", err)
	if !strings.Contains(err.Error(), "dialers") && n.Router.Logged(0, "dialers") == "" {
		t.Error("neither the refusal nor the log speaks of the dialers section")
	}
	eventually(t, "an SDK-hosted service works", func() bool { return n.good.checkNew() == nil })
}

// ownController is a controller configuration with the keys of a network but
// with ports and data of its own.
func (n *network) ownController(t *testing.T) (document, *network) {
	t.Helper()
	other := unmade(t)
	other.CA = n.CA
	text, err := os.ReadFile(n.controllerFile())
	if err != nil {
		t.Fatal(err)
	}
	moved := strings.ReplaceAll(string(text), n.APIAddress()[len("localhost"):], other.APIAddress()[len("localhost"):])
	path := filepath.Join(t.TempDir(), "controller.yml")
	if err := os.WriteFile(path, []byte(moved), 0o600); err != nil {
		t.Fatal(err)
	}
	return readDocument(t, path), other
}

// TestControllerWithDB: a file with only `db` starts a single voter beside that
// path, once it has its administrator.
func TestControllerWithDB(t *testing.T) {
	t.Parallel()
	d, n := commonNetwork(t).ownController(t)
	data := t.TempDir()
	file := d.without("cluster").with("db", filepath.Join(data, "ctrl.db")).write(t)
	const password = "only-db-1"
	if stdout, stderr, code := runToEnd(t, "controller", "edge", "init", file, "-u", "chief", "-p", password); code != 0 {
		t.Fatalf("init: %s%s", stdout, stderr)
	}
	if _, stderr, code := runToEnd(t, "controller", "edge", "init", file, "-u", "chief", "-p", password); code == 0 || !strings.Contains(stderr, "default administrator") {
		t.Errorf("a second init: exit code %d, %s", code, stderr)
	}
	c := newProcess("controller", "run", file)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Kill()
	admin := n.rest("/edge/management/v1", nil)
	eventually(t, "a login", func() bool { return admin.loginPassword("chief", password) == nil || c.Exited() })
	id := admin.mustCreate(t, "identities", map[string]any{"name": "kept", "type": "Default", "isAdmin": false})
	if _, err := os.Stat(filepath.Join(data, "ctrl.db")); err == nil {
		t.Error("the old file was made")
	}
	c.Kill()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the identity after the restart", func() bool { return admin.call("GET", "/identities/"+id, nil, nil) == nil })
	if stdout, stderr, code := runToEnd(t, "controller", "edge", "init", file, "-u", "second", "-p", password); code == 0 {
		t.Errorf("an init beside a running controller: %s%s", stdout, stderr)
	}
	wantCleanEnd(t, c)
}

// TestControllerRefusesData: data that is not ours, or none, is an error that
// says what to do.
func TestControllerRefusesData(t *testing.T) {
	t.Parallel()
	d, _ := commonNetwork(t).ownController(t)
	foreign := filepath.Join(t.TempDir(), "ctrl.db")
	db, err := bbolt.Open(foreign, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Update(func(tx *bbolt.Tx) error { _, err := tx.CreateBucket([]byte("ziti")); return err }), db.Close()); err != nil {
		t.Fatal(err)
	}
	noise := filepath.Join(t.TempDir(), "data")
	if err := os.MkdirAll(noise, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(noise, "raft.db"), []byte("this is no database at all, but long enough to look like one"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		file string
		want []string
	}{
		{"a database of OpenZiti", d.without("cluster").with("db", foreign).write(t), []string{foreign, "OpenZiti"}},
		{"a broken log", d.with("cluster", map[string]any{"dataDir": noise}).write(t), []string{noise}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			stdout, stderr, code := runToEnd(t, "controller", "run", tt.file)
			t.Logf("exit code %d\n%s%s", code, stdout, stderr)
			if code == 0 {
				t.Error("exit code 0")
			}
			for _, w := range tt.want {
				if !strings.Contains(stderr, w) {
					t.Errorf("%q is not in the message", w)
				}
			}
		})
	}
}

// TestUninitializedController: with a cluster section and no data the controller
// waits until it is initialized, says so, and goes on then. Ctrl-C ends the
// wait.
func TestUninitializedController(t *testing.T) {
	t.Parallel()
	d, n := commonNetwork(t).ownController(t)
	file := d.with("cluster", map[string]any{"dataDir": filepath.Join(t.TempDir(), "data")}).write(t)
	c := newProcess("controller", "run", file)
	waits := func() {
		from := c.Mark()
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		eventually(t, "it says that it waits", func() bool {
			if c.Exited() {
				t.Fatalf("it has ended\n%s", c.Tail())
			}
			return c.Logged(from, "not initialized", "weft controller edge init") != ""
		})
	}
	t.Cleanup(c.Kill)
	waits()
	wantCleanEnd(t, c)
	waits()
	const password = "initialized-1"
	if stdout, stderr, code := runToEnd(t, "controller", "edge", "init", file, "-u", "chief", "-p", password); code != 0 {
		t.Fatalf("init: %s%s", stdout, stderr)
	}
	admin := n.rest("/edge/management/v1", nil)
	eventually(t, "a login", func() bool { return admin.loginPassword("chief", password) == nil })
	wantCleanEnd(t, c)
}

// TestSecondProcess: two processes on one set of data or one port say so.
func TestSecondProcess(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	for _, tt := range []struct{ args, want []string }{
		{[]string{"controller", "run", n.controllerFile()}, nil},
		{[]string{"router", "run", n.routerFile()}, []string{"in use"}},
		{[]string{"up", "--dir", n.Dir}, []string{"in use"}},
	} {
		t.Run(tt.args[0], func(t *testing.T) {
			_, stderr, code := runToEnd(t, tt.args...)
			t.Logf("exit code %d: %s", code, stderr)
			if code == 0 {
				t.Error("exit code 0")
			}
			for _, w := range tt.want {
				if !strings.Contains(stderr, w) {
					t.Errorf("%q is not in the message", w)
				}
			}
		})
	}
	n.unharmed(t)
}
