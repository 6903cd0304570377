package sdk

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/weftnet/weft/pki"
)

func TestIdentityFile(t *testing.T) {
	n := newFakeNet(t)
	path := tempFile(t, "laptop.json")
	i := n.enroll()
	if err := i.Save(path); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Error("mode", info.Mode(), err)
	}
	var raw map[string]any
	text, _ := os.ReadFile(path)
	if err := json.Unmarshal(text, &raw); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"ztAPI", "ztAPIs", "configTypes", "id", "enableHa"} {
		if _, ok := raw[key]; !ok {
			t.Errorf("the file has no %q", key)
		}
	}
	loaded, err := LoadIdentity(path)
	if err != nil {
		t.Fatal(err)
	}
	if loaded.ControllerURL != n.http.URL+"/edge/client/v1" || loaded.Credentials != i.Credentials {
		t.Errorf("%+v", loaded)
	}
	if err := loaded.Save(path); err != nil {
		t.Error("an existing file is replaced:", err)
	}
}

func TestIdentityForms(t *testing.T) {
	n := newFakeNet(t)
	i := n.enroll()
	pem := func(v string) string { return strings.TrimPrefix(v, "pem:") }
	c := i.Credentials
	files := Credentials{}
	for value, field := range map[string]*string{c.Key: &files.Key, c.Cert: &files.Cert, c.CA: &files.CA} {
		p := tempFile(t, "x.pem")
		if err := os.WriteFile(p, []byte(pem(value)), 0o600); err != nil {
			t.Fatal(err)
		}
		*field = p
	}
	for name, form := range map[string]Credentials{
		"pem:":     c,
		"PEM text": {Key: pem(c.Key), Cert: pem(c.Cert), CA: pem(c.CA)},
		"path":     files,
		"file://":  {Key: "file://" + files.Key, Cert: "file://" + files.Cert, CA: "file://" + files.CA},
	} {
		t.Run(name, func(t *testing.T) {
			client, err := New(&Identity{ControllerURL: i.ControllerURL, Credentials: form}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			if err := client.Login(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	for name, text := range map[string]string{"not JSON": "x", "no controller": `{"id":{}}`, "key alone": `{"ztAPI":"https://x","id":{"key":"k"}}`} {
		if _, err := ParseIdentity([]byte(text)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if i, err := ParseIdentity([]byte(`{"ztAPIs":["https://x/"]}`)); err != nil || i.ControllerURL != "https://x/" || len(i.urls()) != 1 {
		t.Error("a list of controllers alone is enough", err)
	}
}

func TestEnrollRefusals(t *testing.T) {
	n, other := newFakeNet(t), newFakeNet(t)
	good := n.enrollmentToken("ott", time.Now().Add(time.Hour))
	if _, err := Enroll(t.Context(), good+"\n", EnrollOptions{}); err != nil {
		t.Fatal(err)
	}
	// A token for this controller, but signed by the other one's key.
	n.server.Key, other.server.Key = other.server.Key, n.server.Key
	foreign := n.enrollmentToken("ott", time.Now().Add(time.Hour))
	n.server.Key, other.server.Key = other.server.Key, n.server.Key
	for _, c := range []struct{ name, token, code string }{
		{"used twice", good, "INVALID_ENROLLMENT_TOKEN"},
		{"expired", n.enrollmentToken("ott", time.Now().Add(-time.Hour)), "ENROLLMENT_EXPIRED"},
		{"signed by another", foreign, "CONTROLLER_NOT_TRUSTED"},
		{"other method", n.enrollmentToken("erott", time.Now().Add(time.Hour)), "INVALID_ENROLL_METHOD"},
		{"no token", "nonsense", "INVALID_TOKEN"},
		{"no password", n.enrollmentToken("updb", time.Now().Add(time.Hour)), "PASSWORD_MISSING"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Enroll(t.Context(), c.token, EnrollOptions{})
			var e *Error
			if !errors.As(err, &e) || e.Code != c.code || !errors.Is(err, ErrEnrollment) || e.Remedy == "" {
				t.Errorf("%v, remedy %q", err, Help(err))
			}
		})
	}
}

func TestEnrollWithOwnKey(t *testing.T) {
	n := newFakeNet(t)
	key, err := pki.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	text, err := pki.EncodeKey(key)
	if err != nil {
		t.Fatal(err)
	}
	path := tempFile(t, "own.key")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	token := n.enrollmentToken("ott", time.Now().Add(time.Hour))
	if _, err := Enroll(t.Context(), token, EnrollOptions{Key: key}); err == nil {
		t.Error("a key without a place in the file")
	}
	i, err := Enroll(t.Context(), token, EnrollOptions{Key: key, KeyValue: "file://" + path})
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(i, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Login(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestPasswordLoginGetsCertificate(t *testing.T) {
	n := newFakeNet(t)
	i, err := Enroll(t.Context(), n.enrollmentToken("updb", time.Now().Add(time.Hour)), EnrollOptions{Password: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(i, Options{Username: "user", Password: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s, err := c.login(t.Context())
	if err != nil || s.cert == nil || s.certEnds.IsZero() {
		t.Fatal("no session certificate", err)
	}
	if id, name := c.Identity(); id != "ident1" || name != "laptop" {
		t.Error(id, name)
	}
	bad, err := New(i, Options{Username: "user", Password: "wrong"})
	if err != nil {
		t.Fatal(err)
	}
	defer bad.Close()
	if err := bad.Login(t.Context()); !errors.Is(err, ErrLogin) || Help(err) == "" {
		t.Error(err)
	}
	none, err := New(i, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer none.Close()
	if err := none.Login(t.Context()); !errors.Is(err, ErrLogin) {
		t.Error(err)
	}
}

func TestServices(t *testing.T) {
	n := newFakeNet(t)
	for i := range 5 {
		n.service(fmt.Sprintf("s%d", i), i%2 == 0, PermissionDial)
	}
	c := n.client(Options{})
	all, err := c.Services(t.Context())
	if err != nil || len(all) != 5 || all[4].Name != "s4" || !all[4].CanDial() || all[4].CanListen() {
		t.Fatalf("%+v %v", all, err)
	}
	n.service("s5", false, PermissionBind)
	if all, _ = c.Services(t.Context()); len(all) != 5 {
		t.Error("the list is kept")
	}
	if s, err := c.Service(t.Context(), "s5"); err != nil || !s.CanListen() {
		t.Error("what is not in the list is asked for", err)
	}
	c.Refresh()
	if all, _ = c.Services(t.Context()); len(all) != 6 {
		t.Error("the list is new after Refresh")
	}
	_, err = c.Service(t.Context(), `no"such`)
	var e *Error
	if !errors.As(err, &e) || !errors.Is(err, ErrServiceNotFound) || e.Remedy == "" {
		t.Error(err)
	}
}

func TestServiceChangesAreNoticed(t *testing.T) {
	n := newFakeNet(t)
	n.service("a", false, PermissionDial)
	changed := make(chan struct{}, 10)
	c := n.client(Options{RefreshInterval: 10 * time.Millisecond, ServicesChanged: func() { changed <- struct{}{} }})
	if all, err := c.Services(t.Context()); err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	eventually(t, "first look", func() bool { return n.updates.Load() > 1 })
	n.service("b", false, PermissionDial)
	<-changed
	eventually(t, "both services", func() bool { all, err := c.Services(t.Context()); return err == nil && len(all) == 2 })
}

func TestNewLoginWhenSessionEnded(t *testing.T) {
	n := newFakeNet(t)
	n.service("a", false, PermissionDial)
	c := n.client(Options{})
	if _, err := c.Service(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	n.mu.Lock()
	clear(n.tokens)
	n.mu.Unlock()
	if _, err := c.fetchServices(t.Context()); err != nil || n.logins.Load() != 2 {
		t.Error(n.logins.Load(), "logins", err)
	}
}

func TestRefusalsCarryEverything(t *testing.T) {
	n := newFakeNet(t)
	n.service("a", false, PermissionDial)
	c := n.client(Options{})
	n.refuse["GET /services"] = func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusTooManyRequests)
		fmt.Fprint(w, `{"error":{"code":"SERVER_TOO_MANY_REQUESTS","message":"slow down","requestId":"r1","remedy":"wait","cause":{"code":"X","message":"outer","cause":{"field":"f","reason":"why","value":1}}}}`)
	}
	_, err := c.Services(t.Context())
	var e *Error
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	want := Error{Op: "list services", Code: "SERVER_TOO_MANY_REQUESTS", Message: "slow down", Cause: "outer: f: why", Remedy: "wait", Status: 429, RequestID: "r1"}
	if *e != want {
		t.Errorf("%+v", e)
	}
	if text := err.Error(); text != "sdk: list services: SERVER_TOO_MANY_REQUESTS: slow down: outer: f: why" {
		t.Error(text)
	}
	n.mu.Lock()
	n.refuse["GET /services"] = func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "<html>", http.StatusBadGateway) }
	n.mu.Unlock()
	if _, err := c.Services(t.Context()); !errors.As(err, &e) || e.Code != "HTTP_502" {
		t.Error(err)
	}
}
