package enroll

import (
	"context"
	"errors"
	"testing"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/state"
)

func TestExtendIdentity(t *testing.T) {
	b := newBench(t)
	ctx := context.Background()
	e := b.enrollment(&model.Enrollment{Method: model.MethodOtt, IdentityID: "alice"})
	res, err := b.Enroll(ctx, Request{Token: e.Token, ClientCSR: b.csr("x")})
	if err != nil {
		t.Fatal(err)
	}
	old := parse(t, res.Cert)
	var a *model.Authenticator
	for a = range state.All[model.Authenticator](b.store.View()) {
	}
	if err := b.VerifyExtension(ctx, "alice", a.ID, old, res.Cert); !errors.Is(err, fault.CanNotUpdateAuthenticator) {
		t.Errorf("verify before extend: %v", err)
	}
	if _, err := b.ExtendIdentity(ctx, "alice", a.ID, nil, b.csr("x")); !errors.Is(err, fault.Unauthorized) {
		t.Errorf("no certificate: %v", err)
	}
	if _, err := b.ExtendIdentity(ctx, "bob", a.ID, old, b.csr("x")); !errors.Is(err, fault.Unauthorized) {
		t.Errorf("another identity: %v", err)
	}
	if _, err := b.ExtendIdentity(ctx, "alice", "nosuch", old, b.csr("x")); !errors.Is(err, fault.NotFound) {
		t.Errorf("unknown: %v", err)
	}
	if _, err := b.ExtendIdentity(ctx, "alice", a.ID, old, "x"); !errors.Is(err, fault.CouldNotProcessCSR) {
		t.Errorf("bad request: %v", err)
	}
	b.apply(b.cmd().Patch(model.KindAuthenticator, a.ID, map[string]any{"isExtendRequested": true, "isKeyRollRequested": true}))
	ext, err := b.ExtendIdentity(ctx, "alice", a.ID, old, b.csr("x"))
	if err != nil {
		t.Fatal(err)
	}
	if got := state.Get[model.Authenticator](b.store.View(), a.ID); got.Fingerprint != pki.Fingerprint(old[0]) {
		t.Error("in force before it is verified")
	}
	if err := b.VerifyExtension(ctx, "alice", a.ID, old, res.Cert); !errors.Is(err, fault.InvalidClientCert) {
		t.Errorf("wrong certificate: %v", err)
	}
	if err := b.VerifyExtension(ctx, "alice", a.ID, old, ext.ClientCert); err != nil {
		t.Fatal(err)
	}
	got := state.Get[model.Authenticator](b.store.View(), a.ID)
	fresh := pki.Fingerprint(parse(t, ext.ClientCert)[0])
	if got.Fingerprint != fresh || got.IsExtendRequested || got.IsKeyRollRequested || !got.LastExtendRolledKeys ||
		got.UnverifiedFingerprint != "" || got.CertPem != ext.ClientCert {
		t.Errorf("authenticator %+v", got)
	}
	if b.replaced != (replaced{"alice", pki.Fingerprint(old[0]), fresh}) {
		t.Errorf("sessions were told %+v", b.replaced)
	}
}
