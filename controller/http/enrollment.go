package http

import (
	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/controller/enroll"
	"github.com/weftnet/weft/controller/extjwt"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/id"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/model/query"
	"github.com/weftnet/weft/state"
)

type enrollmentEntity = entity[model.Enrollment, api.Enrollment, *model.Enrollment]

func (s *Server) enrollmentEntity() *enrollmentEntity {
	token := column[model.Enrollment]{Field: query.Field{Name: "token", Type: query.String}, value: func(c *call, e *model.Enrollment) query.Value {
		if !c.maySeeToken(e) {
			return query.Value{}
		}
		return query.StringOf(e.Token)
	}}
	x := newEntity[model.Enrollment, api.Enrollment](s.links.enrollment, shapeEnrollment, token)
	x.indexes["identity"], x.indexes["token"] = state.ByIdentity, state.ByToken
	x.indexes["edgeRouter"], x.indexes["transitRouter"] = state.ByRouter, state.ByRouter
	x.newID = id.Short
	x.permit = func(c *call, old *model.Enrollment, in any) error {
		if old != nil {
			return c.guardID(old.IdentityID)
		}
		return c.guardID(*in.(*api.EnrollmentCreate).IdentityID)
	}
	x.before = func(w *change[model.Enrollment]) error {
		if err := checkExpiry(w.c, w.e); err != nil {
			return err
		}
		if w.c.state.Get(model.KindIdentity, w.e.IdentityID) == nil {
			return fault.InvalidField.Field("identityId", "identity not found", w.e.IdentityID)
		}
		if err := checkEnrollment(w.c, w.e); err != nil {
			return err
		}
		return s.cfg.Enroller.NewEnrollment(w.e)
	}
	return x
}

// checkEnrollment judges what an enrollment of an identity needs beside it.
func checkEnrollment(c *call, n *model.Enrollment) error {
	switch {
	case n.Method == model.MethodOttCa && n.CaID == "":
		return fault.InvalidField.Field("caId", "caId is required for method ottca", nil)
	case n.Method == model.MethodOttCa && c.state.Get(model.KindCA, n.CaID) == nil:
		return fault.InvalidField.Field("caId", "CA not found", n.CaID)
	case n.Method == model.MethodUpdb && n.Username == "":
		return fault.InvalidField.Field("username", "username is required for method updb", nil)
	case n.Method == model.MethodUpdb:
		if a := state.FirstBy[model.Authenticator](c.state, state.ByUsername, n.Username); a != nil && a.IdentityID != n.IdentityID {
			return fault.CouldNotValidate.Field("username", "duplicate value '"+n.Username+"' in unique index on authenticators store", n.Username)
		}
	}
	return nil
}

func checkExpiry(c *call, n *model.Enrollment) error {
	if !n.ExpiresAt.After(c.s.cfg.Now()) {
		return fault.InvalidField.Field("expiresAt", "expiresAt must be in the future", n.ExpiresAt)
	}
	return nil
}

func shapeEnrollment(c *call, d *api.Enrollment, e *model.Enrollment) {
	base(&d.Base, &e.Base, c.s.links.enrollment)
	d.IsSystem, d.CaID = e.IsSystem, optional(e.CaID)
	d.ExpiresAt, d.JWT, d.Method, d.Token, d.Username = e.ExpiresAt, e.JWT, e.Method, e.Token, e.Username
	d.IdentityID, d.EdgeRouterID, d.TransitRouterID = e.IdentityID, e.EdgeRouterID, e.TransitRouterID
	if !c.maySeeToken(e) {
		d.JWT, d.Token = "", ""
	}
	if e.IdentityID != "" {
		r := c.identityRef(e.IdentityID)
		d.Identity = &r
	}
	if e.EdgeRouterID != "" {
		r := c.ref(c.s.links.edgeRouter, model.KindEdgeRouter, e.EdgeRouterID)
		d.EdgeRouter = &r
	}
	if e.TransitRouterID != "" {
		r := c.ref(c.s.links.transitRouter, model.KindEdgeRouter, e.TransitRouterID)
		d.TransitRouter = &r
	}
}

