package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Permissions of a service.
const (
	PermissionDial = "Dial"
	PermissionBind = "Bind"
)

// Service is a service as this identity sees it.
type Service struct {
	ID                 string   `json:"id"`
	Name               string   `json:"name"`
	Permissions        []string `json:"permissions"` // PermissionDial, PermissionBind
	EncryptionRequired bool     `json:"encryptionRequired"`
	RoleAttributes     []string `json:"roleAttributes"`
	// Config holds, by name of the config type, the configs of the types that
	// the session asked for.
	Config map[string]json.RawMessage `json:"config"`
}

// CanDial reports whether a policy lets this identity dial the service.
func (s *Service) CanDial() bool { return slices.Contains(s.Permissions, PermissionDial) }

// CanListen reports whether a policy lets this identity host the service.
func (s *Service) CanListen() bool { return slices.Contains(s.Permissions, PermissionBind) }

const pageSize = 500

// Services returns all services that this identity may use, sorted by name.
// The answer is kept until the controller reports a change.
func (c *Client) Services(ctx context.Context) ([]Service, error) {
	c.mu.Lock()
	all, seen := c.allServices, c.changes
	c.mu.Unlock()
	if all != nil {
		return slices.Clone(all), nil
	}
	all, err := c.fetchServices(ctx)
	if err != nil {
		return nil, withOp("list services", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changes == seen { // else it may be old already
		c.allServices = all
		for i := range all {
			c.services[all[i].Name] = &all[i]
		}
	}
	return slices.Clone(all), nil
}

func (c *Client) fetchServices(ctx context.Context) ([]Service, error) {
	all := []Service{}
	for offset := 0; ; {
		page, total, err := c.listServices(ctx, "limit="+strconv.Itoa(pageSize)+"&offset="+strconv.Itoa(offset))
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if offset += len(page); len(page) == 0 || int64(offset) >= total {
			break
		}
	}
	slices.SortFunc(all, func(a, b Service) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

func (c *Client) listServices(ctx context.Context, query string) (page []Service, total int64, err error) {
	for again := false; ; again = true {
		s, err := c.login(ctx)
		if err != nil {
			return nil, 0, err
		}
		a, err := c.rest.do(ctx, request{method: http.MethodGet, path: "/services?" + query, token: s.token})
		if err != nil {
			if !again && c.forgetLogin(s, err) {
				continue
			}
			return nil, 0, err
		}
		if err := json.Unmarshal(a.Data, &page); err != nil {
			return nil, 0, fmt.Errorf("list of services: %w", err)
		}
		return page, a.Meta.Pagination.TotalCount, nil
	}
}

// Service returns one service by name. It returns ErrServiceNotFound if there
// is none that this identity may use.
func (c *Client) Service(ctx context.Context, name string) (*Service, error) {
	s, err := c.service(ctx, name, false)
	if err != nil {
		return nil, withOp("service "+name, err)
	}
	clone := *s
	return &clone, nil
}

// service looks in the cache unless fresh is set.
func (c *Client) service(ctx context.Context, name string, fresh bool) (*Service, error) {
	c.mu.Lock()
	s, seen := c.services[name], c.changes
	c.mu.Unlock()
	if s != nil && !fresh {
		return s, nil
	}
	filter := `name="` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"`
	page, _, err := c.listServices(ctx, "limit=2&filter="+url.QueryEscape(filter))
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(page, func(s Service) bool { return s.Name == name })
	c.mu.Lock()
	defer c.mu.Unlock()
	if i < 0 {
		delete(c.services, name)
		return nil, &Error{Code: "SERVICE_NOT_FOUND", Message: fmt.Sprintf("no service %q for this identity", name), kind: ErrServiceNotFound,
			Remedy: "check the name with a list of services, and ask an administrator for a service policy"}
	}
	if c.changes == seen {
		c.services[name] = &page[i]
	}
	return &page[i], nil
}

// usable returns a service that the identity has the permission for.
func (c *Client) usable(ctx context.Context, name, permission string) (*Service, error) {
	for _, fresh := range []bool{false, true} {
		s, err := c.service(ctx, name, fresh)
		if err != nil {
			return nil, err
		}
		if slices.Contains(s.Permissions, permission) {
			return s, nil
		}
	}
	return nil, denied(name, permission)
}

func denied(service, permission string) *Error {
	return &Error{Code: "ACCESS_DENIED", Message: fmt.Sprintf("no policy lets this identity %s the service %q", strings.ToLower(permission), service),
		Remedy: fmt.Sprintf("ask an administrator for a service policy of type %s with this identity and this service", permission), kind: ErrAccessDenied}
}

// forgetService drops what is known of a service, because the controller knows better.
func (c *Client) forgetService(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.services, name)
	c.allServices = nil
	c.changes++
}

// forgetServices drops what is known of all services and of the routers they are reached by.
func (c *Client) forgetServices() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.services)
	clear(c.sessions)
	c.allServices = nil
	c.changes++
}

// lastChange asks whether anything about the services has changed.
func (c *Client) lastChange(ctx context.Context) (string, error) {
	d, _, err := call[struct {
		LastChangeAt string `json:"lastChangeAt"`
	}](ctx, c, request{method: http.MethodGet, path: "/current-api-session/service-updates"})
	if err != nil {
		return "", err
	}
	if d.LastChangeAt == "" {
		return "", errors.New("service-updates: no lastChangeAt")
	}
	return d.LastChangeAt, nil
}
