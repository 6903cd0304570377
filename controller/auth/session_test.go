package auth

import (
	"context"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/state"
	"github.com/weftnet/weft/token"
)

// aliceIn returns a running Auth with a logged-in user.
func aliceIn(t *testing.T) (*bench, *Auth, *Session) {
	t.Helper()
	b := newBench(t)
	a := b.open()
	b.identity("alice")
	b.password(a, "alice", "alice1", "secret1")
	return b, a, login(t, a, "alice1", "secret1")
}

func closing(t *testing.T, a *Auth) {
	t.Helper()
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestRefusalTexts(t *testing.T) {
	b, a, s := aliceIn(t)
	closing(t, a)
	other, err := token.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	signer, err := token.NewSigner(other)
	if err != nil {
		t.Fatal(err)
	}
	forged, err := signer.Session(token.Session{ID: s.ID, IdentityID: "alice", IssuedAt: b.clock.Now()})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, session, authorization, www string
	}{
		{"nothing", "", "", `zt-session realm="zt-session" error="missing" error_description="no matching token was provided",Bearer realm="openziti-oidc" error="missing" error_description="no matching token was provided"`},
		{"unknown session", "00000000-0000-0000-0000-000000000000", "", `zt-session realm="zt-session" error="invalid" error_description="token is invalid"`},
		{"signed by a stranger", forged, "", `zt-session realm="zt-session" error="invalid" error_description="token is invalid"`},
		{"garbage bearer", "", "Bearer abc", `Bearer realm="openziti-oidc" error="invalid" error_description="token is invalid"`},
		{"basic", "", "Basic YTpi", wwwMissing},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequest("GET", "/x", nil)
			if tt.session != "" {
				r.Header.Set("zt-session", tt.session)
			}
			if tt.authorization != "" {
				r.Header.Set("Authorization", tt.authorization)
			}
			_, err := a.Authenticate(r)
			f := fault.From(err)
			if f == nil || f.Kind != fault.Unauthorized || f.WWWAuthenticate != tt.www {
				t.Errorf("%v, header %q", err, f.WWWAuthenticate)
			}
			if (tt.www == wwwMissing) != (f.Cause != nil) {
				t.Errorf("cause %v", f.Cause)
			}
		})
	}
}

func TestActivityKeepsASession(t *testing.T) {
	b, a, s := aliceIn(t)
	closing(t, a)
	for range 3 {
		b.tick(29 * time.Minute)
		wantAccepted(t, a, s.Token)
	}
	for range 3 {
		b.tick(29 * time.Minute)
		a.Touch(s.ID, "unknown")
	}
	got, err := a.Session(s.ID)
	if err != nil || !got.ExpiresAt.Equal(b.clock.Now().Add(30*time.Minute)) {
		t.Fatalf("%+v, %v", got, err)
	}
	b.tick(30*time.Minute + time.Second)
	wantRefused(t, a, s.Token)
	eventually(t, "it is gone", func() bool { _, err := a.Session(s.ID); return err != nil })
	if r := b.revocation(s.ID); r != nil {
		t.Errorf("nobody uses the session, and yet there is a revocation: %+v", r)
	}
	seen := b.clock.Now()
	a.Touch(s.ID) // a router serves it all the same
	eventually(t, "the router is told", func() bool { b.tick(time.Second); return b.revocation(s.ID) != nil })
	if r := b.revocation(s.ID); r.Type != model.RevokeAPISession || r.ExpiresAt.Before(seen.Add(token.RevocationLife)) ||
		r.ExpiresAt.After(b.clock.Now().Add(token.RevocationLife)) {
		t.Errorf("revocation %+v", r)
	}
	wantRefused(t, a, s.Token)
}

func TestSessionInUseHasNoAge(t *testing.T) {
	b, a, s := aliceIn(t)
	closing(t, a)
	for range 3 * 365 * 24 * 2 {
		b.clock.Advance(29 * time.Minute)
		a.Touch(s.ID)
	}
	wantAccepted(t, a, s.Token)
}

func TestAlive(t *testing.T) {
	b, a, s := aliceIn(t)
	closing(t, a)
	if a.AliveFor(s.ID, "another") || !a.AliveFor(s.ID, s.IdentityID) || !a.AliveFor("record lost before the start", "another") {
		t.Error("the session is not that of its identity alone")
	}
	if !a.Alive(s.ID) || !a.Alive("record lost before the start") {
		t.Error("a session is taken for ended")
	}
	b.tick(31 * time.Minute)
	if a.Alive(s.ID) || a.Alive("record lost before the start") {
		t.Error("an inactive session is taken for alive")
	}
	out := login(t, a, "alice1", "secret1")
	if err := a.End(context.Background(), out.ID, "logout"); err != nil {
		t.Fatal(err)
	}
	if a.Alive(out.ID) {
		t.Error("a session that was logged out is taken for alive")
	}
}

