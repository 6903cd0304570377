package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
)

// Any reaches operations by their path, for tools that know a path and not what
// is behind it. The methods of the APIs are to be preferred.
type Any struct {
	c      *Client
	header http.Header
}

// With returns the same operations with a header in every request.
func (a Any) With(name, value string) Any {
	h := a.header.Clone()
	if h == nil {
		h = http.Header{}
	}
	h.Set(name, value)
	return Any{a.c, h}
}

// Any returns the operations of all APIs of the same controller by path.
func (a *Management) Any() Any { return Any{c: a.c} }

// List returns a list as it comes. The path is that of the URL and begins with
// the base path of an API; more are parameters beside those of p. Both may be
// nil.
func (a Any) List(ctx context.Context, path string, p *ListParams, more url.Values) (*Page[Raw], error) {
	return list[Raw](ctx, a.c, call{method: "GET", path: path, params: values{p, more, a.header}})
}

// Send sends a request and returns the data of the answer, nil if there is
// none. A body of the type Text is sent as it is, every other as JSON; nil sends
// none.
func (a Any) Send(ctx context.Context, method, path string, query url.Values, body any) (Raw, error) {
	b, err := a.c.send(ctx, call{method: method, path: path, params: values{more: query, header: a.header}, body: body})
	if err != nil || len(b) == 0 {
		return nil, err
	}
	var e envelope[Raw]
	if json.Unmarshal(b, &e) != nil || e.Data == nil {
		return b, nil
	}
	return e.Data, nil
}

// Segment escapes an id for use in a path.
func Segment(id string) string { return segment(id) }

// values are parameters of a list and others.
type values struct {
	list   *ListParams
	more   url.Values
	header http.Header
}

func (v values) add(q url.Values, h http.Header) {
	v.list.add(q, h)
	for name, texts := range v.more {
		q[name] = append(q[name], texts...)
	}
	for name, texts := range v.header {
		h[name] = texts
	}
}

// Text is a body that is sent as text/plain.
type Text string
