package sdk

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/id"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/wire/edge"
	"github.com/weftnet/weft/wire/message"
	"github.com/weftnet/weft/wire/xgress"
)

// fakeNet is a network in one process: a controller that answers the client
// API, and routers that connect dialers with hosts.
type fakeNet struct {
	t       testing.TB
	pki     *pki.Network
	server  *pki.Credentials
	http    *httptest.Server
	logins  atomic.Int32
	updates atomic.Int32

	mu       sync.Mutex
	services map[string]*Service // by id
	tokens   map[string]bool     // API sessions
	sessions map[string]string   // service session token to service id
	password string
	used     map[string]bool // enrolment tokens
	routers  []*fakeRouter
	refuse   map[string]http.HandlerFunc // by method and path, before anything else
	sessionN int
	change   string
}

func newFakeNet(t testing.TB) *fakeNet {
	t.Helper()
	n := &fakeNet{t: t, services: map[string]*Service{}, tokens: map[string]bool{}, sessions: map[string]string{},
		used: map[string]bool{}, refuse: map[string]http.HandlerFunc{}, change: "1"}
	var err error
	if n.pki, err = pki.NewNetwork("test", time.Now()); err != nil {
		t.Fatal(err)
	}
	if n.server, err = n.pki.NewController("ctrl", []string{"127.0.0.1", "localhost"}, time.Now()); err != nil {
		t.Fatal(err)
	}
	n.http = httptest.NewUnstartedServer(n)
	n.http.TLS = &tls.Config{ClientAuth: tls.RequestClientCert, Certificates: []tls.Certificate{n.certificate()}}
	n.http.StartTLS()
	t.Cleanup(n.http.Close)
	return n
}

func (n *fakeNet) certificate() tls.Certificate {
	c := tls.Certificate{PrivateKey: n.server.Key}
	for _, x := range n.server.Server {
		c.Certificate = append(c.Certificate, x.Raw)
	}
	return c
}

func (n *fakeNet) bundle() *pki.Bundle {
	return pki.NewBundle(n.pki.Root.Certificate, n.pki.Edge.Certificate, n.pki.Controllers.Certificate)
}

// service adds a service with the given permissions.
func (n *fakeNet) service(name string, encrypted bool, permissions ...string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.services["id-"+name] = &Service{ID: "id-" + name, Name: name, EncryptionRequired: encrypted, Permissions: permissions}
	n.change = id.Short()
}

func (n *fakeNet) enrollmentToken(method string, expires time.Time) string {
	c := enrollmentClaims{Method: method, RegisteredClaims: jwt.RegisteredClaims{Issuer: n.http.URL, Subject: "ident1", ID: id.UUID(),
		ExpiresAt: jwt.NewNumericDate(expires)}}
	text, err := jwt.NewWithClaims(jwt.SigningMethodES256, c).SignedString(n.server.Key)
	if err != nil {
		n.t.Fatal(err)
	}
	return text
}

func (n *fakeNet) enroll() *Identity {
	n.t.Helper()
	i, err := Enroll(n.t.Context(), n.enrollmentToken("ott", time.Now().Add(time.Hour)), EnrollOptions{})
	if err != nil {
		n.t.Fatal(err)
	}
	return i
}

func (n *fakeNet) client(o Options) *Client {
	n.t.Helper()
	c, err := New(n.enroll(), o)
	if err != nil {
		n.t.Fatal(err)
	}
	n.t.Cleanup(func() { c.Close() })
	return c
}

