package enroll

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/pki"
)

func TestEnrollmentJWT(t *testing.T) {
	b := newBench(t)
	tests := []struct {
		name string
		e    model.Enrollment
		sub  string
	}{
		{"ott", model.Enrollment{Method: model.MethodOtt, IdentityID: "alice"}, "alice"},
		{"erott", model.Enrollment{Method: model.MethodErott, EdgeRouterID: "router1"}, "router1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := b.NewEnrollment(&tt.e); err != nil {
				t.Fatal(err)
			}
			got := b.verifyJWT(t, tt.e.JWT)
			want := `{"aud":[""],"ctrls":["tls:localhost:1280"],"em":"` + tt.name + `","exp":` + "1795186800" +
				`,"iss":"https://localhost:1280","jti":"` + tt.e.Token + `","sub":"` + tt.sub + `"}`
			if got != want {
				t.Errorf("claims\n%s\nwant\n%s", got, want)
			}
		})
	}
	text, err := b.NetworkJWT()
	if err != nil {
		t.Fatal(err)
	}
	got := b.verifyJWT(t, text)
	if !strings.HasPrefix(got, `{"aud":["openziti-enroller"],"ctrls":null,"em":"network","iss":"https://localhost:1280/","jti":"`) {
		t.Errorf("network claims %s", got)
	}
	if again, _ := b.NetworkJWT(); again != text {
		t.Error("not cached")
	}
}

// verifyJWT checks the signature with the server certificate and returns the
// claims with sorted keys.
func (b *bench) verifyJWT(t *testing.T, text string) string {
	t.Helper()
	tok, err := jwt.NewParser(jwt.WithoutClaimsValidation()).Parse(text, func(tok *jwt.Token) (any, error) {
		if tok.Header["kid"] != pki.Fingerprint(b.server.Leaf) || tok.Header["alg"] != "ES256" || tok.Header["typ"] != "JWT" {
			t.Errorf("header %v", tok.Header)
		}
		return b.server.Leaf.PublicKey, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := base64.RawURLEncoding.DecodeString(strings.Split(tok.Raw, ".")[1])
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	sorted, _ := json.Marshal(m)
	return string(sorted)
}

func TestNoCertificateForTheAddress(t *testing.T) {
	b := newBench(t)
	b.server = nil
	if err := b.NewEnrollment(&model.Enrollment{Method: model.MethodOtt, IdentityID: "alice"}); !errors.Is(err, fault.Unhandled) {
		t.Errorf("error %v", err)
	}
	if _, err := New(Config{Address: "nonsense"}, Deps{}); err == nil {
		t.Error("address accepted")
	}
}

func TestAlgorithmFollowsTheKey(t *testing.T) {
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p521, err := ecdsa.GenerateKey(elliptic.P521(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for want, key := range map[string]crypto.PrivateKey{"ES384": p384, "ES512": p521, "RS256": rsaKey, "": ed} {
		m, err := algorithm(key)
		if (err == nil) != (want != "") || err == nil && m.Alg() != want {
			t.Errorf("%T: %v, %v", key, m, err)
		}
	}
}
