package uplink

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/weftnet/weft/control"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/token"
	"github.com/weftnet/weft/wire/ctrl"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// truth is what a controller would hold: the slice and what signs for it.
type truth struct {
	t      *testing.T
	pki    *pki.Network
	signer *token.Signer
	slice  *control.Slice
}

func newTruth(t *testing.T) *truth {
	t.Helper()
	n, err := pki.NewNetwork("test.example", time.Now())
	must(t, err)
	key, err := token.NewKey()
	must(t, err)
	signer, err := token.NewSigner(key)
	must(t, err)
	public, err := token.PublicKey(key)
	must(t, err)
	w := &truth{t: t, pki: n, signer: signer, slice: control.NewSlice()}
	w.slice.Index = 1
	w.slice.Put(control.ItemKey{Kind: ctrl.KindKey, ID: signer.KeyID()}, public)
	w.slice.Put(control.ItemKey{Kind: ctrl.KindTrust, ID: ctrl.TrustOwn}, []byte(pki.EncodeCertificates(n.Root.Certificate, n.Edge.Certificate)))
	w.put(&policy.Identity{ID: "i1", Name: "one"})
	w.put(&policy.Identity{ID: "i2", Name: "two"})
	w.put(&policy.Router{ID: "r1", Fingerprint: "f1"})
	return w
}

func (w *truth) put(e policy.Entity) *ctrl.Item {
	w.t.Helper()
	b, err := e.AppendBinary([]byte{})
	must(w.t, err)
	w.slice.Put(control.ItemKey{Kind: uint32(e.Kind()), ID: e.Key()}, b)
	return &ctrl.Item{Kind: uint32(e.Kind()), Id: e.Key(), Data: b}
}

func (w *truth) directory() *Directory {
	w.t.Helper()
	d := newDirectory(time.Now)
	_, err := d.apply(w.whole())
	must(w.t, err)
	return d
}

func (w *truth) whole() *control.Update {
	return &control.Update{Whole: true, To: w.slice.Index, Items: w.slice.Items(), Digest: w.slice.Digest()}
}

// cert issues a certificate of an authority; the URI may be nil.
func (w *truth) cert(a *pki.Authority, uri *url.URL, end time.Time) []*x509.Certificate {
	w.t.Helper()
	key, err := pki.NewKey()
	must(w.t, err)
	l := pki.Leaf{PublicKey: key.Public(), Subject: pkix.Name{CommonName: "x"}, NotBefore: end.Add(-time.Hour), NotAfter: end}
	if uri != nil {
		l.URIs = []*url.URL{uri}
	}
	chain, err := a.Issue(l, time.Now())
	must(w.t, err)
	return chain
}

