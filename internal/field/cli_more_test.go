package field

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net/url"
	"strings"
	"testing"
	"time"
)

// TestCLIIdentityProviders runs the commands for authorities, signers, policies
// of logins, posture checks and revocations.
func TestCLIIdentityProviders(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	c, none := newCLI(t, common(t)), m{}
	for kind, body := range map[string]m{
		"external-jwt-signers": {"audience": "a", "claimsProperty": "sub", "enabled": true, "externalAuthUrl": "", "issuer": "https://" + unique("issuer"),
			"jwksEndpoint": "https://keys.example.net/", "scopes": nil, "tags": none, "targetToken": "ACCESS", "useExternalId": true},
		"auth-policies": {"primary": m{"cert": m{"allowExpiredCerts": false, "allowed": true}, "extJwt": m{"allowed": false, "allowedSigners": []string{}},
			"updb": m{"allowed": true, "lockoutDurationMinutes": 0, "maxAttempts": 5, "minPasswordLength": 5, "requireMixedCase": false,
				"requireNumberChar": false, "requireSpecialChar": false}}, "secondary": m{"requireTotp": false}, "tags": none},
	} {
		c.lifeOf(t, kind, unique("cli"), body, m{"tags": m{"a": "b"}})
	}
	for kind, members := range map[string]m{
		"MFA":           {"timeoutSeconds": -1, "promptOnWake": false, "promptOnUnlock": false, "ignoreLegacyEndpoints": false},
		"OS":            {"operatingSystems": []m{{"Type": "Windows", "Versions": []string{"10.0.0"}}}},
		"DOMAIN":        {"domains": []string{"example.net"}},
		"MAC":           {"macAddresses": []string{"01-02-03-04-05-06"}},
		"PROCESS":       {"process": m{"osType": "Linux", "path": "/bin/x", "hashes": []string{}, "signerFingerprint": ""}},
		"PROCESS_MULTI": {"semantic": "AnyOf", "processes": []m{{"osType": "Linux", "path": "/bin/x", "hashes": []string{}, "signerFingerprints": []string{}}}},
	} {
		members["typeId"], members["roleAttributes"], members["tags"] = kind, nil, none
		c.lifeOf(t, "posture-checks", unique("cli"), members, m{"typeId": kind, "roleAttributes": []string{"x"}})
	}
	const jti = "5c21b4c7-1c9e-4b04-8f6a-0a4a0f9d2f11"
	if id := c.create(t, "revocations", m{"id": jti, "type": "JTI"}); id != jti {
		t.Errorf("revocation %s", id)
	}
	if list := c.find(t, "revocations", `id="`+jti+`"`); len(list) != 1 {
		t.Errorf("%d revocations", len(list))
	}
}

// lifeOf is create, list, update and delete of an entity with a name.
func (c *cliUser) lifeOf(t *testing.T, plural, name string, body, change map[string]any) {
	t.Helper()
	on := c.on(t)
	body["name"] = name
	id := on.create(t, plural, body)
	if found := on.lookup(plural, name); found != id {
		t.Errorf("%s %s, want %s", plural, found, id)
	}
	on.done(t, "PATCH", "/"+plural+"/"+id, change)
	on.call(t, "GET", "/"+plural+"/"+id, nil, 200).at("data", "name").want(name)
	if plural == "posture-checks" {
		on.call(t, "GET", "/"+plural+"/"+id, nil, 200).at("data", "typeId").want(body["typeId"])
	}
	on.done(t, "DELETE", "/"+plural+"/"+on.lookup1(plural, name), nil)
	on.call(t, "GET", "/"+plural+"/"+id, nil, 404)
}

