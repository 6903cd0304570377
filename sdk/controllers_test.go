package sdk

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// TestControllersAreDiscovered: a client that knows one controller goes on with
// another member of its cluster when that one is gone.
func TestControllersAreDiscovered(t *testing.T) {
	n := newFakeNet(t)
	n.service("svc", false, "Dial")
	second := httptest.NewUnstartedServer(n)
	second.TLS = &tls.Config{ClientAuth: tls.RequestClientCert, Certificates: []tls.Certificate{n.certificate()}}
	second.StartTLS()
	defer second.Close()
	n.mu.Lock()
	n.refuse["GET /controllers"] = func(w http.ResponseWriter, _ *http.Request) {
		address := func(url string) map[string]any {
			return map[string]any{"apiAddresses": map[string]any{
				"edge-client":     []map[string]string{{"url": url + clientAPI + "/", "version": "v1"}},
				"edge-management": []map[string]string{{"url": url + "/edge/management/v1", "version": "v1"}},
			}}
		}
		data(w, http.StatusOK, []any{address(n.http.URL), address(second.URL), address("http://plain"), map[string]any{"apiAddresses": nil}})
	}
	n.mu.Unlock()
	c := n.client(Options{})
	if err := c.Login(t.Context()); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); len(*c.rest.urls.Load()) < 2; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("known are %v", *c.rest.urls.Load())
		}
	}
	if got := *c.rest.urls.Load(); len(got) != 2 {
		t.Errorf("known are %v", got)
	}
	n.http.Close()
	services, err := c.Services(t.Context())
	if err != nil || len(services) != 1 {
		t.Fatalf("%v, %v", services, err)
	}
}
