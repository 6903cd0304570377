package app

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weftnet/weft/client"
	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/sdk"
)

// site writes a directory of pages, with a secret beside it.
func site(t *testing.T) string {
	t.Helper()
	top := t.TempDir()
	dir := filepath.Join(top, "site")
	if err := os.MkdirAll(filepath.Join(dir, "assets"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"site/index.html": "the index", "site/app.js": "the script", "site/assets/logo-0123abcd.svg": "the logo", "secret": "a secret"} {
		if err := os.WriteFile(filepath.Join(top, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"inside.js": "app.js", "outside": "../secret", "absolute": filepath.Join(top, "secret"), "up": ".."} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestPages(t *testing.T) {
	dir := site(t)
	b, err := pagesBinding("web[0].apis[0]", conf.WebAPI{Binding: conf.BindingZAC, Options: conf.APIOptions{Path: "zac", Location: dir, IndexFile: "index.html"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, body, cache string }{
		{"/zac/", "the index", "no-cache"}, {"/zac/app.js", "the script", "no-cache"}, {"/zac/any/route", "the index", "no-cache"},
		{"/zac/assets", "the index", "no-cache"}, {"/zac/inside.js", "the script", "no-cache"},
		{"/zac/outside", "the index", "no-cache"}, {"/zac/absolute", "the index", "no-cache"}, {"/zac/up/secret", "the index", "no-cache"},
		{"/zac/../../secret", "the index", "no-cache"}, {"/zac/..%2f..%2fsecret", "the index", "no-cache"},
		{"/zac/assets/logo-0123abcd.svg", "the logo", "public, max-age=31536000, immutable"}, {"/assets/logo-0123abcd.svg", "the logo", "public, max-age=31536000, immutable"},
		{"/assets/../app.js", "the index", "no-cache"},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.URL.Path = c.path
		b.Handler.ServeHTTP(w, r)
		if w.Code != http.StatusOK || w.Body.String() != c.body || w.Header().Get("Cache-Control") != c.cache || w.Header().Get("ETag") == "" {
			t.Errorf("%s: %d %q %v", c.path, w.Code, w.Body, w.Header())
		}
	}
	w := httptest.NewRecorder()
	b.Handler.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/zac/app.js", nil))
	if w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", w.Code)
	}
	w = httptest.NewRecorder()
	b.Handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/zac", nil))
	if w.Code != http.StatusMovedPermanently || w.Header().Get("Location") != "/zac/" {
		t.Errorf("without the slash: %d %v", w.Code, w.Header())
	}
	for key, o := range map[string]conf.APIOptions{
		"location": {Path: "x", Location: filepath.Join(dir, "none"), IndexFile: "index.html"}, "indexFile": {Path: "x", Location: dir, IndexFile: "none.html"},
	} {
		if _, err := pagesBinding("web[0].apis[2]", conf.WebAPI{Binding: conf.BindingSPA, Options: o}); err == nil || !strings.Contains(err.Error(), "web[0].apis[2].options."+key) {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// TestPagesAndNewAddress serves pages beside the APIs, and names the address that
// clients should move to.
func TestPagesAndNewAddress(t *testing.T) {
	n := newTestNetwork(t)
	dir := site(t)
	n.restartController(func(c *conf.Controller) {
		c.Web[0].BindPoints[0].NewAddress = conf.HostPort{Host: "new.example", Port: 443}
		c.Web[0].APIs = append(c.Web[0].APIs, conf.WebAPI{Binding: conf.BindingSPA, Options: conf.APIOptions{Path: "console", Location: dir, IndexFile: "app.js"}})
	})
	if status, body := get(t, n.up.API+"/console/somewhere"); status != http.StatusOK || body != "the script" {
		t.Errorf("%d %s", status, body)
	}
	for _, path := range []string{"/console/", "/edge/client/v1/version", "/health-checks", "/nothing"} {
		c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
		answer, err := c.Get(n.up.API + path)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if got := answer.Header.Get("ziti-ctrl-address"); got != "https://new.example:443" {
			t.Errorf("%s: %q", path, got)
		}
	}
}

// identityFile makes and enrols an identity and returns what its file holds.
func (n *testNetwork) identityFile(name string) []byte {
	n.t.Helper()
	ctx := testContext(n.t)
	made, err := n.admin.Management().CreateIdentity(ctx, &client.IdentityInput{
		Name: &name, Type: client.Ptr("Default"), IsAdmin: client.Ptr(false), RoleAttributes: []string{name},
		Enrollment: &client.IdentityEnrollmentInput{Ott: client.Ptr(true)},
	})
	if err != nil {
		n.t.Fatal(err)
	}
	detail, err := n.admin.Management().DetailIdentity(ctx, made.ID)
	if err != nil {
		n.t.Fatal(err)
	}
	file, err := sdk.Enroll(ctx, detail.Enrollment.Ott.JWT, sdk.EnrollOptions{})
	if err != nil {
		n.t.Fatal(err)
	}
	text, err := json.Marshal(file)
	if err != nil {
		n.t.Fatal(err)
	}
	return text
}

// TestOverlayBindPoint serves an API through the network: from a file and from a
// variable, again after the controller was away.
func TestOverlayBindPoint(t *testing.T) {
	n := newTestNetwork(t)
	text := n.identityFile("host")
	guest := n.identity("guest")
	n.service("api", true)
	file := filepath.Join(t.TempDir(), "host.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("WEFT_TEST_IDENTITY", base64.StdEncoding.EncodeToString(text))
	instance := ""
	version := func() (int, string) {
		c := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{
			DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return guest.DialWithOptions(ctx, "api", sdk.DialOptions{Instance: instance})
			},
		}}
		answer, err := c.Get("https://api/edge/client/v1/version")
		if err != nil {
			return 0, err.Error()
		}
		defer answer.Body.Close()
		body, _ := io.ReadAll(answer.Body)
		return answer.StatusCode, string(body)
	}
	for what, bind := range map[string]conf.OverlayBind{
		"file": {File: file, Service: "api", TLSClientAuthenticationPolicy: "RequestClientCert"},
		"env":  {Env: "WEFT_TEST_IDENTITY", Service: "api", TLSClientAuthenticationPolicy: "noClientCert", ListenOptions: conf.OverlayOptions{BindUsingEdgeIdentity: true}},
	} {
		if instance = ""; bind.ListenOptions.BindUsingEdgeIdentity {
			instance = "host"
		}
		n.restartController(func(c *conf.Controller) {
			c.Web[0].BindPoints = append(c.Web[0].BindPoints, conf.BindPoint{Identity: &bind})
		})
		until(t, what+": the API answers through the network", func() bool {
			status, body := version()
			return status == http.StatusOK && strings.Contains(body, Version)
		})
		if _, body := version(); strings.Contains(body, "https://api") {
			t.Errorf("%s: the bind point is published: %s", what, body)
		}
	}
	if _, err := overlayIdentity("web[0].bindPoints[0].identity", &conf.OverlayBind{Env: "WEFT_TEST_NO_SUCH"}); err == nil || !strings.Contains(err.Error(), "WEFT_TEST_NO_SUCH") {
		t.Error(err)
	}
}

func TestScrapeGate(t *testing.T) {
	ca, err := pki.NewRoot("ca", "test.example", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	leaf := func() *x509.Certificate {
		key, err := pki.NewKey()
		if err != nil {
			t.Fatal(err)
		}
		chain, err := ca.Issue(pki.Leaf{PublicKey: key.Public()}, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		return chain[0]
	}
	scraper, other := leaf(), leaf()
	file := filepath.Join(t.TempDir(), "scraper.pem")
	if err := os.WriteFile(file, []byte(pki.EncodeCertificates(scraper)), 0o600); err != nil {
		t.Fatal(err)
	}
	inner := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	gate, err := newScrapeGate("web[0].apis[1]", conf.APIOptions{ScrapeCert: file}, inner)
	if err != nil {
		t.Fatal(err)
	}
	status := func(g http.Handler, cert *x509.Certificate) int {
		r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
		r.TLS = &tls.ConnectionState{}
		if cert != nil {
			r.TLS.PeerCertificates = []*x509.Certificate{cert}
		}
		w := httptest.NewRecorder()
		g.ServeHTTP(w, r)
		return w.Code
	}
	if status(gate, scraper) != http.StatusNoContent || status(gate, other) != http.StatusUnauthorized || status(gate, nil) != http.StatusUnauthorized {
		t.Error("the gate lets others in, or nobody")
	}
	gate.(*scrapeGate).now = func() time.Time { return time.Now().AddDate(50, 0, 0) }
	if status(gate, scraper) != http.StatusUnauthorized {
		t.Error("an expired certificate passes")
	}
	open, err := newScrapeGate("web[0].apis[1]", conf.APIOptions{}, inner)
	if err != nil || status(open, nil) != http.StatusNoContent {
		t.Error("without a certificate it is open to all", err)
	}
	if _, err := newScrapeGate("web[0].apis[1]", conf.APIOptions{ScrapeCert: "/none"}, inner); err == nil || !strings.Contains(err.Error(), "web[0].apis[1].options.scrapeCert") {
		t.Error(err)
	}
}
