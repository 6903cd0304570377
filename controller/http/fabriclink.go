package http

import (
	"slices"
	"time"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model/query"
)

func whole[T any](name string, get func(e *T) int64) column[T] {
	return column[T]{Field: query.Field{Name: name, Type: query.Int}, value: func(_ *call, e *T) query.Value { return query.IntOf(get(e)) }}
}

// linkList is the list of links, which does not name its filterable fields.
func linkList() *listing[Link, api.FabricLink] {
	return &listing[Link, api.FabricLink]{shape: shapeLink, unnamed: true, table: newTable(nil,
		text("id", func(e *Link) string { return e.ID }), text("protocol", func(e *Link) string { return e.Protocol }),
		text("dialAddress", func(e *Link) string { return e.Address }), text("state", func(e *Link) string { return e.State }),
		text("sourceRouter", func(e *Link) string { return e.DialerID }), text("destRouter", func(e *Link) string { return e.AcceptorID }),
		whole("cost", func(e *Link) int64 { return e.Cost }), whole("staticCost", func(e *Link) int64 { return e.StaticCost }),
		whole("sourceLatency", func(e *Link) int64 { return int64(e.DialerLatency) }), whole("destLatency", func(e *Link) int64 { return int64(e.AcceptorLatency) }),
		whole("iteration", func(e *Link) int64 { return e.Iteration }), flag("down", func(_ *call, e *Link) bool { return e.Down }))}
}

func shapeLink(c *call, d *api.FabricLink, e *Link) {
	*d = api.FabricLink{Connections: e.Connections, Cost: e.Cost, DestLatency: int64(e.AcceptorLatency), DestRouter: c.fabricRouterRef(e.AcceptorID),
		Down: e.Down, ID: e.ID, Iteration: e.Iteration, Protocol: e.Protocol, SourceLatency: int64(e.DialerLatency), SourceRouter: c.fabricRouterRef(e.DialerID),
		State: e.State, StaticCost: e.StaticCost, Address: e.Address, Since: moments(e.Since)}
}

// moments is nil for the zero time.
func moments(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// fabricLinks handles links, which routers make and this controller knows.
func (s *Server) fabricLinks() (list, detail, patch, remove handler) {
	l := linkList()
	unknown := func(id string) error { return fault.NotFound.Errorf("link with id %s not found", id) }
	list = func(c *call) error {
		p, err := l.page(c)
		if err != nil {
			return err
		}
		all := s.cfg.Mesh.Links()
		each := inOrder(slices.Values(all), func(e *Link) string { return e.ID })
		return l.answer(c, p, source[Link]{each, len(all)})
	}
	detail = func(c *call) error {
		e := s.cfg.Mesh.Link(c.id())
		if e == nil {
			return unknown(c.id())
		}
		var d api.FabricLink
		shapeLink(c, &d, e)
		return c.detail(&d)
	}
	patch = func(c *call) error {
		in := c.body.(*api.FabricLinkInput)
		if !s.cfg.Mesh.ChangeLink(c.id(), in.StaticCost, in.Down) {
			return unknown(c.id())
		}
		s.log.Info("link changed", "link", c.id(), "staticCost", number(in.StaticCost), "down", number(in.Down), "by", c.caller.IdentityID)
		return c.done()
	}
	remove = func(c *call) error { // one that is gone already is as good as removed
		if s.cfg.Mesh.RemoveLink(c.id(), "closed by an operator") {
			s.log.Info("link closed", "link", c.id(), "by", c.caller.IdentityID)
		}
		return c.done()
	}
	return list, detail, patch, remove
}

// number is what stands behind a pointer, nil if nothing does.
func number[T any](v *T) any {
	if v == nil {
		return nil
	}
	return *v
}
