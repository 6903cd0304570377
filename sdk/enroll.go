package sdk

import (
	"bytes"
	"context"
	"crypto"
	"crypto/tls"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/golang-jwt/jwt/v5"

	"github.com/weftnet/weft/pki"
)

// EnrollOptions say how to enrol. The zero value is good for the method ott.
type EnrollOptions struct {
	// Key is the private key of the identity; a new EC P-256 key by default. If
	// it is set, KeyValue must say what the identity file is to hold for it.
	Key crypto.Signer
	// KeyValue is stored in the identity file instead of the key itself, for
	// example file:///etc/laptop.key.
	KeyValue string
	// Password to set, for the method updb.
	Password string
}

// Enrollment is what an enrolment token says. The signature is not verified.
type Enrollment struct {
	Method      string   // ott, updb, erott and others
	Issuer      string   // https://host:port of the controller
	Subject     string   // id of the identity or router
	Token       string   // one-time token
	ClientAPI   string   // URL of the client API
	Controllers []string // control addresses, in the tokens of routers

	signed string // the token as it came
}

type enrollmentClaims struct {
	Method      string   `json:"em"`
	Controllers []string `json:"ctrls"`
	Controller  string   `json:"ctrl"` // in tokens of older controllers
	jwt.RegisteredClaims
}

// signatureMethods are those that controllers sign enrolment tokens with.
var signatureMethods = []string{"RS256", "RS384", "RS512", "ES256", "ES384", "ES512"}

// ParseEnrollment reads an enrolment token without verifying it: only the
// controller that it names can prove that it is genuine.
func ParseEnrollment(token string) (*Enrollment, error) {
	var c enrollmentClaims
	token = strings.TrimSpace(token)
	if _, _, err := jwt.NewParser(jwt.WithValidMethods(signatureMethods)).ParseUnverified(token, &c); err != nil {
		return nil, enrollError("INVALID_TOKEN", err.Error(), "copy the whole token, three parts separated by dots")
	}
	u, err := url.Parse(c.Issuer)
	if err != nil || u.Scheme != "https" || u.Host == "" {
		return nil, enrollError("INVALID_TOKEN", fmt.Sprintf("the token's issuer %q is not an https URL", c.Issuer), "ask for a new token")
	}
	base := strings.TrimRight(c.Issuer, "/")
	e := &Enrollment{
		Method: c.Method, Issuer: base, Subject: c.Subject, Token: c.ID, ClientAPI: base + clientAPI,
		Controllers: c.Controllers, signed: token,
	}
	if len(e.Controllers) == 0 && c.Controller != "" {
		e.Controllers = []string{c.Controller}
	}
	return e, nil
}

const clientAPI = "/edge/client/v1"

func enrollError(code, message, remedy string) *Error {
	return &Error{Op: "enrol", Code: code, Message: message, Remedy: remedy, kind: ErrEnrollment}
}

// Enroll turns an enrolment token into an identity; the caller saves it. The
// controller proves to be the right one by the key with which the token is
// signed; its CAs are trusted from then on. Refusals are ErrEnrollment.
//
// By method ott the identity gets a certificate for its key. By method updb
// the user's password is set, and the identity holds nothing but the way to the
// controller: log in with Options.Username and Password.
func Enroll(ctx context.Context, token string, o EnrollOptions) (*Identity, error) {
	e, err := ParseEnrollment(token)
	if err != nil {
		return nil, err
	}
	if o.Key != nil && o.KeyValue == "" {
		return nil, errors.New("sdk: enrol: Key without KeyValue")
	}
	if e.Method != "ott" && e.Method != "updb" {
		return nil, enrollError("INVALID_ENROLL_METHOD", fmt.Sprintf("enrolment by %q is not supported here", e.Method), "enrol by ott or updb")
	}
	bundle, err := e.FetchCAs(ctx)
	if err != nil {
		return nil, err
	}
	id := &Identity{ControllerURL: e.ClientAPI, Credentials: Credentials{CA: "pem:" + bundle.PEM()}}
	m := &material{trust: bundle}
	r := newREST(m.tls(nil), id.urls())
	defer r.close()
	if e.Method == "updb" {
		err = setPassword(ctx, r, e, o.Password)
	} else {
		err = getCertificate(ctx, r, e, o, id)
	}
	if err != nil {
		return nil, withOp("enrol", err)
	}
	return id, nil
}

