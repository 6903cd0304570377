package http

import (
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/api/openapi"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
)

// specifications are the OpenAPI documents of the APIs in every form. Each is
// made when it is first asked for.
type specifications map[api.API]*specification

type specification struct {
	id               string
	json, yaml, page func() ([]byte, error)
}

const yamlType = "text/yaml"

func newSpecifications(version string) specifications {
	out := specifications{}
	for a, id := range map[api.API]string{api.Client: "edge-client", api.Management: "edge-management", api.Fabric: "fabric"} {
		document := sync.OnceValue(func() *openapi.Document { return openapi.New(a, openapi.Options{Version: version}) })
		out[a] = &specification{
			id:   id,
			json: sync.OnceValues(func() ([]byte, error) { return document().JSON() }),
			yaml: sync.OnceValues(func() ([]byte, error) { return document().YAML() }),
			page: sync.OnceValues(func() ([]byte, error) { return document().Page() }),
		}
	}
	return out
}

// specHandlers answer with the documents of the API that is asked; the list
// has that of the client API first, which is all that older clients know.
func (s *Server) specHandlers(h handlers) {
	h["listSpecs"] = func(c *call) error {
		return c.array(func(yield func(any) bool) {
			for _, a := range []api.API{api.Client, api.Management, api.Fabric} {
				d := s.spec(s.specs[a].id)
				if !yield(&d) {
					return
				}
			}
		})
	}
	h["detailSpec"] = func(c *call) error {
		x, err := s.specs.find(c.id())
		if err != nil {
			return err
		}
		d := s.spec(x.id)
		return c.detail(&d)
	}
	h["detailSpecBody"] = func(c *call) error {
		x, err := s.specs.find(c.id())
		if err != nil {
			return err
		}
		return c.document(x)
	}
	own := func(c *call) error {
		a := c.api
		if a == api.Client && strings.Contains(c.r.Header.Get("Referer"), api.ManagementBase) {
			a = api.Management // the page of the one API, the address of the other
		}
		return c.document(s.specs[a])
	}
	h["showSwagger"], h["showOpenAPI"] = own, own
	h["showDocs"] = func(c *call) error {
		// The page needs nothing but its own styles.
		c.w.Header()["Content-Security-Policy"] = []string{"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"}
		return c.text("text/html; charset=utf-8", s.specs[c.api].page)
	}
}

func (s *Server) spec(id string) (d api.Spec) {
	d.Name = id
	base(&d.Base, &model.Base{ID: id, CreatedAt: s.cfg.StartedAt, UpdatedAt: s.cfg.StartedAt}, s.links.spec)
	return d
}

func (x specifications) find(id string) (*specification, error) {
	for _, one := range x {
		if one.id == id {
			return one, nil
		}
	}
	return nil, fault.NotFound.Errorf("spec with id %s not found", id)
}

// document answers with JSON, or with YAML if that is what the caller accepts.
func (c *call) document(x *specification) error {
	if slices.Contains(c.ep.op.Produces, yamlType) && wantsYAML(c.r) {
		return c.text(yamlType, x.yaml)
	}
	return c.text(jsonType, x.json)
}

func wantsYAML(r *http.Request) bool {
	for part := range strings.SplitSeq(strings.Join(r.Header["Accept"], ","), ",") {
		media, _, err := mime.ParseMediaType(strings.TrimSpace(part))
		if err == nil && (media == yamlType || media == "application/yaml") {
			return true
		}
	}
	return false
}

func (c *call) text(media string, make func() ([]byte, error)) error {
	text, err := make()
	if err != nil {
		return err
	}
	c.w.Header()["Content-Type"] = []string{media}
	c.out = append(c.out[:0], text...)
	c.send(http.StatusOK)
	return nil
}
