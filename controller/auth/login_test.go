package auth

import (
	"context"
	"crypto/x509"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/limit"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/state"
)

func TestPasswordLogin(t *testing.T) {
	b := newBench(t)
	a := b.start()
	b.identity("alice")
	b.password(a, "alice", "alice1", "secret1")
	s := login(t, a, "alice1", "secret1")
	if s.IdentityID != "alice" || s.AuthenticatorID != "updb-alice" || s.ExpirationSeconds != 1800 ||
		!s.ExpiresAt.Equal(testStart.Add(30*time.Minute)) || s.Partial() || s.AuthQueries == nil || s.ConfigTypes == nil {
		t.Errorf("session %+v", s)
	}
	if strings.HasPrefix(s.Token, "ey") || len(s.Token) > 512 {
		t.Errorf("token %q", s.Token)
	}
	p, err := a.Authenticate(request(s.Token))
	if err != nil || p.Identity.ID != "alice" || p.Session.ID != s.ID || p.Session.Token != s.Token || p.Full() != nil {
		t.Errorf("principal %+v, %v", p, err)
	}
}

func TestSessionsOfAnIdentityAreBounded(t *testing.T) {
	b := newBench(t)
	a := b.start(func(c *Config, _ *Deps) { c.MaxSessions = 2 })
	for _, name := range []string{"alice", "bobby"} {
		b.identity(name)
		b.password(a, name, name, "secret1")
	}
	login(t, a, "alice", "secret1")
	second := login(t, a, "alice", "secret1")
	one := LoginRequest{Method: LoginPassword, Username: "alice", Password: "secret1"}
	if _, err := a.Login(t.Context(), one); !errors.Is(err, fault.TooManyRequests) {
		t.Errorf("a third session: %v", err)
	}
	login(t, a, "bobby", "secret1")
	if err := a.End(t.Context(), second.ID, "test"); err != nil {
		t.Fatal(err)
	}
	login(t, a, "alice", "secret1")
}

func TestPasswordLoginRefusals(t *testing.T) {
	b := newBench(t)
	a := b.start()
	b.identity("alice")
	b.identity("bob")
	b.password(a, "alice", "alice1", "secret1")
	b.password(a, "bob", "bobby", "secret2")
	b.apply(b.command().Patch(model.KindIdentity, "bob", map[string]any{"disabledAt": testStart}))
	tests := []struct {
		name, method, user, password string
		want                         *fault.Kind
	}{
		{"wrong password", LoginPassword, "alice1", "secret2", fault.InvalidAuth},
		{"unknown user", LoginPassword, "carol", "secret1", fault.InvalidAuth},
		{"disabled identity", LoginPassword, "bobby", "secret2", fault.InvalidAuth},
		{"no password", LoginPassword, "alice1", "", fault.CouldNotValidate},
		{"no user name", LoginPassword, "", "secret1", fault.CouldNotValidate},
		{"no method", "", "alice1", "secret1", fault.CouldNotValidate},
		{"unknown method", "bogus", "alice1", "secret1", fault.CouldNotValidate},
		{"external token", LoginExtJWT, "", "", fault.Unauthorized},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := a.Login(context.Background(), LoginRequest{Method: tt.method, Username: tt.user, Password: tt.password})
			f := fault.From(err)
			if f == nil || f.Kind != tt.want {
				t.Fatalf("error %v", err)
			}
			if f.Kind == fault.InvalidAuth && (f.Cause != nil || f.WWWAuthenticate != "") {
				t.Errorf("the cause leaks: %v", f)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("the password leaks: %v", err)
			}
		})
	}
}

func TestPolicyForbidsMethod(t *testing.T) {
	b := newBench(t)
	a := b.start()
	b.identity("alice")
	b.password(a, "alice", "alice1", "secret1")
	chain := b.certificate("alice", testStart.Add(time.Hour))
	b.policy.Primary.Cert.Allowed, b.policy.Primary.Updb.Allowed = false, false
	b.apply(b.command().Put(b.policy))
	for _, r := range []LoginRequest{
		{Method: LoginPassword, Username: "alice1", Password: "secret1"},
		{Method: LoginCert, Certificates: chain},
	} {
		if _, err := a.Login(context.Background(), r); !errors.Is(err, fault.InvalidAuth) {
			t.Errorf("%s: %v", r.Method, err)
		}
	}
}

