package token

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

var testNow = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func testSigner(t testing.TB) (*Signer, *Keyring) {
	t.Helper()
	s, public := newSigner(t)
	r := NewKeyring()
	if err := r.Replace(public); err != nil {
		t.Fatal(err)
	}
	return s, r
}

func newSigner(t testing.TB) (*Signer, []byte) {
	t.Helper()
	key, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	der, err := EncodePrivate(key)
	if err != nil {
		t.Fatal(err)
	}
	if key, err = ParsePrivate(der); err != nil {
		t.Fatal(err)
	}
	s, err := NewSigner(key)
	if err != nil {
		t.Fatal(err)
	}
	public, err := PublicKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return s, public
}

func TestSessionRoundTrip(t *testing.T) {
	s, r := testSigner(t)
	v := NewVerifier(r, 10)
	for _, want := range []Session{
		{ID: "c123456789012345678901234", IdentityID: "Abc.-_1234", IssuedAt: testNow},
		{ID: "s", IdentityID: "i", IssuedAt: testNow.Add(5 * time.Millisecond), Partial: true,
			Fingerprint: "0123456789abcdef0123456789abcdef01234567"},
		{ID: strings.Repeat("x", 100), IdentityID: strings.Repeat("y", 100), IssuedAt: testNow},
	} {
		text, err := s.Session(want)
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := s.Session(want); again != text {
			t.Error("not deterministic")
		}
		if strings.HasPrefix(text, "ey") || len(text) > maxSessionToken || !IsSession(text) {
			t.Errorf("form of %q", text)
		}
		for range 2 {
			if got, err := v.Session(text); err != nil || got != want {
				t.Errorf("got %+v, %v", got, err)
			}
		}
	}
}

func TestSessionRefusals(t *testing.T) {
	s, r := testSigner(t)
	other, _ := newSigner(t)
	good, _ := s.Session(Session{ID: "s1", IdentityID: "alice", IssuedAt: testNow})
	foreign, _ := other.Session(Session{ID: "s1", IdentityID: "alice", IssuedAt: testNow})
	raw, _ := base64.RawURLEncoding.DecodeString(good[len(SessionPrefix):])
	forged := append([]byte{}, raw...)
	forged[kidLen+8+2]++ // first letter of the session id
	tests := []struct {
		name string
		text string
		want error
	}{
		{"empty", "", ErrMalformed},
		{"UUID", "6f1cbd3c-1d4f-4b7e-9df9-000000000000", ErrMalformed},
		{"JWT", "eyJhbGciOiJub25lIn0.e30.", ErrMalformed},
		{"truncated", good[:len(good)-8], ErrMalformed},
		{"other prefix", "ws2_" + good[4:], ErrMalformed},
		{"huge", SessionPrefix + strings.Repeat("A", 1<<20), ErrMalformed},
		{"another network", foreign, ErrUnknownKey},
		{"changed id", SessionPrefix + base64.RawURLEncoding.EncodeToString(forged), ErrSignature},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := NewVerifier(r, 10).Session(tt.text); !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
		})
	}
}

