package http

import (
	"slices"
	"strings"
	"time"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
)

// certificates handles the certificates of the caller's session.
func (s *Server) certificates() (list, create, detail, remove handler) {
	type cert = SessionCertificate
	shape := func(c *call, d *api.SessionCertificate, e *cert) {
		base(&d.Base, &model.Base{ID: e.ID, CreatedAt: e.CreatedAt, UpdatedAt: e.CreatedAt}, s.links.sessionCertificate)
		d.Certificate, d.Fingerprint, d.Subject, d.ValidFrom, d.ValidTo = e.Certificate, e.Fingerprint, e.Subject, e.ValidFrom, e.ValidTo
	}
	l := &listing[cert, api.SessionCertificate]{shape: shape, table: newTable(nil,
		text("id", func(e *cert) string { return e.ID }), text("apiSession", func(e *cert) string { return e.SessionID }),
		text("subject", func(e *cert) string { return e.Subject }), text("fingerprint", func(e *cert) string { return e.Fingerprint }),
		moment("createdAt", func(e *cert) time.Time { return e.CreatedAt }), moment("updatedAt", func(e *cert) time.Time { return e.CreatedAt }),
		flag("isSystem", func(*call, *cert) bool { return false }), tagColumn[cert]())}
	list = func(c *call) error {
		p, err := l.page(c)
		if err != nil {
			return err
		}
		all := s.cfg.Sessions.Certificates(c.caller.SessionID)
		slices.SortFunc(all, func(a, b cert) int { return strings.Compare(a.ID, b.ID) })
		return l.answer(c, p, source[cert]{func(yield func(*cert) bool) {
			for i := range all {
				if !yield(&all[i]) {
					return
				}
			}
		}, len(all)})
	}
	create = func(c *call) error {
		e, anchors, err := s.cfg.Sessions.IssueCertificate(c.ctx, c.caller, *c.body.(*api.SessionCertificateCreate).CSR)
		if err != nil {
			return err
		}
		return c.detail(&api.SessionCertificateCreated{Created: api.Created{Links: api.Links{Set: s.links.sessionCertificate, ID: e.ID}, ID: e.ID},
			Cas: anchors, Certificate: e.Certificate})
	}
	detail = func(c *call) error {
		for _, e := range s.cfg.Sessions.Certificates(c.caller.SessionID) {
			if e.ID == c.id() {
				var d api.SessionCertificate
				shape(c, &d, &e)
				return c.detail(&d)
			}
		}
		return fault.NotFound.Errorf("apiSessionCertificate with id %s not found", c.id())
	}
	remove = func(c *call) error {
		if err := s.cfg.Sessions.RemoveCertificate(c.ctx, c.caller.SessionID, c.id()); err != nil {
			return err
		}
		return c.done()
	}
	return list, create, detail, remove
}
