package http

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/weftnet/weft/api"
)

func TestDispatch(t *testing.T) {
	f := newFixture(t)
	for _, tt := range []struct {
		name, method, path string
		status             int
		at, want           string
	}{
		{"root is the version", "GET", "/", 200, "data.version", "v0.1.0"},
		{"version at the root", "GET", "/version", 200, "data.apiVersions.edge.v1.path", "/edge/client/v1"},
		{"version of the client API", "GET", c("/version"), 200, "data.capabilities.0", "HA_CONTROLLER"},
		{"root of the management API", "GET", m("/"), 200, "data.version", "v0.1.0"},
		{"legacy base path", "GET", "/edge/v1/protocols", 200, "data.https.address", "localhost:1280"},
		{"relative to the root", "GET", "/protocols", 200, "data.https.address", "localhost:1280"},
		{"unknown path of the listener", "GET", "/nope", 404, "error.cause.message", "path /edge/client/v1/nope was not found"},
		{"unknown path of an API", "GET", m("/nope"), 404, "error.cause.message", "path /edge/management/v1/nope was not found"},
		{"unknown id", "GET", m("/identities/nope"), 404, "error.cause.message", "identity with id nope not found"},
		{"wrong method", "PUT", m("/identities"), 405, "error.cause.message", "method PUT is not allowed, but [GET,POST] are"},
		{"HEAD", "HEAD", m("/identities"), 405, "", "<nil>"},
		{"declared only", "GET", m("/controller-settings"), 501, "", "<nil>"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f.in(t)
			a := f.do(tt.method, tt.path, nil).status(tt.status)
			if tt.at != "" {
				a.is(tt.at, tt.want)
			}
			if tt.status >= 400 && a.Body != nil {
				a.is("meta.apiVersion", "0.0.1")
			}
		})
	}
}

func TestHeaders(t *testing.T) {
	f := newFixture(t)
	a := f.do("GET", c("/current-api-session"), nil, "Origin", "https://console").status(200)
	for name, want := range map[string]string{
		"Server": "weft-controller/v0.1.0", "ziti-instance-id": "instance", "expiration-seconds": "3600",
		"expires-at": "2026-11-20 13:00:00 +0000 UTC", "Access-Control-Allow-Origin": "*", "Content-Type": "application/json",
	} {
		if got := a.Header().Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	o := f.do("OPTIONS", "/any/path", nil, "Origin", "https://console").status(200)
	if o.Header().Get("Access-Control-Allow-Methods") == "" || o.ResponseRecorder.Body.Len() != 0 {
		t.Error("preflight without methods or with a body")
	}
	f.do("GET", "/.well-known/est/cacerts", nil, "Accept", "application/pkcs7-mime").status(200)
}

func TestOrderOfChecks(t *testing.T) {
	f := newFixture(t)
	f.callers["user"] = &Caller{IdentityID: f.admin, SessionID: "cUser"}
	f.callers["partial"] = &Caller{IdentityID: f.admin, SessionID: "cPartial", Partial: true, Admin: true}
	large := strings.Repeat("x", maxBody+1)
	for _, tt := range []struct {
		name, token, method, path string
		body                      any
		headers                   []string
		status                    int
		at, want                  string
	}{
		{"size before session", "", "POST", m("/identities"), large, nil, 413, "error.code", "REQUEST_ENTITY_TOO_LARGE"},
		{"session before types", "", "POST", m("/identities"), "x", []string{"Content-Type", "text/plain"}, 401, "error.code", "UNAUTHORIZED"},
		{"types before JSON", "user", "POST", m("/identities"), "x", []string{"Content-Type", "text/plain"}, 415, "error.cause.field", "Content-Type"},
		{"accept", "admin", "GET", m("/identities"), nil, []string{"Accept", "text/html"}, 406, "error.cause.field", "Accept"},
		{"JSON before contract", "user", "POST", m("/identities"), `{"name":`, nil, 400, "error.code", "COULD_NOT_PARSE_BODY"},
		{"wrong JSON type", "user", "POST", m("/identities"), `{"isAdmin":false,"name":5,"type":"Device"}`, nil, 400, "error.code", "COULD_NOT_PARSE_BODY"},
		{"array for an object", "user", "PATCH", m("/identities/x"), `[]`, nil, 400, "error.code", "COULD_NOT_PARSE_BODY"},
		{"contract before permission", "user", "POST", m("/identities"), `{}`, nil, 400, "error.cause.reason", "isAdmin in body is required"},
		{"value of the absent", "user", "POST", m("/identities"), `{}`, nil, 400, "error.cause.value", "<nil>"},
		{"enum", "user", "POST", m("/identities"), obj{"isAdmin": false, "name": "a", "type": "Bogus"}, nil, 400, "error.cause.reason", "type in body should be one of [User Device Service Router Default]"},
		{"no body", "user", "POST", m("/identities"), nil, nil, 400, "error.cause.reason", "identity in body is required"},
		{"permission last", "user", "POST", m("/identities"), obj{"isAdmin": false, "name": "a", "type": "User"}, nil, 401, "error.cause", "<nil>"},
		{"partial session", "partial", "GET", m("/identities"), nil, nil, 401, "error.code", "UNAUTHORIZED"},
		{"partial session may log out", "partial", "GET", c("/services"), nil, nil, 401, "error.code", "UNAUTHORIZED"},
		{"limit", "admin", "GET", m("/identities?limit=x"), nil, nil, 400, "error.cause.reason", `limit in query must be of type int64: "x"`},
		{"filter symbol", "admin", "GET", m("/identities?filter=bogus%%3D1"), nil, nil, 400, "error.cause.message", "unknown symbol 'bogus'"},
		{"filter code", "admin", "GET", m("/identities?filter=name%%3D%%3D1"), nil, nil, 400, "error.code", "INVALID_FILTER"},
		{"sort", "admin", "GET", m("/identities?sort=bogus"), nil, nil, 400, "error.code", "INVALID_SORT_IDENTIFIER"},
		{"roleFilter without prefix", "admin", "GET", m("/identities?roleFilter=x"), nil, nil, 400, "error.cause.field", "roleFilter"},
		{"roleSemantic", "admin", "GET", m("/identities?roleFilter=%%23x&roleSemantic=None"), nil, nil, 400, "error.cause.field", "roleSemantic"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f.in(t)
			a := f.do(tt.method, tt.path, tt.body, append([]string{"zt-session", tt.token}, tt.headers...)...)
			a.status(tt.status).is(tt.at, tt.want)
			if id, _ := a.at("error.requestId").(string); len(id) < 8 {
				t.Errorf("request id %q", id)
			}
		})
	}
}

