package field

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// manager is a client of the management API as Go programs have it: one
// connection per request, a session in a header.
type manager struct {
	base  string
	http  *http.Client
	token string
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	raw    []byte
	body   map[string]any
}

func plainClient(ca *x509.CertPool, certs ...tls.Certificate) *http.Client {
	return &http.Client{Timeout: patience, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: ca, Certificates: certs}, DisableKeepAlives: true,
	}}
}

// send sends a request with a JSON body, if there is one.
func (m *manager) send(method, path string, body any) (*answer, error) {
	var in io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		in = bytes.NewReader(b)
	}
	req, err := http.NewRequest(method, m.base+path, in)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if m.token != "" {
		req.Header.Set("zt-session", m.token)
	}
	res, err := m.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	a := &answer{status: res.StatusCode, header: res.Header}
	if a.raw, err = io.ReadAll(res.Body); err != nil {
		return nil, err
	}
	_ = json.Unmarshal(a.raw, &a.body)
	return a, nil
}

// login logs in as the ecosystem's programs do where there is no OIDC.
func (m *manager) login(username, password string) error {
	a, err := m.send("POST", "/authenticate?method=password", map[string]any{
		"username": username, "password": password,
		"envInfo": map[string]any{"arch": "amd64", "os": "linux", "osRelease": "6.1.0", "osVersion": "#1 SMP"},
		"sdkInfo": map[string]any{"type": "ziti-sdk-golang", "version": "v1.2.8"},
	})
	if err != nil {
		return err
	}
	if a.status != 200 {
		return fmt.Errorf("login: status %d: %s", a.status, a.raw)
	}
	data, _ := a.body["data"].(map[string]any)
	m.token, _ = data["token"].(string)
	if m.token == "" || a.header.Get("zt-session") != m.token {
		return fmt.Errorf("login: no token, or another one in the header: %s", a.raw)
	}
	return nil
}

// call sends a request and fails the test unless it is answered with the status.
func (m *manager) call(t testing.TB, method, path string, body any, status int) doc {
	t.Helper()
	a, err := m.send(method, path, body)
	if err != nil {
		t.Fatal(err)
	}
	if a.status != status {
		t.Fatalf("%s %s: status %d, want %d: %s", method, path, a.status, status, a.raw)
	}
	if kind := a.header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") {
		t.Fatalf("%s %s: Content-Type %q", method, path, kind)
	}
	if a.header.Get("ziti-instance-id") == "" || a.header.Get("Server") == "" {
		t.Errorf("%s %s: no ziti-instance-id or Server in %v", method, path, a.header)
	}
	return parse(t, a.raw, method+" "+path)
}

// create makes an entity and returns its id.
func (m *manager) create(t testing.TB, plural string, body map[string]any) string {
	t.Helper()
	d := m.call(t, "POST", "/"+plural, body, 201)
	id := d.at("data", "id").text()
	d.at("data", "_links", "self", "href").want("./" + plural + "/" + id)
	d.at("meta")
	return id
}

// done sends a request whose answer is the empty envelope.
func (m *manager) done(t testing.TB, method, path string, body any) {
	t.Helper()
	d := m.call(t, method, path, body, 200)
	if len(d.at("data").object()) != 0 || len(d.at("meta").object()) != 0 {
		t.Errorf("%s: %v, want the empty envelope", d.path, d.value)
	}
}

// find lists with a filter.
func (m *manager) find(t testing.TB, plural, filter string) []doc {
	t.Helper()
	return m.call(t, "GET", "/"+plural+"?filter="+url.QueryEscape(filter), nil, 200).at("data").list()
}

// service makes a service that identities with the role may dial and host.
func (m *manager) service(t testing.TB, name string, encrypted bool, role string) (id string) {
	t.Helper()
	id = m.create(t, "services", map[string]any{"name": name, "encryptionRequired": encrypted})
	for _, kind := range []string{"Dial", "Bind"} {
		m.create(t, "service-policies", map[string]any{"name": name + kind, "type": kind, "semantic": "AnyOf",
			"identityRoles": []string{"#" + role}, "serviceRoles": []string{"@" + id}})
	}
	return id
}

// invite makes an identity and returns its id and enrolment token.
func (m *manager) invite(t testing.TB, name string, roles ...string) (id, token string) {
	t.Helper()
	id = m.create(t, "identities", map[string]any{"name": name, "type": "Default", "isAdmin": false,
		"roleAttributes": roles, "enrollment": map[string]any{"ott": true}})
	return id, m.call(t, "GET", "/identities/"+id, nil, 200).at("data", "enrollment", "ott", "jwt").text()
}
