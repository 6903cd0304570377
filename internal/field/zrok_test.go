package field

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// longRSA is one key for all: to make it takes longer than everything else here.
var longRSA = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 4096) })

// zrok is the controller of zrok: a program that manages the network for its
// shares with the management API.
type zrok struct {
	*manager
	t testing.TB
}

// newZrok takes the bundle of authorities from the well-known address, then logs
// in with name and password.
func newZrok(t testing.TB, n *network) *zrok {
	t.Helper()
	first := openBurst(t, n.url(""), nil, trusting(n.CA))
	pool := readBundle(t, first.send("GET", "/.well-known/est/cacerts", "application/pkcs7-mime", "", nil))
	first.end()
	z := &zrok{&manager{base: n.url("/edge/management/v1"), http: plainClient(pool)}, t}
	if err := z.login(adminUser, adminPassword); err != nil {
		t.Fatal(err)
	}
	return z
}

// tags are how zrok finds what it has made.
func tags(more ...string) map[string]any {
	out := map[string]any{"zrok": "v2.0.4"}
	for i := 0; i < len(more); i += 2 {
		out[more[i]] = more[i+1]
	}
	return out
}

// one wants exactly one entity and returns its id.
func (z *zrok) one(plural, filter string) string {
	z.t.Helper()
	list := z.find(z.t, plural, filter)
	if len(list) != 1 {
		z.t.Fatalf("%d %s with %s, want one", len(list), plural, filter)
	}
	return list[0].at("id").text()
}

// none wants no entity.
func (z *zrok) none(plural, filter string) {
	z.t.Helper()
	if list := z.find(z.t, plural, filter); len(list) != 0 {
		z.t.Errorf("%d %s with %s, want none", len(list), plural, filter)
	}
}

