package blackbox

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// rest is a plain client of one of the APIs: what a script would send. It is
// safe for concurrent use once it has logged in.
type rest struct {
	base  string
	http  *http.Client
	token string
}

// apiError is an answer other than success.
type apiError struct {
	Status int
	Code   string
	Cause  json.RawMessage
	Body   string
}

func (e *apiError) Error() string { return fmt.Sprintf("status %d: %s", e.Status, e.Body) }

// rest returns a client of the API at path that presents cert, if there is one.
func (n *network) rest(path string, cert *tls.Certificate) *rest {
	cfg := &tls.Config{RootCAs: n.ca}
	if cert != nil {
		cfg.Certificates = []tls.Certificate{*cert}
	}
	return &rest{
		base: "https://" + n.apiAddress() + path,
		http: &http.Client{Timeout: patience, Transport: &http.Transport{TLSClientConfig: cfg, MaxIdleConnsPerHost: 32, IdleConnTimeout: time.Minute}},
	}
}

func (n *network) client(cert *tls.Certificate) *rest { return n.rest("/edge/client/v1", cert) }

// call sends one request and decodes `data` of the answer. A refusal is an
// *apiError.
func (r *rest) call(method, path string, body, data any) error {
	var in io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return err
		}
		in = bytes.NewReader(b)
	}
	return r.send(method, path, "application/json", in, data)
}

func (r *rest) send(method, path, contentType string, body io.Reader, data any) error {
	req, err := http.NewRequest(method, r.base+path, body)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", contentType)
	if r.token != "" {
		req.Header.Set("zt-session", r.token)
	}
	res, err := r.http.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode >= 300 {
		e := &apiError{Status: res.StatusCode, Body: strings.TrimSpace(string(b))}
		var envelope struct{ Error *apiError }
		if json.Unmarshal(b, &envelope) == nil && envelope.Error != nil {
			e.Code, e.Cause = envelope.Error.Code, envelope.Error.Cause
		}
		return e
	}
	if data == nil {
		return nil
	}
	return json.Unmarshal(b, &struct{ Data any }{data})
}

func (r *rest) loginPassword(username, password string) error {
	return r.login("password", map[string]string{"username": username, "password": password})
}

func (r *rest) loginCertificate() error { return r.login("cert", map[string]any{}) }

func (r *rest) login(method string, body any) error {
	var s struct{ Token string }
	plain := &rest{base: r.base, http: r.http}
	if err := plain.call("POST", "/authenticate?method="+method, body, &s); err != nil {
		return err
	}
	r.token = s.Token
	return nil
}

// create makes an entity and returns its id.
func (r *rest) create(kind string, body map[string]any) (string, error) {
	var made struct{ ID string }
	err := r.call("POST", "/"+kind, body, &made)
	return made.ID, err
}

func (r *rest) mustCreate(t *testing.T, kind string, body map[string]any) string {
	t.Helper()
	id, err := r.create(kind, body)
	if err != nil {
		t.Fatalf("create in %s: %v", kind, err)
	}
	return id
}

// wantRefusal fails the test unless err is a refusal with the status and code.
func wantRefusal(t *testing.T, err error, status int, code string) {
	t.Helper()
	e, ok := err.(*apiError)
	if !ok {
		t.Fatalf("got %v, want status %d %s", err, status, code)
	}
	if e.Status != status || e.Code != code {
		t.Fatalf("got %v, want status %d %s", e, status, code)
	}
}
