package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weftnet/weft/client"
	"github.com/weftnet/weft/conf"
)

// routerFile writes a configuration as the ecosystem generates it.
func routerFile(t *testing.T, dir string, port int) *conf.Router {
	t.Helper()
	text := fmt.Sprintf(`v: 3
identity: {cert: %[1]s/r.cert, server_cert: %[1]s/r.server, key: %[1]s/r.key, ca: %[1]s/r.cas}
ctrl: {endpoint: "tls:ignored.example:1"}
link: {dialers: [{binding: transport}]}
listeners:
  - binding: edge
    address: tls:0.0.0.0:%[2]d
    options: {advertise: "localhost:%[2]d", getSessionTimeout: 60}
  - binding: tunnel
    options: {mode: host}
edge:
  csr: {country: US, province: US, organization: Test, sans: {dns: [localhost], ip: ["127.0.0.1"]}}
`, dir, port)
	cfg, _, err := conf.ParseRouter(filepath.Join(dir, "router.yml"), []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func TestEnrollAndRunARouter(t *testing.T) {
	o := testUp(t)
	o.Password = "secret"
	ctx := testContext(t)
	up, err := StartUp(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	defer up.Close()
	admin, err := logIn(ctx, up, "admin", o.Password)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	made, err := admin.Management().CreateEdgeRouter(ctx, &client.EdgeRouterInput{Name: client.Ptr("second")})
	if err != nil {
		t.Fatal(err)
	}
	detail, err := admin.Management().DetailEdgeRouter(ctx, made.ID)
	if err != nil {
		t.Fatal(err)
	}
	cfg := routerFile(t, filepath.Join(t.TempDir(), "made", "by", "enrollment"), testPorts(t, 1)[0])
	missing := filepath.Join(t.TempDir(), "not", "there")
	cfg.Ctrl.EndpointsFile, cfg.Edge.DB = filepath.Join(missing, "endpoints"), filepath.Join(missing, "db", "edge.db")
	id, err := EnrollRouter(ctx, cfg, *detail.EnrollmentJWT+"\n", o.Log)
	if err != nil {
		t.Fatal(err)
	}
	if id != made.ID {
		t.Errorf("enrolled %s, want %s", id, made.ID)
	}
	if _, err := EnrollRouter(ctx, cfg, *detail.EnrollmentJWT, o.Log); err == nil {
		t.Error("the token worked twice")
	}
	router, err := StartRouter(ctx, RouterOptions{Config: cfg, Build: o.Build, Log: o.Log})
	if err != nil {
		t.Fatal(err)
	}
	if err := router.Ready(ctx); err != nil {
		t.Fatal("the router does not use the endpoints of its token:", err)
	}
	if detail, err = admin.Management().DetailEdgeRouter(ctx, made.ID); err != nil || !detail.IsOnline || !detail.IsVerified {
		t.Errorf("the controller shows %+v, %v", detail, err)
	}
	if err := router.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(cfg.Edge.DB); err != nil {
		t.Error("the slice was not stored:", err)
	}
}

func TestRouterThatIsNotEnrolled(t *testing.T) {
	cfg := routerFile(t, t.TempDir(), 1)
	_, err := StartRouter(testContext(t), RouterOptions{Config: cfg, Log: testUp(t).Log})
	var p *Problem
	if !errors.As(err, &p) || !strings.Contains(p.Help(), "weft router enroll") {
		t.Errorf("got %v", err)
	}
}

func TestEnrollRouterRefusals(t *testing.T) {
	dir := t.TempDir()
	cfg := routerFile(t, dir, 1)
	for name, token := range map[string]string{
		"no token": "hello",
		// Header {"alg":"ES256"} and claims {"em":"ott"}.
		"token of an identity": "eyJhbGciOiJFUzI1NiJ9.eyJlbSI6Im90dCJ9.c2ln",
	} {
		if _, err := EnrollRouter(testContext(t), cfg, token, testUp(t).Log); err == nil {
			t.Errorf("%s: enrolled", name)
		}
	}
	cfg.Identity.Key = "pem:-----BEGIN PRIVATE KEY-----"
	if _, err := routerFiles(cfg.Identity); err == nil || !strings.Contains(err.Error(), "identity.key") {
		t.Errorf("inline key: %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("something was written: %v, %v", entries, err)
	}
}
