package cli

import (
	"slices"

	"github.com/weftnet/weft/client"
)

// hosted is a router at which a service is hosted, and the way there from the
// routers of the client.
type hosted struct {
	Router string   `json:"router"`
	Path   []string `json:"path"` // routers, empty if there is none
	Cost   int64    `json:"cost,omitempty"`
	Reason string   `json:"reason,omitempty"` // why there is no path
	Remedy string   `json:"remedy,omitempty"`
}

// Bounds of the questions that why asks.
const (
	maxHosts = 5 // routers at which the service is hosted
	maxVias  = 5 // routers of the client
)

// hosts says where a service is hosted and whether its clients get there from
// their routers. It is nil where that is not known, because the caller may not
// ask or the controller has no fabric API.
func (c *call) hosts(serviceID string, via []client.RouterRef) []hosted {
	page, err := c.m.ListServiceTerminators(c, serviceID, &client.ListParams{Limit: -1})
	if err != nil {
		return nil
	}
	via = slices.DeleteFunc(slices.Clone(via), func(r client.RouterRef) bool { return !r.IsOnline })
	out := []hosted{}
	var seen []string
	for _, t := range page.Items {
		if slices.Contains(seen, t.RouterID) || len(seen) == maxHosts || len(via) == 0 {
			continue
		}
		seen = append(seen, t.RouterID)
		h := hosted{Router: refName(&t.Router, t.RouterID), Path: []string{}}
		for _, r := range via[:min(len(via), maxVias)] {
			p, err := c.m.Fabric().ShowPath(c, &client.ShowPathParams{From: r.ID, To: t.RouterID})
			if err != nil {
				return nil
			}
			h.consider(p)
		}
		out = append(out, h)
	}
	if len(via) == 0 && len(page.Items) > 0 {
		return nil // the answer is that no router is online
	}
	return out
}

// consider keeps the cheaper path, or the first reason why there is none.
func (h *hosted) consider(p *client.PathAdvice) {
	switch {
	case p.Found && (len(h.Path) == 0 || p.Cost < h.Cost):
		*h = hosted{Router: h.Router, Cost: p.Cost}
		for _, hop := range p.Hops {
			h.Path = append(h.Path, refName(&hop.Router, hop.Router.ID))
		}
	case !p.Found && len(h.Path) == 0 && h.Reason == "":
		h.Reason, h.Remedy = p.Reason, p.Remedy
	}
}
