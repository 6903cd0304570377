package enroll

import (
	"context"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"testing"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/state"
)

func TestOfferAndConfirm(t *testing.T) {
	b := newBench(t)
	ctx := context.Background()
	e := b.enrollment(&model.Enrollment{Method: model.MethodErott, EdgeRouterID: "router1"})
	first, err := b.Enroll(ctx, Request{Token: e.Token, CertCSR: b.csr("router1"), ServerCSR: b.csr("router1")})
	if err != nil {
		t.Fatal(err)
	}
	old := parse(t, first.Cert)[0]
	router := func() *model.EdgeRouter { return state.Get[model.EdgeRouter](b.store.View(), "router1") }

	offer, err := b.OfferRouter(ctx, "router1", old, b.csr("router1"), b.csr("router1"))
	if err != nil {
		t.Fatal(err)
	}
	offered := parse(t, offer.Cert)[0]
	if r := router(); r.Fingerprint != pki.Fingerprint(old) || r.UnverifiedFingerprint != pki.Fingerprint(offered) {
		t.Fatalf("the offer changed what is in force: %+v", r)
	}
	if len(parse(t, offer.CA)) == 0 || parse(t, offer.ServerCert)[0].VerifyHostname("localhost") != nil {
		t.Error("the offer is not complete")
	}
	if err := b.ConfirmRouter(ctx, "router1", first.ServerCert); !errors.Is(err, fault.InvalidClientCert) {
		t.Errorf("another certificate: %v", err)
	}
	for range 2 { // the second time, as after a lost answer, does nothing
		if err := b.ConfirmRouter(ctx, "router1", offer.Cert); err != nil {
			t.Fatal(err)
		}
		if r := router(); r.Fingerprint != pki.Fingerprint(offered) || r.UnverifiedFingerprint != "" || r.UnverifiedCertPem != "" {
			t.Fatalf("after confirming: %+v", r)
		}
	}
	if _, err := b.OfferRouter(ctx, "router1", old, b.csr("router1"), b.csr("router1")); !errors.Is(err, fault.Unauthorized) {
		t.Errorf("the certificate of before: %v", err)
	}
	key, err := pki.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	var leaves []*x509.Certificate
	for range 3 { // a router whose connection lasts longer than its certificate
		text, err := pki.NewCSR(key, pkix.Name{CommonName: "router1"}, "localhost")
		if err != nil {
			t.Fatal(err)
		}
		leaf := offered
		if len(leaves) > 0 {
			leaf = leaves[0]
		}
		next, err := b.OfferRouter(ctx, "router1", leaf, text, text)
		if err == nil {
			err = b.ConfirmRouter(ctx, "router1", next.Cert)
		}
		if err != nil {
			t.Fatalf("after %d renewals by the key of the connection: %v", len(leaves), err)
		}
		leaves = append(leaves, parse(t, next.Cert)[0])
	}
	if _, err := b.OfferRouter(ctx, "nobody", old, b.csr("nobody"), b.csr("nobody")); !errors.Is(err, fault.NotFound) {
		t.Errorf("no such router: %v", err)
	}
}

// TestOfferToARouterThatUsesTheFormerOffer is a router that crashed between
// storing and confirming.
func TestOfferToARouterThatUsesTheFormerOffer(t *testing.T) {
	b := newBench(t)
	ctx := context.Background()
	e := b.enrollment(&model.Enrollment{Method: model.MethodErott, EdgeRouterID: "router1"})
	first, err := b.Enroll(ctx, Request{Token: e.Token, CertCSR: b.csr("router1"), ServerCSR: b.csr("router1")})
	if err != nil {
		t.Fatal(err)
	}
	second, err := b.OfferRouter(ctx, "router1", parse(t, first.Cert)[0], b.csr("router1"), b.csr("router1"))
	if err != nil {
		t.Fatal(err)
	}
	third, err := b.OfferRouter(ctx, "router1", parse(t, second.Cert)[0], b.csr("router1"), b.csr("router1"))
	if err != nil {
		t.Fatal(err)
	}
	r := state.Get[model.EdgeRouter](b.store.View(), "router1")
	if r.Fingerprint != pki.Fingerprint(parse(t, second.Cert)[0]) || r.UnverifiedFingerprint != pki.Fingerprint(parse(t, third.Cert)[0]) {
		t.Error("the certificate in use is not in force")
	}
}
