package testnet

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// API is a plain client of one of the edge APIs: what a script would send. It
// is safe for concurrent use once it has logged in.
type API struct {
	Base  string // "https://host:port/edge/management/v1"
	HTTP  *http.Client
	Token string // of the session, empty before a login
}

// Refusal is an answer other than success.
type Refusal struct {
	Status int
	Code   string
	Cause  json.RawMessage
	Body   string
}

// Error implements error.
func (e *Refusal) Error() string { return fmt.Sprintf("status %d: %s", e.Status, e.Body) }

// Call sends one request with a JSON body, if there is one, and decodes `data`
// of the answer, if that is wanted. A refusal is a *Refusal.
func (a *API) Call(ctx context.Context, method, path string, body, data any) error {
	var in io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return err
		}
		in = bytes.NewReader(b)
	}
	return a.Send(ctx, method, path, "application/json", in, data)
}

// Send is Call with a body of any kind.
func (a *API) Send(ctx context.Context, method, path, contentType string, body io.Reader, data any) error {
	req, err := http.NewRequestWithContext(ctx, method, a.Base+path, body)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", contentType)
	if a.Token != "" {
		req.Header.Set("zt-session", a.Token)
	}
	res, err := a.HTTP.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode >= 300 {
		return refusal(res.StatusCode, b)
	}
	if data == nil {
		return nil
	}
	return json.Unmarshal(b, &struct{ Data any }{data})
}

func refusal(status int, body []byte) *Refusal {
	e := &Refusal{Status: status, Body: strings.TrimSpace(string(body))}
	var envelope struct{ Error *Refusal }
	if json.Unmarshal(body, &envelope) == nil && envelope.Error != nil {
		e.Code, e.Cause = envelope.Error.Code, envelope.Error.Cause
	}
	return e
}

// Login opens a session by password, which later calls use.
func (a *API) Login(ctx context.Context, username, password string) error {
	return a.Authenticate(ctx, "password", map[string]string{"username": username, "password": password})
}

// Authenticate opens a session by any method, which later calls use.
func (a *API) Authenticate(ctx context.Context, method string, body any) error {
	var s struct{ Token string }
	plain := &API{Base: a.Base, HTTP: a.HTTP}
	if err := plain.Call(ctx, "POST", "/authenticate?method="+method, body, &s); err != nil {
		return err
	}
	a.Token = s.Token
	return nil
}

// Create makes an entity and returns its id; kind is the name of its list.
func (a *API) Create(ctx context.Context, kind string, body any) (string, error) {
	var made struct{ ID string }
	err := a.Call(ctx, "POST", "/"+kind, body, &made)
	return made.ID, err
}
