package app

import "github.com/weftnet/weft/wire/ctrl"

// linkReports are the links of the router, none without a link section.
func (r *Router) linkReports() []*ctrl.Link { return nil }

// closeLink closes a link; false if there is none of that id.
func (r *Router) closeLink(string, string) bool { return false }

// inspectLinks is the value of links.
func (r *Router) inspectLinks() any { return map[string]any{"links": r.linkLines()} }
