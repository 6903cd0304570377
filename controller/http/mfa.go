package http

import (
	"context"
	"net/http"
	"strings"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

// Factors are the one-time codes of identities. Every call is made for an API
// session; the commands are those of the caller, completed and written by the
// callee. Refusals are those of the catalogue.
type Factors interface {
	StartMFA(ctx context.Context, sessionID string, cmd *state.Command) (id string, err error)
	VerifyMFA(ctx context.Context, sessionID string, cmd *state.Command, code string) error
	RemoveMFA(ctx context.Context, sessionID string, cmd *state.Command, code string) error
	RecoveryCodes(ctx context.Context, sessionID, code string) (*model.MFA, error)
	RenewRecoveryCodes(ctx context.Context, sessionID string, cmd *state.Command, code string) error
	AnswerMFA(ctx context.Context, sessionID string, cmd *state.Command, code string) error
	// ProvisioningURL and ProvisioningImage, a PNG, contain the secret.
	ProvisioningURL(m *model.MFA) string
	ProvisioningImage(m *model.MFA) ([]byte, error)
}

// mfaHandlers adds what both APIs offer about one-time codes.
func (s *Server) mfaHandlers(h handlers) {
	h["authenticateMfa"] = s.withCode(func(c *call, code string) error {
		return s.cfg.Factors.AnswerMFA(c.ctx, c.caller.SessionID, c.command(), code)
	})
	h["detailMfa"], h["enrollMfa"], h["detailMfaQrCode"] = s.showMFA, s.startMFA, s.showQRCode
	h["verifyMfa"] = s.withCode(func(c *call, code string) error {
		return s.cfg.Factors.VerifyMFA(c.ctx, c.caller.SessionID, c.command(), code)
	})
	h["deleteMfa"] = s.withCode(func(c *call, code string) error {
		return s.cfg.Factors.RemoveMFA(c.ctx, c.caller.SessionID, c.command(), code)
	})
	h["createMfaRecoveryCodes"] = s.withCode(func(c *call, code string) error {
		return s.cfg.Factors.RenewRecoveryCodes(c.ctx, c.caller.SessionID, c.command(), code)
	})
	h["detailMfaRecoveryCodes"], h["createTotpToken"] = s.showRecoveryCodes, s.totpToken
}

// withCode makes the handler of an operation that does something with a code.
func (s *Server) withCode(do func(c *call, code string) error) handler {
	return func(c *call) error {
		if err := do(c, c.code()); err != nil {
			return err
		}
		return c.done()
	}
}

// code returns the code of a request: of its body, else of its header.
func (c *call) code() string {
	if in, ok := c.body.(*api.MFACode); ok && in != nil && in.Code != nil {
		return *in.Code
	}
	return c.r.Header.Get(api.HeaderMFACode)
}

// ownMFA returns the caller's enrolment.
func (c *call) ownMFA() (*model.MFA, error) {
	m := state.FirstBy[model.MFA](c.state, state.ByIdentity, c.caller.IdentityID)
	if m == nil {
		return nil, fault.NotFound.New(nil)
	}
	return m, nil
}

func (s *Server) startMFA(c *call) error {
	id, err := s.cfg.Factors.StartMFA(c.ctx, c.caller.SessionID, c.command())
	if err != nil {
		return err
	}
	return c.detail(&api.Created{Links: api.Links{Set: s.links.mfaCreated}, ID: id})
}

func (s *Server) showMFA(c *call) error {
	m, err := c.ownMFA()
	if err != nil {
		return err
	}
	d := api.MFA{IsVerified: m.IsVerified}
	if m.IsVerified {
		mfaBase(&d.Base, m, s.links.mfaVerified)
		return c.detail(&d)
	}
	mfaBase(&d.Base, m, s.links.mfaUnverified)
	d.ProvisioningURL, d.RecoveryCodes = s.cfg.Factors.ProvisioningURL(m), m.RecoveryCodes
	return c.secret(&d)
}

func (s *Server) showQRCode(c *call) error {
	m, err := c.ownMFA()
	if err != nil {
		return err
	}
	if m.IsVerified {
		return fault.NotFound.New(nil)
	}
	image, err := s.cfg.Factors.ProvisioningImage(m)
	if err != nil {
		return fault.Unhandled.New(err)
	}
	h := c.w.Header()
	h["Content-Type"], h["Cache-Control"] = []string{"image/png"}, []string{"no-store"}
	c.out = append(c.out[:0], image...)
	c.send(http.StatusOK)
	return nil
}

func (s *Server) showRecoveryCodes(c *call) error {
	m, err := s.cfg.Factors.RecoveryCodes(c.ctx, c.caller.SessionID, c.code())
	if err != nil {
		return err
	}
	d := api.MFARecoveryCodes{RecoveryCodes: m.RecoveryCodes}
	mfaBase(&d.Base, m, s.links.mfaVerified)
	return c.secret(&d)
}

// secret answers with something that nobody on the way may keep.
func (c *call) secret(ptr any) error {
	c.w.Header()["Cache-Control"] = []string{"no-store"}
	return c.detail(ptr)
}

// totpToken handles the request for a token that proves a code to routers: only
// sessions whose token is a JWT have a use for it.
func (s *Server) totpToken(*call) error {
	return fault.InvalidBackingTokenType.Errorf("the session's token is no JWT; routers learn of its codes from the controller")
}

// removeMFA takes one-time codes from an identity, whether there are any or not.
func (s *Server) removeMFA(c *call) error {
	e, err := s.identities.get(c, c.id())
	if err != nil {
		return err
	}
	if err := permitIdentity(c, e, nil); err != nil {
		return err
	}
	m := state.FirstBy[model.MFA](c.state, state.ByIdentity, e.ID)
	if m == nil {
		return c.done()
	}
	if err := c.propose(c.command().Remove(model.KindMFA, m.ID)); err != nil {
		return err
	}
	return c.done()
}

// mfaLinks makes the relations of enrolments, which have no id in their paths.
func (l *linkSets) mfaLinks() {
	const own = "current-identity/mfa"
	set := func(more ...string) *api.LinkSet {
		s := &api.LinkSet{Plural: own, Fixed: []api.Relation{{Name: "current-identity", Href: "./current-identity"}}}
		for _, m := range more {
			name, path, ok := strings.Cut(m, "=")
			if !ok {
				path = name
			}
			s.Fixed = append(s.Fixed, api.Relation{Name: name, Href: "./" + own + "/" + path})
		}
		return s
	}
	l.mfaCreated = &api.LinkSet{Plural: own}
	l.mfaUnverified, l.mfaVerified = set("qr=qr-code", "verify"), set("recovery-codes")
}

func mfaBase(d *api.Base, m *model.MFA, links *api.LinkSet) {
	base(d, &m.Base, links)
	d.Links.ID = ""
}
