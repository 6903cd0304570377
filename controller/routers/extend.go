package routers

import (
	"context"
	"crypto/x509"

	"github.com/weftnet/weft/control"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/state"
	"github.com/weftnet/weft/wire/ctrl"
)

// Extender gives routers certificates for their next term.
type Extender interface {
	// Extend issues certificates for the keys of a router's requests. leaf is that
	// of its connection.
	Extend(ctx context.Context, routerID string, leaf *x509.Certificate, m *ctrl.Extend) *ctrl.Extended
	// ConfirmExtend makes issued certificates the router's.
	ConfirmExtend(ctx context.Context, routerID string, m *ctrl.ConfirmExtend) *ctrl.ExtendConfirmed
}

var notSupported = &ctrl.Refusal{Code: "NOT_SUPPORTED", Message: "this controller does not renew certificates", Remedy: "enroll the router again"}

// tooMany answers a router that asks again before it has an answer.
var tooMany = &ctrl.Refusal{Code: "TOO_BUSY", Message: "requests of this router wait already", Remedy: "wait for the answers"}

// HandleExtend is called by the session.
func (r *Registry) HandleExtend(s *control.ControllerEnd, m *ctrl.Extend, reply func(*ctrl.Extended)) {
	if r.cfg.Extender == nil {
		reply(&ctrl.Extended{Refusal: notSupported})
		return
	}
	if !r.aside(s.RouterID, func(ctx context.Context) { reply(r.cfg.Extender.Extend(ctx, s.RouterID, s.Peer().Leaf(), m)) }) {
		reply(&ctrl.Extended{Refusal: tooMany})
	}
}

// HandleConfirmExtend is called by the session.
func (r *Registry) HandleConfirmExtend(s *control.ControllerEnd, m *ctrl.ConfirmExtend, reply func(*ctrl.ExtendConfirmed)) {
	if r.cfg.Extender == nil {
		reply(&ctrl.ExtendConfirmed{Refusal: notSupported})
		return
	}
	r.expect(s, m.Cert)
	if !r.aside(s.RouterID, func(ctx context.Context) { reply(r.cfg.Extender.ConfirmExtend(ctx, s.RouterID, m)) }) {
		s.Close() // a refusal would mean that the certificate is not wanted
	}
}

// expect notes that a router is about to change its certificate, so that its
// session, which began with the former one, is not closed for it.
func (r *Registry) expect(s *control.ControllerEnd, certPEM string) {
	certs, err := pki.ParseCertificates([]byte(certPEM))
	if err != nil {
		return // the confirmation will be refused
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if at := r.of(s.RouterID); at.session == s {
		at.expected = pki.Fingerprint(certs[0])
	}
}

// proves reports whether a session with the certificate of at is still one of
// the router: it has the certificate in force, one that was offered and that the
// router has put in place before the controller heard of it, or the one before
// the certificate that it has just confirmed.
func (at *presence) proves(router *model.EdgeRouter) bool {
	return router.Fingerprint == at.fingerprint || router.UnverifiedFingerprint == at.fingerprint ||
		at.expected != "" && router.Fingerprint == at.expected
}

// routerOf returns the router with a certificate: the one in force, or the one
// that was offered to it last; nil if there is none.
func routerOf(v *state.View, fingerprint string) *model.EdgeRouter {
	if router := state.FirstBy[model.EdgeRouter](v, state.ByFingerprint, fingerprint); router != nil {
		return router
	}
	for router := range state.All[model.EdgeRouter](v) {
		if router.UnverifiedFingerprint == fingerprint {
			return router
		}
	}
	return nil
}
