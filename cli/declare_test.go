package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weftnet/weft/cli"
)

func declarationReport(updated int) obj {
	entities := []obj{{"action": "none", "kind": "services", "name": "old", "members": []obj{}, "file": "a.yaml", "line": 9}}
	if updated > 0 {
		entities = append(entities, obj{"action": "update", "kind": "services", "name": "web", "file": "a.yaml", "line": 2,
			"members": []obj{{"member": "roleAttributes", "before": nil, "after": []string{"x"}}}})
	}
	return obj{"data": obj{"applied": false, "created": 0, "updated": updated, "deleted": 0, "unchanged": 1, "entities": entities}}
}

// TestDiff shows what differs, in all formats, and tells scripts by its exit code.
func TestDiff(t *testing.T) {
	c := mesh(t)
	dir := t.TempDir()
	for name, text := range map[string]string{"b.yml": "identities: []", "a.yaml": "services: []", "c.txt": "no", ".git/x.yaml": "no"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c.fabric["/diff"] = declarationReport(1)
	stdout, stderr, code := c.run("diff", "-f", dir, "--prune", "--kind", "services,configs", "--selector", "team=a")
	want := "~ services web  (a.yaml:2)\n    roleAttributes: default → [\"x\"]\n0 would be created, 1 would be updated, 0 would be deleted, 1 unchanged\n"
	if code != cli.ExitDifferent || stdout != want || stderr != "" {
		t.Errorf("exit %d %q\n%s", code, stderr, stdout)
	}
	if a, b := strings.Index(c.asked, "a.yaml"), strings.Index(c.asked, "b.yml"); a < 0 || b < a || strings.Contains(c.asked, "c.txt") || strings.Contains(c.asked, ".git") ||
		!strings.Contains(c.asked, "prune=true") || !strings.Contains(c.asked, "selector=team%3Da") || !strings.Contains(c.asked, "kind=services") {
		t.Errorf("asked %s", c.asked)
	}
	for format, want := range map[string]string{"json": `"updated": 1`, "yaml": "updated: 1", "csv": `update,services,web,roleAttributes,,"[""x""]"`, "name": "services/web"} {
		if stdout, _, code := c.run("diff", "-f", filepath.Join(dir, "a.yaml"), "-o", format); code != cli.ExitDifferent || !strings.Contains(stdout, want) {
			t.Errorf("-o %s: exit %d, %s", format, code, stdout)
		}
	}
	c.fabric["/diff"] = declarationReport(0)
	if stdout, stderr, code := c.runWith("services: []", "diff", "-f", "-", "--all"); code != 0 || !strings.HasPrefix(stdout, "= services old\n") || !strings.Contains(c.asked, "standard input") {
		t.Errorf("exit %d %s\n%s", code, stderr, stdout)
	}
	for _, wrong := range [][]string{{"diff"}, {"diff", "-f", filepath.Join(dir, "none")}, {"diff", "-f", t.TempDir()}, {"export", "-o", "csv"}, {"export", "--selector", ""},
		{"apply", "-f", filepath.Join(dir, "a.yaml"), "--prune", "--selector", ""}, {"diff", "-f", filepath.Join(dir, "a.yaml"), "--prune", "--kind", ""}, {"expose", "a", "--remove", "--to", "tcp:h:1"}} {
		if _, _, code := c.run(wrong...); code != cli.ExitUsage {
			t.Errorf("%v: exit %d", wrong, code)
		}
	}
}

// TestApply asks to apply, and writes the tokens of what was made.
func TestApply(t *testing.T) {
	c := mesh(t)
	dir := t.TempDir()
	c.add("identities", "i1", "../alice", obj{"enrollment": obj{"ott": obj{"jwt": "a.b.c"}}})
	report := obj{"applied": true, "created": 1, "updated": 0, "deleted": 0, "unchanged": 0,
		"entities": []obj{{"action": "create", "kind": "identities", "id": "i1", "name": "../alice", "enrollment": "ott", "members": []obj{}}}}
	c.fabric["/apply"] = obj{"data": report}
	stdout, stderr, code := c.runWith("identities: [{name: ../alice}]", "apply", "-f", "-", "--jwt-dir", filepath.Join(dir, "tokens"))
	if code != 0 || !strings.Contains(stdout, "1 created, 0 updated, 0 deleted, 0 unchanged\n") {
		t.Errorf("exit %d %s\n%s", code, stderr, stdout)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "tokens", "_alice.jwt")); err != nil || string(text) != "a.b.c" {
		t.Errorf("%v %q", err, text)
	}
	if _, stderr, _ := c.runWith("", "apply", "-f", "-"); !strings.Contains(stderr, "1 enrollments were made") {
		t.Errorf("%s", stderr)
	}
	report["applied"] = false
	if stdout, _, code := c.runWith("", "apply", "-f", "-", "--dry-run"); code != 0 || !strings.Contains(stdout, "1 would be created") || !strings.Contains(c.asked, "dryRun=true") {
		t.Errorf("exit %d %s asked %s", code, stdout, c.asked)
	}
}

// TestExpose sends what the flags say and tells how to go on.
func TestExpose(t *testing.T) {
	c := mesh(t)
	c.fabric["/expose"] = declarationReport(1)
	stdout, stderr, code := c.run("expose", "web", "--host", "s 1", "--to", "tcp:h:80", "--dial", "alice", "--port", "80", "--port", "90-99")
	if code != 0 || !strings.Contains(stdout, "= services old\n") || !strings.Contains(stderr, "weft explain alice web\n") || !strings.Contains(stderr, "weft explain 's 1' web --bind\n") {
		t.Errorf("exit %d %s\n%s", code, stderr, stdout)
	}
	if !strings.Contains(c.asked, `"as":["web.weft","web.weft:80","web.weft:90-99"]`) {
		t.Errorf("asked %s", c.asked)
	}
	if _, _, code := c.run("expose", "web", "--remove", "--dry-run"); code != 0 || !strings.Contains(c.asked, "dryRun=true") || !strings.Contains(c.asked, `"remove":true`) {
		t.Errorf("exit %d asked %s", code, c.asked)
	}
}
