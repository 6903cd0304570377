package http

import (
	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/controller/enroll"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/id"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/state"
)

type authenticatorEntity = entity[model.Authenticator, api.Authenticator, *model.Authenticator]

func (s *Server) authenticatorEntity() *authenticatorEntity {
	x := newEntity[model.Authenticator, api.Authenticator](s.links.authenticator, shapeAuthenticator)
	x.indexes["identity"], x.indexes["updbUsername"], x.indexes["certFingerprint"] = state.ByIdentity, state.ByUsername, state.ByFingerprint
	x.newID = id.Short
	x.before = s.beforeAuthenticator
	return x
}

func shapeAuthenticator(c *call, d *api.Authenticator, e *model.Authenticator) {
	base(&d.Base, &e.Base, c.s.links.authenticator)
	d.Links.Other = e.IdentityID
	d.IsSystem, d.Method = e.IsSystem, e.Method
	d.IdentityID, d.Identity = e.IdentityID, c.identityRef(e.IdentityID)
	if e.Method == model.MethodUpdb {
		d.Username = e.Username
		return
	}
	d.CertPem, d.Fingerprint, d.IsIssuedByNetwork = e.CertPem, e.Fingerprint, e.IsIssuedByNetwork
	d.IsExtendRequested, d.IsKeyRollRequested, d.ExtendRequestedAt = e.IsExtendRequested, e.IsKeyRollRequested, e.ExtendRequestedAt
	d.LastExtendRolledKeys, d.LastAuthResolvedToRoot = e.LastExtendRolledKeys, e.LastAuthResolvedToRoot
}

func (s *Server) beforeAuthenticator(w *change[model.Authenticator]) error {
	if in, ok := w.in.(*api.AuthenticatorCreate); ok {
		return s.newAuthenticator(w.c, w.e, in)
	}
	return s.changePassword(w, w.in.(*api.AuthenticatorInput))
}

// newAuthenticator checks and completes the authenticator of a create.
func (s *Server) newAuthenticator(c *call, e *model.Authenticator, in *api.AuthenticatorCreate) error {
	switch e.Method {
	case model.MethodUpdb:
		if e.Username == "" || in.Password == nil || *in.Password == "" {
			return fault.InvalidAuthenticatorProperties.Errorf("username and password are required for method updb")
		}
		e.CertPem = ""
		var err error
		e.PasswordHash, err = s.hashPassword(c, e.IdentityID, *in.Password)
		return err
	case model.MethodCert:
		if e.CertPem == "" {
			return fault.InvalidAuthenticatorProperties.Errorf("certPem is required for method cert")
		}
		e.Username = ""
		for other := range state.ByIndex[model.Authenticator](c.state, state.ByIdentity, e.IdentityID) {
			if other.Method == e.Method {
				return fault.MaxAuthenticatorMethodsReached.New(nil)
			}
		}
		return s.cfg.Enroller.NewCertAuthenticator(e)
	}
	return fault.CouldNotValidate.Field("method", "method must be updb or cert", e.Method)
}

// hashPassword returns the stored form of a password that the auth policy of its
// identity allows.
func (s *Server) hashPassword(c *call, identityID, password string) (string, error) {
	var rules model.AuthUpdb
	if i := state.Get[model.Identity](c.state, identityID); i != nil {
		if p := state.Get[model.AuthPolicy](c.state, i.AuthPolicyID); p != nil {
			rules = p.Primary.Updb
		}
	}
	if err := enroll.CheckPassword(rules, password); err != nil {
		return "", err
	}
	return s.cfg.Enroller.HashPassword(c.ctx, password)
}

// changePassword adds the hash of a new password to an update or patch.
func (s *Server) changePassword(w *change[model.Authenticator], in *api.AuthenticatorInput) error {
	if w.old.Method != model.MethodUpdb {
		return fault.CanNotUpdateAuthenticator.New(nil)
	}
	if in.Password == nil {
		return nil
	}
	hash, err := s.hashPassword(w.c, w.old.IdentityID, *in.Password)
	if err != nil {
		return err
	}
	if w.mode == api.Patch {
		w.fields["passwordHash"] = hash
		return nil
	}
	w.cmd.Patch(model.KindAuthenticator, w.old.ID, map[string]any{"passwordHash": hash})
	return nil
}

