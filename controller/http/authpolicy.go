package http

import (
	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

type (
	authPolicyEntity = entity[model.AuthPolicy, api.AuthPolicy, *model.AuthPolicy]
	revocationEntity = entity[model.Revocation, api.Revocation, *model.Revocation]
	controllerEntity = entity[model.Controller, api.Controller, *model.Controller]
)

func (s *Server) authPolicyEntity() *authPolicyEntity {
	x := newEntity[model.AuthPolicy, api.AuthPolicy](s.links.authPolicy, shapeAuthPolicy)
	x.permit = guardAuthPolicy
	return x
}

func shapeAuthPolicy(c *call, d *api.AuthPolicy, e *model.AuthPolicy) {
	base(&d.Base, &e.Base, c.s.links.authPolicy)
	d.IsSystem, d.Name = e.IsSystem, e.Name
	p, u := e.Primary, e.Primary.Updb
	d.Primary.Cert = api.AuthCert{AllowExpiredCerts: p.Cert.AllowExpiredCerts, Allowed: p.Cert.Allowed}
	d.Primary.ExtJwt = api.AuthExtJwt(p.ExtJwt)
	d.Primary.Updb = api.AuthUpdb{Allowed: u.Allowed, LockoutDurationMinutes: u.LockoutDurationMinutes, MaxAttempts: u.MaxAttempts,
		MinPasswordLength: u.MinPasswordLength, RequireMixedCase: u.RequireMixedCase, RequireNumberChar: u.RequireNumberChar, RequireSpecialChar: u.RequireSpecialChar}
	d.Secondary = api.AuthSecondary{RequireExtJwtSigner: e.Secondary.RequireExtJwtSigner, RequireTotp: e.Secondary.RequireTotp}
}

func (s *Server) revocationEntity() *revocationEntity {
	x := newEntity[model.Revocation, api.Revocation](s.links.revocation, func(c *call, d *api.Revocation, e *model.Revocation) {
		base(&d.Base, &e.Base, c.s.links.revocation)
		d.IsSystem, d.ExpiresAt, d.Type = e.IsSystem, e.ExpiresAt, e.Type
	})
	x.before = func(w *change[model.Revocation]) error {
		in := w.in.(*api.RevocationCreate)
		w.e.ID = *in.ID
		now := w.c.s.cfg.Now().UTC()
		w.e.ExpiresAt = now.Add(w.c.s.cfg.RevokeFor)
		switch w.e.Type {
		case model.RevokeJTI:
			if !isUUID(w.e.ID) {
				return fault.CouldNotValidate.Field("id", "id must be a UUID for type JTI", w.e.ID)
			}
		case model.RevokeIdentity:
			if state.Get[model.Identity](w.c.state, w.e.ID) == nil {
				return fault.NotFound.Errorf("identity with id %s not found", w.e.ID)
			}
			w.e.IssuedBefore = &now
		}
		return nil
	}
	return x
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i, c := range s {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		hex := c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
		if dash != (c == '-') || !dash && !hex {
			return false
		}
	}
	return true
}

func (s *Server) controllerEntity() *controllerEntity {
	return newEntity[model.Controller, api.Controller](s.links.controller, func(c *call, d *api.Controller, e *model.Controller) {
		base(&d.Base, &e.Base, c.s.links.controller)
		d.IsSystem, d.CertPem, d.CtrlAddress, d.Fingerprint = e.IsSystem, e.CertPem, optional(e.CtrlAddress), e.Fingerprint
		d.IsOnline, d.IsPreferredLeader, d.LastJoinedAt, d.Name = e.IsOnline, e.IsPreferredLeader, e.LastJoinedAt, e.Name
		d.APIAddresses = make(map[string][]api.APIAddress, len(e.APIAddresses))
		for binding, addresses := range e.APIAddresses {
			for _, a := range addresses {
				d.APIAddresses[binding] = append(d.APIAddresses[binding], api.APIAddress(a))
			}
		}
	})
}