func TestOldRevocationsAreRemoved(t *testing.T) {
	b, a, s := aliceIn(t)
	closing(t, a)
	if err := a.End(context.Background(), s.ID, "logout"); err != nil {
		t.Fatal(err)
	}
	if b.revocation(s.ID) == nil {
		t.Fatal("no revocation")
	}
	b.tick(token.RevocationLife + time.Minute)
	eventually(t, "it is removed", func() bool { return b.revocation(s.ID) == nil })
	wantRefused(t, a, s.Token)
}

func TestManyOldRevocationsAreRemovedAtOnce(t *testing.T) {
	b := newBench(t)
	a := b.open()
	defer a.Close()
	c := b.command()
	for n := range maxRevocations + 1 {
		r := &model.Revocation{Type: model.RevokeAPISession, ExpiresAt: testStart.Add(time.Hour)}
		r.ID = fmt.Sprintf("old%d", n)
		c.Put(r)
	}
	b.apply(c)
	a.purge(t.Context(), testStart.Add(2*time.Hour))
	for r := range state.All[model.Revocation](a.deps.Store.View()) {
		t.Fatalf("%s is left", r.ID)
	}
}

func TestLogout(t *testing.T) {
	b, a, s := aliceIn(t)
	closing(t, a)
	if err := a.End(context.Background(), s.ID, "logout"); err != nil {
		t.Fatal(err)
	}
	if b.revocation(s.ID) == nil {
		t.Error("routers are not told")
	}
	wantRefused(t, a, s.Token)
	if err := a.End(context.Background(), s.ID, "logout"); !errors.Is(err, fault.NotFound) {
		t.Errorf("second logout: %v", err)
	}
}

func TestIdentityChangesEndSessions(t *testing.T) {
	for _, change := range []string{"disable", "delete", "revoke"} {
		t.Run(change, func(t *testing.T) {
			b, a, s := aliceIn(t)
			closing(t, a)
			switch change {
			case "disable":
				b.apply(b.command().Patch(model.KindIdentity, "alice", map[string]any{"disabledAt": b.clock.Now()}))
			case "delete":
				b.apply(b.command().Delete(model.KindIdentity, "alice"))
			case "revoke":
				r := &model.Revocation{Type: model.RevokeAPISession, ExpiresAt: testStart.Add(time.Hour)}
				r.ID = s.ID
				b.apply(b.command().Put(r))
			}
			wantRefused(t, a, s.Token) // at once
			eventually(t, "the record goes", func() bool { return a.sessions.get(s.ID) == nil })
			if a.HasSession("alice") {
				t.Error("still listed")
			}
			if change == "disable" {
				b.clock.Advance(time.Second)
				b.apply(b.command().Patch(model.KindIdentity, "alice", map[string]any{"disabledAt": nil}))
				wantRefused(t, a, s.Token)
				login(t, a, "alice1", "secret1")
			}
		})
	}
}

func TestRestartKeepsSessions(t *testing.T) {
	tests := []struct {
		name   string
		damage func(t *testing.T, path string)
		record bool // whether details survive
	}{
		{"orderly", func(*testing.T, string) {}, true},
		{"torn last line", func(t *testing.T, path string) {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteString(`{"k":"a/x","v":{"id":`); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"unreadable line", func(t *testing.T, path string) {
			old, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, append([]byte("\x00garbage\n"), old...), 0o600); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"journal lost", func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, a, s := aliceIn(t)
			out := login(t, a, "alice1", "secret1")
			if err := a.End(context.Background(), out.ID, "logout"); err != nil {
				t.Fatal(err)
			}
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
			tt.damage(t, b.journal)
			b.clock.Advance(2 * time.Hour) // the controller was down for long
			a = b.start()
			b.clock.Advance(29 * time.Minute)
			p, err := a.Authenticate(request(s.Token))
			if err != nil {
				t.Fatal(err)
			}
			if p.Session.ID != s.ID || !p.Session.CreatedAt.Equal(s.CreatedAt) || p.Session.AuthenticatorID != "updb-alice" ||
				(p.Session.IPAddress == "127.0.0.1") != tt.record {
				t.Errorf("session %+v", p.Session)
			}
			wantRefused(t, a, out.Token)
			if got, err := a.Session(s.ID); err != nil || got.Token != s.Token {
				t.Errorf("the token changed: %v", err)
			}
		})
	}
}

func TestLostRecordIsAcceptedForOneTimeoutOnly(t *testing.T) {
	b, a, s := aliceIn(t)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(b.journal); err != nil {
		t.Fatal(err)
	}
	b.clock.Advance(time.Minute)
	a = b.start()
	b.clock.Advance(31 * time.Minute)
	wantRefused(t, a, s.Token)
}

