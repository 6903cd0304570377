package enroll

import (
	"bytes"
	"context"
	"crypto/x509"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/state"
)

// OfferRouter signs new certificates for a router that is connected with the
// given leaf. Until ConfirmRouter the one in force stays, and a connection with
// either is accepted: a router that has stored the new one and does not know
// whether its confirmation arrived can use it. Refusals: fault.NotFound,
// fault.Unauthorized for a leaf that is neither this router's nor, from before a
// renewal, one of the same key,
// fault.CouldNotProcessCSR.
func (n *Enroller) OfferRouter(ctx context.Context, routerID string, leaf *x509.Certificate, certCSR, serverCSR string) (*Result, error) {
	router := state.Get[model.EdgeRouter](n.deps.Store.View(), routerID)
	if router == nil {
		return nil, fault.NotFound.Errorf("router with id %s not found", routerID)
	}
	inForce := map[string]any{}
	switch pki.Fingerprint(leaf) {
	case router.Fingerprint:
	case router.UnverifiedFingerprint: // it uses the former offer: that is its confirmation
		inForce["fingerprint"], inForce["certPem"] = router.UnverifiedFingerprint, router.UnverifiedCertPem
	default:
		if !ofKey(leaf, router.CertPem) { // else the connection is older than the last renewal
			return nil, fault.Unauthorized.Errorf("the certificate of the connection is not the router's")
		}
	}
	client, server, err := n.routerCertificates(router, certCSR, serverCSR)
	if err != nil {
		return nil, err
	}
	inForce["unverifiedFingerprint"], inForce["unverifiedCertPem"] = pki.Fingerprint(client[0]), pki.EncodeCertificates(client...)
	c := n.command(state.Author{ID: router.ID, Name: router.Name, Type: "router"}, "extendRouterEnrollment", "")
	if err := n.write(ctx, asSeen(c, router).Patch(model.KindEdgeRouter, router.ID, inForce)); err != nil {
		return nil, err
	}
	n.log.Info("router certificates offered", "routerId", router.ID, "fingerprint", inForce["unverifiedFingerprint"], "until", client[0].NotAfter)
	return &Result{Cert: pki.EncodeCertificates(client...), ServerCert: pki.EncodeCertificates(server...), CA: n.CA()}, nil
}

// ofKey reports whether a certificate has the key of the one in certPEM.
func ofKey(leaf *x509.Certificate, certPEM string) bool {
	certs, err := pki.ParseCertificates([]byte(certPEM))
	return err == nil && bytes.Equal(certs[0].RawSubjectPublicKeyInfo, leaf.RawSubjectPublicKeyInfo)
}

// ConfirmRouter puts the client certificate of the last OfferRouter in force,
// in one command; certPEM begins with it. Confirming the certificate that is in
// force already does nothing. Refusals: fault.NotFound,
// fault.InvalidClientCert for any other certificate.
func (n *Enroller) ConfirmRouter(ctx context.Context, routerID, certPEM string) error {
	router := state.Get[model.EdgeRouter](n.deps.Store.View(), routerID)
	if router == nil {
		return fault.NotFound.Errorf("router with id %s not found", routerID)
	}
	certs, err := pki.ParseCertificates([]byte(certPEM))
	if err != nil {
		return fault.InvalidClientCert.New(err)
	}
	switch pki.Fingerprint(certs[0]) {
	case router.Fingerprint:
		return nil
	case router.UnverifiedFingerprint:
	default:
		return fault.InvalidClientCert.Errorf("the certificate is not the one that was offered last")
	}
	chain, err := pki.ParseCertificates([]byte(router.UnverifiedCertPem))
	if err != nil {
		return fault.Unhandled.New(err)
	}
	c := n.command(state.Author{ID: router.ID, Name: router.Name, Type: "router"}, "extendRouterEnrollmentVerify", "")
	if err := n.write(ctx, patchRouter(asSeen(c, router), router.ID, chain)); err != nil {
		if now := state.Get[model.EdgeRouter](n.deps.Store.View(), routerID); now != nil && now.Fingerprint == pki.Fingerprint(chain[0]) {
			return nil // confirmed twice at once
		}
		return err
	}
	n.log.Info("router certificates renewed", "routerId", router.ID, "fingerprint", pki.Fingerprint(chain[0]), "until", chain[0].NotAfter)
	return nil
}