func TestUnauthorizedHeader(t *testing.T) {
	f := newFixture(t)
	a := f.do("GET", m("/identities"), nil, "zt-session", "").status(401)
	a.is("error.cause.code", "UNHANDLED").is("error.cause.message", "unauthenticated for invalid credentials")
	if !strings.Contains(a.Header().Get("WWW-Authenticate"), "missing") {
		t.Error("no WWW-Authenticate")
	}
}

// slowReader fails the test when somebody reads it.
type slowReader struct{ t *testing.T }

func (r slowReader) Read([]byte) (int, error) {
	r.t.Error("the body was read")
	return 0, io.EOF
}

func TestLargeBodyIsNotRead(t *testing.T) {
	f := newFixture(t)
	r := httptest.NewRequest("POST", m("/identities"), slowReader{t})
	r.ContentLength = maxBody + 1
	w := httptest.NewRecorder()
	f.handler.ServeHTTP(w, r)
	if w.Code != 413 {
		t.Errorf("status %d", w.Code)
	}
	r = httptest.NewRequest("POST", m("/identities"), slowReader{t})
	r.ContentLength = -1
	w = httptest.NewRecorder()
	f.handler.ServeHTTP(w, r)
	if w.Code != 401 {
		t.Errorf("chunked body without a session: status %d", w.Code)
	}
}

func TestChunkedBodyAboveLimit(t *testing.T) {
	f := newFixture(t)
	r := httptest.NewRequest("POST", m("/identities"), bytes.NewReader(make([]byte, maxBody+1)))
	r.ContentLength = -1
	r.Header.Set("zt-session", "admin")
	w := httptest.NewRecorder()
	f.handler.ServeHTTP(w, r)
	if w.Code != 413 {
		t.Errorf("status %d", w.Code)
	}
}