func TestCertificateLogin(t *testing.T) {
	b := newBench(t)
	a := b.start()
	b.identity("alice")
	b.identity("bob")
	alice := b.certificate("alice", testStart.Add(time.Hour))
	bob := b.certificate("bob", testStart.Add(-time.Minute))
	foreign, err := pki.NewNetwork("weft.test", testStart)
	if err != nil {
		t.Fatal(err)
	}
	key, _ := pki.NewKey()
	stranger, err := foreign.Edge.Issue(pki.Leaf{PublicKey: key.Public(), URIs: alice[0].URIs}, testStart)
	if err != nil {
		t.Fatal(err)
	}
	unknown, err := b.network.Edge.Issue(pki.Leaf{PublicKey: key.Public(), URIs: alice[0].URIs}, testStart)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name         string
		certs        []*x509.Certificate
		allowExpired bool
		want         string // identity, empty for a refusal
		improper     bool
	}{
		{"own chain", alice, true, "alice", false},
		{"leaf without intermediate", alice[:1], true, "alice", true},
		{"leaf of alice with filler of bob", append(alice[:1:1], bob...), true, "alice", false},
		{"unknown leaf with filler of alice", append(unknown[:1:1], alice...), true, "", false},
		{"foreign CA with the SPIFFE id of alice", stranger, true, "", false},
		{"foreign leaf with genuine chain appended", append(stranger[:1:1], alice...), true, "", false},
		{"genuine but not enrolled", unknown, true, "", false},
		{"expired, allowed", bob, true, "bob", false},
		{"expired, not allowed", bob, false, "", false},
		{"none", nil, true, "", false},
		{"CA certificate itself", []*x509.Certificate{b.network.Edge.Certificate}, true, "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b.policy.Primary.Cert.AllowExpiredCerts = tt.allowExpired
			b.apply(b.command().Put(b.policy))
			s, err := a.Login(context.Background(), LoginRequest{Method: LoginCert, Certificates: tt.certs})
			if tt.want == "" {
				if f := fault.From(err); f == nil || f.Kind != fault.InvalidAuth || f.Cause != nil {
					t.Fatalf("session %+v, error %v", s, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if s.IdentityID != tt.want || s.ImproperClientCertChain != tt.improper || !s.IsCertExtendable ||
				s.Fingerprint != pki.Fingerprint(tt.certs[0]) {
				t.Errorf("session %+v", s)
			}
		})
	}
}

func TestRemovedAuthenticatorOpensNothing(t *testing.T) {
	b := newBench(t)
	a := b.start()
	b.identity("alice")
	chain := b.certificate("alice", testStart.Add(time.Hour))
	s, err := a.Login(context.Background(), LoginRequest{Method: LoginCert, Certificates: chain})
	if err != nil {
		t.Fatal(err)
	}
	b.apply(b.command().Delete(model.KindAuthenticator, "cert-alice"))
	eventually(t, "the session ends", func() bool { _, err := a.Authenticate(request(s.Token)); return err != nil })
	if _, err := a.Login(context.Background(), LoginRequest{Method: LoginCert, Certificates: chain}); !errors.Is(err, fault.InvalidAuth) {
		t.Errorf("login: %v", err)
	}
	b.tick(time.Second)
	eventually(t, "routers are told", func() bool { return b.revocation(s.ID) != nil })
}

func TestLockout(t *testing.T) {
	b := newBench(t)
	a := b.open()
	b.identity("alice")
	b.password(a, "alice", "alice1", "secret1")
	b.policy.Primary.Updb.MaxAttempts, b.policy.Primary.Updb.LockoutDurationMinutes = 3, 1
	b.apply(b.command().Put(b.policy))
	s := login(t, a, "alice1", "secret1")
	wrong := func() {
		t.Helper()
		_, err := a.Login(context.Background(), LoginRequest{Method: LoginPassword, Username: "alice1", Password: "guess"})
		if !errors.Is(err, fault.InvalidAuth) {
			t.Fatal(err)
		}
	}
	disabled := func() bool {
		return state.Get[model.Identity](b.store.View(), "alice").Disabled(b.clock.Now())
	}
	wrong()
	login(t, a, "alice1", "secret1") // clears the count
	wrong()
	wrong()
	// A restart gives no new attempts.
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	a = b.start()
	if disabled() {
		t.Fatal("locked too early")
	}
	wrong()
	if !disabled() {
		t.Fatal("not locked at the third failure")
	}
	if _, err := a.Login(context.Background(), LoginRequest{Method: LoginPassword, Username: "alice1", Password: "secret1"}); !errors.Is(err, fault.InvalidAuth) {
		t.Errorf("right password while locked: %v", err)
	}
	wantRefused(t, a, s.Token)
	b.clock.Advance(time.Minute)
	login(t, a, "alice1", "secret1")
	wantRefused(t, a, s.Token)
}

func TestTooManyLogins(t *testing.T) {
	b := newBench(t)
	a := b.start(func(c *Config, _ *Deps) {
		c.LoginLimit = &limit.WindowConfig{Min: 1, Max: 1}
	})
	b.identity("alice")
	b.password(a, "alice", "alice1", "secret1")
	done, ok := a.window.Acquire()
	if !ok {
		t.Fatal("no room at the start")
	}
	_, err := a.Login(context.Background(), LoginRequest{Method: LoginPassword, Username: "alice1", Password: "secret1"})
	if f := fault.From(err); f.Kind != fault.TooManyRequests || f.Kind.Status != 429 {
		t.Errorf("error %v", err)
	}
	b.apply(b.command().Patch(model.KindIdentity, "alice", map[string]any{"isAdmin": true}))
	login(t, a, "alice1", "secret1") // one administrator gets through
	if _, err := a.Login(context.Background(), LoginRequest{Method: LoginPassword, Username: "alice1", Password: "secret1"}); !errors.Is(err, fault.TooManyRequests) {
		t.Errorf("second administrator: %v", err)
	}
	done(limit.Success)
	login(t, a, "alice1", "secret1")
}

func TestPolicyWithSecondFactorGivesPartialSession(t *testing.T) {
	b := newBench(t)
	a := b.start()
	b.identity("alice")
	b.password(a, "alice", "alice1", "secret1")
	b.policy.Secondary.RequireTotp = true
	b.apply(b.command().Put(b.policy))
	s := login(t, a, "alice1", "secret1")
	p, err := a.Authenticate(request(s.Token))
	if err != nil {
		t.Fatal(err)
	}
	if !errors.Is(p.Full(), fault.Unauthorized) || len(p.Session.AuthQueries) != 1 || p.Session.AuthQueries[0].TypeID != "MFA" {
		t.Errorf("queries %+v", p.Session.AuthQueries)
	}
}

func TestLoginSavesWhatTheClientTells(t *testing.T) {
	b := newBench(t)
	a := b.start()
	b.identity("alice")
	b.password(a, "alice", "alice1", "secret1")
	_, err := a.Login(context.Background(), LoginRequest{Method: LoginPassword, Username: "alice1", Password: "secret1",
		EnvInfo: &model.EnvInfo{OS: "linux"}, SdkInfo: &model.SdkInfo{Type: "test"}, ConfigTypes: []string{"all", "nosuch"}})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the details are saved", func() bool {
		i := state.Get[model.Identity](b.store.View(), "alice")
		return i.EnvInfo != nil && i.EnvInfo.OS == "linux" && i.SdkInfo != nil && i.SdkInfo.Type == "test"
	})
}

