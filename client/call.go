package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// maxAnswer bounds what is read of one answer, in bytes.
const maxAnswer = 256 << 20

// Page is a part of a list.
type Page[T any] struct {
	Items            []T
	FilterableFields []string
	Limit            int64 // as applied
	Offset           int64 // as applied
	TotalCount       int64 // matches without limit and offset
}

// call is one request. params and body may be nil, or hold nil pointers.
type call struct {
	method, path string
	params       params
	body         any
}

// params adds its members to the query and the headers of a request.
type params interface {
	add(q url.Values, h http.Header)
}

type pageMeta struct {
	FilterableFields []string `json:"filterableFields"`
	Pagination       struct {
		Limit      json.Number `json:"limit"`
		Offset     json.Number `json:"offset"`
		TotalCount json.Number `json:"totalCount"`
	} `json:"pagination"`
}

type envelope[T any] struct {
	Data T         `json:"data"`
	Meta *pageMeta `json:"meta"`
}

func detail[T any](ctx context.Context, c *Client, r call) (*T, error) {
	var e envelope[T]
	if err := c.decode(ctx, r, &e); err != nil {
		return nil, err
	}
	return &e.Data, nil
}

// plain is for answers without an envelope.
func plain[T any](ctx context.Context, c *Client, r call) (*T, error) {
	var v T
	if err := c.decode(ctx, r, &v); err != nil {
		return nil, err
	}
	return &v, nil
}

func array[T any](ctx context.Context, c *Client, r call) ([]T, error) {
	var e envelope[[]T]
	err := c.decode(ctx, r, &e)
	return e.Data, err
}

func list[T any](ctx context.Context, c *Client, r call) (*Page[T], error) {
	var e envelope[[]T]
	if err := c.decode(ctx, r, &e); err != nil {
		return nil, err
	}
	p := &Page[T]{Items: e.Data}
	if e.Meta != nil {
		p.FilterableFields = e.Meta.FilterableFields
		p.Limit, p.Offset = whole(e.Meta.Pagination.Limit), whole(e.Meta.Pagination.Offset)
		p.TotalCount = whole(e.Meta.Pagination.TotalCount)
	}
	return p, nil
}

func nothing(ctx context.Context, c *Client, r call) error {
	_, err := c.send(ctx, r)
	return err
}

func text(ctx context.Context, c *Client, r call) ([]byte, error) { return c.send(ctx, r) }

func whole(n json.Number) int64 {
	i, err := n.Int64()
	if err != nil {
		return 0
	}
	return i
}

func (c *Client) decode(ctx context.Context, r call, to any) error {
	b, err := c.send(ctx, r)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, to); err != nil {
		return fmt.Errorf("%s %s: answer is not understood: %w", r.method, r.path, err)
	}
	return nil
}

func (c *Client) send(ctx context.Context, r call) ([]byte, error) {
	req, err := c.request(ctx, r)
	if err != nil {
		return nil, err
	}
	res, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s %s: %w", r.method, r.path, err)
	case len(b) > maxAnswer:
		return nil, fmt.Errorf("%s %s: the answer is longer than %d bytes", r.method, r.path, maxAnswer)
	case res.StatusCode < 200 || res.StatusCode > 299:
		return nil, refusal(res.StatusCode, res.Status, b)
	}
	return b, nil
}

func (c *Client) request(ctx context.Context, r call) (*http.Request, error) {
	var body io.Reader
	kind := "application/json"
	if t, ok := r.body.(Text); ok {
		body, kind = strings.NewReader(string(t)), "text/plain"
	} else if r.body != nil {
		b, err := json.Marshal(r.body)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", r.method, r.path, err)
		}
		if string(b) != "null" {
			body = bytes.NewReader(b)
		}
	}
	req, err := http.NewRequestWithContext(ctx, r.method, c.base+r.path, body)
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", kind)
	}
	req.Header.Set("User-Agent", c.userAgent)
	if token := c.Token(); strings.HasPrefix(token, "ey") {
		req.Header.Set("Authorization", "Bearer "+token)
	} else if token != "" {
		req.Header.Set("zt-session", token)
	}
	if r.params != nil {
		q := url.Values{}
		r.params.add(q, req.Header)
		req.URL.RawQuery = q.Encode()
	}
	return req, nil
}

// segment escapes an id for a path.
func segment(id string) string { return url.PathEscape(id) }
