package conf

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// LoadController reads the controller configuration in file. The error is
// Errors when the content is at fault, with every problem in it.
func LoadController(file string, env Env) (*Controller, *Report, error) {
	return load(file, env, ParseController)
}

// LoadRouter reads the router configuration in file. The error is Errors
// when the content is at fault, with every problem in it.
func LoadRouter(file string, env Env) (*Router, *Report, error) {
	return load(file, env, ParseRouter)
}

func load[T any](file string, env Env, parse func(string, []byte, Env) (*T, *Report, error)) (*T, *Report, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, nil, fmt.Errorf("configuration file: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, nil, fmt.Errorf("configuration file %s: %w", file, err)
	}
	return parse(file, data, env)
}

// ParseController reads a controller configuration; file is its name in
// messages. A nil env is that of the process.
func ParseController(file string, data []byte, env Env) (*Controller, *Report, error) {
	var out Controller
	c, err := decode(file, data, env, &out)
	if err != nil {
		return nil, nil, err
	}
	report, err := c.result()
	if err != nil {
		return nil, nil, err
	}
	out.Lines = c.Lines
	return &out, report, nil
}

// ParseRouter reads a router configuration; file is its name in messages and
// gives the default paths of the files beside it. A nil env is that of the
// process.
func ParseRouter(file string, data []byte, env Env) (*Router, *Report, error) {
	var out Router
	c, err := decode(file, data, env, &out)
	if err != nil {
		return nil, nil, err
	}
	if out.Ctrl.EndpointsFile == "" {
		out.Ctrl.EndpointsFile = filepath.Join(filepath.Dir(file), "endpoints")
	}
	if out.Edge != nil && out.Edge.DB == "" {
		out.Edge.DB = file + ".proto.gzip"
	}
	report, err := c.result()
	if err != nil {
		return nil, nil, err
	}
	out.Lines = c.Lines
	return &out, report, nil
}

func (r *Router) check(c *Checker, _ string) {
	if c.Has("ctrl.endpoint") && !r.Ctrl.Endpoint.IsZero() {
		if c.Has("ctrl.endpoints") {
			c.Warn("ctrl.endpoints", "is ignored because ctrl.endpoint is given", "remove one of the two")
		}
		r.Ctrl.Endpoints = []Address{r.Ctrl.Endpoint}
	}
	checkAPIs(c, r.Web, routerAPIs)
	hasEdge := false
	for _, l := range r.Listeners {
		hasEdge = hasEdge || l.Binding == "edge"
	}
	if r.Edge != nil && !hasEdge {
		c.Refuse("edge", "needs a listener with binding edge", "add it under listeners, or remove the edge section")
	}
	if r.Edge == nil && hasEdge {
		c.Warn("listeners", "a listener with binding edge does nothing without an edge section", "add an edge section")
	}
}

func (m *Controller) check(c *Checker, _ string) {
	if m.DB == "" && m.Cluster == nil {
		c.Refuse("", "neither db nor cluster is given", "add db: PATH for a single controller, or cluster with its dataDir")
	}
	if c.Has("commandRateLimiter") && !c.Has("command.rateLimiter") {
		m.Command.RateLimiter = m.CommandRateLimiter
	}
	checkAPIs(c, m.Web, controllerAPIs)
	m.checkEdgeAddress(c)
}

// checkEdgeAddress holds edge.api.address to the bind points of edge-client:
// tokens and documents send clients there.
func (m *Controller) checkEdgeAddress(c *Checker) {
	if m.Edge == nil || m.Edge.API.Address.IsZero() {
		return
	}
	for _, s := range m.Web {
		for _, a := range s.APIs {
			for _, b := range s.BindPoints {
				if a.Binding == "edge-client" && b.Address == m.Edge.API.Address {
					return
				}
			}
		}
	}
	c.Refuse("edge.api.address", fmt.Sprintf("%s is not the address of a bind point with edge-client", m.Edge.API.Address), "use the address of such a bind point under web")
}
