package cli_test

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/weftnet/weft/cli"
	"github.com/weftnet/weft/model/query"
	"github.com/weftnet/weft/pki"
)

// controller is a small controller that keeps whatever is posted.
type controller struct {
	mu       sync.Mutex
	t        *testing.T
	server   *httptest.Server
	dir      string // of the contexts
	entities map[string][]map[string]any
	last     string   // method, path and body of the last write
	seen     []string // all requests of the APIs
	sessions int
	ended    bool           // the session is over
	advice   map[string]any // policy advice of every pair
	fabric   map[string]any // answers of the fabric API by path, as they are
	asked    string         // query and body of the last of those requests
}

func newController(t *testing.T) *controller {
	c := &controller{t: t, dir: t.TempDir(), entities: map[string][]map[string]any{}}
	c.server = httptest.NewUnstartedServer(http.HandlerFunc(c.handle))
	c.server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	c.server.StartTLS()
	t.Cleanup(c.server.Close)
	return c
}

func (c *controller) add(plural, id, name string, more map[string]any) {
	e := map[string]any{"id": id, "name": name, "createdAt": "2026-11-20T12:00:00.000Z"}
	for k, v := range more {
		e[k] = v
	}
	c.entities[plural] = append(c.entities[plural], e)
}

// change changes the entities while requests are answered.
func (c *controller) change(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
}

func (c *controller) handle(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	path, management := strings.CutPrefix(r.URL.Path, "/edge/management/v1")
	if fabric, ok := strings.CutPrefix(r.URL.Path, "/fabric/v1"); ok && c.fabric != nil {
		path, management = fabric, true
	}
	c.record(r)
	switch {
	case strings.HasSuffix(path, "/.well-known/est/cacerts"):
		text, err := pki.PKCS7Base64([]*x509.Certificate{c.server.Certificate()})
		if err != nil {
			c.t.Error(err)
		}
		io.WriteString(w, text)
	case !management:
		refuse(w, 404, "NOT_FOUND", "path "+r.URL.Path+" was not found", "")
	case path == "/version":
		answer(w, 200, map[string]any{"version": "v9.9.9"})
	case path == "/authenticate":
		c.authenticate(w, r)
	case r.Header.Get("zt-session") == "" || c.ended:
		refuse(w, 401, "UNAUTHORIZED", "The request could not be completed", "log in again")
	case path == "/current-api-session":
		c.sessions--
		answer(w, 200, map[string]any{})
	case c.fabric[path] != nil: // of either API
		b, _ := io.ReadAll(r.Body)
		c.asked = r.URL.RawQuery + string(b)
		json.NewEncoder(w).Encode(c.fabric[path])
	case c.advice != nil && strings.Contains(path, "/policy-advice/"):
		answer(w, 200, c.advice)
	default:
		c.crud(w, r, strings.Split(strings.Trim(path, "/"), "/"))
	}
}

// record keeps a request; its body can still be read.
func (c *controller) record(r *http.Request) {
	b, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(b))
	line := r.Method + " " + r.URL.Path
	if q, err := url.QueryUnescape(r.URL.RawQuery); err == nil && q != "" {
		line += "?" + q
	}
	c.seen = append(c.seen, strings.TrimSpace(line+" "+string(b)))
}

func (c *controller) authenticate(w http.ResponseWriter, r *http.Request) {
	var body struct{ Username, Password string }
	json.NewDecoder(r.Body).Decode(&body)
	if r.URL.Query().Get("method") == "password" && body.Password != "secret" {
		refuse(w, 401, "INVALID_AUTH", "The authentication request failed", "")
		return
	}
	c.sessions++
	answer(w, 200, map[string]any{"token": "tok", "identityId": "a1", "identity": map[string]any{"id": "a1", "name": "Admin"}, "expiresAt": "2026-11-20T13:00:00.000Z"})
}