// TestLongBodiesShareABudget: strangers who fill it are refused, callers with a
// session are not, and everything is given back.
func TestLongBodiesShareABudget(t *testing.T) {
	f := newFixture(t)
	const others = bodyBudget / maxBody
	enroll := "/edge/client/v1/enroll?method=ott&token=x"
	post := func(path, token string, body io.Reader, size int64) *httptest.ResponseRecorder {
		r := httptest.NewRequest("POST", path, body)
		r.ContentLength = size
		r.Header.Set("Content-Type", "application/json")
		if token != "" {
			r.Header.Set("zt-session", token)
		}
		w := httptest.NewRecorder()
		f.handler.ServeHTTP(w, r)
		return w
	}
	long := func(n int) io.Reader { return strings.NewReader("{}" + strings.Repeat(" ", n-2)) }
	var pipes []*io.PipeWriter
	var waiting sync.WaitGroup
	for range others {
		r, w := io.Pipe()
		pipes = append(pipes, w)
		waiting.Go(func() { post(enroll, "", r, maxBody) })
		if _, err := io.Copy(w, long(freeBody+1)); err != nil { // it has its share when this returns
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name, path, token string
		size              int
		want              int
	}{
		{"a stranger's long body", enroll, "", freeBody + 1, 429},
		{"a stranger's short body", enroll, "", freeBody - 1, 200},
		{"a caller's long body", m("/services"), "admin", maxBody, 400},
	} {
		if w := post(tt.path, tt.token, long(tt.size), int64(tt.size)); w.Code != tt.want {
			t.Errorf("%s: status %d %s", tt.name, w.Code, w.Body)
		}
	}
	for _, w := range pipes {
		w.Close()
	}
	waiting.Wait()
	if w := post(enroll, "", long(maxBody), maxBody); w.Code != 200 {
		t.Errorf("afterwards: status %d %s", w.Code, w.Body)
	}
}

func TestPermissions(t *testing.T) {
	f := newFixture(t)
	for name, p := range map[string][]string{"none": nil, "ro": {"admin_readonly"}, "service": {"service"}, "service.read": {"service.read"}, "ops": {"ops"}} {
		f.callers[name] = &Caller{IdentityID: f.admin, SessionID: "c", Permissions: p}
	}
	newService := func() any { return obj{"name": "s" + t.Name(), "encryptionRequired": true} }
	for _, tt := range []struct {
		method, path string
		body         any
		want         map[string]int
	}{
		{"GET", "/services", nil, map[string]int{"none": 401, "ro": 200, "service": 200, "service.read": 200, "ops": 401}},
		{"POST", "/services", newService(), map[string]int{"none": 401, "ro": 401, "service.read": 401, "ops": 401, "service": 201}},
		{"GET", "/identities", nil, map[string]int{"none": 401, "ro": 200, "service": 401}},
		{"GET", "/revocations", nil, map[string]int{"none": 401, "ro": 200, "ops": 401}},
		{"GET", "/authenticators", nil, map[string]int{"none": 401, "ro": 200, "ops": 401}},
		{"GET", "/sessions", nil, map[string]int{"none": 401, "ro": 200, "ops": 200}},
		{"GET", "/controllers", nil, map[string]int{"none": 401, "ro": 200, "service": 401}},
		{"GET", "/summary", nil, map[string]int{"none": 401, "ro": 401, "ops": 401, "admin": 200}},
		{"GET", "/identity-types", nil, map[string]int{"none": 200, "service": 200}},
		{"GET", "/current-identity", nil, map[string]int{"none": 200}},
	} {
		for caller, want := range tt.want {
			t.Run(tt.method+tt.path+" as "+caller, func(t *testing.T) {
				f.in(t)
				f.do(tt.method, m("%s", tt.path), tt.body, "zt-session", caller).status(want)
			})
		}
	}
}

func TestCompression(t *testing.T) {
	f := newFixture(t)
	plain := f.do("GET", m("/config-types?limit=100"), nil).ResponseRecorder.Body.String()
	a := f.do("GET", m("/config-types?limit=100"), nil, "Accept-Encoding", "gzip, deflate")
	if a.Header().Get("Content-Encoding") != "gzip" {
		t.Fatal("not compressed")
	}
	z, err := gzip.NewReader(a.ResponseRecorder.Body)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(z)
	if err != nil || string(got) != plain {
		t.Error("text differs", err)
	}
	if e := f.do("GET", c("/protocols"), nil, "Accept-Encoding", "gzip").Header().Get("Content-Encoding"); e != "" {
		t.Error("small answer compressed")
	}
}

func TestEncodingFor(t *testing.T) {
	for accept, want := range map[string]string{
		"": "", "identity": "", "gzip, deflate": "gzip", "deflate, gzip": "deflate", "gzip;q=0.5, br;q=0.9": "br", "gzip;q=0": "", "GZIP": "gzip", "x": "",
	} {
		if got := encodingFor(accept); got != want {
			t.Errorf("%q: %q, want %q", accept, got, want)
		}
	}
}

func TestNoLeader(t *testing.T) {
	f := newFixture(t)
	f.noLeader = true
	f.do("POST", m("/services"), obj{"name": "a", "encryptionRequired": true}).status(503).is("error.code", "CLUSTER_NO_LEADER")
}

func TestPanicIsAnError(t *testing.T) {
	f := newFixture(t)
	n := f.server.trees[api.Client].find("/protocols", new([maxParams]string))
	n.methods["GET"].handle = func(*call) error { panic("boom") }
	f.do("GET", c("/protocols"), nil).status(500).is("error.code", "UNHANDLED")
}

func TestListenerFallback(t *testing.T) {
	f := newFixture(t)
	only := Listener(f.server.Management())
	w := httptest.NewRecorder()
	only.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/nope", nil))
	if w.Code != 404 || !strings.Contains(w.Body.String(), "path /nope was not found") {
		t.Error(w.Code, w.Body)
	}
}