func TestSessions(t *testing.T) {
	w := newTruth(t)
	d := w.directory()
	soon, past := time.Now().Add(30*time.Minute), time.Now().Add(-time.Minute)
	session := token.Session{ID: "s1", IdentityID: "i1", IssuedAt: time.Now()}
	issue := func(edit func(*token.Session)) string {
		s := session
		if edit != nil {
			edit(&s)
		}
		text, err := w.signer.Session(s)
		must(t, err)
		return text
	}
	good := issue(nil)
	own := w.cert(w.pki.Edge, pki.IdentitySPIFFE("test.example", "i1"), soon)
	foreign := newTruth(t)
	plain := w.cert(w.pki.Edge, nil, soon)
	tests := []struct {
		name  string
		token string
		certs []*x509.Certificate
		want  error
	}{
		{"own certificate", good, own, nil},
		{"expired certificate of the identity", good, w.cert(w.pki.Edge, pki.IdentitySPIFFE("test.example", "i1"), past), nil},
		{"session certificate", good, w.cert(w.pki.Edge, pki.SessionSPIFFE("test.example", "i1", "s1", "c1"), soon), nil},
		{"expired session certificate", good, w.cert(w.pki.Edge, pki.SessionSPIFFE("test.example", "i1", "s1", "c1"), past), pki.ErrCertExpired},
		{"certificate of another session", good, w.cert(w.pki.Edge, pki.SessionSPIFFE("test.example", "i1", "s2", "c1"), soon), pki.ErrNotBound},
		{"certificate of another identity", good, w.cert(w.pki.Edge, pki.IdentitySPIFFE("test.example", "i2"), soon), pki.ErrNotBound},
		{"another's leaf with own filler", good, append(w.cert(w.pki.Edge, pki.IdentitySPIFFE("test.example", "i2"), soon), own...), pki.ErrNotBound},
		{"fingerprint in the token", issue(func(s *token.Session) { s.Fingerprint = pki.Fingerprint(plain[0]) }), plain, nil},
		{"no binding", good, plain, pki.ErrNotBound},
		{"foreign CA", good, foreign.cert(foreign.pki.Edge, pki.IdentitySPIFFE("test.example", "i1"), soon), pki.ErrUntrusted},
		{"no certificate", good, nil, pki.ErrNoPeerCertificate},
		{"garbage", "ws1_xxxx", own, ErrSessionUnknown},
		{"uuid", "96fdf813-9bce-4e5d-9091-95c84eb887a7", own, ErrSessionUnknown},
		{"unknown identity", issue(func(s *token.Session) { s.IdentityID = "i9" }), own, ErrNoIdentity},
		{"outstanding factors", issue(func(s *token.Session) { s.Partial = true }), own, nil}, // it can do nothing without a service session
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := d.Session(tt.token, tt.certs); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
	foreignToken, err := foreign.signer.Session(session)
	must(t, err)
	if _, err := d.Session(foreignToken, own); !errors.Is(err, token.ErrUnknownKey) {
		t.Error("token of another network:", err)
	}

	change := func(items ...*ctrl.Item) changes {
		t.Helper()
		from := w.slice.Index
		w.slice.Index++
		w.slice.Apply(items)
		news, err := d.apply(&control.Update{From: from, To: w.slice.Index, Items: items, Digest: w.slice.Digest()})
		must(t, err)
		return news
	}
	change(&ctrl.Item{Kind: ctrl.KindFingerprints, Id: "i1", Data: control.AppendFingerprints(nil, pki.Fingerprint(plain[0]))})
	if _, err := d.Session(good, plain); err != nil {
		t.Error("fingerprint of an authenticator:", err)
	}
	news := change(&ctrl.Item{Kind: ctrl.KindRevocation, Id: "i1", Data: control.EncodeRevocation(&ctrl.Revocation{
		Type: "IDENTITY", ExpiresMillis: soon.UnixMilli(), IssuedBeforeMillis: session.IssuedAt.Add(time.Second).UnixMilli()})})
	if _, err := d.Session(good, own); !errors.Is(err, ErrSessionEnded) || !news.ended {
		t.Error("revoked identity:", err)
	}
	cut := session.IssuedAt.Add(time.Second).Truncate(time.Millisecond)
	for _, at := range []struct {
		when time.Time
		want error
	}{{cut.Add(-time.Millisecond), ErrSessionEnded}, {cut, ErrSessionEnded}, {cut.Add(time.Millisecond), nil}} {
		if err := d.AliveSession("s1", "i1", at.when); !errors.Is(err, at.want) {
			t.Errorf("session begun %v after the cut: %v", at.when.Sub(cut), err)
		}
	}
	later := issue(func(s *token.Session) { s.IssuedAt = s.IssuedAt.Add(2 * time.Second) })
	if _, err := d.Session(later, own); err != nil {
		t.Error("session after the revocation:", err)
	}
	change(&ctrl.Item{Kind: ctrl.KindRevocation, Id: "i1", Removed: true})
	if _, err := d.Session(good, own); err != nil {
		t.Error("revocation removed:", err)
	}
	if news := change(w.put(&policy.Identity{ID: "i1", Disabled: true})); news.effects == nil {
		t.Error("no effects")
	}
	if _, err := d.Session(good, own); !errors.Is(err, ErrNoIdentity) {
		t.Error("disabled identity:", err)
	}
	change(&ctrl.Item{Kind: ctrl.KindKey, Id: w.signer.KeyID(), Removed: true})
	if _, err := d.Session(later, own); !errors.Is(err, token.ErrUnknownKey) {
		t.Error("key removed:", err)
	}
}

func TestServiceSessions(t *testing.T) {
	w := newTruth(t)
	issue := func(id string) string {
		text, err := w.signer.Service(token.Service{
			ID: id, ServiceID: "v1", APISessionID: "s1", IdentityID: "i1", Type: "Dial", Issuer: "https://x", IssuedAt: time.Now()})
		must(t, err)
		return text
	}
	w.slice.Put(control.ItemKey{Kind: ctrl.KindRevocation, ID: "j1"},
		control.EncodeRevocation(&ctrl.Revocation{Type: "JTI", ExpiresMillis: time.Now().Add(time.Hour).UnixMilli()}))
	d := w.directory()
	if _, err := d.Service(issue("j1")); !errors.Is(err, ErrServiceEnded) {
		t.Error("ended:", err)
	}
	if err := d.AliveService("j1"); !errors.Is(err, ErrServiceEnded) {
		t.Error("ended, by id:", err)
	}
	if s, err := d.Service(issue("j2")); err != nil || s.ServiceID != "v1" {
		t.Error("another one:", s, err)
	}
}

func TestSliceThatDoesNotFit(t *testing.T) {
	w := newTruth(t)
	d := newDirectory(time.Now)
	if _, err := d.apply(&control.Update{From: 0, To: 5}); !errors.Is(err, errGap) {
		t.Error("change of a slice that is not there:", err)
	}
	_, err := d.apply(w.whole())
	must(t, err)
	if _, err := d.apply(&control.Update{From: 3, To: 5}); !errors.Is(err, errGap) {
		t.Error("gap:", err)
	}
	if _, err := d.apply(&control.Update{From: 1, To: 2, Digest: []byte("other")}); err == nil {
		t.Error("wrong digest accepted")
	}
	w.slice.Index = 9
	w.slice.Remove(control.ItemKey{Kind: uint32(policy.KindIdentity), ID: "i2"})
	_, err = d.apply(w.whole())
	must(t, err)
	if d.View().Identity("i2") != nil || d.View().Identity("i1") == nil {
		t.Error("a whole slice does not replace the old one")
	}
	broken := &ctrl.Item{Kind: uint32(policy.KindIdentity), Id: "i3", Data: []byte{255, 255, 255}}
	ofTheFuture := &ctrl.Item{Kind: 4711, Id: "x", Data: []byte{1}}
	w.slice.Apply([]*ctrl.Item{ofTheFuture})
	if _, err := d.apply(&control.Update{From: 9, To: 10, Items: []*ctrl.Item{ofTheFuture}, Digest: w.slice.Digest()}); err != nil {
		t.Error("unknown kind:", err)
	}
	if _, err := d.apply(&control.Update{From: 10, To: 11, Items: []*ctrl.Item{broken}}); err == nil {
		t.Error("broken item accepted")
	}
}

func TestSnapshot(t *testing.T) {
	w := newTruth(t)
	file := filepath.Join(t.TempDir(), "edge.db")
	cfg := Config{SnapshotFile: file, Fingerprint: func() string { return "f1" }}
	u := New(cfg)
	if u.Filled() || u.RouterID() != "" {
		t.Error("filled from nothing")
	}
	_, err := u.apply(w.whole())
	must(t, err)
	must(t, u.save(file))
	info, err := os.Stat(file)
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Error(info.Mode())
	}
	again := New(cfg)
	if !again.Filled() || again.RouterID() != "r1" || again.View().Identity("i1") == nil {
		t.Error("not restored")
	}
	index, digest := again.position()
	if index != 1 || !slices.Equal(digest, w.slice.Digest()) {
		t.Error(index, digest)
	}
	content, err := os.ReadFile(file)
	must(t, err)
	for name, broken := range map[string][]byte{"cut": content[:len(content)/2], "text": []byte("not gzip"), "empty": nil} {
		must(t, os.WriteFile(file, broken, 0o600))
		if u := New(cfg); u.Filled() {
			t.Error("filled from a damaged file:", name)
		}
	}
}

