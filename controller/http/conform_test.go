package http

import (
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/api/openapi/conform"
)

var checker = sync.OnceValues(conform.New)

// conforms fails the test if an answer is not what the OpenAPI documents say.
func conforms(t testing.TB, method, target string, w *httptest.ResponseRecorder) {
	t.Helper()
	c, err := checker()
	if err != nil {
		t.Fatal(err)
	}
	path, _, _ := strings.Cut(target, "?")
	switch {
	case strings.HasPrefix(path, api.ManagementBase), strings.HasPrefix(path, api.FabricBase):
	default:
		path = clientPath(api.ClientBase, path)
	}
	if w.Header().Get("Content-Encoding") != "" {
		return // as without
	}
	answer := conform.Answer{Method: method, Path: path, Status: w.Code, ContentType: w.Header().Get("Content-Type"), Body: w.Body.Bytes()}
	if err := c.Check(answer); err != nil {
		t.Errorf("not as the OpenAPI document says: %v", err)
	}
}
