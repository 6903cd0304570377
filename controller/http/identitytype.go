package http

import (
	"time"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
)

// identityTypes are the two types, which are no entities of the state.
func (s *Server) identityTypes() (list, detail handler) {
	type kind struct {
		name string
		at   time.Time
	}
	shape := func(c *call, d *api.IdentityType, k *kind) {
		base(&d.Base, &model.Base{ID: k.name, CreatedAt: k.at, UpdatedAt: k.at}, s.links.identityType)
		d.Name = k.name
	}
	when := func(k *kind) time.Time { return k.at }
	name := func(k *kind) string { return k.name }
	l := &listing[kind, api.IdentityType]{shape: shape, table: newTable(nil, text("id", name), text("name", name),
		moment("createdAt", when), moment("updatedAt", when), flag("isSystem", func(*call, *kind) bool { return false }), tagColumn[kind]())}
	all := func(yield func(*kind) bool) {
		for _, n := range []string{model.IdentityDefault, model.IdentityRouter} {
			if !yield(&kind{n, s.cfg.StartedAt}) {
				return
			}
		}
	}
	list = func(c *call) error {
		p, err := l.page(c)
		if err != nil {
			return err
		}
		return l.answer(c, p, source[kind]{all, 2})
	}
	detail = func(c *call) error {
		for k := range all {
			if k.name == c.id() {
				var d api.IdentityType
				shape(c, &d, k)
				return c.detail(&d)
			}
		}
		return fault.NotFound.Errorf("identityType with id %s not found", c.id())
	}
	return list, detail
}
