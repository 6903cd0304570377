package sdk

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/weftnet/weft/pki"
)

const (
	callTimeout = 15 * time.Second // one request to a controller
	maxAnswer   = 32 << 20         // bytes of an answer
)

// rest is the client API of the controllers. It knows nothing of sessions.
type rest struct {
	http  *http.Client
	known []string                 // client APIs that the identity names, without trailing slash
	urls  atomic.Pointer[[]string] // these and the discovered ones
	first atomic.Int32             // index of the controller that answered last
}

// maxDiscovered bounds the client APIs beside those of the identity.
const maxDiscovered = 16

// learn replaces the discovered client APIs.
func (r *rest) learn(found []string) {
	all := slices.Clone(r.known)
	for _, u := range found {
		if u = strings.TrimSuffix(u, "/"); len(all) < len(r.known)+maxDiscovered && !slices.Contains(all, u) {
			all = append(all, u)
		}
	}
	r.urls.Store(&all)
}

func newREST(cfg *tls.Config, urls []string) *rest {
	cfg.ClientSessionCache = tls.NewLRUClientSessionCache(4)
	cfg.VerifyConnection = alsoController(cfg.VerifyConnection)
	dial := &net.Dialer{Timeout: 10 * time.Second}
	r := &rest{known: urls, http: &http.Client{
		Timeout: callTimeout,
		Transport: &http.Transport{
			TLSClientConfig:     cfg,
			DialContext:         dial.DialContext,
			ForceAttemptHTTP2:   true,
			TLSHandshakeTimeout: 10 * time.Second,
			IdleConnTimeout:     90 * time.Second,
			MaxIdleConnsPerHost: 4,
		},
	}}
	r.learn(nil)
	return r
}

// alsoController adds to a check of connections, which may be nil, that the
// server is not a router or an identity of the network.
func alsoController(check func(tls.ConnectionState) error) func(tls.ConnectionState) error {
	return func(s tls.ConnectionState) error {
		if check != nil {
			if err := check(s); err != nil {
				return err
			}
		}
		return VerifyController(s)
	}
}

// VerifyController is a check for tls.Config.VerifyConnection, beside that of
// chain and name: it refuses servers whose certificate the network has issued
// to a router or an identity, which could otherwise pass for a controller.
func VerifyController(s tls.ConnectionState) error {
	return pki.CheckController(s.PeerCertificates[0]) // a TLS client always gets one
}

func (r *rest) close() { r.http.CloseIdleConnections() }

// request is one call of the API.
type request struct {
	method, path string // path with query, relative to the client API
	token        string // zt-session, may be empty
	body         any    // JSON; nil for none
	raw          []byte // body that is not JSON
	contentType  string // of raw
}

// answer is the envelope of all answers.
type answer struct {
	Data  json.RawMessage `json:"data"`
	Error *apiError       `json:"error"`
	Meta  struct {
		Pagination struct {
			Limit      int64 `json:"limit"`
			Offset     int64 `json:"offset"`
			TotalCount int64 `json:"totalCount"`
		} `json:"pagination"`
	} `json:"meta"`
	header http.Header
}

type apiError struct {
	Code      string    `json:"code"`
	Message   string    `json:"message"`
	RequestID string    `json:"requestId"`
	Remedy    string    `json:"remedy"`
	Cause     *apiCause `json:"cause"`
}

type apiCause struct {
	Code    string    `json:"code"`
	Message string    `json:"message"`
	Field   string    `json:"field"`
	Reason  string    `json:"reason"`
	Value   any       `json:"value"`
	Cause   *apiCause `json:"cause"`
}

func (c *apiCause) text() string {
	switch {
	case c == nil:
		return ""
	case c.Field != "":
		return fmt.Sprintf("%s: %s", c.Field, c.Reason)
	case c.Cause != nil:
		return c.Message + ": " + c.Cause.text()
	}
	return c.Message
}

// do sends a request to the controller that answered last, then to the others.
// A refusal is *Error.
func (r *rest) do(ctx context.Context, q request) (*answer, error) {
	body := q.raw
	if q.body != nil {
		var err error
		if body, err = json.Marshal(q.body); err != nil {
			return nil, err
		}
		q.contentType = "application/json"
	}
	var failed error
	urls := *r.urls.Load()
	start := int(r.first.Load())
	for i := range urls {
		at := (start + i) % len(urls)
		a, err := r.send(ctx, urls[at], q, body)
		var refused *Error
		if err == nil || errors.As(err, &refused) {
			r.first.Store(int32(at))
			return a, err
		}
		failed = errors.Join(failed, err)
		if ctx.Err() != nil {
			break
		}
	}
	return nil, failed
}

func (r *rest) send(ctx context.Context, base string, q request, body []byte) (*answer, error) {
	req, err := http.NewRequestWithContext(ctx, q.method, base+q.path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	if q.contentType != "" {
		req.Header.Set("Content-Type", q.contentType)
	}
	if q.token != "" {
		req.Header.Set("zt-session", q.token)
	}
	res, err := r.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", q.method, q.path, err)
	}
	if len(text) > maxAnswer {
		return nil, fmt.Errorf("%s %s: answer of more than %d bytes", q.method, q.path, maxAnswer)
	}
	return parseAnswer(res, text)
}

func parseAnswer(res *http.Response, text []byte) (*answer, error) {
	a := &answer{header: res.Header}
	err := json.Unmarshal(text, a)
	if res.StatusCode/100 == 2 {
		if err != nil && len(text) > 0 {
			return nil, fmt.Errorf("answer of the controller: %w", err)
		}
		return a, nil
	}
	e := &Error{Status: res.StatusCode, Code: "HTTP_" + fmt.Sprint(res.StatusCode), Message: http.StatusText(res.StatusCode)}
	if err == nil && a.Error != nil {
		e.Code, e.Message, e.RequestID, e.Remedy = a.Error.Code, a.Error.Message, a.Error.RequestID, a.Error.Remedy
		e.Cause = a.Error.Cause.text()
	}
	if e.Remedy == "" {
		e.Remedy = remedyOf(e.Code)
	}
	e.kind = kindOf(e.Code)
	e.sessionEnded = res.StatusCode == http.StatusUnauthorized && strings.Contains(res.Header.Get("WWW-Authenticate"), "error=")
	return nil, e
}

// get is do for an answer whose data is one value.
func get[T any](ctx context.Context, r *rest, q request) (*T, error) {
	a, err := r.do(ctx, q)
	if err != nil {
		return nil, err
	}
	v := new(T)
	if err := json.Unmarshal(a.Data, v); err != nil {
		return nil, fmt.Errorf("%s %s: data of the answer: %w", q.method, q.path, err)
	}
	return v, nil
}