// TestCLIAuthority is create ca and verify ca.
func TestCLIAuthority(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	c, name := newCLI(t, common(t)), unique("ca")
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	issue := func(cn string, serial int64, ca bool) []byte {
		template := &x509.Certificate{SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: cn}, NotBefore: time.Now().Add(-time.Hour),
			NotAfter: time.Now().Add(time.Hour), IsCA: ca, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature}
		parent := template
		if !ca {
			parent = &x509.Certificate{Subject: pkix.Name{CommonName: name}}
		}
		der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, key)
		if err != nil {
			t.Fatal(err)
		}
		return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	}
	id := c.create(t, "cas", m{"certPem": string(issue(name, 1, true)), "identityRoles": []string{}, "isAuthEnabled": true,
		"isAutoCaEnrollmentEnabled": true, "isOttCaEnrollmentEnabled": true, "name": name, "tags": m{}})
	id = c.lookup("cas", id)
	proof := c.call(t, "GET", "/cas/"+id, nil, 200).at("data", "verificationToken").text()
	b := openBurst(t, strings.TrimSuffix(c.base, "/edge/management/v1"), nil, trusting(common(t).CA))
	defer b.end()
	b.token = c.token
	b.send("POST", "/edge/management/v1/cas/"+id+"/verify", "application/json", "text/plain", issue(proof, 2, false))
	c.call(t, "GET", "/cas/"+id, nil, 200).at("data", "isVerified").want(true)
	c.done(t, "DELETE", "/cas/"+id, nil)
}

// TestCLIValidateHosting is edge validate service-hosting.
func TestCLIValidateHosting(t *testing.T) {
	t.Parallel()
	n := common(t)
	c := newCLI(t, n)
	role := unique("hosting")
	n.admin.service(t, role, false, role)
	services := c.call(t, "GET", "/services?filter="+url.QueryEscape("sort by name limit none"), nil, 200).at("data").list()
	fabric := &manager{base: n.url("/fabric/v1"), http: c.http, token: c.token}
	fabric.call(t, "GET", "/terminators?filter="+url.QueryEscape("limit none"), nil, 200).at("data").list()
	for _, s := range services {
		res, err := c.send("GET", "/services/"+s.at("id").text()+"/identities?filter="+url.QueryEscape("limit none")+"&policyType=bind", nil)
		if err != nil || res.status != 200 && res.status != 404 { // other tests delete theirs
			t.Errorf("%v, %v", res, err)
		}
	}
}

// TestCLIVerifyTraffic is what ops verify traffic sends to the management API
// before and after its traffic.
func TestCLIVerifyTraffic(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	c, p := newCLI(t, common(t)), unique("verify")
	all := [][2]string{{"identities", p + ".client"}, {"service-policies", p + ".dial"}, {"service-policies", p + ".bind"},
		{"services", p + ".traffic"}, {"identities", p + ".server"}}
	cleanup := func(want int) {
		t.Helper()
		found := 0
		for _, e := range all {
			for _, d := range c.find(t, e[0], `name = "`+e[1]+`"`) {
				found++
				c.done(t, "DELETE", "/"+e[0]+"/"+d.at("id").text(), nil)
			}
		}
		if found != want {
			t.Errorf("%d entities were left, want %d", found, want)
		}
	}
	cleanup(0)
	service := c.create(t, "services", m{"configs": nil, "encryptionRequired": true, "name": p + ".traffic", "roleAttributes": []string{p + ".traffic"}})
	for kind, who := range map[string]string{"Bind": "binders", "Dial": "dialers"} {
		c.create(t, "service-policies", m{"name": p + "." + strings.ToLower(kind), "type": kind, "semantic": "AllOf",
			"identityRoles": []string{"#" + p + ".traffic." + who}, "serviceRoles": []string{"#" + p + ".traffic"}})
	}
	for name, role := range map[string]string{"client": "dialers", "server": "binders"} {
		id := c.create(t, "identities", m{"enrollment": m{"ott": true}, "isAdmin": false, "name": p + "." + name,
			"roleAttributes": []string{p + ".traffic." + role}, "type": "User"})
		d := c.call(t, "GET", "/identities/"+id, nil, 200).at("data")
		d.at("enrollment", "ott", "jwt").text()
		d.at("typeId").want("Default")
		list := c.call(t, "GET", "/identities/"+id+"/services", nil, 200).page(10, 0, 1)
		list[0].at("id").want(service)
	}
	if list := c.find(t, "terminators", `service.name="`+p+`.traffic"`); len(list) != 0 {
		t.Errorf("%d terminators", len(list))
	}
	cleanup(5)
}
