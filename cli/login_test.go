package cli_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/weftnet/weft/cli"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/pki"
)

func TestLogin(t *testing.T) {
	c := newController(t)
	for _, tt := range []struct {
		name   string
		stdin  string
		args   []string
		code   int
		stdout string // contained
		stderr string // contained
	}{
		{"unknown CA, nobody to ask", "", []string{"-u", "admin", "-p", "secret"}, cli.ExitUnavailable, "", "remedy: compare the fingerprints"},
		{"unknown CA, accepted", "", []string{"-u", "admin", "-p", "secret", "--yes"}, 0, "identity     Admin\n", "SHA-256"},
		{"CA is remembered, password from standard input", "secret\n", []string{"-u", "admin", "-o", "json"}, 0, `"identityId": "a1"`, ""},
		{"wrong password", "", []string{"-u", "admin", "-p", "wrong"}, cli.ExitUnauthorized, "", "remedy: check the user name and password"},
		{"CA file", "", []string{"-u", "admin", "-p", "secret", "--ca", c.caFile(), "--context", "two", "-o", "name"}, 0, "two\n", ""},
		{"CA of another context", "", []string{"-u", "admin", "-p", "secret", "--context", "four", "-o", "name"}, 0, "four\n", ""},
		{"CA file is missing", "", []string{"-u", "admin", "-p", "secret", "--ca", "/nope"}, cli.ExitUsage, "", "no such file"},
		{"nothing to log in with", "", []string{"--context", "three", "--ca", c.caFile()}, cli.ExitUsage, "", "remedy: give --username"},
		{"key is missing", "", []string{"--cert", "x.pem"}, cli.ExitUsage, "", "key"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c.t = t
			stdout, stderr, code := c.runWith(tt.stdin, append([]string{"login", c.server.URL}, tt.args...)...)
			if code != tt.code || !strings.Contains(stdout, tt.stdout) || !strings.Contains(stderr, tt.stderr) {
				t.Errorf("exit %d\n%s\n%s", code, stdout, stderr)
			}
			if code != 0 && stdout != "" {
				t.Errorf("a refusal writes to standard output: %s", stdout)
			}
		})
	}
	c.t = t
	info, err := os.Stat(filepath.Join(c.dir, "cli.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("context file: %v, %v", info, err)
	}
	if _, stderr, code := c.run("logout"); code != 0 || c.sessions != 3 {
		t.Errorf("logout: %d, %s, %d sessions left", code, stderr, c.sessions)
	}
	if _, stderr, code := c.run("list", "services"); code != cli.ExitUnauthorized || !strings.Contains(stderr, "error: NOT_LOGGED_IN\n") || !strings.Contains(stderr, "remedy: weft login") {
		t.Errorf("after logout: %d, %s", code, stderr)
	}
	if _, stderr, code := c.run("list", "services", "--context", "default"); code != 0 {
		t.Errorf("other context: %d, %s", code, stderr)
	}
	if _, _, code := c.run("logout"); code != 0 {
		t.Errorf("second logout: %d", code)
	}
}

