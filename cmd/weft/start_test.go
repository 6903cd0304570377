package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/weftnet/weft/app"
	"github.com/weftnet/weft/cli"
	"github.com/weftnet/weft/pki"
)

// home is a directory with the keys of a controller and its configuration.
type home struct {
	dir  string
	port int
	file string
}

// newHome makes keys as of a time, and a configuration for a free port.
func newHome(t *testing.T, made time.Time) *home {
	t.Helper()
	h := &home{dir: t.TempDir(), port: freePort(t)}
	network, err := pki.NewNetwork("start.example", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	credentials, err := network.NewController("ctrl", []string{"localhost", "127.0.0.1"}, made)
	if err == nil {
		err = network.Write(filepath.Join(h.dir, "pki"), credentials)
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err := app.ControllerFile{
		Home: h.dir, Address: "localhost", CtrlPort: h.port, APIPort: h.port, IdentityLife: time.Hour, RouterLife: time.Hour,
	}.Text()
	if err != nil {
		t.Fatal(err)
	}
	h.file = h.write(t, "controller.yml", strings.ReplaceAll(text, "0.0.0.0:", "127.0.0.1:"))
	return h
}

func (h *home) write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(h.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// weft runs a command line in this process.
func weft(ctx context.Context, args ...string) (code int, out, errs string) {
	var stdout, stderr bytes.Buffer
	o := cli.Options{Version: app.Version, Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, CreateConfig: createConfigCommands()}
	code = cli.Run(ctx, o, args, controllerCommand(), routerCommand())
	return code, stdout.String(), stderr.String()
}

// fault is a change of the configuration, or of what it names, and what the
// start says of it: the key, and texts of cause and remedy.
type startFault struct {
	name   string
	change func(t *testing.T, h *home, text string) string
	key    string // empty where the file as a whole is meant
	cause  string
	remedy string
}

// with replaces a text of the configuration.
func with(old, text string) func(*testing.T, *home, string) string {
	return func(t *testing.T, _ *home, s string) string {
		if !strings.Contains(s, old) {
			t.Fatalf("the configuration has no %q", old)
		}
		return strings.Replace(s, old, text, 1)
	}
}

func more(text string) func(*testing.T, *home, string) string {
	return func(_ *testing.T, _ *home, s string) string { return s + text }
}

var startFaults = []startFault{
	{"another version", with("v: 3", "v: 4"), "v", "expected 3, found 4", ""},
	{"version as a text", with("v: 3", `v: "3"`), "v", "expected 3", "write the bare number"},
	{"unknown key", with("advertiseAddress:", "advertizeAddress:"), "ctrl.options.advertizeAddress", "unknown key", "did you mean advertiseAddress?"},
	{"unknown section", more("\nnetwrk: {}\n"), "netwrk", "unknown key", "did you mean network?"},
	{"unit missing", with("sessionTimeout: 30m", "sessionTimeout: 30"), "edge.api.sessionTimeout", "expected a duration", "for example 30s"},
	{"no number", with("cycleSeconds: 60", "cycleSeconds: x"), "network.cycleSeconds", `found "x"`, "write the bare number"},
	{"out of bounds", with("cycleSeconds: 60", "minRouterCost: 70000"), "network.minRouterCost", "from 0 to 65535, found 70000", ""},
	{"unknown binding", with("binding: fabric", "binding: nosuch"), "web[0].apis[2].binding", `no binding is called "nosuch"`, "use one of edge-client"},
	{"address of nobody", with("  address: \"localhost:", "  address: \"127.0.0.1:"), "edge.api.address", "is not the address of a bind point with edge-client", "under web"},
	{"no edge section", func(_ *testing.T, _ *home, s string) string {
		i := strings.Index(s, "\nedge:")
		return s[:i] + "\n" + s[i+strings.Index(s[i:], "\nnetwork:"):]
	}, "edge", "no edge section: nobody could log in", "add an edge section"},
	{"no keys", with("controller.key.pem", "none.pem"), "identity.key", "no such file", "name the file, or make it"},
	{"no certificate", with("controller.cert.pem", "none.pem"), "identity.cert", "no such file", "name the file, or make it"},
	{"no signing key", with("edge.key.pem", "none.pem"), "edge.enrollment.signingCert.key", "no such file", "name the file"},
	{"key of another certificate", with("controller.key.pem", "edge.key.pem"), "identity.cert", "does not belong to the private key", ""},
	{"signing key of another certificate", with("edge.key.pem", "controller.key.pem"), "edge.enrollment.signingCert.key", "do not belong together", "name the key of signingCert.cert"},
	{"port in use", func(t *testing.T, h *home, s string) string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		_, port, _ := net.SplitHostPort(l.Addr().String())
		return strings.Replace(s, `interface: "127.0.0.1:`+strconv.Itoa(h.port), `interface: "127.0.0.1:`+port, 1)
	}, "web[0].bindPoints[0].interface", "is in use by another process", "choose another port"},
	{"address of another machine", with(`interface: "127.0.0.1:`, `interface: "203.0.113.9:`), "web[0].bindPoints[0].interface", "cannot assign requested address", "0.0.0.0 for all"},
	{"data below a file", func(t *testing.T, h *home, s string) string {
		h.write(t, "file", "")
		return strings.Replace(s, "/ctrl.db", "/file/ctrl.db", 1)
	}, "db", "is no directory", "name another directory"},
	{"database of another product", func(t *testing.T, h *home, s string) string {
		h.write(t, "ctrl.db", string(make([]byte, 16))+"\xed\xda\x0c\xed and more")
		return s
	}, "db", "is the database of an OpenZiti controller", "name another path"},
	{"pages that are not there", with("- binding: fabric", "- {binding: spa, options: {path: x, location: /nonexistent}}\n      - binding: fabric"), "web[0].apis[2].options.location", "no such file", "name the directory"},
	{"overlay identity that is not there", with("    apis:", "      - identity: {file: /nonexistent, service: s}\n    apis:"), "web[0].bindPoints[1].identity.file", "no such file", "name the file of an enrolled identity"},
	{"unknown handler", more("\nevents: {a: {subscriptions: [{type: circuit}], handler: {type: nosuch, format: json}}}\n"), "events.a.handler.type", `there is no handler "nosuch"`, "use file, stdout or webhook"},
	{"handler of another product", more("\nevents: {a: {subscriptions: [{type: circuit}], handler: {type: amqp, format: json}}}\n"), "events.a.handler.type", "amqp is not supported", "log shipper"},
	{"handler that cannot write", more("\nevents: {a: {subscriptions: [{type: circuit}], handler: {type: file, format: json, path: /dev/null/x}}}\n"), "events.a.handler.path", "is no directory", "name another directory"},
	{"profile that cannot be written", more("\nprofile: {cpu: {path: /dev/null/x}}\n"), "profile.cpu.path", "not a directory", "may write to"},
}

func TestControllerStartFaults(t *testing.T) {
	for _, tt := range startFaults {
		t.Run(tt.name, func(t *testing.T) {
			h := newHome(t, time.Now())
			text, err := os.ReadFile(h.file)
			if err != nil {
				t.Fatal(err)
			}
			h.write(t, "controller.yml", tt.change(t, h, string(text)))
			h.refused(t, tt)
		})
	}
	t.Run("expired certificates", func(t *testing.T) {
		newHome(t, time.Now().AddDate(-60, 0, 0)).refused(t, startFault{key: "identity.cert", cause: "has expired on", remedy: "renew the certificate"})
	})
	t.Run("no file", func(t *testing.T) {
		code, _, errs := weft(t.Context(), "controller", "run", filepath.Join(t.TempDir(), "none.yml"))
		if code != cli.ExitFailure || !strings.Contains(errs, "none.yml: no such file") {
			t.Errorf("%d %s", code, errs)
		}
	})
}

// refused starts the controller and holds what it says to the fault; nothing may
// be left behind.
func (h *home) refused(t *testing.T, want startFault) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	code, out, errs := weft(ctx, "controller", "run", "--cli-agent=false", h.file)
	if code != cli.ExitFailure || out != "" {
		t.Errorf("exit code %d, standard output %q", code, out)
	}
	place := "cause: " + h.file + ":"
	i := strings.Index(errs, place)
	if i < 0 {
		t.Fatalf("no file and line in: %s", errs)
	}
	line, rest, _ := strings.Cut(errs[i+len(place):], " ")
	if !strings.HasPrefix(rest, want.key+": ") && want.key != "" || !strings.Contains(rest, want.cause) || !strings.Contains(rest, want.remedy) {
		t.Errorf("got %s\nwant %s: %s; %s", errs, want.key, want.cause, want.remedy)
	}
	if n, err := strconv.Atoi(strings.TrimSuffix(line, ":")); want.key != "edge" && (err != nil || n == 0) { // a section that is missing has none
		t.Errorf("no line: %s", errs)
	}
	for _, made := range []string{"ctrl.weft", "data"} {
		if _, err := os.Stat(filepath.Join(h.dir, made)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the start left %s behind: %v", made, err)
		}
	}
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(h.port)))
	if err != nil {
		t.Fatal("the start left a port open:", err)
	}
	l.Close()
}