func TestSessionNeedsIDs(t *testing.T) {
	s, _ := testSigner(t)
	for _, c := range []Session{{ID: "x"}, {IdentityID: "x"}, {ID: strings.Repeat("x", 256), IdentityID: "x"},
		{ID: "x", IdentityID: "y", Fingerprint: "zz"}} {
		if _, err := s.Session(c); !errors.Is(err, ErrMalformed) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestRemovedKeyEndsCachedTokens(t *testing.T) {
	s, r := testSigner(t)
	v := NewVerifier(r, 10)
	text, _ := s.Session(Session{ID: "s1", IdentityID: "alice", IssuedAt: testNow})
	if _, err := v.Session(text); err != nil {
		t.Fatal(err)
	}
	_, public := newSigner(t)
	if err := r.Replace(public); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Session(text); !errors.Is(err, ErrUnknownKey) {
		t.Errorf("error %v", err)
	}
}

func TestCacheIsBounded(t *testing.T) {
	s, r := testSigner(t)
	v := NewVerifier(r, 3)
	for i := range 20 {
		text, _ := s.Session(Session{ID: fmt.Sprint(i), IdentityID: "alice", IssuedAt: testNow})
		if _, err := v.Session(text); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(v.sessions.entries); n != 3 || v.sessions.order.Len() != 3 {
		t.Errorf("%d entries", n)
	}
}

func TestServiceToken(t *testing.T) {
	s, r := testSigner(t)
	want := Service{ID: "c1", ServiceID: "svc", APISessionID: "as", IdentityID: "alice", Type: "Dial", Legacy: true,
		Issuer: "https://localhost:1280", IssuedAt: testNow, ExpiresAt: testNow.Add(ServiceTokenLife)}
	in := want
	in.ExpiresAt = time.Time{}
	text, err := s.Service(in)
	if err != nil {
		t.Fatal(err)
	}
	v := NewVerifier(r, 10)
	for range 2 {
		if got, err := v.Service(text, testNow); err != nil || got != want {
			t.Fatalf("got %+v, %v", got, err)
		}
	}
	if _, err := v.Service(text, want.ExpiresAt); !errors.Is(err, ErrExpired) {
		t.Errorf("expired: %v", err)
	}
	parts := strings.Split(text, ".")
	var header, claims map[string]any
	decode(t, parts[0], &header)
	decode(t, parts[1], &claims)
	if header["alg"] != "ES256" || header["kid"] != s.KeyID() || header["typ"] != "JWT" {
		t.Errorf("header %v", header)
	}
	aud, _ := claims["aud"].([]any)
	if len(aud) != 1 || aud[0] != "openziti" || claims["jti"] != "c1" || claims["sub"] != "svc" ||
		claims["z_asid"] != "as" || claims["z_iid"] != "alice" || claims["z_t"] != "s" ||
		claims["z_st"] != "Dial" || claims["z_leg"] != true || len(claims) != 11 {
		t.Errorf("claims %v", claims)
	}
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(b, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestServiceRefusals(t *testing.T) {
	s, r := testSigner(t)
	other, _ := newSigner(t)
	c := Service{ID: "c1", ServiceID: "svc", APISessionID: "as", IdentityID: "alice", Type: "Dial", IssuedAt: testNow}
	foreign, _ := other.Service(c)
	bad := c
	bad.Type = "Sing"
	badType, _ := s.Service(bad)
	good, _ := s.Service(c)
	parts := strings.Split(good, ".")
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","kid":"` + s.KeyID() + `"}`))
	session, _ := s.Session(Session{ID: "as", IdentityID: "alice", IssuedAt: testNow})
	tests := []struct {
		name string
		text string
		want error
	}{
		{"empty", "", ErrMalformed},
		{"bare id", "abc", ErrMalformed},
		{"session token", session, ErrMalformed},
		{"alg none", none + "." + parts[1] + ".", ErrSignature},
		{"another network", foreign, ErrUnknownKey},
		{"wrong type", badType, ErrMalformed},
		{"other signature", parts[0] + "." + parts[1] + "." + strings.Split(badType, ".")[2], ErrSignature},
		{"huge", strings.Repeat("a", 1<<20), ErrMalformed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := NewVerifier(r, 10).Service(tt.text, testNow); !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
		})
	}
}

func TestVerifierConcurrently(t *testing.T) {
	s, r := testSigner(t)
	_, second := newSigner(t)
	v := NewVerifier(r, 4)
	public, _ := PublicKey(s.key)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 20 {
				text, _ := s.Session(Session{ID: fmt.Sprint(i, j%3), IdentityID: "a", IssuedAt: testNow})
				if _, err := v.Session(text); err != nil {
					t.Error(err)
				}
				if err := r.Replace(public, second); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func FuzzSession(f *testing.F) {
	s, r := testSigner(f)
	good, _ := s.Session(Session{ID: "s1", IdentityID: "alice", IssuedAt: testNow})
	f.Add(good)
	f.Add(SessionPrefix)
	f.Fuzz(func(_ *testing.T, text string) { _, _ = NewVerifier(r, 1).Session(text) })
}

func FuzzParseSession(f *testing.F) {
	b, _ := appendSession(make([]byte, kidLen), Session{ID: "s1", IdentityID: "alice", IssuedAt: testNow})
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		kid, c, err := parseSession(b)
		if err != nil {
			return
		}
		again, err := appendSession(b[:kidLen], c)
		if err != nil || string(again) != string(b) {
			t.Errorf("kid %s: %v", kid, err)
		}
	})
}

func FuzzService(f *testing.F) {
	s, r := testSigner(f)
	good, _ := s.Service(Service{ID: "c1", ServiceID: "svc", APISessionID: "as", IdentityID: "a", Type: "Dial", IssuedAt: testNow})
	f.Add(good)
	f.Fuzz(func(_ *testing.T, text string) { _, _ = NewVerifier(r, 1).Service(text, testNow) })
}

func BenchmarkVerifyCached(b *testing.B) {
	s, r := testSigner(b)
	text, _ := s.Session(Session{ID: "s1", IdentityID: "alice", IssuedAt: testNow})
	v := NewVerifier(r, 10)
	for b.Loop() {
		if _, err := v.Session(text); err != nil {
			b.Fatal(err)
		}
	}
}
