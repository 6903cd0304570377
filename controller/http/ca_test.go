package http

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"testing"
	"time"
)

// testCA is a certificate authority with what it issues.
type testCA struct {
	t    testing.TB
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  string
}

func newTestCA(t testing.TB, name string) *testCA {
	c := &testCA{t: t}
	c.key = newKey(t)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: testStart.Add(-time.Hour),
		NotAfter: testStart.AddDate(1, 0, 0), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &c.key.PublicKey, c.key)
	if err != nil {
		t.Fatal(err)
	}
	if c.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	c.pem = certPEM(der)
	return c
}

// issue returns a certificate of the CA in PEM form.
func (c *testCA) issue(commonName string) string {
	c.t.Helper()
	key := newKey(c.t)
	template := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: commonName},
		NotBefore: testStart.Add(-time.Hour), NotAfter: testStart.AddDate(0, 1, 0)}
	der, err := x509.CreateCertificate(rand.Reader, template, c.cert, &key.PublicKey, c.key)
	if err != nil {
		c.t.Fatal(err)
	}
	return certPEM(der)
}

var testStart = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func newKey(t testing.TB) *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func certPEM(der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

func caBody(name, pem string) obj {
	return obj{"name": name, "certPem": pem, "identityRoles": []string{}, "isAuthEnabled": true, "isAutoCaEnrollmentEnabled": true, "isOttCaEnrollmentEnabled": true}
}

func TestCaVerification(t *testing.T) {
	f := newFixture(t)
	ca, other := newTestCA(t, "one"), newTestCA(t, "two")
	id := f.create("cas", caBody("one", ca.pem))
	detail := f.do("GET", m("/cas/%s", id), nil).is("data.isVerified", false).is("data.identityNameFormat", "[caName]-[commonName]")
	token := detail.at("data.verificationToken").(string)
	text := []string{"Content-Type", "text/plain"}
	for _, tt := range []struct {
		name, id, body string
		status         int
		code           string
	}{
		{"unknown", "nope", ca.issue(token), 404, "NOT_FOUND"},
		{"nothing", id, "", 400, "COULD_NOT_PARSE_BODY"},
		{"no PEM", id, "hello", 400, "COULD_NOT_PARSE_BODY"},
		{"another block", id, "-----BEGIN KEY-----\nAAAA\n-----END KEY-----\n", 400, "EXPECTED_PEM_CERTIFICATE"},
		{"no certificate", id, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", 400, "COULD_NOT_PARSE_DER_BLOCK"},
		{"common name", id, ca.issue("x"), 400, "INVALID_COMMON_NAME"},
		{"another CA", id, other.issue(token), 400, "CERTIFICATE_FAILED_VALIDATION"},
		{"right", id, ca.issue(token), 200, ""},
		{"again", id, ca.issue(token), 409, "CA_ALREADY_VERIFIED"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f.in(t)
			a := f.do("POST", m("/cas/%s/verify", tt.id), tt.body, text...).status(tt.status)
			if tt.code != "" {
				a.is("error.code", tt.code)
			}
		})
	}
	f.do("GET", m("/cas/%s", id), nil).is("data.isVerified", true).is("data.verificationToken", nil)
	f.do("POST", m("/cas/%s/verify", id), tokenText(token), "Content-Type", "application/xml").status(415)
	if a := f.do("GET", m("/cas/%s/jwt", id), nil); a.ResponseRecorder.Body.String() != "ca-jwt-"+id || a.Header().Get("Content-Type") != "application/jwt" {
		t.Error(a.ResponseRecorder.Body, a.Header())
	}
	f.do("GET", m("/cas/nope/jwt"), nil).status(404)
}

// tokenText is a body that is no certificate.
func tokenText(s string) string { return "token " + s }

func TestCaRules(t *testing.T) {
	f := newFixture(t)
	ca, other := newTestCA(t, "one"), newTestCA(t, "two")
	id := f.create("cas", caBody("one", ca.pem+other.pem))
	f.do("GET", m("/cas?filter=fingerprint+!=+%%22%%22"), nil).is("data.0.id", id)
	claim := obj{"location": "SAN_URI", "matcher": "SCHEME", "matcherCriteria": "spiffe", "parser": "SPLIT", "parserCriteria": "/", "index": 2}
	with := func(key string, value any) obj {
		c := obj{}
		for k, v := range claim {
			c[k] = v
		}
		c[key] = value
		b := caBody("x", other.pem)
		b["externalIdClaim"] = c
		return b
	}
	leaf := ca.issue("leaf")
	for _, tt := range []struct {
		name                string
		body                obj
		code, field, reason string
	}{
		{"name", caBody("one", other.pem), "COULD_NOT_VALIDATE", "name", "name must be unique"},
		{"certificate", caBody("x", ca.pem), "COULD_NOT_VALIDATE", "certPem", "certificate already used as CA " + id},
		{"leaf", caBody("x", leaf), "CERTIFICATE_IS_NOT_CA", "certPem", "the first certificate is not one of a CA"},
		{"junk", caBody("x", "junk"), "COULD_NOT_VALIDATE", "certPem", "could not parse block #1"},
		{"empty", caBody("x", ""), "COULD_NOT_VALIDATE", "certPem", "could not parse block #1"},
		{"junk behind", caBody("x", other.pem+"junk"), "COULD_NOT_VALIDATE", "certPem", "could not parse block #2"},
		{"no name", obj{"certPem": other.pem}, "COULD_NOT_VALIDATE", "identityRoles", "identityRoles in body is required"},
		{"role", func() obj { b := caBody("x", other.pem); b["identityRoles"] = []string{"#a"}; return b }(), "COULD_NOT_VALIDATE", "identityRoles", "role attributes may not be prefixed with #"},
		{"location", with("location", "x"), "COULD_NOT_VALIDATE", "externalIdClaim.location", "externalIdClaim.location in body should be one of [COMMON_NAME SAN_URI SAN_EMAIL]"},
		{"matcher", with("matcher", "PREFIX"), "COULD_NOT_VALIDATE", "externalIdClaim.matcher", "externalIdClaim.matcher in body should be one of [ALL SCHEME]"},
		{"criteria", with("matcherCriteria", ""), "COULD_NOT_VALIDATE", "externalIdClaim.matcherCriteria", "externalIdClaim.matcherCriteria is required"},
		{"separator", with("parserCriteria", ""), "COULD_NOT_VALIDATE", "externalIdClaim.parserCriteria", "externalIdClaim.parserCriteria is required"},
		{"index", with("index", -1), "COULD_NOT_VALIDATE", "externalIdClaim.index", "externalIdClaim.index in body should be greater than or equal to 0"},
		{"missing member", with("parser", nil), "COULD_NOT_VALIDATE", "externalIdClaim.parser", "externalIdClaim.parser in body is required"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f.in(t)
			f.do("POST", m("/cas"), tt.body).status(400).is("error.code", tt.code).is("error.cause.field", tt.field).is("error.cause.reason", tt.reason)
		})
	}
	two := f.create("cas", with("index", 0))
	f.do("PATCH", m("/cas/%s", two), obj{"externalIdClaim": obj{"index": 3}, "certPem": "ignored", "verificationToken": "ignored"}).status(200)
	f.do("GET", m("/cas/%s", two), nil).is("data.externalIdClaim.index", 3).is("data.externalIdClaim.location", "SAN_URI").is("data.certPem", other.pem)
	f.do("PATCH", m("/cas/%s", two), obj{"externalIdClaim": obj{"matcher": "SUFFIX"}}).status(400)
	f.do("PATCH", m("/cas/%s", id), obj{"externalIdClaim": obj{"matcher": "ALL"}}).status(400).is("error.cause.field", "externalIdClaim.location")
	put := caBody("two", "ignored")
	f.do("PUT", m("/cas/%s", two), put).status(400).is("error.cause.field", "identityNameFormat")
	put["identityNameFormat"] = "[caId]"
	f.do("PUT", m("/cas/%s", two), put).status(200)
	f.do("GET", m("/cas/%s", two), nil).is("data.externalIdClaim", nil).is("data.name", "two").is("data.identityNameFormat", "[caId]").is("data.certPem", other.pem)
}
