package cli_test

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/weftnet/weft/cli"
)

// lines is a writer that hands over whole texts as they are written.
type lines struct {
	mu   sync.Mutex
	b    bytes.Buffer
	seen func(all string)
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, err := l.b.Write(p)
	l.seen(l.b.String())
	return n, err
}

// --watch writes the entries, then each change, until it is interrupted.
func TestWatch(t *testing.T) {
	for _, tt := range []struct{ output, first, then string }{
		{"name", "added web\n", "added db\nremoved web\n"},
		{"table", "CHANGE  ID  NAME", "removed"},
		{"csv", "CHANGE,ID,NAME", "removed,s1,web"},
		{"json", `{"change":"added","entity":{`, `{"change":"removed"`},
		{"yaml", "---\nchange: added", "change: removed"},
	} {
		t.Run(tt.output, func(t *testing.T) {
			c := populated(t)
			ctx, stop := context.WithCancel(context.Background())
			defer stop()
			changed := false
			out := &lines{seen: func(all string) {
				if !changed {
					changed = true
					c.change(func() {
						c.entities["services"] = c.entities["services"][:0]
						c.add("services", "s2", "db", nil)
					})
				}
				if strings.Contains(all, tt.then) {
					stop()
				}
			}}
			var stderr bytes.Buffer
			code := cli.Run(ctx, cli.Options{Version: "1.2.3", Stdin: strings.NewReader(""), Stdout: out, Stderr: &stderr},
				[]string{"list", "services", "--watch", "--interval", "100ms", "-o", tt.output})
			if got := out.b.String(); code != cli.ExitInterrupted || !strings.HasPrefix(got, tt.first) || !strings.Contains(got, tt.then) {
				t.Errorf("exit %d: %s\n%s", code, got, stderr.String())
			}
		})
	}
}

// Completion asks the controller for names.
func TestCompletion(t *testing.T) {
	c := populated(t)
	c.add("services", "s2", "wiki", nil)
	c.add("services", "s3", "db", nil)
	for _, tt := range []struct{ args, want string }{
		{"__complete show service w", "web\nwiki\n:4\n"},
		{"__complete delete service web w", "wiki\n:4\n"},
		{"__complete edge update identity al", "alice\n:4\n"},
		{"__complete list service terminators d", "db\n:4\n"},
		{"__complete list services -o y", "yaml\n:4\n"},
		{"__complete context use de", "default\n:4\n"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			c.t = t
			stdout, stderr, code := c.run(strings.Split(tt.args, " ")...)
			if code != 0 || stdout != tt.want {
				t.Errorf("exit %d: got %q, want %q; %s", code, stdout, tt.want, stderr)
			}
		})
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if stdout, _, code := c.run("completion", shell); code != 0 || !strings.Contains(stdout, "weft") {
			t.Errorf("completion %s: exit %d", shell, code)
		}
	}
}
