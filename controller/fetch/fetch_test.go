package fetch

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"
)

func TestHostGate(t *testing.T) {
	denied := Gates{DeniedHosts: []string{"evil.example", "*.Bad.example"}}
	allowed := Gates{AllowedHosts: []string{"*.good.example", "one.example"}, DeniedHosts: []string{"not.good.example"}}
	for _, c := range []struct {
		gates Gates
		host  string
		pass  bool
	}{
		{denied, "evil.example", false}, {denied, "EVIL.example.", false}, {denied, "sub.evil.example", true},
		{denied, "a.bad.example", false}, {denied, "a.b.bad.example", false}, {denied, "bad.example", true}, {denied, "xbad.example", true},
		{allowed, "a.good.example", true}, {allowed, "good.example", false}, {allowed, "not.good.example", false},
		{allowed, "one.example", true}, {allowed, "127.0.0.1", false}, {Gates{}, "127.0.0.1", true},
	} {
		if err := c.gates.Host(c.host); (err == nil) != c.pass {
			t.Errorf("%s: %v", c.host, err)
		}
	}
}

func TestAddressGate(t *testing.T) {
	g := Gates{
		BlockPrivate:     true,
		DeniedAddresses:  []netip.Prefix{netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("10.1.2.3/32")},
		AllowedAddresses: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("169.254.0.0/16"), netip.MustParsePrefix("203.0.113.5/32")},
	}
	for _, c := range []struct {
		gates   Gates
		address string
		pass    bool
	}{
		{g, "198.51.100.1", true}, {g, "203.0.113.5", false}, {g, "10.1.2.3", false}, {g, "10.1.2.4", true}, {g, "10.2.0.1", false},
		{g, "127.0.0.1", false}, {g, "::1", false}, {g, "fd00::1", false}, {Gates{}, "10.2.0.1", true}, {Gates{}, "127.0.0.1", true},
		{g, "169.254.169.254", false}, {Gates{}, "::ffff:169.254.170.2", false}, {Gates{}, "fd00:ec2::254", false}, {Gates{}, "fe80::1%eth0", false},
		{Gates{}, "224.0.0.5", false}, {Gates{}, "ff02::1", false}, {Gates{}, "0.0.0.0", false}, {Gates{}, "::", false},
		{Gates{}, "64:ff9b::a9fe:a9fe", false}, {Gates{}, "64:ff9b::c633:6401", true},
	} {
		if err := c.gates.Address(netip.MustParseAddr(c.address)); (err == nil) != c.pass {
			t.Errorf("%s: %v", c.address, err)
		}
	}
}

func TestGet(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/doc", func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("hello")) })
	mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/doc", http.StatusFound) })
	mux.HandleFunc("/loop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop", http.StatusFound) })
	mux.HandleFunc("/meta", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusFound)
	})
	mux.HandleFunc("/slow", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	server := httptest.NewServer(mux)
	defer server.Close()
	get := func(cfg Config, path string) (string, error) {
		body, _, err := New(cfg).Get(context.Background(), server.URL+path)
		return string(body), err
	}
	if body, err := get(Config{MaxRedirects: 1}, "/away"); err != nil || body != "hello" {
		t.Errorf("a document behind a redirect: %q %v", body, err)
	}
	if _, err := get(Config{}, "/away"); err == nil || !strings.Contains(err.Error(), "more than 0 redirects") {
		t.Errorf("a redirect where none is allowed: %v", err)
	}
	if _, err := get(Config{MaxRedirects: 3}, "/loop"); err == nil || !strings.Contains(err.Error(), "more than 3 redirects") {
		t.Errorf("redirects without end: %v", err)
	}
	if _, err := get(Config{MaxBytes: 4}, "/doc"); err == nil || !strings.Contains(err.Error(), "larger than 4 bytes") {
		t.Errorf("a large document: %v", err)
	}
	if _, err := get(Config{}, "/none"); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("no document: %v", err)
	}
	if _, err := get(Config{Timeout: 50 * time.Millisecond}, "/slow"); err == nil {
		t.Error("no time-out")
	}
	secret := strings.Replace(server.URL, "://", "://user:secret@", 1)
	for _, path := range []string{"/none", "/doc", "/loop"} {
		if _, _, err := New(Config{MaxBytes: 4}).Get(t.Context(), secret+path); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("a password in the address of %s: %v", path, err)
		}
	}
	var blocked *BlockedError
	if _, err := get(Config{MaxRedirects: 1}, "/meta"); !errors.As(err, &blocked) || !blocked.Address.IsValid() {
		t.Errorf("a redirect to a blocked address: %v", err)
	}
	if _, err := get(Config{Gates: Gates{BlockPrivate: true}}, "/doc"); !errors.As(err, &blocked) || !blocked.Address.IsLoopback() {
		t.Errorf("a blocked address: %v", err)
	}
	if _, err := get(Config{Gates: Gates{AllowedHosts: []string{"*.example"}}}, "/doc"); !errors.As(err, &blocked) || blocked.Host != "127.0.0.1" {
		t.Errorf("a blocked host: %v", err)
	}
}
