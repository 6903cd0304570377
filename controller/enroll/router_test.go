package enroll

import (
	"context"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/state"
)

func TestRouterEnrollmentAndRenewal(t *testing.T) {
	b := newBench(t)
	ctx := context.Background()
	e := b.enrollment(&model.Enrollment{Method: model.MethodErott, EdgeRouterID: "router1"})
	res, err := b.Enroll(ctx, Request{Method: "erott", Token: e.Token, CertCSR: b.csr("router1"), ServerCSR: b.spiffeCSR("router1")})
	if err != nil {
		t.Fatal(err)
	}
	client, server := parse(t, res.Cert), parse(t, res.ServerCert)
	if len(parse(t, res.CA)) != 2 || !strings.HasPrefix(res.CA, "\n-----BEGIN") {
		t.Errorf("ca %q", res.CA)
	}
	want := "spiffe://weft.test/router/router1"
	for _, leaf := range []*x509.Certificate{client[0], server[0]} {
		if len(leaf.URIs) != 1 || leaf.URIs[0].String() != want || leaf.Subject.CommonName != "router1" {
			t.Errorf("leaf %s %v: a request must not bring a SPIFFE id", leaf.Subject, leaf.URIs)
		}
	}
	if client[0].ExtKeyUsage[0] != x509.ExtKeyUsageClientAuth || server[0].ExtKeyUsage[0] != x509.ExtKeyUsageServerAuth ||
		len(client[0].DNSNames) != 0 || server[0].VerifyHostname("localhost") != nil || server[0].VerifyHostname("127.0.0.1") != nil {
		t.Error("wrong usage or names")
	}
	r := state.Get[model.EdgeRouter](b.store.View(), "router1")
	if !r.IsVerified || r.Fingerprint != pki.Fingerprint(client[0]) || b.count(model.KindEnrollment) != 0 {
		t.Errorf("router %+v", r)
	}

	foreign, err := pki.NewNetwork("weft.test", testStart)
	if err != nil {
		t.Fatal(err)
	}
	key, _ := pki.NewKey()
	stranger, err := foreign.Edge.Issue(pki.Leaf{PublicKey: key.Public()}, testStart)
	if err != nil {
		t.Fatal(err)
	}
	for name, presented := range map[string][]*x509.Certificate{
		"no certificate": nil, "foreign": stranger, "foreign with the router's appended": append(stranger[:1:1], client...),
		"not a router": {b.network.Edge.Certificate},
	} {
		if _, err := b.ExtendRouter(ctx, presented, b.csr("router1"), b.csr("router1")); !errors.Is(err, fault.Unauthorized) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := b.ExtendRouter(ctx, client, b.csr("router2"), b.csr("router1")); !errors.Is(err, fault.CouldNotProcessCSR) {
		t.Errorf("another router's id: %v", err)
	}
	next, err := b.ExtendRouter(ctx, client, b.csr("router1"), b.csr("router1"))
	if err != nil {
		t.Fatal(err)
	}
	if r := state.Get[model.EdgeRouter](b.store.View(), "router1"); r.Fingerprint != pki.Fingerprint(parse(t, next.Cert)[0]) {
		t.Error("the new certificate is not in force")
	}
	if _, err := b.ExtendRouter(ctx, client, b.csr("router1"), b.csr("router1")); !errors.Is(err, fault.Unauthorized) {
		t.Errorf("old certificate: %v", err)
	}
}

// spiffeCSR returns a request that claims to be a controller.
func (b *bench) spiffeCSR(cn string) string {
	b.t.Helper()
	key, err := pki.NewKey()
	if err != nil {
		b.t.Fatal(err)
	}
	u, _ := url.Parse("spiffe://weft.test/controller/ctrl1")
	return encodeCSR(b.t, key, &x509.CertificateRequest{Subject: pkix.Name{CommonName: cn}, URIs: []*url.URL{u}, DNSNames: []string{"localhost"}, IPAddresses: ip("127.0.0.1")})
}

func TestTransitRouterNeedsNoName(t *testing.T) {
	b := newBench(t)
	r := &model.EdgeRouter{Name: "t1", IsTransit: true}
	r.ID = "transit1"
	b.apply(b.cmd().Create(r))
	e := b.enrollment(&model.Enrollment{Method: model.MethodTrott, TransitRouterID: "transit1"})
	res, err := b.Enroll(context.Background(), Request{Method: "trott", Token: e.Token, CertCSR: b.csr("any"), ServerCSR: b.csr("any")})
	if err != nil {
		t.Fatal(err)
	}
	if leaf := parse(t, res.Cert)[0]; leaf.Subject.CommonName != "transit1" {
		t.Errorf("subject %s", leaf.Subject)
	}
}
