package http

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/controller/database"
	policyrules "github.com/weftnet/weft/controller/rules"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/id"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/state"
)

// fixture is a server over a real store, with everything else replaced.
type fixture struct {
	t       testing.TB
	store   *state.Store
	engine  *policy.Engine
	mu      sync.Mutex
	index   uint64
	now     time.Time
	server  *Server
	handler http.Handler
	admin   string // id of the admin

	callers  map[string]*Caller
	sessions map[string]*APISession
	service  map[string]*ServiceSession
	routers  map[string]RouterStatus
	ended    []string
	noLeader bool
	posture  *api.PostureData
	keys     func(address string) error
	mesh     *fakeMesh
	dir      string // of the data
	database *database.Database
	cluster  *fakeCluster
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	store, err := state.New()
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, store: store, engine: policy.New(), now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC),
		callers: map[string]*Caller{}, sessions: map[string]*APISession{}, service: map[string]*ServiceSession{}, routers: map[string]RouterStatus{}, mesh: &fakeMesh{}, dir: t.TempDir(), cluster: &fakeCluster{}}
	initial, err := state.Initial(f.now)
	if err != nil {
		t.Fatal(err)
	}
	admin := &model.Identity{Name: "admin", Type: model.IdentityDefault, IsAdmin: true, IsDefaultAdmin: true,
		EnvInfo: &model.EnvInfo{Arch: "amd64", OS: "linux", OSRelease: "6", OSVersion: "1"}, SdkInfo: &model.SdkInfo{Type: "sdk", Version: "v1"}}
	admin.ID = "theAdmin00"
	f.admin = admin.ID
	c := &model.Controller{Name: "ctrl-1", CtrlAddress: "tls:localhost:1280", CertPem: "PEM", Fingerprint: "ff", IsOnline: true, LastJoinedAt: f.now,
		APIAddresses: map[string][]model.APIAddress{"edge-client": {{URL: "https://localhost:1280/edge/client/v1", Version: "v1"}}}}
	c.ID = "ctrl-1"
	for _, api := range []string{"edge-management", "edge-oidc", "fabric"} {
		c.APIAddresses[api] = c.APIAddresses["edge-client"]
	}
	password := &model.Authenticator{Method: model.MethodUpdb, IdentityID: admin.ID, Username: "admin", PasswordHash: "hash:secret"}
	password.ID = "adminUpdb"
	f.apply(initial.Create(admin).Create(c).Create(password))
	f.callers["admin"] = &Caller{IdentityID: f.admin, SessionID: "cAdmin", Admin: true, CreatedAt: f.now, ExpiresAt: f.now.Add(time.Hour), Timeout: time.Hour}
	f.sessions["cAdmin"] = &APISession{ID: "cAdmin", Token: "admin", IdentityID: f.admin, CreatedAt: f.now, UpdatedAt: f.now, LastActivityAt: f.now, ExpiresAt: f.now.Add(time.Hour), Timeout: time.Hour, IPAddress: "127.0.0.1"}
	f.database = database.New(database.Config{View: store.View, Write: f.Propose, Dir: f.dir, Now: func() time.Time { return f.now }, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() { _ = f.database.Close() })
	f.server, err = New(Config{
		Build: Build{Version: "v0.1.0", Revision: "abc", Date: "2026-11-20"},
		State: store.View, Policies: f.engine.View, Fork: f.engine.Fork, Writer: f, Auth: f, Login: f, Sessions: f, Services: fakeServices{f}, Enroller: fakeEnroller{f}, Factors: &fakeFactors{f: f}, Postures: &fakePostures{}, Live: f, Mesh: f.mesh, Inspector: f.mesh, Database: f.database, Cluster: f.cluster, InspectTime: 100 * time.Millisecond,
		Now: func() time.Time { return f.now }, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Posture: f, Keys: f,
		Hosted:     []Hosted{{"edge-client", "localhost:1280", api.ClientBase}, {"edge-management", "localhost:1280", api.ManagementBase}},
		APIAddress: "localhost:1280", TrustAnchors: func() string { return "MIIB" }, InstanceID: "instance", StartedAt: f.now,
	})
	if err != nil {
		t.Fatal(err)
	}
	f.handler = Listener(f.server.Management(), f.server.Fabric(), f.server.Client())
	return f
}

func (f *fixture) apply(cmd *state.Command) {
	f.t.Helper()
	b, err := cmd.Encode()
	if err != nil {
		f.t.Fatal(err)
	}
	_, res, err := f.Propose(context.Background(), b)
	if err != nil || res != nil {
		f.t.Fatal(err, res)
	}
}

