package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// Client calls the operations of one process. Its methods may be called
// concurrently; close it.
type Client struct {
	address string
	http    *http.Client
}

// NewClient returns a client of the process at an address, unix:PATH.
func NewClient(address string) *Client {
	return &Client{address: address, http: &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			path, err := socketPath(address)
			if err != nil {
				return nil, err
			}
			var d net.Dialer
			return d.DialContext(ctx, "unix", path)
		},
	}}}
}

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// maxDescription bounds the description of a process, in bytes.
const maxDescription = 1 << 20

// Describe asks the process what it is.
func (c *Client) Describe(ctx context.Context) (*Description, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://agent/", nil)
	if err != nil {
		return nil, err
	}
	answer, err := c.do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Close()
	var d Description
	if err := json.NewDecoder(io.LimitReader(answer, maxDescription)).Decode(&d); err != nil {
		return nil, fmt.Errorf("%s is no agent: %w", c.address, err)
	}
	return &d, nil
}

// Answer is the result of an operation. Close it.
type Answer struct {
	io.ReadCloser
	JSON bool // else text or a file
}

// Call runs an operation. A refusal of the process is an *Error.
func (c *Client) Call(ctx context.Context, operation string, args Args) (*Answer, error) {
	body, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://agent/"+operation, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	return c.do(r)
}

// Read runs an operation and decodes its result.
func (c *Client) Read(ctx context.Context, operation string, args Args, into any) error {
	answer, err := c.Call(ctx, operation, args)
	if err != nil {
		return err
	}
	defer answer.Close()
	return json.NewDecoder(answer).Decode(into)
}

func (c *Client) do(r *http.Request) (*Answer, error) {
	response, err := c.http.Do(r)
	if err != nil {
		var wrapped *url.Error // names the URL, which means nothing here
		if errors.As(err, &wrapped) {
			err = wrapped.Err
		}
		return nil, fmt.Errorf("agent at %s: %w", c.address, err)
	}
	if response.StatusCode == http.StatusOK {
		isJSON := strings.HasPrefix(response.Header.Get("Content-Type"), "application/json")
		return &Answer{ReadCloser: response.Body, JSON: isJSON}, nil
	}
	defer response.Body.Close()
	var refused refusal
	if err := json.NewDecoder(io.LimitReader(response.Body, maxDescription)).Decode(&refused); err != nil || refused.Error == nil {
		return nil, fmt.Errorf("agent at %s answers %s", c.address, response.Status)
	}
	return nil, refused.Error
}
