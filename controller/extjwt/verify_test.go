package extjwt

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/golang-jwt/jwt/v5"

	"github.com/weftnet/weft/clock"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

var testStart = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// provider is an identity provider whose keys are fetched.
type provider struct {
	mu    sync.Mutex
	keys  map[string]*ecdsa.PrivateKey
	media string
	fail  error
	asked int
}

func (p *provider) Get(context.Context, string) ([]byte, http.Header, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	if p.fail != nil {
		return nil, nil, p.fail
	}
	set := jose.JSONWebKeySet{}
	for kid, k := range p.keys {
		set.Keys = append(set.Keys, jose.JSONWebKey{KeyID: kid, Key: k.Public(), Use: "sig"})
	}
	set.Keys = append(set.Keys, jose.JSONWebKey{KeyID: "shared", Key: []byte("secret secret secret secret"), Algorithm: "HS256"})
	text, err := json.Marshal(set)
	return text, http.Header{"Content-Type": {p.media}}, err
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func sign(t *testing.T, kid string, key crypto.PrivateKey, method jwt.SigningMethod, change func(jwt.MapClaims)) string {
	t.Helper()
	claims := jwt.MapClaims{"iss": "https://idp.example", "aud": []string{"weft", "other"}, "sub": "u1",
		"exp": testStart.Add(time.Hour).Unix(), "groups": []string{"a", "b"}, "deep": map[string]any{"na/me": "x"}}
	if change != nil {
		change(claims)
	}
	token := jwt.NewWithClaims(method, claims)
	if kid != "" {
		token.Header["kid"] = kid
	}
	text, err := token.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func newVerifier(t *testing.T, p *provider) (*Verifier, *clock.Fake) {
	t.Helper()
	store, err := state.New()
	if err != nil {
		t.Fatal(err)
	}
	initial, err := state.Initial(testStart)
	if err != nil {
		t.Fatal(err)
	}
	text := func(s string) *string { return &s }
	good := &model.ExternalJwtSigner{Name: "idp", Issuer: "https://idp.example", Audience: text("weft"), Enabled: true, JwksEndpoint: text("https://idp.example/keys"),
		ClaimsProperty: "sub", TargetToken: model.TargetAccess, EnrollNameClaimsSelector: "/sub", EnrollAuthPolicyID: model.DefaultAuthPolicyID}
	good.ID = "good"
	off := *good
	off.ID, off.Name, off.Issuer, off.Enabled = "off", "off", "https://off.example", false
	raw, err := initial.Create(good).Create(&off).Encode()
	if err != nil {
		t.Fatal(err)
	}
	res, err := store.Apply([]uint64{1}, [][]byte{raw})
	if refusal, ok := res[0].(error); ok || err != nil {
		t.Fatal(refusal, err)
	}
	c := clock.NewFake(testStart)
	return New(store, p, c, slog.New(slog.NewTextHandler(io.Discard, nil))), c
}

func TestVerify(t *testing.T) {
	key, other := newKey(t), newKey(t)
	p := &provider{keys: map[string]*ecdsa.PrivateKey{"k1": key}, media: "application/json; charset=utf-8"}
	v, _ := newVerifier(t, p)
	es := jwt.SigningMethodES256
	set := func(name string, value any) func(jwt.MapClaims) {
		return func(c jwt.MapClaims) {
			if c[name] = value; value == nil {
				delete(c, name)
			}
		}
	}
	tests := []struct {
		name, token, signer string
		want                error
	}{
		{"good", sign(t, "k1", key, es, nil), "", nil},
		{"good for the signer", sign(t, "k1", key, es, nil), "good", nil},
		{"another signer is wanted", sign(t, "k1", key, es, nil), "off", ErrNoSigner},
		{"audience as text", sign(t, "k1", key, es, set("aud", "weft")), "", nil},
		{"other audience", sign(t, "k1", key, es, set("aud", "x")), "", ErrInvalid},
		{"no audience", sign(t, "k1", key, es, set("aud", nil)), "", ErrInvalid},
		{"expired", sign(t, "k1", key, es, set("exp", testStart.Add(-time.Second).Unix())), "", ErrExpired},
		{"no expiry", sign(t, "k1", key, es, set("exp", nil)), "", ErrInvalid},
		{"not yet", sign(t, "k1", key, es, set("nbf", testStart.Add(time.Minute).Unix())), "", ErrInvalid},
		{"unknown issuer", sign(t, "k1", key, es, set("iss", "https://evil.example")), "", ErrNoSigner},
		{"disabled signer", sign(t, "k1", key, es, set("iss", "https://off.example")), "", ErrNoSigner},
		{"wrong key", sign(t, "k1", other, es, nil), "", ErrInvalid},
		{"expired with a wrong key", sign(t, "k1", other, es, set("exp", 1)), "", ErrInvalid},
		{"unknown kid", sign(t, "k9", key, es, nil), "", ErrInvalid},
		{"no kid", sign(t, "", key, es, nil), "", ErrInvalid},
		{"none", sign(t, "k1", jwt.UnsafeAllowNoneSignatureType, jwt.SigningMethodNone, nil), "", ErrInvalid},
		{"symmetric", sign(t, "shared", []byte("secret secret secret secret"), jwt.SigningMethodHS256, nil), "", ErrInvalid},
		{"garbage", "ey.ey.ey", "", ErrInvalid},
	}
	for _, tt := range tests {
		got, err := v.Verify(t.Context(), tt.token, tt.signer)
		if !errors.Is(err, tt.want) || tt.want == nil && err != nil {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
		if (err == nil) != (got != nil) {
			t.Errorf("%s: token %v with error %v", tt.name, got, err)
		}
	}
	if p.asked != 1 {
		t.Errorf("the keys were fetched %d times within a second", p.asked)
	}
}

func TestClaims(t *testing.T) {
	key := newKey(t)
	v, _ := newVerifier(t, &provider{keys: map[string]*ecdsa.PrivateKey{"k1": key}, media: "application/jwk-set+json"})
	tok, err := v.Verify(t.Context(), sign(t, "k1", key, jwt.SigningMethodES256, nil), "")
	if err != nil {
		t.Fatal(err)
	}
	if id, err := tok.Identity(); id != "u1" || err != nil {
		t.Error(id, err)
	}
	if x, err := tok.Text("/deep/na~1me"); x != "x" || err != nil {
		t.Error(x, err)
	}
	if x, err := tok.Text("/groups/1"); x != "b" || err != nil {
		t.Error(x, err)
	}
	if x, err := tok.Texts("groups"); len(x) != 2 || err != nil {
		t.Error(x, err)
	}
	for _, s := range []string{"", "/missing/deeper"} {
		if x, err := tok.Texts(s); len(x) != 0 || err != nil {
			t.Error(s, x, err)
		}
	}
	if _, err := tok.Texts("exp"); !errors.Is(err, ErrInvalid) {
		t.Error("a number as attributes:", err)
	}
	if _, err := tok.Text("groups"); !errors.Is(err, ErrInvalid) {
		t.Error("a list as text:", err)
	}
}

func TestKeysAreRenewed(t *testing.T) {
	first, second := newKey(t), newKey(t)
	p := &provider{keys: map[string]*ecdsa.PrivateKey{"k1": first}, media: "application/json"}
	v, c := newVerifier(t, p)
	verify := func(kid string, key *ecdsa.PrivateKey) error {
		_, err := v.Verify(t.Context(), sign(t, kid, key, jwt.SigningMethodES256, nil), "")
		return err
	}
	if err := verify("k1", first); err != nil {
		t.Fatal(err)
	}
	p.keys = map[string]*ecdsa.PrivateKey{"k2": second}
	if err := verify("k2", second); !errors.Is(err, ErrInvalid) {
		t.Error("a second fetch within a second:", err)
	}
	c.Advance(fetchEvery)
	if err := verify("k2", second); err != nil {
		t.Error("a new key:", err)
	}
	if err := verify("k1", first); !errors.Is(err, ErrInvalid) {
		t.Error("a key that was withdrawn:", err)
	}
	c.Advance(keysFresh)
	p.fail = errors.New("down")
	if err := verify("k2", second); err != nil {
		t.Error("a fetch that fails takes keys away:", err)
	}
	p.fail, p.media = nil, "text/html"
	c.Advance(keysFresh)
	if err := verify("k2", second); err != nil {
		t.Error("an answer that is no key set takes keys away:", err)
	}
}