// TestInactiveSessionStaysEndedAfterARestart: it left no revocation, and a
// journal that is whole proves that its record is not merely lost.
func TestInactiveSessionStaysEndedAfterARestart(t *testing.T) {
	b, a, s := aliceIn(t)
	b.tick(31 * time.Minute)
	eventually(t, "it is gone", func() bool { _, err := a.Session(s.ID); return err != nil })
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	written := b.clock.Now()
	if err := os.Chtimes(b.journal, written, written); err != nil {
		t.Fatal(err)
	}
	b.clock.Advance(time.Minute)
	a = b.start()
	wantRefused(t, a, s.Token)
}

func TestPendingEndSurvivesARestart(t *testing.T) {
	b, a, s := aliceIn(t)
	b.setFail(fault.ClusterNoLeader.New(nil))
	if err := a.End(context.Background(), s.ID, "logout"); err != nil {
		t.Fatal(err)
	}
	copyOf, err := os.ReadFile(b.journal) // what a kill -9 leaves behind
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(b.journal, copyOf, 0o600); err != nil {
		t.Fatal(err)
	}
	b.clock.Advance(time.Minute)
	b.setFail(nil)
	a = b.start()
	wantRefused(t, a, s.Token)
	b.tick(time.Second)
	eventually(t, "the revocation follows", func() bool { return b.revocation(s.ID) != nil })
}

func TestSessionOfACertificateIsNotUsedWithAnother(t *testing.T) {
	b, a, _ := aliceIn(t)
	closing(t, a)
	b.identity("mallory")
	alice := b.certificate("alice", testStart.Add(time.Hour))
	mallory := b.certificate("mallory", testStart.Add(time.Hour))
	s, err := a.Login(context.Background(), LoginRequest{Method: LoginCert, Certificates: alice})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Authenticate(request(s.Token, alice...)); err != nil {
		t.Errorf("own certificate: %v", err)
	}
	if _, err := a.Authenticate(request(s.Token)); err != nil {
		t.Errorf("no certificate: %v", err)
	}
	if _, err := a.Authenticate(request(s.Token, mallory...)); !errors.Is(err, fault.Unauthorized) {
		t.Errorf("another identity's certificate: %v", err)
	}
	if _, err := a.Authenticate(request(s.Token, append(mallory[:1:1], alice...)...)); !errors.Is(err, fault.Unauthorized) {
		t.Errorf("another leaf with filler: %v", err)
	}
}

func TestSessionCertificates(t *testing.T) {
	b, a, s := aliceIn(t)
	ctx := context.Background()
	key, err := pki.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	csr, err := pki.NewCSR(key, pkix.Name{CommonName: "whoever"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := a.CreateCertificate(ctx, s.ID, csr)
	if err != nil {
		t.Fatal(err)
	}
	certs, err := pki.ParseCertificates([]byte(c.PEM))
	if err != nil || len(certs) != 2 {
		t.Fatal(err)
	}
	leaf := certs[0]
	want := fmt.Sprintf("spiffe://weft.test/identity/alice/apiSession/%s/apiSessionCertificate/%s", s.ID, c.ID)
	if leaf.Subject.String() != "CN=alice" || len(leaf.URIs) != 1 || leaf.URIs[0].String() != want ||
		!leaf.NotAfter.Equal(testStart.Add(12*time.Hour)) {
		t.Errorf("leaf %s %v %s", leaf.Subject, leaf.URIs, leaf.NotAfter)
	}
	binding := pki.Binding{IdentityID: "alice", SessionID: s.ID}
	if err := binding.Check(leaf, true, testStart); err != nil {
		t.Error(err)
	}
	if _, err := a.CreateCertificate(ctx, s.ID, "garbage"); !errors.Is(err, fault.CouldNotProcessCSR) {
		t.Errorf("garbage: %v", err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	b.clock.Advance(time.Second)
	a = b.start()
	list := a.Certificates(s.ID)
	if len(list) != 1 || list[0].Fingerprint != pki.Fingerprint(leaf) || list[0].PEM != c.PEM {
		t.Fatalf("after a restart: %+v", list)
	}
	if err := a.DeleteCertificate(s.ID, "nosuch"); !errors.Is(err, fault.NotFound) {
		t.Errorf("unknown id: %v", err)
	}
	if err := a.DeleteCertificate(s.ID, c.ID); err != nil || len(a.Certificates(s.ID)) != 0 {
		t.Errorf("delete: %v", err)
	}
	for range maxCertificates {
		if _, err := a.CreateCertificate(ctx, s.ID, csr); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := a.CreateCertificate(ctx, s.ID, csr); !errors.Is(err, fault.TooManyRequests) {
		t.Errorf("one too many: %v", err)
	}
}

func TestJournalIsCompacted(t *testing.T) {
	b, a, _ := aliceIn(t)
	closing(t, a)
	for i := range 3000 {
		a.journal.put("a/x", map[string]string{"filler": fmt.Sprintf("%0200d", i)})
		a.journal.flush()
	}
	st, err := os.Stat(b.journal)
	if err != nil || st.Size() > 2*compactFrom {
		t.Errorf("%d bytes, %v", st.Size(), err)
	}
	if st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", st.Mode())
	}
}
