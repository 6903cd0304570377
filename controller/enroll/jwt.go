package enroll

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/tls"
	"errors"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/id"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/pki"
)

// claims are those of an enrollment JWT. There is neither iat nor nbf.
type claims struct {
	Issuer    string           `json:"iss"`
	Subject   string           `json:"sub"`
	Audience  []string         `json:"aud"`
	ExpiresAt *jwt.NumericDate `json:"exp,omitempty"`
	ID        string           `json:"jti"`
	Method    string           `json:"em"`
	Ctrls     []string         `json:"ctrls"` // null for a network JWT
}

// Audience of the JWTs that enrol nothing by themselves.
const audienceEnroller = "openziti-enroller"

// methodNetwork is the em claim of a network JWT.
const methodNetwork = "network"

// The jwt.Claims interface; nothing is validated here.
func (c *claims) GetExpirationTime() (*jwt.NumericDate, error) { return c.ExpiresAt, nil }
func (c *claims) GetIssuedAt() (*jwt.NumericDate, error)       { return nil, nil }
func (c *claims) GetNotBefore() (*jwt.NumericDate, error)      { return nil, nil }
func (c *claims) GetIssuer() (string, error)                   { return c.Issuer, nil }
func (c *claims) GetSubject() (string, error)                  { return c.Subject, nil }
func (c *claims) GetAudience() (jwt.ClaimStrings, error)       { return c.Audience, nil }

// NewEnrollment completes an enrollment that has a method and a subject, which
// is an identity or a router: id when there is none, expiry by configuration
// when it has none, and always a new token and JWT. Nothing is stored. The
// error of a network without a suitable server certificate is fault.Unhandled.
func (n *Enroller) NewEnrollment(e *model.Enrollment) error {
	now := n.now().Truncate(time.Millisecond)
	life := n.cfg.IdentityLife
	subject := e.IdentityID
	if e.Method == model.MethodErott || e.Method == model.MethodTrott {
		life, subject = n.cfg.RouterLife, e.EdgeRouterID+e.TransitRouterID
	}
	if subject == "" {
		return fault.Unhandled.Errorf("enrollment without a subject")
	}
	if e.ID == "" {
		e.ID = id.Short()
	}
	if e.ExpiresAt.IsZero() {
		e.ExpiresAt = now.Add(life)
	}
	e.IssuedAt, e.Token = now, id.UUID()
	text, err := n.sign(&claims{
		Issuer: "https://" + n.cfg.Address, Subject: subject, Audience: []string{""},
		ExpiresAt: jwt.NewNumericDate(e.ExpiresAt), ID: e.Token, Method: e.Method, Ctrls: n.deps.ControlAddresses(),
	})
	if err != nil {
		return fault.Unhandled.New(err)
	}
	e.JWT = text
	return nil
}

// networkJWT is the cached JWT that introduces the network, and the key id it
// was made with.
type networkJWT struct {
	text string
	kid  string
}

// NetworkJWT returns the JWT that introduces the network to clients which log
// in by other means. It is made once per server certificate.
func (n *Enroller) NetworkJWT() (string, error) {
	cert, err := n.certificate()
	if err != nil {
		return "", err
	}
	kid := pki.Fingerprint(cert.Leaf)
	n.mu.Lock()
	cached := n.network
	n.mu.Unlock()
	if cached.kid == kid {
		return cached.text, nil
	}
	issuer := "https://" + n.cfg.Address + "/"
	text, err := n.sign(&claims{Issuer: issuer, Subject: issuer, Audience: []string{audienceEnroller}, ID: id.UUID(), Method: methodNetwork})
	if err != nil {
		return "", err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.network = networkJWT{text: text, kid: kid}
	return text, nil
}

// CAJWT returns the JWT with which clients enrol by themselves, proved by
// certificates of a CA. It does not expire: the CA ends it.
func (n *Enroller) CAJWT(caID string) (string, error) {
	text, err := n.sign(&claims{Issuer: "https://" + n.cfg.Address + "/", Subject: caID, Audience: []string{audienceEnroller}, ID: caID, Method: model.MethodCA})
	if err != nil {
		return "", fault.Unhandled.New(err)
	}
	return text, nil
}

// certificate returns the server certificate of the API address: clients pin it
// by the signature of the JWT, so no other will do.
func (n *Enroller) certificate() (*tls.Certificate, error) {
	cert := n.deps.ServerCertificate(n.host)
	if cert == nil || cert.Leaf == nil {
		return nil, fmt.Errorf("enroll: no server certificate is valid for %s, the host of edge.api.address", n.host)
	}
	return cert, nil
}

func (n *Enroller) sign(c *claims) (string, error) {
	cert, err := n.certificate()
	if err != nil {
		return "", err
	}
	method, err := algorithm(cert.PrivateKey)
	if err != nil {
		return "", err
	}
	t := jwt.NewWithClaims(method, c)
	t.Header["kid"] = pki.Fingerprint(cert.Leaf)
	return t.SignedString(cert.PrivateKey)
}

func algorithm(key crypto.PrivateKey) (jwt.SigningMethod, error) {
	switch k := key.(type) {
	case *rsa.PrivateKey:
		return jwt.SigningMethodRS256, nil
	case *ecdsa.PrivateKey:
		switch k.Curve {
		case elliptic.P256():
			return jwt.SigningMethodES256, nil
		case elliptic.P384():
			return jwt.SigningMethodES384, nil
		case elliptic.P521():
			return jwt.SigningMethodES512, nil
		}
	}
	return nil, errors.New("enroll: the server key is neither RSA nor EC, so it cannot sign enrollment tokens")
}
