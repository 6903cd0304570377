package http

import (
	"errors"
	"slices"
	"strings"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

// showPath answers which way new circuits between two routers take; that there
// is none is an answer, too.
func (s *Server) showPath(c *call) error {
	q := c.r.URL.Query()
	from, err := c.routerParam("from", q.Get("from"))
	if err != nil {
		return err
	}
	to, err := c.routerParam("to", q.Get("to"))
	if err != nil {
		return err
	}
	d := api.PathAdvice{From: c.fabricRouterRef(from.ID), To: c.fabricRouterRef(to.ID)}
	p, err := s.cfg.Mesh.Path(from.ID, to.ID)
	if err != nil {
		d.Code, d.Reason, d.Remedy = whyNoPath(err, c.obstacles(from, to))
		return c.detail(&d)
	}
	d.Found, d.Cost = true, p.Cost
	for i, id := range p.Routers {
		h := api.Hop{Router: c.fabricRouterRef(id)}
		if i > 0 {
			h.Cost = s.cfg.Mesh.RouterCost(id)
		}
		if i < len(p.Links) {
			if l := s.cfg.Mesh.Link(p.Links[i]); l != nil {
				h.Link = new(api.FabricLink)
				shapeLink(c, h.Link, l)
			}
		}
		d.Hops = append(d.Hops, h)
	}
	return c.detail(&d)
}

// routerParam finds the router that a parameter names by id or by name.
func (c *call) routerParam(name, ref string) (*model.EdgeRouter, error) {
	if ref == "" {
		return nil, fault.CouldNotValidate.Field(name, name+" in query is required", ref)
	}
	if r := state.Get[model.EdgeRouter](c.state, ref); r != nil {
		return r, nil
	}
	if r := state.FirstBy[model.EdgeRouter](c.state, state.ByName, ref); r != nil {
		return r, nil
	}
	return nil, fault.NotFound.Errorf("router with id or name %s not found", ref).WithRemedy("weft list routers shows them")
}

// whyNoPath is a refusal in its own words, or else the obstacles.
func whyNoPath(err error, found []obstacle) (code, reason, remedy string) {
	var f *fault.Error
	if errors.As(err, &f) {
		reason = f.Kind.Message
		if f.Cause != nil {
			reason = f.Cause.Error()
		}
		return f.Kind.Code, reason, f.Help()
	}
	if len(found) == 0 {
		return codeNoPath, err.Error(), ""
	}
	var reasons, remedies []string
	for _, o := range found {
		reasons = append(reasons, o.reason)
		if !slices.Contains(remedies, o.remedy) {
			remedies = append(remedies, o.remedy)
		}
	}
	return codeNoPath, strings.Join(reasons, "; "), strings.Join(remedies, "; ")
}