// Propose applies a command at once and brings the policies up to date.
func (f *fixture) Propose(_ context.Context, command []byte) (uint64, any, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.noLeader {
		return 0, nil, fault.ClusterNoLeader.New(nil)
	}
	before := f.store.View().Index()
	f.index++
	res, err := f.store.Apply([]uint64{f.index}, [][]byte{command})
	if err != nil {
		return 0, nil, err
	}
	changes, _ := f.store.Changes(before, f.store.View())
	for _, ch := range changes {
		if c, ok := slice(ch); ok {
			f.engine.Apply(f.now, c)
		}
	}
	return f.index, res[0], nil
}

// slice turns a change of an entity into one of the policy engine.
func slice(ch state.Change) (policy.Change, bool) {
	kind, ok := policyrules.Kind(ch.Kind)
	if !ok {
		return policy.Change{}, false
	}
	if ch.New == nil {
		return policy.Remove(kind, ch.ID), true
	}
	e, err := policyrules.Entity(ch.New, time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	return policy.Put(e), err == nil
}

// PostureData is the same for everybody.
func (f *fixture) PostureData(string) *api.PostureData { return f.posture }

// Authenticate knows a caller by its token.
func (f *fixture) Authenticate(r *http.Request) (*Caller, error) {
	if c := f.callers[r.Header.Get("zt-session")]; c != nil {
		return c, nil
	}
	e := fault.Unauthorized.Errorf("unauthenticated for invalid credentials")
	e.WWWAuthenticate = `zt-session realm="zt-session" error="missing"`
	return nil, e
}

func (f *fixture) Login(r *http.Request, method string, in *api.Authenticate) (*APISession, error) {
	if method == "password" && in.Username != nil && *in.Username == "admin" && *in.Password == "secret" {
		return f.sessions["cAdmin"], nil
	}
	return nil, fault.InvalidAuth.New(nil)
}

func (f *fixture) APISession(id string) *APISession { return f.sessions[id] }

func (f *fixture) APISessions() iter.Seq[*APISession] {
	return func(yield func(*APISession) bool) {
		for _, s := range f.sessions {
			if !yield(s) {
				return
			}
		}
	}
}

func (f *fixture) HasAPISession(identity string) bool { return identity == f.admin }

func (f *fixture) EndAPISession(_ context.Context, id string) error {
	if f.sessions[id] == nil {
		return fault.NotFound.Errorf("apiSession with id %s not found", id)
	}
	delete(f.sessions, id)
	return nil
}

func (f *fixture) EndIdentitySessions(_ context.Context, identity string) error {
	f.ended = append(f.ended, identity)
	return nil
}

func (f *fixture) Certificates(session string) []SessionCertificate { return nil }

func (f *fixture) IssueCertificate(_ context.Context, c *Caller, csr string) (SessionCertificate, string, error) {
	return SessionCertificate{ID: "cert1", Certificate: "CHAIN"}, "CAS", nil
}

func (f *fixture) RemoveCertificate(context.Context, string, string) error { return nil }

func (f *fixture) Router(id string) RouterStatus           { return f.routers[id] }
func (f *fixture) IdentityOnline(id string) (bool, string) { return false, "offline" }
func (f *fixture) DynamicCost(terminatorID string) int     { return 0 }

type fakeServices struct{ f *fixture }

func (s fakeServices) Create(_ context.Context, c *Caller, service, kind string) (*ServiceSession, error) {
	e := &ServiceSession{ID: id.Session(), APISessionID: c.SessionID, IdentityID: c.IdentityID, ServiceID: service, Type: kind, Token: "jwt", CreatedAt: s.f.now, UpdatedAt: s.f.now}
	s.f.service[e.ID] = e
	return e, nil
}
func (s fakeServices) ServiceSession(id string) *ServiceSession { return s.f.service[id] }
func (s fakeServices) ServiceSessions() iter.Seq[*ServiceSession] {
	return func(yield func(*ServiceSession) bool) {
		for _, e := range s.f.service {
			if !yield(e) {
				return
			}
		}
	}
}
func (s fakeServices) EndServiceSession(_ context.Context, id string) error {
	delete(s.f.service, id)
	return nil
}

type fakeEnroller struct{ f *fixture }

func (e fakeEnroller) Enroll(_ context.Context, in EnrollRequest) (*api.Enrolled, error) {
	if in.Token == "bad" {
		return nil, fault.InvalidEnrollmentToken.New(nil)
	}
	return &api.Enrolled{Cert: in.Method + ":" + deref(in.Body.ClientCSR)}, nil
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func (e fakeEnroller) NewEnrollment(n *model.Enrollment) error {
	n.ID, n.Token, n.JWT = id.Short(), id.UUID(), "jwt-of-"+n.Method
	if n.ExpiresAt.IsZero() {
		n.ExpiresAt = e.f.now.Add(3 * time.Hour)
	}
	return nil
}
func (e fakeEnroller) HashPassword(_ context.Context, p string) (string, error) {
	return "hash:" + p, nil
}
func (e fakeEnroller) CheckPassword(_ context.Context, hash, p string) (bool, error) {
	return hash == "hash:"+p, nil
}
func (e fakeEnroller) NewCertAuthenticator(a *model.Authenticator) error {
	a.Fingerprint = "fp"
	return nil
}
func (e fakeEnroller) NetworkJWT() (string, error)     { return "network-jwt", nil }
func (e fakeEnroller) CAJWT(id string) (string, error) { return "ca-jwt-" + id, nil }
func (e fakeEnroller) ExtendRouter(context.Context, []*x509.Certificate, api.ExtendRouter) (*api.Enrolled, error) {
	return nil, fault.InvalidClientCert.New(nil)
}
func (e fakeEnroller) ExtendIdentity(_ context.Context, _ []*x509.Certificate, identity, authenticator, csr string) (*api.ExtendedIdentity, error) {
	return &api.ExtendedIdentity{Ca: "CA", ClientCert: csr}, nil
}
func (e fakeEnroller) VerifyExtension(context.Context, []*x509.Certificate, string, string, string) error {
	return nil
}

// answer is a response made easy to look at.
type answer struct {
	*httptest.ResponseRecorder
	t    testing.TB
	Body map[string]any
}

// in makes a subtest the one that failures belong to.
func (f *fixture) in(t *testing.T) {
	outer := f.t
	f.t = t
	t.Cleanup(func() { f.t = outer })
}

// do sends a request; a body that is no string is encoded as JSON.
func (f *fixture) do(method, path string, body any, headers ...string) *answer {
	f.t.Helper()
	var r io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		r = strings.NewReader(b)
	default:
		raw, err := json.Marshal(b)
		if err != nil {
			f.t.Fatal(err)
		}
		r = bytes.NewReader(raw)
	}
	req := httptest.NewRequest(method, path, r)
	req.Header.Set("zt-session", "admin")
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i+1] == "" {
			req.Header.Del(headers[i])
			continue
		}
		req.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	f.handler.ServeHTTP(w, req)
	conforms(f.t, method, path, w)
	a := &answer{ResponseRecorder: w, t: f.t}
	if text := w.Body.Bytes(); len(text) > 0 && text[0] == '{' {
		if err := json.Unmarshal(text, &a.Body); err != nil {
			f.t.Fatalf("%s %s: %v in %s", method, path, err, text)
		}
	}
	return a
}

