package enroll

import (
	"context"
	"crypto/x509"
	"net/url"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/state"
)

// router issues the certificates of a router and marks it as enrolled.
func (n *Enroller) router(ctx context.Context, v *state.View, e *model.Enrollment, r Request) (*Result, error) {
	router := state.Get[model.EdgeRouter](v, e.EdgeRouterID+e.TransitRouterID)
	if router == nil {
		return nil, fault.InvalidEnrollmentToken.New(nil)
	}
	switch {
	case r.ServerCSR == "":
		return nil, fault.MissingOrInvalidCSR.Errorf("invalid server CSR")
	case r.CertCSR == "":
		return nil, fault.MissingOrInvalidCSR.Errorf("invalid client CSR")
	}
	client, server, err := n.routerCertificates(router, r.CertCSR, r.ServerCSR)
	if err != nil {
		return nil, err
	}
	c := n.command(state.Author{ID: router.ID, Name: router.Name, Type: "router"}, "enrollErOtt", r.RemoteIP)
	if err := n.consume(ctx, e, patchRouter(c, router.ID, client)); err != nil {
		return nil, err
	}
	return &Result{Cert: pki.EncodeCertificates(client...), ServerCert: pki.EncodeCertificates(server...), CA: n.CA()}, nil
}

// asSeen has a command refused if the certificates of the router have been taken
// away, or changed, since it was looked at: a re-enrolment must not be undone.
func asSeen(c *state.Command, router *model.EdgeRouter) *state.Command {
	return c.Expect(model.KindEdgeRouter, router.ID, map[string]any{
		"fingerprint": router.Fingerprint, "unverifiedFingerprint": router.UnverifiedFingerprint,
	})
}

func patchRouter(c *state.Command, routerID string, chain []*x509.Certificate) *state.Command {
	return c.Patch(model.KindEdgeRouter, routerID, map[string]any{
		"isVerified": true, "fingerprint": pki.Fingerprint(chain[0]), "certPem": pki.EncodeCertificates(chain...),
		"unverifiedFingerprint": "", "unverifiedCertPem": "",
	})
}

// CA returns the network's CAs as the ecosystem sends them: PEM with an empty
// line before each certificate.
func (n *Enroller) CA() string {
	var text string
	for _, c := range n.deps.Bundle().Certificates() {
		text += "\n" + pki.EncodeCertificates(c)
	}
	return text
}

// routerCertificates signs both requests of a router.
func (n *Enroller) routerCertificates(router *model.EdgeRouter, certCSR, serverCSR string) (client, server []*x509.Certificate, err error) {
	creq, err := pki.ParseCSR([]byte(certCSR))
	if err != nil {
		return nil, nil, fault.CouldNotProcessCSR.New(err)
	}
	if !router.IsTransit && creq.Subject.CommonName != router.ID {
		return nil, nil, fault.CouldNotProcessCSR.Errorf("invalid client CSR").
			WithRemedy("make the request with the router id %s as common name", router.ID)
	}
	sreq, err := pki.ParseCSR([]byte(serverCSR))
	if err != nil {
		return nil, nil, fault.CouldNotProcessCSR.New(err)
	}
	leaf := n.routerLeaf(router.ID, creq, x509.ExtKeyUsageClientAuth)
	if client, err = n.deps.Signer().Issue(leaf, n.now()); err != nil {
		return nil, nil, fault.CouldNotProcessCSR.New(err)
	}
	leaf = n.routerLeaf(router.ID, sreq, x509.ExtKeyUsageServerAuth)
	leaf.DNSNames, leaf.IPAddresses = sreq.DNSNames, sreq.IPAddresses
	if server, err = n.deps.Signer().Issue(leaf, n.now()); err != nil {
		return nil, nil, fault.CouldNotProcessCSR.New(err)
	}
	return client, server, nil
}

// routerLeaf describes a certificate of a router. URIs and e-mail addresses of
// the request are dropped: the only SPIFFE id is the router's own.
func (n *Enroller) routerLeaf(routerID string, req *x509.CertificateRequest, usage x509.ExtKeyUsage) pki.Leaf {
	subject := req.Subject
	subject.CommonName, subject.SerialNumber = routerID, ""
	subject.Names, subject.ExtraNames = nil, nil
	return pki.Leaf{
		PublicKey:   req.PublicKey,
		Subject:     subject,
		URIs:        []*url.URL{pki.RouterSPIFFE(n.cfg.TrustDomain, routerID)},
		ExtKeyUsage: []x509.ExtKeyUsage{usage},
	}
}

// ExtendRouter renews the certificates of the router whose current certificate
// is the leaf of the TLS connection; the new one is in force at once. Refusals:
// fault.Unauthorized without such a certificate, fault.CouldNotProcessCSR.
func (n *Enroller) ExtendRouter(ctx context.Context, presented []*x509.Certificate, certCSR, serverCSR string) (*Result, error) {
	if _, err := pki.VerifyPeer(presented, n.deps.Bundle(), nil, n.now()); err != nil {
		return nil, fault.Unauthorized.New(nil)
	}
	router := state.FirstBy[model.EdgeRouter](n.deps.Store.View(), state.ByFingerprint, pki.Fingerprint(presented[0]))
	if router == nil {
		return nil, fault.Unauthorized.New(nil)
	}
	return n.RenewRouter(ctx, router.ID, certCSR, serverCSR)
}

// RenewRouter renews the certificates of a router that the caller has
// identified, for example by its control connection.
func (n *Enroller) RenewRouter(ctx context.Context, routerID, certCSR, serverCSR string) (*Result, error) {
	router := state.Get[model.EdgeRouter](n.deps.Store.View(), routerID)
	if router == nil {
		return nil, fault.NotFound.Errorf("router with id %s not found", routerID)
	}
	client, server, err := n.routerCertificates(router, certCSR, serverCSR)
	if err != nil {
		return nil, err
	}
	c := n.command(state.Author{ID: router.ID, Name: router.Name, Type: "router"}, "extendRouterEnrollment", "")
	if err := n.write(ctx, patchRouter(asSeen(c, router), router.ID, client)); err != nil {
		return nil, err
	}
	n.log.Info("router certificates renewed", "routerId", router.ID)
	return &Result{Cert: pki.EncodeCertificates(client...), ServerCert: pki.EncodeCertificates(server...)}, nil
}
