package sdk

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/weftnet/weft/fault"
)

// serviceSession is the right to dial or host one service, and the routers to do it through.
type serviceSession struct {
	login   *login
	id      string
	token   string
	routers []routerAddr
}

// routerAddr is an edge router with the address of its TLS listener.
type routerAddr struct{ name, address string }

type sessionKey struct{ serviceID, kind string }

type sessionAnswer struct {
	ID          string `json:"id"`
	Token       string `json:"token"`
	EdgeRouters []struct {
		Name      string            `json:"name"`
		Disabled  bool              `json:"disabled"`
		Protocols map[string]string `json:"supportedProtocols"`
		URLs      map[string]string `json:"urls"`
	} `json:"edgeRouters"`
}

// serviceSession returns the session for a service, from the cache unless fresh is set.
func (c *Client) serviceSession(ctx context.Context, s *Service, kind string, fresh bool) (*serviceSession, error) {
	key := sessionKey{s.ID, kind}
	c.mu.Lock()
	cached := c.sessions[key]
	f := c.flights[key]
	if f == nil {
		f = new(flight[*serviceSession])
		c.flights[key] = f
	}
	c.mu.Unlock()
	if cached != nil && !fresh {
		return cached, nil
	}
	return f.do(ctx, c.spawn, func() (*serviceSession, error) {
		ctx, cancel := context.WithTimeout(c.ctx, 2*callTimeout)
		defer cancel()
		return c.createSession(ctx, s, kind)
	})
}

func (c *Client) createSession(ctx context.Context, s *Service, kind string) (*serviceSession, error) {
	d, login, err := call[sessionAnswer](ctx, c, request{method: http.MethodPost, path: "/sessions",
		body: map[string]string{"serviceId": s.ID, "type": kind}})
	if err != nil {
		return nil, c.sessionRefused(s, kind, err)
	}
	n := &serviceSession{login: login, id: d.ID, token: d.Token}
	for _, r := range d.EdgeRouters {
		addr := r.Protocols["tls"]
		if addr == "" {
			addr = r.URLs["tls"]
		}
		if addr, ok := tlsAddress(addr); ok && !r.Disabled {
			n.routers = append(n.routers, routerAddr{r.Name, addr})
		}
	}
	if len(n.routers) == 0 {
		return nil, &Error{Code: fault.NoEdgeRoutersAvailable.Code, Message: fault.NoEdgeRoutersAvailable.Message,
			Remedy: fault.NoEdgeRoutersAvailable.Remedy, kind: ErrNoRouter}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session != nil && c.session.id == login.id {
		c.sessions[sessionKey{s.ID, kind}] = n
	}
	return n, nil
}

// sessionRefused explains the two ways in which the API says "not allowed".
func (c *Client) sessionRefused(s *Service, kind string, err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	switch {
	case e.Status == http.StatusNotFound:
		c.forgetService(s.Name)
		n := *e
		n.kind = ErrServiceNotFound
		n.Message = fmt.Sprintf("no policy lets this identity use the service %q (any more), or there is no such service", s.Name)
		if !e.explained() {
			n.Remedy = fmt.Sprintf("check the name of the service, and ask an administrator for a service policy of type %s with this identity and this service", kind)
		}
		return &n
	case e.Code == fault.CouldNotValidate.Code && strings.HasPrefix(e.Cause, "ServiceId"):
		c.forgetService(s.Name)
		n := denied(s.Name, kind)
		if e.explained() {
			n.Remedy = e.Remedy
		}
		return n
	case e.Code == fault.InvalidPosture.Code:
		n := *e
		n.kind = ErrAccessDenied
		return &n
	}
	return err
}

// forgetSession drops a session that a router refused.
func (c *Client) forgetSession(serviceID, kind string, s *serviceSession) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if key := (sessionKey{serviceID, kind}); c.sessions[key] == s {
		delete(c.sessions, key)
	}
}

// tlsAddress turns tls://host:port or tls:host:port into host:port.
func tlsAddress(u string) (string, bool) {
	rest, ok := strings.CutPrefix(u, "tls:")
	rest = strings.TrimSuffix(strings.TrimPrefix(rest, "//"), "/")
	return rest, ok && rest != ""
}

// sameRouters reports whether two sessions lead to the same routers.
func sameRouters(a, b *serviceSession) bool { return slices.Equal(a.routers, b.routers) }

// sessionExists asks the controller about a session that a router refused for
// a reason that we do not understand.
func (c *Client) sessionExists(ctx context.Context, s *serviceSession) bool {
	_, _, err := call[sessionAnswer](ctx, c, request{method: http.MethodGet, path: "/sessions/" + s.id})
	var e *Error
	return !errors.As(err, &e) || e.Status != http.StatusNotFound
}

// explained reports whether the controller gave a remedy for this very case.
func (e *Error) explained() bool { return e.Remedy != "" && e.Remedy != remedyOf(e.Code) }