func (c *controller) crud(w http.ResponseWriter, r *http.Request, parts []string) {
	plural := parts[0]
	if r.Method != "GET" {
		b, _ := io.ReadAll(r.Body)
		c.last = strings.TrimSpace(r.Method + " " + strings.Join(parts, "/") + " " + string(b))
	}
	if len(parts) == 1 && r.Method == "GET" {
		c.list(w, r, plural)
		return
	}
	if len(parts) == 1 {
		body := map[string]any{}
		json.Unmarshal([]byte(strings.SplitN(c.last, " ", 3)[2]), &body)
		if body["name"] == "taken" {
			refuse(w, 400, "COULD_NOT_VALIDATE", "The supplied request contains an invalid document", "choose another name")
			return
		}
		id := "new" + strconv.Itoa(len(c.entities[plural])+1)
		c.add(plural, id, fmt.Sprint(body["name"]), map[string]any{"enrollment": map[string]any{"ott": map[string]any{"jwt": "a.b.c"}}, "enrollmentJwt": "r.b.c", "jwt": "e.b.c"})
		answer(w, 201, map[string]any{"id": id})
		return
	}
	if len(parts) == 3 && r.Method == "GET" && c.entities[parts[2]] != nil {
		c.list(w, r, parts[2])
		return
	}
	i := slices.IndexFunc(c.entities[plural], func(e map[string]any) bool { return e["id"] == parts[1] })
	switch {
	case i < 0:
		refuse(w, 404, "NOT_FOUND", "gone", "")
	case r.Method == "GET":
		answer(w, 200, c.entities[plural][i])
	case r.Method == "DELETE":
		c.entities[plural] = slices.Delete(c.entities[plural], i, i+1)
		answer(w, 200, map[string]any{})
	default:
		answer(w, 200, map[string]any{})
	}
}

var schema = query.NewSchema(query.Field{Name: "id", Type: query.String}, query.Field{Name: "name", Type: query.String})

type row map[string]any

func (r row) Value(f int) query.Value {
	s, _ := r[schema.Field(f).Name].(string)
	return query.StringOf(s)
}
func (r row) Set(int) query.Set      { return query.Set{} }
func (r row) Tag(string) query.Value { return query.Value{} }

func (c *controller) list(w http.ResponseWriter, r *http.Request, plural string) {
	p, err := query.Compile(schema, r.FormValue("filter"), r.FormValue("sort"))
	if err != nil {
		refuse(w, 400, "INVALID_FILTER", err.Error(), "")
		return
	}
	number := func(name string) *int64 {
		n, err := strconv.ParseInt(r.FormValue(name), 10, 64)
		if err != nil {
			return nil
		}
		return &n
	}
	limit, offset := p.Page(number("limit"), number("offset"))
	found := []map[string]any{}
	for _, e := range c.entities[plural] {
		if p.Match(row(e)) {
			found = append(found, e)
		}
	}
	total := int64(len(found))
	from := min(offset, total)
	found = found[from : from+min(limit, total-from)]
	w.WriteHeader(200)
	json.NewEncoder(w).Encode(map[string]any{"data": found, "meta": map[string]any{"pagination": map[string]any{"limit": limit, "offset": offset, "totalCount": total}}})
}

func answer(w http.ResponseWriter, status int, data any) {
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"data": data, "meta": map[string]any{}})
}

func refuse(w http.ResponseWriter, status int, code, message, remedy string) {
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"code": code, "message": message, "remedy": remedy}})
}

// run executes a command line and returns output, errors and exit code.
func (c *controller) run(args ...string) (stdout, stderr string, code int) {
	return c.runWith("", args...)
}

func (c *controller) runWith(stdin string, args ...string) (string, string, int) {
	c.t.Setenv("WEFT_CONFIG_DIR", c.dir)
	var out, err bytes.Buffer
	code := cli.Run(context.Background(), cli.Options{Version: "1.2.3", Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &err}, args)
	return out.String(), err.String(), code
}

// caFile writes the CA of the controller.
func (c *controller) caFile() string {
	path := filepath.Join(c.t.TempDir(), "ca.pem")
	b := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.server.Certificate().Raw})
	if err := os.WriteFile(path, b, 0o600); err != nil {
		c.t.Fatal(err)
	}
	return path
}

func (c *controller) login() {
	c.t.Helper()
	if _, stderr, code := c.run("login", c.server.URL, "-u", "admin", "-p", "secret", "--ca", c.caFile()); code != 0 {
		c.t.Fatalf("login: %d, %s", code, stderr)
	}
}
