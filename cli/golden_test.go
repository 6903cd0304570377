package cli_test

//go:generate go test . -run TestGolden -update

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestGolden runs the command lines of testdata/*.golden, the lines that begin
// with $, against a small controller, and compares what they send (>), print,
// and say on standard error (!) with what stands there. -update writes it.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.golden")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			path, err := filepath.Abs(file)
			if err != nil {
				t.Fatal(err)
			}
			got := replay(t, string(want))
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if !*update && !bytes.Equal(got, want) {
				t.Errorf("%s does not fit the commands (go generate ./cli writes it): %s", file, firstDifference(string(got), string(want)))
			}
		})
	}
}

// replay runs the command lines of a golden file.
func replay(t *testing.T, golden string) []byte {
	c := peopled(t)
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"ca.pem": "-----CA-----", "proof.pem": "-----PROOF-----", "data.json": `{"port":80}`} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	for line := range strings.Lines(golden) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "#") {
			b.WriteString(line + "\n")
		}
		command, ok := strings.CutPrefix(line, "$ weft ")
		if !ok {
			continue
		}
		b.WriteString(line + "\n")
		c.seen = nil
		stdout, stderr, code := c.runWith("typed\ntyped-new\n", fields(strings.ReplaceAll(command, "URL", c.server.URL))...)
		for _, s := range c.seen {
			b.WriteString("> " + s + "\n")
		}
		b.WriteString(stdout)
		if stdout != "" && !strings.HasSuffix(stdout, "\n") {
			b.WriteString("\n")
		}
		for s := range strings.Lines(stderr) {
			b.WriteString("! " + s)
		}
		if code != 0 {
			b.WriteString("! exit " + string(rune('0'+code)) + "\n")
		}
		b.WriteString("\n")
	}
	text := strings.ReplaceAll(b.String(), c.server.URL, "URL")
	return times.ReplaceAll([]byte(text), []byte("<time>"))
}

var times = regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{4,}Z`)

// fields divides a command line at blanks, but not between single quotes.
func fields(line string) []string {
	var out []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			out = append(out, part)
			continue
		}
		out = append(out, strings.Fields(part)...)
	}
	return out
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return "\ngot  " + g[i] + "\nwant " + w[i]
		}
	}
	return "one is longer"
}

// peopled is a controller with one entity of each kind.
func peopled(t *testing.T) *controller {
	c := populated(t)
	for plural, name := range map[string]string{"cas": "partners", "external-jwt-signers": "idp", "posture-checks": "desks", "transit-routers": "t1", "controllers": "ctrl",
		"posture-check-types": "OS", "specs": "edge-client", "routers": "R one"} {
		c.add(plural, plural[:1]+"1", name, map[string]any{"verificationToken": "token"})
	}
	c.add("revocations", "v1", "", map[string]any{"type": "JTI"})
	c.fabric = map[string]any{
		"/database/snapshot": map[string]any{"data": map[string]any{"path": "/var/state-snapshot"}}, "/database/check-data-integrity": map[string]any{"data": map[string]any{}},
		"/database/data-integrity-results": map[string]any{"data": map[string]any{"inProgress": false, "endTime": "2026-11-20T12:00:00Z", "results": []any{}}},
		"/cluster/list-members":            map[string]any{"data": []any{map[string]any{"id": "ctrl", "address": "tls:c:1", "voter": true, "leader": true, "version": "v1", "connected": true}}},
		"/cluster/add-member":              map[string]any{"data": map[string]any{}}, "/cluster/remove-member": map[string]any{"data": map[string]any{}},
		"/cluster/transfer-leadership": map[string]any{"data": map[string]any{}}, "/inspections": map[string]any{"success": true, "values": []any{map[string]any{"appId": "ctrl", "name": "links", "value": "none"}}},
		"/summary": map[string]any{"data": map[string]any{"services": 1, "identities": 2}}, "/identity-role-attributes": map[string]any{"data": []any{"staff"}},
		"/network-jwts":     map[string]any{"data": []any{map[string]any{"name": "default", "token": "n.b.c"}}},
		"/current-identity": map[string]any{"data": map[string]any{"id": "a1", "name": "Admin", "isAdmin": true}}, "/current-identity/mfa": map[string]any{"data": map[string]any{"id": "m1", "isVerified": false, "provisioningUrl": "otpauth://x", "recoveryCodes": []any{"r1", "r2"}}},
		"/current-identity/mfa/verify": map[string]any{"data": map[string]any{}}, "/current-identity/mfa/recovery-codes": map[string]any{"data": map[string]any{"recoveryCodes": []any{"r1", "r2"}}},
		"/current-identity/authenticators":    map[string]any{"data": []any{map[string]any{"id": "x9", "method": "updb", "username": "admin"}}},
		"/current-identity/authenticators/x9": map[string]any{"data": map[string]any{}}, "/identities/i1/trace": map[string]any{"data": map[string]any{"enabled": true, "traceId": "tr1", "until": "2026-11-20T12:00:00Z"}},
	}
	c.advice = map[string]any{"identityId": "i1", "identity": map[string]any{"entity": "identities", "id": "i1", "name": "alice"}, "serviceId": "s1", "service": map[string]any{"entity": "services", "id": "s1", "name": "web"},
		"isDialAllowed": true, "identityRouterCount": 1, "serviceRouterCount": 1, "commonRouters": []any{map[string]any{"entity": "edge-routers", "id": "r1", "name": "R one", "isOnline": true}}}
	return c
}
