package blackbox

import (
	"context"
	"crypto/tls"
	"io"
	"testing"

	"github.com/weftnet/weft/internal/testnet"
)

// rest is a client of one of the APIs whose requests end by its own time limit.
type rest struct{ *testnet.API }

// apiError is an answer other than success.
type apiError = testnet.Refusal

// rest returns a client of the API at path that presents cert, if there is one.
// Answers other than the OpenAPI documents say are errors.
func (n *network) rest(path string, cert *tls.Certificate) *rest {
	a := n.API(path, cert)
	a.HTTP.Transport = conforming{a.HTTP.Transport}
	return &rest{a}
}

func (n *network) client(cert *tls.Certificate) *rest { return n.rest("/edge/client/v1", cert) }

func (r *rest) call(method, path string, body, data any) error {
	return r.Call(context.Background(), method, path, body, data)
}

func (r *rest) send(method, path, contentType string, body io.Reader, data any) error {
	return r.Send(context.Background(), method, path, contentType, body, data)
}

func (r *rest) loginPassword(username, password string) error {
	return r.Login(context.Background(), username, password)
}

func (r *rest) loginCertificate() error {
	return r.Authenticate(context.Background(), "cert", map[string]any{})
}

func (r *rest) create(kind string, body map[string]any) (string, error) {
	return r.Create(context.Background(), kind, body)
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
