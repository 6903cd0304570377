package blackbox

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// quick bounds what ought to be done in a second on a machine that may be slow.
const quick = slowdown * 5 * time.Second

// TestDemo: the demonstration shows the page and the refusal, cleans up and
// ends well.
func TestDemo(t *testing.T) {
	t.Parallel()
	tmp := t.TempDir()
	p := newProcess("demo")
	p.Env = []string{"TMPDIR=" + tmp}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	defer p.Kill()
	select {
	case <-p.Ended():
	case <-time.After(patience):
		t.Fatalf("the demo does not end\n%s\n%s", p.Stdout(), p.Tail())
	}
	if p.ExitCode() != 0 {
		t.Fatalf("exit code %d\n%s\n%s", p.ExitCode(), p.Stdout(), p.Tail())
	}
	for _, want := range []string{"Hello from a server", "refused", "reason:", "remedy:"} {
		if !strings.Contains(p.Stdout(), want) {
			t.Errorf("the demo does not show %q:\n%s", want, p.Stdout())
		}
	}
	left, err := os.ReadDir(tmp)
	if err != nil || len(left) > 0 {
		t.Errorf("the demo left %v, %v", left, err)
	}
}

// upReport is what `weft up --json` prints.
type upReport struct {
	Dir, API, Ctrl, Router string
	Created                bool
	Username, Password     string
}

// startUp runs `weft up` until it is ready.
func startUp(t *testing.T, p *process) upReport {
	t.Helper()
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	eventually(t, "weft up is ready", func() bool { return p.Exited() || strings.HasSuffix(p.Stdout(), "}\n") })
	if p.Exited() {
		t.Fatalf("weft up ended\n%s", p.Tail())
	}
	var r upReport
	if err := json.Unmarshal([]byte(p.Stdout()), &r); err != nil {
		t.Fatalf("%v in %q", err, p.Stdout())
	}
	return r
}

// TestUp: what `weft up` made is there at the second start, with its sessions;
// Ctrl-C ends it cleanly.
func TestUp(t *testing.T) {
	t.Parallel()
	n := unmade(t)
	first := newProcess("up", "--dir", n.Dir, "--api-port", strconv.Itoa(n.APIPort), "--router-port", strconv.Itoa(n.RouterPort), "--json")
	r := startUp(t, first)
	if !r.Created || r.Password == "" || r.API != "https://"+n.APIAddress() || r.Router != "tls:"+n.RouterAddress() || r.Ctrl != "tls:"+n.APIAddress() {
		t.Errorf("first start: %+v", r)
	}
	if err := n.LoadCA(); err != nil {
		t.Fatal(err)
	}
	admin := n.rest("/edge/management/v1", nil)
	if err := admin.loginPassword(r.Username, r.Password); err != nil {
		t.Fatal(err)
	}
	id := admin.mustCreate(t, "identities", map[string]any{"name": "kept", "type": "Default", "isAdmin": false})
	wantCleanEnd(t, first)

	second := newProcess("up", "--dir", n.Dir, "--json")
	again := startUp(t, second)
	if again.Created || again.Password != "" || again.API != r.API || again.Router != r.Router {
		t.Errorf("second start: %+v", again)
	}
	if err := admin.call("GET", "/identities/"+id, nil, nil); err != nil {
		t.Errorf("the old session at the second start: %v", err)
	}
	if !within(patience, func() bool { n.Admin = admin.API; return n.RouterOnline() }) {
		t.Error("the router is not online")
	}
	wantCleanEnd(t, second)
}

// wantCleanEnd presses Ctrl-C.
func wantCleanEnd(t *testing.T, p *process) {
	t.Helper()
	took, err := p.Interrupt(patience)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s ended %s after the interrupt", p.Args[0], took.Round(time.Millisecond))
	if p.ExitCode() != 0 {
		t.Errorf("exit code %d\n%s", p.ExitCode(), p.Tail())
	}
	if took > quick {
		t.Errorf("it took %s to end", took)
	}
	if line := p.Panicked(); line != "" {
		t.Errorf("panic: %s", line)
	}
}

// TestCleanEnd: the same for the processes of their own, with clients
// connected.
func TestCleanEnd(t *testing.T) {
	t.Parallel()
	n := ownNetwork(t)
	n.unharmed(t)
	wantCleanEnd(t, n.Router)
	wantCleanEnd(t, n.Controller)
}

// TestUpRefuses: whatever stands in the way is said clearly and nothing is
// changed.
func TestUpRefuses(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { taken.Close() })
	_, takenPort, _ := net.SplitHostPort(taken.Addr().String())
	n := unmade(t)
	if err := n.Create(); err != nil {
		t.Fatal(err)
	}
	half := filepath.Join(t.TempDir(), "half")
	if err := os.CopyFS(half, os.DirFS(n.Dir)); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(half, "pki")); err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "holiday.txt"), []byte("sun"), 0o600); err != nil {
		t.Fatal(err)
	}
	free := func() string { return strconv.Itoa(freePort(t)) }
	api := free()
	fresh := func() string { return filepath.Join(t.TempDir(), "new") }
	for _, tt := range []struct {
		name string
		args []string
		want []string
	}{
		{"API port in use", []string{"--dir", fresh(), "--api-port", takenPort, "--router-port", free()}, []string{"--api-port", takenPort, "in use"}},
		{"router port in use", []string{"--dir", fresh(), "--api-port", free(), "--router-port", takenPort}, []string{"--router-port", takenPort, "in use"}},
		{"control port in use", []string{"--dir", fresh(), "--api-port", free(), "--router-port", free(), "--ctrl-port", takenPort}, []string{"--ctrl-port", takenPort, "in use"}},
		{"name of nobody", []string{"--dir", fresh(), "--api-port", free(), "--router-port", free(), "--address", "nobody.invalid"}, []string{"nobody.invalid", "--address"}},
		{"address of another machine", []string{"--dir", fresh(), "--api-port", free(), "--router-port", free(), "--address", "192.0.2.1"}, []string{"192.0.2.1", "--address"}},
		{"half a network", []string{"--dir", half}, []string{"half a network", "pki", "backup"}},
		{"a directory of something else", []string{"--dir", other}, []string{"not empty", "another directory"}},
		{"another port than before", []string{"--dir", n.Dir, "--api-port", api}, []string{"--api-port", api, strconv.Itoa(n.APIPort)}},
		{"another address than before", []string{"--dir", n.Dir, "--address", "127.0.0.1"}, []string{"--address", "localhost"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := tt.args[1]
			before := tree(t, dir)
			stdout, stderr, code := runToEnd(t, append([]string{"up", "--json"}, tt.args...)...)
			t.Logf("%s", strings.TrimSpace(stderr))
			if code == 0 {
				t.Error("exit code 0")
			}
			if stdout != "" {
				t.Errorf("standard output is for results: %q", stdout)
			}
			for _, w := range tt.want {
				if !strings.Contains(stderr, w) {
					t.Errorf("%q is not in the message", w)
				}
			}
			if after := tree(t, dir); after != before {
				t.Errorf("the directory was changed from\n%s\nto\n%s", before, after)
			}
		})
	}
}

// tree lists a directory with sizes and times; a missing one is empty.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if os.IsNotExist(err) {
			return nil
		}
		if err == nil && !info.IsDir() {
			b.WriteString(path + " " + strconv.FormatInt(info.Size(), 10) + " " + info.ModTime().Format(time.RFC3339Nano) + "\n")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
