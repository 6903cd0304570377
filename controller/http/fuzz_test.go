package http

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/weftnet/weft/api"
)

// FuzzRequest sends any request as an administrator: none may end in an
// internal error.
func FuzzRequest(f *testing.F) {
	for _, op := range api.Operations() {
		base := api.ManagementBase
		switch {
		case op.API&api.Client != 0:
			base = api.ClientBase
		case op.API == api.Fabric:
			base = api.FabricBase
		}
		f.Add(op.Method, base+strings.ReplaceAll(op.Path, "{id}", "default"), "", `{"name":"x","type":"User","isAdmin":false}`)
	}
	f.Add("GET", "/edge/management/v1/identities", "filter=tags.n between 1 and 3 sort by tags.n", "")
	f.Add("POST", "/edge/management/v1/service-policies", "", `{"name":"x","semantic":"AnyOf","type":"Dial","identityRoles":["#a"],"tags":{"a":{"b":1}}}`)
	f.Add("PATCH", "/edge/management/v1/auth-policies/default", "", `{"primary":{"cert":null,"updb":{"maxAttempts":-1}}}`)
	f.Add("POST", "/fabric/v1/inspections", "", `{"appRegex":"((a*)*)*","requestedValues":["x",""]}`)
	f.Add("GET", "/fabric/v1/paths", "from=r1&to=r2", "")
	f.Add("PATCH", "/fabric/v1/terminators/t", "", "null")
	for _, kind := range []string{"OS", "PROCESS", "PROCESS_MULTI", "DOMAIN", "MAC", "MFA"} {
		text, err := json.Marshal(postureBody(kind, "check", nil))
		if err != nil {
			f.Fatal(err)
		}
		f.Add("POST", "/edge/management/v1/posture-checks", "", string(text))
	}
	f.Add("POST", "/edge/management/v1/cas", "", `{"name":"ca","certPem":"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----","identityRoles":[],"isAuthEnabled":true,"isAutoCaEnrollmentEnabled":true,"isOttCaEnrollmentEnabled":true,"externalIdClaim":{"index":0}}`)
	f.Add("PATCH", "/edge/management/v1/cas/ca", "", `{"externalIdClaim":{"location":"SAN_URI","index":-1}}`)
	f.Add("POST", "/edge/management/v1/cas/ca/verify", "", "-----BEGIN CERTIFICATE-----")
	f.Add("PATCH", "/edge/management/v1/external-jwt-signers/signer", "", `{"jwksEndpoint":"","certPem":"x","claimsProperty":"~","scopes":null,"enrollAuthPolicyId":""}`)
	f.Add("PUT", "/edge/management/v1/identities/theAdmin00/trace", "", `{"enabled":true,"duration":"1h","channels":["x"]}`)
	f.Add("GET", "/edge/management/v1/identity-role-attribute-usage", "withIds=1&filter=roleAttribute contains \"a\"", "")
	fx := newFixture(f)
	fx.create("external-jwt-signers", signer("signer", nil))
	fx.create("cas", caBody("ca", newTestCA(f, "ca").pem))
	newMesh(f, fx)
	f.Fuzz(func(t *testing.T, method, path, query, body string) {
		u := url.URL{Path: path, RawQuery: query}
		r, err := http.NewRequest(method, "http://localhost", strings.NewReader(body))
		if err != nil {
			return
		}
		r.URL.Path, r.URL.RawQuery = u.Path, u.RawQuery
		r.Header.Set("zt-session", "admin")
		w := httptest.NewRecorder()
		fx.handler.ServeHTTP(w, r)
		if w.Code == 500 {
			t.Fatalf("%s %s?%s %s: %s", method, path, query, body, w.Body)
		}
	})
}

// FuzzBody sends any body to any operation as an administrator: what is refused
// is the caller's fault. Snapshots are left out: they write files where they are
// told to.
func FuzzBody(f *testing.F) {
	type target struct {
		method, path string
	}
	var targets []target
	bodies(func(op api.Operation, path string) {
		if strings.Contains(path, "snapshot") {
			return
		}
		if object, list := sampleBody(op); object != nil {
			text, err := json.Marshal(object)
			if err != nil {
				f.Fatal(err)
			}
			if list {
				text = []byte("[" + string(text) + "]")
			}
			f.Add(uint16(len(targets)), string(text))
			f.Add(uint16(len(targets)), "{\"name\":\"\xff\"}")
		}
		targets = append(targets, target{op.Method, path})
	})
	f.Add(uint16(3), `{"name":"a\u0000b","tags":{"a":[[[[]]]]},"Name":5,"NAME":null}`)
	f.Add(uint16(9), `{"files":[{"name":"f","text":"services: [{name: s, configs: [x]}]"}]}`)
	fx := newFixture(f)
	f.Fuzz(func(t *testing.T, which uint16, body string) {
		to := targets[int(which)%len(targets)]
		r := httptest.NewRequest(to.method, to.path, strings.NewReader(body))
		r.Header.Set("zt-session", "admin")
		w := httptest.NewRecorder()
		fx.handler.ServeHTTP(w, r)
		if w.Code >= 500 {
			t.Fatalf("%s %s %s: %s", to.method, to.path, body, w.Body)
		}
	})
}