// refresh gives an enrollment a new token and expiry; the old token is void.
func (s *Server) refresh(c *call) error {
	old, err := s.enrollments.get(c, c.id())
	if err != nil {
		return err
	}
	if err := c.guardID(old.IdentityID); err != nil {
		return err
	}
	if old.JWT == "" {
		return fault.InvalidEnrollMethod.New(nil)
	}
	e := *old
	e.Token, e.JWT, e.ExpiresAt = "", "", *c.body.(*api.EnrollmentRefresh).ExpiresAt
	if err := checkExpiry(c, &e); err != nil {
		return err
	}
	if err := s.cfg.Enroller.NewEnrollment(&e); err != nil {
		return err
	}
	e.ID = old.ID
	if err := c.propose(c.command().PatchFrom(&e, "token", "jwt", "expiresAt", "issuedAt")); err != nil {
		return err
	}
	return c.done()
}

// enroll handles POST /enroll: a JSON body, or a PEM certificate request.
func (s *Server) enroll(c *call) error {
	q := c.r.URL.Query()
	in := EnrollRequest{Method: q.Get("method"), Token: q.Get("token")}
	if body, ok := c.body.(*api.GenericEnroll); ok && body != nil {
		in.Body = *body
	} else if len(c.raw) > 0 {
		if c.r.Header.Get("Content-Type") == "" && in.Method != "ca" {
			return fault.UnsupportedMediaType.Field("Content-Type", "a content type is required with a body", "")
		}
		csr := string(c.raw)
		in.Body.ClientCSR = &csr
	}
	return s.enrollWith(c, in)
}

// enrollToken handles the enrollments whose method is part of the path and
// whose token is part of the body.
func (s *Server) enrollToken(method string) handler {
	return func(c *call) error {
		body := c.body.(*api.TokenEnroll)
		in := EnrollRequest{Method: method, Body: api.GenericEnroll{ClientCSR: body.ClientCSR, CertCSR: body.ClientCSR, ServerCertCSR: body.ServerCSR}}
		if body.Token != nil {
			in.Token = *body.Token
		}
		return s.enrollWith(c, in)
	}
}

// enrollCa handles the enrollment by the certificate of the connection.
func (s *Server) enrollCa(c *call) error {
	in := EnrollRequest{Method: enroll.MethodCa}
	if body, ok := c.body.(*api.CaEnroll); ok && body != nil {
		in.Body.Name = body.Name
	}
	return s.enrollWith(c, in)
}

// enrollByToken handles the enrollment by a token of an external signer.
func (s *Server) enrollByToken(c *call) error {
	in := EnrollRequest{Method: enroll.MethodToken}
	if body, ok := c.body.(*api.SignerEnroll); ok && body != nil {
		in.Body.ClientCSR = body.ClientCSR
	}
	return s.enrollWith(c, in)
}

func (s *Server) enrollUpdb(c *call) error {
	body := c.body.(*api.UpdbEnroll)
	return s.enrollWith(c, EnrollRequest{Method: model.MethodUpdb, Token: c.r.URL.Query().Get("token"),
		Body: api.GenericEnroll{Username: body.Username, Password: body.Password}})
}

func (s *Server) enrollWith(c *call, in EnrollRequest) error {
	in.PeerCerts, in.RemoteAddr = peerCerts(c.r), c.r.RemoteAddr
	if in.Method == enroll.MethodToken {
		in.Bearers, in.SignerID = extjwt.Bearers(c.r.Header), c.r.Header.Get(api.HeaderTokenIssuer)
	}
	out, err := s.cfg.Enroller.Enroll(c.ctx, in)
	if err != nil {
		return err
	}
	return c.detail(out)
}

func (s *Server) extendRouter(c *call) error {
	out, err := s.cfg.Enroller.ExtendRouter(c.ctx, peerCerts(c.r), *c.body.(*api.ExtendRouter))
	if err != nil {
		return err
	}
	return c.detail(out)
}