// reEnroll replaces an authenticator by an enrollment of the same method.
func (s *Server) reEnroll(c *call) error {
	e, err := s.authenticators.get(c, c.id())
	if err != nil {
		return err
	}
	n := &model.Enrollment{IdentityID: e.IdentityID, ExpiresAt: *c.body.(*api.ReEnroll).ExpiresAt, Method: model.MethodOtt}
	switch ca := s.authorityOf(c, e); {
	case e.Method == model.MethodUpdb:
		n.Method, n.Username = model.MethodUpdb, e.Username
	case ca != nil:
		n.Method, n.CaID = model.MethodOttCa, ca.ID
	}
	if err := checkExpiry(c, n); err != nil {
		return err
	}
	if err := s.cfg.Enroller.NewEnrollment(n); err != nil {
		return err
	}
	if err := c.propose(c.command().Delete(model.KindAuthenticator, e.ID).Create(n)); err != nil {
		return err
	}
	return c.created(s.links.enrollment, n.ID)
}

// authorityOf returns the third-party CA that issued the certificate of an
// authenticator, nil for one of the network's own.
func (s *Server) authorityOf(c *call, e *model.Authenticator) *model.CA {
	if e.Method != model.MethodCert || e.IsIssuedByNetwork {
		return nil
	}
	chain, err := pki.ParseCertificates([]byte(e.CertPem))
	if err != nil {
		return nil
	}
	ca, _ := s.authorities.Issuer(c.state, chain, s.cfg.Now(), func(*model.CA) bool { return true })
	return ca
}

// requestExtend marks a certificate so that its client is asked to renew it.
func (s *Server) requestExtend(c *call) error {
	e, err := s.authenticators.get(c, c.id())
	if err != nil {
		return err
	}
	if e.Method != model.MethodCert {
		return fault.CanNotUpdateAuthenticator.New(nil)
	}
	roll := c.body.(*api.RequestExtend).RollKeys
	if err := c.propose(c.command().Patch(model.KindAuthenticator, e.ID, map[string]any{"isExtendRequested": true,
		"isKeyRollRequested": roll != nil && *roll, "extendRequestedAt": s.cfg.Now().UTC()})); err != nil {
		return err
	}
	return c.done()
}

// own returns the caller's authenticator of the path.
func (s *Server) own(c *call) (*model.Authenticator, error) {
	e := state.Get[model.Authenticator](c.state, c.id())
	if e == nil || e.IdentityID != c.caller.IdentityID {
		return nil, fault.NotFound.Errorf("authenticator with id %s not found", c.id())
	}
	return e, nil
}

func (s *Server) ownAuthenticators() (list, detail handler) {
	x := *s.authenticators
	x.shape = func(c *call, d *api.Authenticator, e *model.Authenticator) {
		shapeAuthenticator(c, d, e)
		d.Links = api.Links{Set: s.links.ownAuthenticator, ID: e.ID}
	}
	list = func(c *call) error {
		p, err := x.page(c)
		if err != nil {
			return err
		}
		return x.answer(c, p, source[model.Authenticator]{state.ByIndex[model.Authenticator](c.state, state.ByIdentity, c.caller.IdentityID), -1})
	}
	detail = func(c *call) error {
		e, err := s.own(c)
		if err != nil {
			return err
		}
		return x.show(c, e)
	}
	return list, detail
}

// changeOwn handles PUT and PATCH of the caller's own authenticator.
func (s *Server) changeOwn(c *call) error {
	e, err := s.own(c)
	if err != nil {
		return err
	}
	in := c.body.(*api.OwnAuthenticatorInput)
	if e.Method != model.MethodUpdb {
		return fault.CanNotUpdateAuthenticator.New(nil)
	}
	ok, err := s.cfg.Enroller.CheckPassword(c.ctx, e.PasswordHash, *in.CurrentPassword)
	if err != nil {
		return err
	}
	if !ok {
		return fault.Unauthorized.Field("currentPassword", "current password does not match", nil)
	}
	fields := map[string]any{}
	if in.Username != nil {
		fields["username"] = *in.Username
	}
	if in.Tags != nil {
		fields["tags"] = in.Tags
	}
	if in.Password != nil {
		if fields["passwordHash"], err = s.hashPassword(c, e.IdentityID, *in.Password); err != nil {
			return err
		}
	}
	if err := c.propose(c.command().Patch(model.KindAuthenticator, e.ID, fields)); err != nil {
		return err
	}
	return c.done()
}

func (s *Server) extendOwn(c *call) error {
	e, err := s.own(c)
	if err != nil {
		return err
	}
	out, err := s.cfg.Enroller.ExtendIdentity(c.ctx, peerCerts(c.r), c.caller.IdentityID, e.ID, *c.body.(*api.ExtendIdentity).ClientCertCSR)
	if err != nil {
		return err
	}
	return c.detail(out)
}

func (s *Server) verifyOwn(c *call) error {
	e, err := s.own(c)
	if err != nil {
		return err
	}
	if err := s.cfg.Enroller.VerifyExtension(c.ctx, peerCerts(c.r), c.caller.IdentityID, e.ID, *c.body.(*api.ExtendVerify).ClientCert); err != nil {
		return err
	}
	return c.done()
}