func TestLoginNeedsNoLeader(t *testing.T) {
	b := newBench(t)
	a := b.start()
	b.identity("alice")
	b.password(a, "alice", "alice1", "secret1")
	b.setFail(fault.ClusterNoLeader.New(nil))
	s := login(t, a, "alice1", "secret1")
	wantAccepted(t, a, s.Token)
	if err := a.End(context.Background(), s.ID, "logout"); err != nil {
		t.Fatal(err)
	}
	wantRefused(t, a, s.Token)
	b.setFail(nil)
	b.tick(time.Second)
	eventually(t, "the revocation follows", func() bool { return b.revocation(s.ID) != nil })
}

func TestPasswords(t *testing.T) {
	ctx := context.Background()
	p := NewPasswords(testCost)
	hash, err := p.Hash(ctx, "secret1")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(hash, "$argon2id$v=19$m=64,t=1,p=1$") {
		t.Errorf("hash %q", hash)
	}
	stronger := NewPasswords(PasswordCost{Time: 2, Memory: 128, Threads: 2})
	tests := []struct {
		name, hash, password string
		ok                   bool
	}{
		{"right", hash, "secret1", true},
		{"wrong", hash, "secret2", false},
		{"no hash", "", "secret1", false},
		{"dummy hash", "", "no password has this hash", false},
		{"garbage", "$argon2id$x", "secret1", false},
		{"excessive parameters", strings.Replace(hash, "m=64", "m=4294967295", 1), "secret1", false},
		{"no passes", strings.Replace(hash, "t=1", "t=0", 1), "secret1", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := stronger.Verify(ctx, tt.hash, tt.password); (err == nil) != tt.ok || err != nil && !errors.Is(err, ErrPassword) {
				t.Errorf("error %v", err)
			}
		})
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	busy := NewPasswords(PasswordCost{Memory: 64, Threads: 1, Parallel: 1})
	if !busy.slots.Try() {
		t.Fatal("no slot")
	}
	if err := busy.Verify(ended, hash, "secret1"); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting: %v", err)
	}
}

func TestParallelLogins(t *testing.T) {
	b := newBench(t)
	a := b.start()
	b.identity("alice")
	b.password(a, "alice", "alice1", "secret1")
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			s, err := a.Login(context.Background(), LoginRequest{Method: LoginPassword, Username: "alice1", Password: "secret1"})
			if err == nil {
				_, err = a.Authenticate(request(s.Token))
			}
			if err == nil {
				err = a.End(context.Background(), s.ID, "logout")
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := len(a.Sessions()); n != 0 {
		t.Errorf("%d sessions are left", n)
	}
}

func FuzzDecodeHash(f *testing.F) {
	f.Add("$argon2id$v=19$m=64,t=1,p=1$AAAA$AAAAAAAAAAAAAAAAAAAAAAAA")
	f.Fuzz(func(t *testing.T, text string) {
		if c, _, _, err := decodeHash(text); err == nil && (c.Memory > maxMemory || c.Time > maxTime || c.Threads == 0) {
			t.Errorf("accepted %q", text)
		}
	})
}
