package state

import (
	"slices"
	"testing"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
)

// withChecks is populated with an authority, two posture checks and a signer.
func withChecks(t testing.TB) *world {
	w := populated(t)
	w.must(w.command().
		Create(with("ca", &model.CA{Name: "ca", CertPem: "PEM", Fingerprint: "cafe", VerificationToken: "token"})).
		Create(with("pc", &model.PostureCheck{Name: "pc", TypeID: model.PostureMAC, MacAddresses: []string{"AA:BB"}, RoleAttributes: []string{"x"}})).
		Create(with("os", &model.PostureCheck{Name: "os", TypeID: model.PostureOS, OperatingSystems: []model.OperatingSystem{{Type: "Linux"}}})).
		Create(with("js", &model.ExternalJwtSigner{Name: "js", Issuer: "iss", JwksEndpoint: ptr("https://idp/keys"), Kid: ptr("k")})).
		Create(with("n3", &model.Enrollment{Method: model.MethodOttCa, Token: "tok3", IdentityID: "i1", CaID: "ca"})).
		Patch(model.KindServicePolicy, "p1", map[string]any{"postureCheckRoles": []string{"@pc", "#x"}}))
	return w
}

func TestDeletesOfChecks(t *testing.T) {
	w := withChecks(t)
	w.must(w.command().Delete(model.KindCA, "ca"))
	if Get[model.Enrollment](w.View(), "n3") != nil || Get[model.Enrollment](w.View(), "n1") == nil {
		t.Error("a deleted CA takes its enrollments with it, and no others")
	}
	w.must(w.command().Delete(model.KindPostureCheck, "pc"))
	if p := Get[model.ServicePolicy](w.View(), "p1"); !slices.Equal(p.PostureCheckRoles, []string{"#x"}) {
		t.Errorf("roles %v", p.PostureCheckRoles)
	}
}

func TestPostureCheckVersionAndType(t *testing.T) {
	w := withChecks(t)
	w.must(w.command().Patch(model.KindPostureCheck, "pc", map[string]any{"macAddresses": []string{"CC-DD"}, "domains": []string{"ignored"}}))
	p := Get[model.PostureCheck](w.View(), "pc")
	if p.Version != 2 || !slices.Equal(p.MacAddresses, []string{"ccdd"}) || p.Domains != nil {
		t.Errorf("%+v", p)
	}
	if f, _ := fieldOf(t, w.refused(w.command().Patch(model.KindPostureCheck, "pc", map[string]any{"typeId": "MFA"}))); f != "typeId" {
		t.Error(f)
	}
}

func TestRefusalsOfChecks(t *testing.T) {
	w := withChecks(t)
	w.must(w.command().Create(with("ap2", &model.AuthPolicy{Name: "p2", Primary: model.AuthPrimary{ExtJwt: model.AuthExtJwt{AllowedSigners: []string{"js"}}}})))
	signer := func(id string, change func(s *model.ExternalJwtSigner)) *model.ExternalJwtSigner {
		s := with(id, &model.ExternalJwtSigner{Name: id, Issuer: id, JwksEndpoint: ptr("https://idp/keys")})
		change(s)
		return s
	}
	for name, tt := range map[string]struct {
		build         func(c *Command)
		kind          *fault.Kind
		field, reason string
	}{
		"CA certificate": {func(c *Command) { c.Create(with("x", &model.CA{Name: "x", CertPem: "PEM", Fingerprint: "cafe"})) }, fault.CouldNotValidate, "certPem", "certificate already used as CA ca"},
		"issuer": {func(c *Command) { c.Create(signer("x", func(s *model.ExternalJwtSigner) { s.Issuer = "iss" })) }, fault.CouldNotValidate, "issuer",
			"duplicate value 'iss' in unique index on externalJwtSigners store"},
		"kid": {func(c *Command) { c.Create(signer("x", func(s *model.ExternalJwtSigner) { s.Kid = ptr("k") })) }, fault.CouldNotValidate, "kid",
			"duplicate value 'k' in unique index on externalJwtSigners store"},
		"name of a posture check": {func(c *Command) {
			c.Create(with("x", &model.PostureCheck{Name: "pc", TypeID: model.PostureMFA}))
		}, fault.CouldNotValidate, "name", "name must be unique"},
		"signer in a policy": {func(c *Command) { c.Delete(model.KindExternalJwtSigner, "js") }, fault.CanNotDeleteReferencedEntity, "primary.extJwt.allowedSigners",
			"entity type externalJwtSigner referenced by authPolicy: [ap2]"},
		"policy of a signer": {func(c *Command) { c.Delete(model.KindAuthPolicy, "default") }, fault.CanNotDeleteReferencedEntity, "enrollAuthPolicyId",
			"entity type authPolicy referenced by externalJwtSigner: [js]"},
		"unknown signer": {func(c *Command) {
			c.Patch(model.KindAuthPolicy, "ap", map[string]any{"primary.extJwt.allowedSigners": []string{"nope"}})
		}, fault.NotFound, "primary.extJwt.allowedExtJwtSigners[0]", "not found"},
		"unknown check": {func(c *Command) {
			c.Patch(model.KindServicePolicy, "p1", map[string]any{"postureCheckRoles": []string{"@nope"}})
		}, fault.CouldNotValidate, "postureCheckRoles", "no postureChecks found with the given ids"},
		"unknown CA": {func(c *Command) {
			c.Create(with("x", &model.Enrollment{Method: model.MethodOttCa, Token: "t", IdentityID: "i2", CaID: "nope"}))
		}, fault.CouldNotValidate, "caId", "CA not found"},
	} {
		t.Run(name, func(t *testing.T) {
			w.t = t
			c := w.command()
			tt.build(c)
			err := w.refused(c)
			if f, r := fieldOf(t, err); err.Kind != tt.kind || f != tt.field || r != tt.reason {
				t.Errorf("%s %q %q", err.Kind.Code, f, r)
			}
		})
	}
}
