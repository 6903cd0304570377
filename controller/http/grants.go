package http

import (
	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/model/query"
	"github.com/weftnet/weft/policy"
)

// grant is one row of who can and what can.
type grant struct {
	id, name string
	action   policy.Action
	pair     [2]string // identity and service
}

// grants declares both lists; set is that of the entities in the rows.
func (s *Server) grants(set *api.LinkSet) *listing[grant, api.Grant] {
	return &listing[grant, api.Grant]{
		table: newTable(nil, text("id", func(e *grant) string { return e.id }), text("name", func(e *grant) string { return e.name }),
			text("type", func(e *grant) string { return e.action.String() })),
		shape: func(c *call, d *api.Grant, e *grant) {
			d.ID, d.Name, d.Type = e.id, e.name, e.action.String()
			d.Entity = api.Ref{Links: api.Links{Set: set, ID: e.id}, Entity: set.Plural, ID: e.id, Name: e.name}
			if set == s.links.identity {
				d.Entity = c.identityRef(e.id)
			}
			for _, p := range c.policy.Granting(relationOf(e.action), e.pair[0], e.pair[1]) {
				if c.policy.Grants(p.(*policy.ServicePolicy)) {
					d.Policies = append(d.Policies, c.policyRef(p))
				}
			}
		},
	}
}

// whoCan handles GET /who-can.
func (s *Server) whoCan() handler {
	l := s.grants(s.links.identity)
	return func(c *call) error {
		q := c.r.URL.Query()
		action, err := actionParam(q.Get("type"))
		if err != nil {
			return err
		}
		service, err := wanted[model.Service](c, "service")
		if err != nil {
			return err
		}
		p, err := pageByName(c, l)
		if err != nil {
			return err
		}
		var rows []grant
		for i := range c.policy.WhoCan(action, service.ID) {
			rows = append(rows, grant{i.ID, i.Name, action, [2]string{i.ID, service.ID}})
		}
		return l.answer(c, p, sourceOf(rows))
	}
}

// whatCan handles GET /what-can.
func (s *Server) whatCan() handler {
	l := s.grants(s.links.service)
	return func(c *call) error {
		q := c.r.URL.Query()
		actions := []policy.Action{policy.Dial, policy.Bind}
		if q.Get("type") != "" {
			action, err := actionParam(q.Get("type"))
			if err != nil {
				return err
			}
			actions = []policy.Action{action}
		}
		identity, err := wanted[model.Identity](c, "identity")
		if err != nil {
			return err
		}
		p, err := pageByName(c, l)
		if err != nil {
			return err
		}
		var rows []grant
		for _, action := range actions {
			for e := range c.policy.WhatCan(action, identity.ID) {
				rows = append(rows, grant{e.ID, e.Name, action, [2]string{identity.ID, e.ID}})
			}
		}
		return l.answer(c, p, sourceOf(rows))
	}
}

// pageByName is what a request asks of the list, in the order of names and types
// where it asks for none.
func pageByName(c *call, l *listing[grant, api.Grant]) (page, error) {
	p, err := l.page(c)
	if err != nil || p.prog.Sorted() {
		return p, err
	}
	q, err := c.queryParams()
	if err != nil {
		return p, err
	}
	prog, err := query.Compile(l.table.schema, q.filter, "name, type desc")
	return page{prog, p.limit, p.offset}, err
}

func sourceOf(rows []grant) source[grant] {
	return source[grant]{all: len(rows), each: func(yield func(*grant) bool) {
		for i := range rows {
			if !yield(&rows[i]) {
				return
			}
		}
	}}
}

// wanted finds the entity that a required parameter names by id or name.
func wanted[E any, P pointer[E]](c *call, param string) (*E, error) {
	ref := c.r.URL.Query().Get(param)
	if ref == "" {
		return nil, fault.CouldNotValidate.Field(param, param+" in query is required", "")
	}
	e := byIDOrName[E, P](c, ref)
	if e == nil {
		return nil, fault.NotFound.Errorf("%s with id or name %s not found", param, ref)
	}
	return e, nil
}
