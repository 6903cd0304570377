package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReEnrollRouter(t *testing.T) {
	c := newController(t)
	c.login()
	c.add("edge-routers", "r1", "east", map[string]any{"enrollmentJwt": "r.b.c"})
	file := filepath.Join(t.TempDir(), "east.jwt")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"east"}, "r.b.c\n"},
		{[]string{"r1", "--jwt", file}, "r1\n"},
		{[]string{"east", "-o", "name"}, "east\n"},
	} {
		stdout, stderr, code := c.run(append([]string{"re-enroll", "edge-router"}, tt.args...)...)
		if code != 0 || stdout != tt.want || !strings.HasPrefix(c.last, "POST edge-routers/r1/re-enroll") {
			t.Errorf("%v: exit %d, %q, %q after %s", tt.args, code, stdout, stderr, c.last)
		}
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "r.b.c" {
		t.Errorf("token: %q, %v", b, err)
	}
	if _, _, code := c.run("re-enroll", "edge-router", "nobody"); code != 4 {
		t.Errorf("unknown router: exit %d", code)
	}
}
