package field

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"strings"
	"testing"
)

// enrolled is what an enrolment leaves in the identity file.
type enrolled struct {
	id, api string
	cert    tls.Certificate
	ca      *x509.CertPool
}

// subject says what a client writes into its certificate request.
type subject func(k *ticket) pkix.Name

func cSubject(k *ticket) pkix.Name {
	return pkix.Name{Organization: []string{"OpenZiti"}, CommonName: k.claims.SUB,
		ExtraNames: []pkix.AttributeTypeAndValue{{Type: asn1.ObjectIdentifier{0, 9, 2342, 19200300, 100, 1, 25}, Value: k.claims.ISS}}}
}

func jvmSubject(k *ticket) pkix.Name { return pkix.Name{CommonName: k.claims.JTI} }

// request makes a key and a certificate request for it.
func request(t testing.TB, s pkix.Name) (*ecdsa.PrivateKey, []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: s}, key)
	if err != nil {
		t.Fatal(err)
	}
	return key, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der})
}

// enrolC is the enrolment of the C SDK: the token's signature vouches for the
// server until the authorities are known, then a second connection is verified.
func enrolC(t testing.TB, token string) *enrolled {
	t.Helper()
	k := readTicket(t, token)
	api := strings.TrimSuffix(k.claims.ISS, "/")
	first := openBurst(t, api, nil, k.signedBy)
	first.get("/version").at("data", "apiVersions", "edge", "v1", "path")
	pool := readBundle(t, first.send("GET", "/edge/client/v1/.well-known/est/cacerts", "application/pkcs7-mime", "", nil))
	first.end()

	second := openBurst(t, api, nil, trusting(pool))
	defer second.end()
	second.get("/version")
	return enrolWith(t, second, k, pool, "/edge/client/v1", "text/plain", cSubject)
}

// enrolJVM is the enrolment of the JVM SDK: the bundle at the root, the token as
// common name.
func enrolJVM(t testing.TB, token string) *enrolled {
	t.Helper()
	k := readTicket(t, token)
	b := openBurst(t, strings.TrimSuffix(k.claims.ISS, "/"), nil, k.signedBy)
	defer b.end()
	pool := readBundle(t, b.send("GET", "/.well-known/est/cacerts", "application/pkcs7-mime", "", nil))
	return enrolWith(t, b, k, pool, "/edge/client/v1", "application/x-pem-file", jvmSubject)
}

func enrolWith(t testing.TB, b *burst, k *ticket, pool *x509.CertPool, api, kind string, s subject) *enrolled {
	t.Helper()
	key, csr := request(t, s(k))
	a := b.send("POST", api+"/enroll?method="+k.claims.EM+"&token="+k.claims.JTI, "", kind, csr)
	if a.status != 200 {
		t.Fatalf("enrolment: status %d: %s", a.status, a.raw)
	}
	e := &enrolled{id: k.claims.SUB, api: b.base, ca: pool, cert: tls.Certificate{PrivateKey: key}}
	rest := []byte(parse(t, a.raw, "enrolment").at("data", "cert").text())
	for block, rest := pem.Decode(rest); block != nil; block, rest = pem.Decode(rest) {
		e.cert.Certificate = append(e.cert.Certificate, block.Bytes)
	}
	leaf, err := x509.ParseCertificate(e.cert.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	if len(leaf.URIs) != 1 || !strings.HasSuffix(leaf.URIs[0].String(), "/identity/"+e.id) {
		t.Errorf("the certificate names %v, want the identity %s", leaf.URIs, e.id)
	}
	return e
}

func TestEnrolment(t *testing.T) {
	t.Parallel()
	n := common(t)
	for _, tt := range []struct {
		name  string
		enrol func(testing.TB, string) *enrolled
	}{
		{"C SDK", enrolC},
		{"JVM SDK", enrolJVM},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			id, token := n.admin.invite(t, unique("enrolled"))
			e := tt.enrol(t, token)
			if e.id != id {
				t.Errorf("enrolled %s, want %s", e.id, id)
			}
			t.Run("again", func(t *testing.T) {
				k := readTicket(t, token)
				_, csr := request(t, cSubject(k))
				b := openBurst(t, e.api, nil, trusting(e.ca))
				defer b.end()
				a := b.send("POST", "/edge/client/v1/enroll?method=ott&token="+k.claims.JTI, "", "text/plain", csr)
				if a.status != 400 {
					t.Errorf("status %d, want 400", a.status)
				}
				parse(t, a.raw, "second enrolment").refusal("INVALID_ENROLLMENT_TOKEN")
			})
			b := openBurst(t, e.api, &e.cert, trusting(e.ca))
			defer b.end()
			d := b.json("POST", "/edge/client/v1/authenticate?method=cert", nil, 200)
			d.at("data", "identityId").want(e.id)
		})
	}
}