// enroll makes the identity of an environment: read the token from the detail,
// enrol with an RSA key of 4096 bits.
func (z *zrok) enroll(name string, more ...string) (id, token string) {
	z.t.Helper()
	id = z.create(z.t, "identities", map[string]any{"name": name, "type": "User", "isAdmin": false, "tags": tags(more...),
		"enrollment": map[string]any{"ott": true}, "roleAttributes": nil, "serviceHostingCosts": nil})
	list := z.find(z.t, "identities", fmt.Sprintf(`id="%s"`, id))
	if len(list) != 1 {
		z.t.Fatalf("%d identities with the id", len(list))
	}
	token = z.call(z.t, "GET", "/identities/"+id, nil, 200).at("data", "enrollment", "ott", "jwt").text()
	k := readTicket(z.t, token)
	key, err := longRSA()
	if err != nil {
		z.t.Fatal(err)
	}
	subject := cSubject(k)
	subject.Organization, subject.Country, subject.ExtraNames = []string{"NetFoundry"}, []string{"US"}, nil
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: subject}, key)
	if err != nil {
		z.t.Fatal(err)
	}
	csr := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))
	req, err := http.NewRequest("POST", strings.TrimSuffix(k.claims.ISS, "/")+"/edge/client/v1/enroll?method=ott&token="+k.claims.JTI, strings.NewReader(csr))
	if err != nil {
		z.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-pem-file")
	res, err := z.http.Do(req)
	if err != nil {
		z.t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != 200 || !strings.HasPrefix(res.Header.Get("Content-Type"), "application/json") {
		z.t.Fatalf("enrolment: status %d, %s", res.StatusCode, res.Header.Get("Content-Type"))
	}
	return id, token
}

// TestZrok follows zrok from its first start over a share with an access to the
// end of the environment.
func TestZrok(t *testing.T) {
	t.Parallel()
	n := common(t)
	z := newZrok(t, n)
	kind := unique("zrok.proxy.v1")
	share, frontend := unique("share"), unique("frontend")

	z.none("config-types", `name="`+kind+`"`)
	kindID := z.create(t, "config-types", map[string]any{"name": kind})
	if got := z.one("config-types", `name="`+kind+`"`); got != kindID {
		t.Errorf("found %s, made %s", got, kindID)
	}
	public, _ := z.enroll(unique("public"))
	publicERP := z.create(t, "edge-router-policies", map[string]any{"name": unique("erp"), "semantic": "AllOf", "tags": tags(),
		"edgeRouterRoles": []string{"#all"}, "identityRoles": []string{"@" + public}})
	environment, _ := z.enroll(unique("environment"), "zrokEmail", "a@example.com")
	erp := unique("env-erp")
	z.create(t, "edge-router-policies", map[string]any{"name": erp, "semantic": "AllOf", "tags": tags(),
		"edgeRouterRoles": []string{"#all"}, "identityRoles": []string{"@" + environment}})
	z.one("edge-router-policies", `name="`+erp+`" and tags.zrok != null`)

	made := z.share(share, frontend, kindID, environment, public)
	t.Run("lookups", func(t *testing.T) {
		z := &zrok{z.manager, t}
		mine := fmt.Sprintf(`tags.zrokShareToken="%s"`, share)
		if got := z.one("service-policies", mine+fmt.Sprintf(` and tags.zrokFrontendToken="%s" and type=1`, frontend)); got != made.dial {
			t.Errorf("found the policy %s, made %s", got, made.dial)
		}
		if got := z.one("service-policies", mine+" and type=2"); got != made.bind {
			t.Errorf("found the policy %s, made %s", got, made.bind)
		}
		z.none("service-policies", mine+` and tags.zrokFrontendToken="nobody" and type=1`)
		if got := z.one("services", mine); got != made.service {
			t.Errorf("found the service %s, made %s", got, made.service)
		}
		z.one("services", `name="`+share+`" and tags.zrok != null`)
		z.none("services", `name="nobody" and tags.zrok != null`)
		z.one("configs", mine)
		z.one("service-edge-router-policies", mine)
		z.one("identities", `id="`+environment+`" and tags.zrokEmail != null`)
		z.none("identities", `id="`+public+`" and tags.zrokEmail != null`)
	})
	t.Run("update of the config", func(t *testing.T) {
		data := map[string]any{"interstitial": true, "auth_scheme": "none"}
		z.done(t, "PUT", "/configs/"+made.config, map[string]any{"name": share, "data": data, "tags": tags("zrokShareToken", share)})
		d := z.call(t, "GET", "/configs/"+made.config, nil, 200).at("data")
		d.at("data", "interstitial").want(true)
		d.at("configTypeId").want(kindID)
	})
	t.Run("deletes", func(t *testing.T) {
		z := &zrok{z.manager, t}
		mine := fmt.Sprintf(`tags.zrokShareToken="%s"`, share)
		for _, plural := range []string{"service-edge-router-policies", "service-policies", "services", "configs"} {
			for _, e := range z.find(t, plural, mine) {
				z.done(t, "DELETE", "/"+plural+"/"+e.at("id").text(), nil)
			}
			z.none(plural, mine)
		}
		z.done(t, "DELETE", "/edge-router-policies/"+z.one("edge-router-policies", `name="`+erp+`"`), nil)
		z.done(t, "DELETE", "/identities/"+environment, nil)
		z.call(t, "DELETE", "/identities/"+environment, nil, 404).refusal("NOT_FOUND")
		z.none("identities", `id="`+environment+`"`)
		z.done(t, "DELETE", "/edge-router-policies/"+publicERP, nil)
		z.done(t, "DELETE", "/identities/"+public, nil)
		z.done(t, "DELETE", "/config-types/"+kindID, nil)
	})
}

// sharedBy is what a share consists of.
type sharedBy struct{ config, service, bind, dial string }

// share makes the entities of a public share.
func (z *zrok) share(share, frontend, kind, environment, public string) (s sharedBy) {
	z.t.Helper()
	mine := tags("zrokShareToken", share)
	s.config = z.create(z.t, "configs", map[string]any{"name": share, "configTypeId": kind, "tags": mine,
		"data": map[string]any{"auth_scheme": "none"}})
	s.service = z.create(z.t, "services", map[string]any{"name": share, "configs": []string{s.config}, "encryptionRequired": true,
		"roleAttributes": nil, "terminatorStrategy": "", "tags": mine})
	policy := func(name, kind, who string, tags map[string]any) string {
		return z.create(z.t, "service-policies", map[string]any{"name": name, "type": kind, "semantic": "AllOf", "tags": tags,
			"identityRoles": []string{"@" + who}, "serviceRoles": []string{"@" + s.service}, "postureCheckRoles": []string{}})
	}
	s.bind = policy(share+"-bind", "Bind", environment, mine)
	s.dial = policy(share+"-dial", "Dial", public, tags("zrokShareToken", share, "zrokFrontendToken", frontend))
	z.create(z.t, "service-edge-router-policies", map[string]any{"name": share + "-serp", "semantic": "AllOf", "tags": mine,
		"edgeRouterRoles": []string{"#all"}, "serviceRoles": []string{"@" + s.service}})
	for _, p := range []string{s.bind, s.dial} {
		d := z.call(z.t, "GET", "/service-policies/"+p, nil, 200).at("data")
		d.at("semantic").want("AllOf")
		if got := d.at("serviceRoles").texts(); len(got) != 1 || got[0] != "@"+s.service {
			z.t.Errorf("serviceRoles %v", got)
		}
		d.at("serviceRolesDisplay").list()[0].at("name").want("@" + share)
	}
	return s
}