func TestEndpoints(t *testing.T) {
	file := filepath.Join(t.TempDir(), "endpoints")
	tests := []struct {
		name, file string
		config     []string
		want       []string
	}{
		{"configuration", "", []string{"tls:a:1", "tls://b:2", "a:1"}, []string{"a:1", "b:2"}},
		{"file", "endpoints: [\"tls:c:3\"]", []string{"tls:a:1"}, []string{"c:3", "a:1"}},
		{"controllers first", "controllers:\n- id: x\n  endpoints:\n  - address: tls:d:4\n    groups: []\nendpoints: [\"tls:c:3\"]", nil, []string{"d:4"}},
		{"controllers without id", "controllers:\n- endpoints:\n  - address: tls:d:4\nendpoints: [\"tls:c:3\"]", nil, []string{"c:3"}},
		{"empty file", "endpoints: []", []string{"tls:a:1"}, []string{"a:1"}},
		{"broken file", "endpoints: {", []string{"tls:a:1"}, []string{"a:1"}},
		{"nothing", "", nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			os.Remove(file)
			if tt.file != "" {
				must(t, os.WriteFile(file, []byte(tt.file), 0o600))
			}
			u := New(Config{Endpoints: tt.config, EndpointsFile: file})
			err := u.loadEndpoints()
			got := u.controllers.addresses()
			if !slices.Equal(got, tt.want) || (err == nil) != (len(tt.want) > 0) {
				t.Error(got, err)
			}
		})
	}
}