// m is a path of the management API, c one of the client API.
func m(path string, args ...any) string { return api.ManagementBase + fmt.Sprintf(path, args...) }
func c(path string, args ...any) string { return api.ClientBase + fmt.Sprintf(path, args...) }

func (a *answer) status(want int) *answer {
	a.t.Helper()
	if a.Code != want {
		a.t.Fatalf("status %d, want %d: %s", a.Code, want, a.ResponseRecorder.Body.String())
	}
	return a
}

// at returns the value at a dotted path; numbers index lists.
func (a *answer) at(path string) any {
	var v any = a.Body
	for part := range strings.SplitSeq(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[part]
		case []any:
			i := 0
			fmt.Sscan(part, &i)
			if i >= len(x) {
				return nil
			}
			v = x[i]
		default:
			return nil
		}
	}
	return v
}

func (a *answer) is(path string, want any) *answer {
	a.t.Helper()
	got := a.at(path)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		a.t.Fatalf("%s is %v, want %v in %s", path, got, want, a.ResponseRecorder.Body.String())
	}
	return a
}

// contains is is for a part of a text.
func (a *answer) contains(path, want string) *answer {
	a.t.Helper()
	if got := fmt.Sprint(a.at(path)); !strings.Contains(got, want) {
		a.t.Fatalf("%s is %q, want %q in it", path, got, want)
	}
	return a
}

func (a *answer) id() string {
	a.t.Helper()
	id, _ := a.at("data.id").(string)
	if id == "" {
		a.t.Fatalf("no id in %s", a.ResponseRecorder.Body.String())
	}
	return id
}

// create posts and returns the id.
func (f *fixture) create(plural string, body any) string {
	f.t.Helper()
	return f.do("POST", m("/%s", plural), body).status(201).id()
}

type obj = map[string]any