func refuse(w http.ResponseWriter, status int, code, cause string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"error":{"code":%q,"message":"the message of %s","requestId":"req1","cause":%s},"meta":{}}`, code, code, cause)
}

func data(w http.ResponseWriter, status int, v any) {
	text, err := json.Marshal(map[string]any{"data": v, "meta": map[string]any{}})
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(text)
}

// ServeHTTP is the client API.
func (n *fakeNet) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, clientAPI)
	n.mu.Lock()
	hook := n.refuse[r.Method+" "+path]
	known := n.tokens[r.Header.Get("zt-session")]
	n.mu.Unlock()
	switch {
	case hook != nil:
		hook(w, r)
	case path == "/.well-known/est/cacerts":
		text, err := pki.PKCS7Base64(n.bundle().Certificates())
		if err != nil {
			panic(err)
		}
		io.WriteString(w, text)
	case path == "/enroll":
		n.serveEnroll(w, r)
	case path == "/authenticate":
		n.serveLogin(w, r)
	case !known:
		w.Header().Set("WWW-Authenticate", `zt-session realm="zt-session" error="invalid" error_description="token is invalid"`)
		refuse(w, http.StatusUnauthorized, "UNAUTHORIZED", "null")
	default:
		n.serveSession(w, r, path)
	}
}

func (n *fakeNet) serveEnroll(w http.ResponseWriter, r *http.Request) {
	token := r.URL.Query().Get("token")
	n.mu.Lock()
	used := n.used[token]
	n.used[token] = true
	n.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	switch {
	case used:
		refuse(w, http.StatusBadRequest, "INVALID_ENROLLMENT_TOKEN", "null")
	case r.URL.Query().Get("method") == "updb":
		var b struct{ Password string }
		_ = json.Unmarshal(body, &b)
		n.mu.Lock()
		n.password = b.Password
		n.mu.Unlock()
		data(w, http.StatusOK, map[string]string{"username": "user"})
	default:
		n.issue(w, http.StatusOK, body, "cert")
	}
}

func (n *fakeNet) issue(w http.ResponseWriter, status int, csr []byte, field string) {
	req, err := pki.ParseCSR(csr)
	if err != nil {
		refuse(w, http.StatusBadRequest, "COULD_NOT_PROCESS_CSR", `{"code":"UNHANDLED","message":"bad"}`)
		return
	}
	chain, err := n.pki.Edge.Issue(pki.Leaf{PublicKey: req.PublicKey, Subject: req.Subject}, time.Now())
	if err != nil {
		panic(err)
	}
	data(w, status, map[string]string{field: pki.EncodeCertificates(chain...)})
}

func (n *fakeNet) serveLogin(w http.ResponseWriter, r *http.Request) {
	var b struct{ Username, Password string }
	body, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(body, &b)
	n.mu.Lock()
	good := len(r.TLS.PeerCertificates) > 0
	if r.URL.Query().Get("method") == "password" {
		good = b.Username == "user" && b.Password == n.password && b.Password != ""
	}
	if !good {
		n.mu.Unlock()
		refuse(w, http.StatusUnauthorized, "INVALID_AUTH", "null")
		return
	}
	token := id.UUID()
	n.tokens[token] = true
	n.mu.Unlock()
	n.logins.Add(1)
	data(w, http.StatusOK, map[string]any{"id": "as-" + token, "token": token, "identityId": "ident1", "identity": map[string]string{"name": "laptop"},
		"authQueries": []any{}, "expirationSeconds": 1800})
}

func (n *fakeNet) serveSession(w http.ResponseWriter, r *http.Request, path string) {
	switch {
	case path == "/current-api-session" && r.Method == http.MethodDelete:
		n.mu.Lock()
		delete(n.tokens, r.Header.Get("zt-session"))
		n.mu.Unlock()
		data(w, http.StatusOK, map[string]any{})
	case path == "/current-api-session":
		data(w, http.StatusOK, map[string]any{"id": "x"})
	case path == "/current-api-session/service-updates":
		n.updates.Add(1)
		n.mu.Lock()
		change := n.change
		n.mu.Unlock()
		data(w, http.StatusOK, map[string]string{"lastChangeAt": change})
	case path == "/current-api-session/certificates":
		var b struct{ CSR string }
		_ = json.NewDecoder(r.Body).Decode(&b)
		n.issue(w, http.StatusCreated, []byte(b.CSR), "certificate")
	case path == "/services":
		n.serveServices(w, r)
	case path == "/sessions" && r.Method == http.MethodPost:
		n.serveSessionCreate(w, r)
	case strings.HasPrefix(path, "/sessions/"):
		n.mu.Lock()
		_, ok := n.sessions[strings.TrimPrefix(path, "/sessions/")]
		n.mu.Unlock()
		if !ok {
			refuse(w, http.StatusNotFound, "NOT_FOUND", "null")
			return
		}
		data(w, http.StatusOK, map[string]string{"id": "x"})
	default:
		refuse(w, http.StatusNotFound, "NOT_FOUND", "null")
	}
}

func (n *fakeNet) serveServices(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	all := []Service{}
	for _, s := range n.services {
		f := r.URL.Query().Get("filter")
		if f == "" || f == fmt.Sprintf("name=%q", s.Name) {
			all = append(all, *s)
		}
	}
	n.mu.Unlock()
	slices.SortFunc(all, func(a, b Service) int { return strings.Compare(a.ID, b.ID) })
	total := len(all)
	var limit, offset int
	fmt.Sscan(r.URL.Query().Get("limit"), &limit)
	fmt.Sscan(r.URL.Query().Get("offset"), &offset)
	limit = min(limit, 2) // make clients page
	all = all[min(offset, total):min(offset+limit, total)]
	text, _ := json.Marshal(map[string]any{"data": all, "meta": map[string]any{"pagination": map[string]int{"totalCount": total, "limit": limit, "offset": offset}}})
	w.Write(text)
}

func (n *fakeNet) serveSessionCreate(w http.ResponseWriter, r *http.Request) {
	var b struct{ ServiceID, Type string }
	_ = json.NewDecoder(r.Body).Decode(&b)
	n.mu.Lock()
	defer n.mu.Unlock()
	s := n.services[b.ServiceID]
	switch {
	case s == nil:
		refuse(w, http.StatusNotFound, "NOT_FOUND", `{"code":"UNHANDLED","message":"service with id x not found"}`)
		return
	case !slices.Contains(s.Permissions, b.Type):
		refuse(w, http.StatusBadRequest, "COULD_NOT_VALIDATE", `{"field":"ServiceId","reason":"service not found","value":"x"}`)
		return
	}
	routers := []map[string]any{}
	for _, fr := range n.routers {
		if fr.isUp() {
			routers = append(routers, map[string]any{"name": fr.name, "supportedProtocols": map[string]string{"tls": "tls://" + fr.addr}})
		}
	}
	if len(routers) == 0 {
		refuse(w, http.StatusBadRequest, "NO_EDGE_ROUTERS_AVAILABLE", "null")
		return
	}
	n.sessionN++
	token := fmt.Sprintf("ss-%d-%s", n.sessionN, b.Type)
	n.sessions[token] = s.ID
	data(w, http.StatusCreated, map[string]any{"id": token, "token": token, "edgeRouters": routers})
}

// fakeRouter connects dialers and hosts of one process.
type fakeRouter struct {
	n      *fakeNet
	name   string
	addr   string
	plain  bool // grants no client-side flow control
	onBind func(*edge.Bind) *edge.StateClosed
	onDial func(*edge.Connect) *edge.StateClosed
	noKeys bool // loses the keys of hosts

	mu    sync.Mutex
	mux   *channel.Mux
	l     *channel.Listener
	hosts []*fakeHost
	conns map[fakeEnd]*fakeCircuit
	byID  map[string]*fakeCircuit
	next  uint32
	seen  []*edge.UpdateBind
}

type fakeEnd struct {
	ch *channel.Channel
	id uint32
}

type fakeHost struct {
	end     fakeEnd
	service string
	bind    *edge.Bind
}

type fakeCircuit struct {
	id   string
	ends [2]fakeEnd
}

func (n *fakeNet) router(configure func(*fakeRouter)) *fakeRouter {
	n.t.Helper()
	r := &fakeRouter{n: n, addr: "127.0.0.1:0", name: fmt.Sprintf("router%d", len(n.routers)+1), next: edge.FirstRouterConnID}
	if configure != nil {
		configure(r)
	}
	r.start()
	n.mu.Lock()
	n.routers = append(n.routers, r)
	n.mu.Unlock()
	n.t.Cleanup(r.stop)
	return r
}

func (r *fakeRouter) isUp() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.mux != nil
}

// start listens; after stop it listens at the same address again.
func (r *fakeRouter) start() {
	r.n.t.Helper()
	tcp, err := net.Listen("tcp", r.addr)
	if err != nil {
		r.n.t.Fatal(err)
	}
	mux := channel.NewMux(tcp, channel.MuxConfig{HandshakeTimeout: time.Minute}) // two hundred at once, and a busy machine
	tl, err := mux.Listener(&tls.Config{ClientAuth: tls.RequireAnyClientCert, Certificates: []tls.Certificate{r.n.certificate()}}, alpn)
	if err != nil {
		r.n.t.Fatal(err)
	}
	l := channel.NewListener(tl, channel.ListenerConfig{Accept: r.hello, HelloTimeout: time.Minute})
	r.mu.Lock()
	r.addr, r.mux, r.l = tcp.Addr().String(), mux, l
	r.hosts, r.conns, r.byID = nil, map[fakeEnd]*fakeCircuit{}, map[string]*fakeCircuit{}
	r.mu.Unlock()
	go mux.Serve()
	go l.Serve()
}

func (r *fakeRouter) stop() {
	r.mu.Lock()
	mux, l := r.mux, r.l
	r.mux, r.l = nil, nil
	r.mu.Unlock()
	if mux != nil {
		mux.Close()
		l.Close()
	}
}

func (r *fakeRouter) hello(_ context.Context, p *channel.Peer) (*channel.Accepted, error) {
	r.n.mu.Lock()
	known := r.n.tokens[p.Headers.String(edge.HeaderSessionToken)]
	r.n.mu.Unlock()
	if !known {
		return nil, errors.New("invalid api session")
	}
	a := &channel.Accepted{Handler: r}
	a.Headers.PutString(edge.HeaderID, r.name)
	a.Headers.PutBool(edge.HeaderSupportsBindSuccess, true)
	return a, nil
}

// HandleClose implements channel.Closer.
func (r *fakeRouter) HandleClose(c *channel.Channel, _ error) {
	r.mu.Lock()
	r.hosts = slices.DeleteFunc(r.hosts, func(h *fakeHost) bool { return h.end.ch == c })
	var gone []fakeEnd
	for e := range r.conns {
		if e.ch == c {
			gone = append(gone, e)
		}
	}
	r.mu.Unlock()
	for _, e := range gone {
		r.closeCircuit(e, nil)
	}
}

// HandleFrame implements channel.Handler.
func (r *fakeRouter) HandleFrame(c *channel.Channel, f *channel.Frame) {
	switch f.Type {
	case edge.TypeBind:
		r.bind(c, f)
	case edge.TypeConnect:
		m := f.Clone()
		go r.connect(c, m)
	case edge.TypeXgPayload, edge.TypeXgAcknowledgement:
		r.forward(c, f)
		return
	case edge.TypeData:
		id, _ := edge.ConnID(f.Headers)
		r.relay(fakeEnd{c, id}, f)
		return
	case edge.TypeXgClose:
		r.mu.Lock()
		circuit := r.byID[string(f.Body)]
		r.mu.Unlock()
		if circuit != nil {
			for _, e := range circuit.ends {
				if e.ch == c {
					r.closeCircuit(e, nil)
				}
			}
		}
	case edge.TypeStateClosed:
		id, _ := edge.ConnID(f.Headers)
		r.closeCircuit(fakeEnd{c, id}, nil)
	case edge.TypeUnbind:
		id, _ := edge.ConnID(f.Headers)
		r.unbind(fakeEnd{c, id})
	case edge.TypeUpdateBind:
		u, _ := edge.ParseUpdateBind(f.Clone())
		r.mu.Lock()
		r.seen = append(r.seen, u)
		r.mu.Unlock()
	}
	f.Release()
}

func (r *fakeRouter) unbind(e fakeEnd) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hosts = slices.DeleteFunc(r.hosts, func(h *fakeHost) bool { return h.end == e })
}

func (r *fakeRouter) bind(c *channel.Channel, f *channel.Frame) {
	m := f.Clone()
	b, err := edge.ParseBind(m)
	if err != nil {
		return
	}
	r.n.mu.Lock()
	service := r.n.sessions[string(b.Token)]
	r.n.mu.Unlock()
	if r.onBind != nil {
		if no := r.onBind(b); no != nil {
			no.ConnID = b.ConnID
			c.TryReply(m, no.Encode())
			return
		}
	}
	r.mu.Lock()
	for i, h := range r.hosts {
		if string(h.bind.ListenerID) == string(b.ListenerID) {
			e := edge.StructuredError{Message: "newer terminator found for listener id", Code: edge.CodeInternal}
			h.end.ch.TrySend((&edge.StateClosed{ConnID: h.end.id, Reason: "found a newer terminator for listener id", Error: &e}).Encode())
			r.hosts = slices.Delete(r.hosts, i, i+1)
			break
		}
	}
	r.hosts = append(r.hosts, &fakeHost{fakeEnd{c, b.ConnID}, service, b})
	r.mu.Unlock()
	c.TryReply(m, (&edge.StateConnected{ConnID: b.ConnID, RouterConnID: true}).Encode())
	c.TrySend((&edge.BindSuccess{ConnID: b.ConnID}).Encode())
}

func (r *fakeRouter) connect(c *channel.Channel, m *message.Message) {
	req, err := edge.ParseConnect(m)
	if err != nil {
		return
	}
	no := func(reason string) {
		c.TryReply(m, (&edge.StateClosed{ConnID: req.ConnID, Reason: reason}).Encode())
	}
	if r.onDial != nil {
		if s := r.onDial(req); s != nil {
			s.ConnID = req.ConnID
			c.TryReply(m, s.Encode())
			return
		}
	}
	r.n.mu.Lock()
	service, ok := r.n.sessions[string(req.Token)]
	r.n.mu.Unlock()
	if !ok {
		no("invalid session")
		return
	}
	r.mu.Lock()
	var host *fakeHost
	for _, h := range r.hosts {
		if h.service == service && (req.Instance == "" || req.Instance == h.bind.Instance) {
			host = h
		}
	}
	if host == nil {
		r.mu.Unlock()
		no("service " + service + " has no terminators")
		return
	}
	circuit := &fakeCircuit{id: id.New(), ends: [2]fakeEnd{{c, req.ConnID}, {host.end.ch, r.next}}}
	r.next++
	for _, e := range circuit.ends {
		r.conns[e] = circuit
	}
	r.byID[circuit.id] = circuit
	r.mu.Unlock()
	d := edge.Dial{ConnID: host.end.id, NewConnID: circuit.ends[1].id, RouterConnID: true, Token: host.bind.Token, CallerID: req.CallerID,
		CircuitID: circuit.id, PublicKey: req.PublicKey, AppData: req.AppData, Marker: req.Marker, DialerID: "ident1", DialerName: "laptop",
		UseXgress: !r.plain, XgressCtrlID: "c", XgressAddress: "a"}
	reply, err := host.end.ch.Request(context.Background(), d.Encode())
	if err != nil || reply.Type != edge.TypeDialSuccess {
		reason := "gone"
		if err == nil {
			reason = string(reply.Body)
		}
		no("exceeded maximum [2] retries (failed to establish connection with terminator address x. error: (" + reason + "))")
		return
	}
	s := edge.StateConnected{ConnID: req.ConnID, CircuitID: circuit.id, PublicKey: host.bind.PublicKey, StickinessToken: []byte("sticky"),
		UseXgress: !r.plain, XgressCtrlID: "c", XgressAddress: "a"}
	if r.noKeys {
		s.PublicKey = nil
	}
	c.TryReply(m, s.Encode())
}

func (r *fakeRouter) forward(c *channel.Channel, f *channel.Frame) {
	r.mu.Lock()
	circuit := r.byID[string(xgress.AddressOf(&f.Message).Circuit)]
	r.mu.Unlock()
	if circuit == nil {
		f.Release()
		return
	}
	to := circuit.ends[0]
	if to.ch == c && circuit.ends[1].ch == c {
		// Both ends on one channel: the id of the sender tells the direction.
		if id, _ := edge.ConnID(f.Headers); id == to.id {
			to = circuit.ends[1]
		}
	} else if to.ch == c {
		to = circuit.ends[1]
	}
	edge.PatchConnID(f.Headers, to.id)
	_ = to.ch.SendFrame(context.Background(), f)
}

func (r *fakeRouter) relay(from fakeEnd, f *channel.Frame) {
	r.mu.Lock()
	circuit := r.conns[from]
	r.mu.Unlock()
	if circuit == nil {
		f.Release()
		return
	}
	to := circuit.ends[0]
	if to == from {
		to = circuit.ends[1]
	}
	edge.PatchConnID(f.Headers, to.id)
	if to.ch == from.ch {
		if !to.ch.TrySendFrame(f) {
			panic("test queue is full")
		}
		return
	}
	_ = to.ch.SendFrame(context.Background(), f)
}

// closeCircuit tells the other end.
func (r *fakeRouter) closeCircuit(from fakeEnd, e *edge.StructuredError) {
	r.mu.Lock()
	circuit := r.conns[from]
	if circuit == nil {
		r.mu.Unlock()
		return
	}
	delete(r.conns, circuit.ends[0])
	delete(r.conns, circuit.ends[1])
	delete(r.byID, circuit.id)
	r.mu.Unlock()
	for _, to := range circuit.ends {
		if to != from || e != nil {
			to.ch.TrySend((&edge.StateClosed{ConnID: to.id, Reason: "xgress unrouted", Error: e}).Encode())
		}
	}
}

// eventually waits for a condition.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(10 * time.Second)
	for !ok() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatal("not in time: ", what)
		}
	}
}

func tempFile(t *testing.T, name string) string { return filepath.Join(t.TempDir(), name) }

func newFrame(m *message.Message) *channel.Frame {
	f := channel.NewFrame(m, len(m.Body))
	copy(f.Body, m.Body)
	return f
}