func TestCAsThatHaveChanged(t *testing.T) {
	c := newController(t)
	other, err := pki.NewRoot("other", "example", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(map[string]any{"current": "default", "contexts": map[string]any{
		"default": map[string]any{"address": c.server.URL, "ca": pki.EncodeCertificates(other.Certificate), "username": "admin", "token": "old"}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(c.dir, "cli.json"), b, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := c.run("list", "services"); code != cli.ExitUnavailable || !strings.Contains(stderr, "error: UNTRUSTED_CONTROLLER\n") {
		t.Errorf("list: exit %d, %s", code, stderr)
	}
	if _, stderr, code := c.run("login", "-p", "secret"); code != cli.ExitUnavailable || !strings.Contains(stderr, "THAN AT THE LAST LOGIN") {
		t.Errorf("login: exit %d, %s", code, stderr)
	}
	if _, stderr, code := c.run("login", "-p", "secret", "-y"); code != 0 {
		t.Errorf("login --yes: exit %d, %s", code, stderr)
	}
}

func TestUnreachable(t *testing.T) {
	c := newController(t)
	c.login()
	c.server.Close()
	_, stderr, code := c.run("list", "services")
	if code != cli.ExitUnavailable || !strings.Contains(stderr, "error: CONTROLLER_UNREACHABLE\n") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

func TestBadContextFile(t *testing.T) {
	c := newController(t)
	if err := os.WriteFile(filepath.Join(c.dir, "cli.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := c.run("list", "services"); code != cli.ExitFailure || !strings.Contains(stderr, "error: BAD_CONTEXT_FILE\n") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

type coded struct{ error }

func (coded) ExitCode() int { return 42 }
func (coded) Help() string  { return "do something" }

func TestExtraCommands(t *testing.T) {
	for _, tt := range []struct {
		name   string
		err    error
		code   int
		stderr string
	}{
		{"done", nil, 0, ""},
		{"plain", errors.New("boom"), cli.ExitFailure, "error: FAILED\ncause: boom\n"},
		{"with exit code and help", coded{errors.New("boom")}, 42, "error: FAILED\ncause: boom\nremedy: do something\n"},
		{"refusal", fault.NotFound.Errorf("no such thing").WithRemedy("look elsewhere"), cli.ExitNotFound, "error: NOT_FOUND\ncause: no such thing\nremedy: look elsewhere\n"},
		{"interrupted", context.Canceled, cli.ExitInterrupted, "error: INTERRUPTED\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var stderr strings.Builder
			extra := &cobra.Command{Use: "up", Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error { return tt.err }}
			o := cli.Options{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: &stderr}
			if code := cli.Run(context.Background(), o, []string{"up"}, extra); code != tt.code || stderr.String() != tt.stderr {
				t.Errorf("exit %d, %q", code, stderr.String())
			}
			stderr.Reset()
			if code := cli.Run(context.Background(), o, []string{"up", "x"}, extra); code != cli.ExitUsage {
				t.Errorf("wrong arguments: exit %d, %q", code, stderr.String())
			}
		})
	}
}

func TestVersion(t *testing.T) {
	c := newController(t)
	if stdout, _, code := c.run("version"); code != 0 || !strings.HasPrefix(stdout, "weft 1.2.3 go") {
		t.Errorf("%d, %s", code, stdout)
	}
	if stdout, _, _ := c.run("version", "-o", "name"); stdout != "1.2.3\n" {
		t.Errorf("got %s", stdout)
	}
	c.login()
	if stdout, _, _ := c.run("version", "--controller", "-o", "name"); stdout != "v9.9.9\n" {
		t.Errorf("got %s", stdout)
	}
}

func TestEnrollRefusals(t *testing.T) {
	c := newController(t)
	dir := t.TempDir()
	there := filepath.Join(dir, "a.json")
	for _, f := range []string{there, filepath.Join(dir, "a.jwt")} {
		if err := os.WriteFile(f, []byte("no token"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name   string
		args   []string
		code   int
		stderr string
	}{
		{"no token", nil, cli.ExitUsage, "remedy: weft enroll FILE"},
		{"missing file", []string{"/nope.jwt"}, cli.ExitUsage, "no such file"},
		{"identity file is there", []string{filepath.Join(dir, "a.jwt")}, cli.ExitUsage, "is there already"},
		{"no JWT", []string{filepath.Join(dir, "a.jwt"), "--overwrite"}, cli.ExitRefused, "error: INVALID_TOKEN\n"},
		{"standard input without --out", []string{"-"}, cli.ExitUsage, "--out"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c.t = t
			_, stderr, code := c.runWith("x", append([]string{"enroll"}, tt.args...)...)
			if code != tt.code || !strings.Contains(stderr, tt.stderr) {
				t.Errorf("exit %d: %s", code, stderr)
			}
		})
	}
}

// A session that has ended says so, and how to go on; a right that is missing
// is another matter.
func TestSessionEnded(t *testing.T) {
	c := populated(t)
	c.ended = true
	for args, remedy := range map[string]string{"list services": "weft login", "list services --context default": "weft login", "show service web": "weft login"} {
		stdout, stderr, code := c.run(strings.Fields(args)...)
		if code != cli.ExitUnauthorized || stdout != "" || !strings.Contains(stderr, "error: SESSION_ENDED\n") || !strings.Contains(stderr, "remedy: "+remedy+"\n") {
			t.Errorf("%s: exit code %d\n%s%s", args, code, stdout, stderr)
		}
	}
	if _, stderr, code := c.run("logout"); code != 0 {
		t.Errorf("logout of a session that is gone: %d\n%s", code, stderr)
	}
}