// FetchCAs gets the CAs of the controller over a connection whose server
// certificate belongs to the key that signed the token. Refusals are
// ErrEnrollment.
func (e *Enrollment) FetchCAs(ctx context.Context) (*pki.Bundle, error) {
	bundle, err := e.fetchCAs(ctx)
	if err != nil {
		return nil, withOp("enrol", err)
	}
	return bundle, nil
}

func (e *Enrollment) fetchCAs(ctx context.Context) (*pki.Bundle, error) {
	cfg := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: true}
	cfg.VerifyConnection = func(s tls.ConnectionState) error { return verifyToken(e.signed, s) }
	t := &http.Transport{TLSClientConfig: cfg, DisableKeepAlives: true}
	c := &http.Client{Transport: t, Timeout: callTimeout}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, e.ClientAPI+"/.well-known/est/cacerts", nil)
	if err != nil {
		return nil, err
	}
	res, err := c.Do(req)
	if err != nil {
		var bad *Error
		if errors.As(err, &bad) {
			return nil, bad
		}
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the controller answers %s when asked for its CAs", res.Status)
	}
	certs, err := pki.ParsePKCS7(bytes.TrimSpace(body))
	if err != nil {
		return nil, fmt.Errorf("the controller's CAs: %w", err)
	}
	if b := pki.NewBundle(certs...); len(b.Certificates()) > 0 {
		return b, nil
	}
	return nil, errors.New("the controller offers no CAs")
}

// verifyToken checks that the key of the server's leaf has signed the token.
func verifyToken(token string, s tls.ConnectionState) error {
	leaf := s.PeerCertificates[0] // a TLS client always gets one
	p := jwt.NewParser(jwt.WithValidMethods(signatureMethods))
	_, err := p.ParseWithClaims(token, &enrollmentClaims{}, func(*jwt.Token) (any, error) { return leaf.PublicKey, nil })
	switch {
	case errors.Is(err, jwt.ErrTokenExpired):
		return enrollError("ENROLLMENT_EXPIRED", "the enrolment token has expired", "ask for a new token; check the clock of this machine")
	case err != nil:
		return enrollError("CONTROLLER_NOT_TRUSTED", "the server at "+s.ServerName+" did not sign this token: "+err.Error(),
			"check the address in the token, and ask for a new token if the controller's server certificate was replaced")
	}
	return nil
}

func getCertificate(ctx context.Context, r *rest, e *Enrollment, o EnrollOptions, id *Identity) error {
	key, value := o.Key, o.KeyValue
	if key == nil {
		k, err := pki.NewKey()
		if err != nil {
			return err
		}
		text, err := pki.EncodeKey(k)
		if err != nil {
			return err
		}
		key, value = k, "pem:"+text
	}
	csr, err := pki.NewCSR(key, pkix.Name{CommonName: e.Subject, Organization: []string{"Weft"}})
	if err != nil {
		return err
	}
	d, err := get[struct {
		Cert string `json:"cert"`
	}](ctx, r, request{method: http.MethodPost, raw: []byte(csr), contentType: "application/x-pem-file",
		path: "/enroll?method=ott&token=" + url.QueryEscape(e.Token)})
	if err != nil {
		return err
	}
	chain, err := pki.ParseCertificates([]byte(d.Cert))
	if err != nil {
		return fmt.Errorf("the certificate that the controller issued: %w", err)
	}
	if !pki.SamePublicKey(chain[0], key) {
		return errors.New("the certificate that the controller issued is for another key")
	}
	id.Credentials.Key, id.Credentials.Cert = value, "pem:"+d.Cert
	return nil
}

func setPassword(ctx context.Context, r *rest, e *Enrollment, password string) error {
	if password == "" {
		return enrollError("PASSWORD_MISSING", "enrolment by updb needs a password", "set EnrollOptions.Password")
	}
	_, err := r.do(ctx, request{method: http.MethodPost, path: "/enroll?method=updb&token=" + url.QueryEscape(e.Token),
		body: map[string]string{"password": password}})
	return err
}
