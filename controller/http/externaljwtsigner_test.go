package http

import (
	"context"
	"errors"
	"maps"
	"net/url"
	"strings"
	"testing"
)

func signer(name string, more obj) obj {
	b := obj{"name": name, "issuer": "https://" + name + ".example", "audience": "weft", "enabled": true, "jwksEndpoint": "https://" + name + ".example/jwks"}
	maps.Copy(b, more)
	return b
}

func TestSignerDefaultsAndChanges(t *testing.T) {
	f := newFixture(t)
	ca := newTestCA(t, "idp")
	id := f.create("external-jwt-signers", signer("one", obj{"scopes": []string{"profile", "openid"}, "kid": "k1"}))
	path := m("/external-jwt-signers/%s", id)
	f.do("GET", path, nil).is("data.claimsProperty", "/sub").is("data.enrollNameClaimsSelector", "/sub").is("data.enrollAuthPolicyId", "default").
		is("data.targetToken", "ACCESS").is("data.useExternalId", false).is("data.scopes", "[openid profile]").is("data.fingerprint", nil).is("data.notAfter", "0001-01-01T00:00:00.000Z")
	f.do("PATCH", path, obj{"certPem": ca.pem}).status(400).is("error.cause.field", "jwksEndpoint").is("error.cause.reason", "only one of jwksEndpoint and certPem may be given")
	f.do("PATCH", path, obj{"certPem": ca.pem, "jwksEndpoint": ""}).status(200)
	f.do("GET", path, nil).is("data.commonName", "idp").is("data.notBefore", "2026-11-20T11:00:00.000Z").is("data.jwksEndpoint", nil).is("data.kid", "k1")
	f.do("PUT", path, signer("one", nil)).status(200)
	f.do("GET", path, nil).is("data.certPem", nil).is("data.fingerprint", nil).is("data.commonName", "").is("data.scopes", "[]").is("data.kid", nil)
	put := signer("one", obj{"certPem": ca.pem, "enrollToCertEnabled": true, "enrollToTokenEnabled": true})
	delete(put, "jwksEndpoint")
	f.do("PUT", path, put).status(200)
	print := f.do("GET", path, nil).is("data.commonName", "idp").is("data.enrollToCertEnabled", true).at("data.fingerprint").(string)
	f.do("GET", m("/external-jwt-signers?filter=%s", url.QueryEscape(`fingerprint="`+print+`" and notAfter > datetime(2027-01-01T00:00:00Z)`)), nil).is("data.0.id", id)
	f.do("POST", m("/external-jwt-signers"), func() obj { b := signer("two", obj{"certPem": ca.pem}); delete(b, "jwksEndpoint"); return b }()).status(400).
		is("error.cause.field", "fingerprint").is("error.cause.reason", "duplicate value '"+print+"' in unique index on externalJwtSigners store")
}

func TestSignerRefusals(t *testing.T) {
	f := newFixture(t)
	ca := newTestCA(t, "idp")
	f.keys = func(address string) error {
		if strings.Contains(address, "169.254") {
			return errors.New("169.254.169.254 is blocked")
		}
		return nil
	}
	f.create("external-jwt-signers", signer("one", obj{"kid": "k1"}))
	noCert := f.create("auth-policies", authPolicy("no certificates", obj{"allowed": false, "allowExpiredCerts": false}, obj{"allowed": false, "allowedSigners": []string{}}))
	with := func(more obj) obj { return signer("x", more) }
	for _, tt := range []struct {
		name   string
		body   any
		status int
		field  string
		reason string
	}{
		{"name", signer("one", obj{"issuer": "other"}), 400, "name", "name must be unique"},
		{"issuer", with(obj{"issuer": "https://one.example"}), 400, "issuer", "duplicate value 'https://one.example' in unique index on externalJwtSigners store"},
		{"kid", with(obj{"kid": "k1"}), 400, "kid", "duplicate value 'k1' in unique index on externalJwtSigners store"},
		{"no source of keys", with(obj{"jwksEndpoint": nil}), 400, "jwksEndpoint", "jwksEndpoint or certPem is required"},
		{"both", with(obj{"certPem": ca.pem}), 400, "jwksEndpoint", "only one of jwksEndpoint and certPem may be given"},
		{"no certificate", with(obj{"jwksEndpoint": nil, "certPem": "x"}), 400, "certPem", "could not parse block #1"},
		{"two certificates", with(obj{"jwksEndpoint": nil, "certPem": ca.pem + ca.pem}), 400, "certPem", "exactly one certificate is expected, there are 2"},
		{"no URL", with(obj{"jwksEndpoint": "file:///etc/passwd"}), 400, "jwksEndpoint", "jwksEndpoint in body must be an http or https URL"},
		{"gate", with(obj{"jwksEndpoint": "http://169.254.169.254/"}), 400, "jwksEndpoint", "169.254.169.254 is blocked"},
		{"address of the login", with(obj{"externalAuthUrl": "nope"}), 400, "externalAuthUrl", "externalAuthUrl in body must be an http or https URL"},
		{"pointer", with(obj{"claimsProperty": "/a~2"}), 400, "claimsProperty", "claimsProperty in body must be a JSON pointer or the name of a claim"},
		{"token", with(obj{"targetToken": "REFRESH"}), 400, "targetToken", "targetToken in body should be one of [ACCESS ID]"},
		{"audience", with(obj{"audience": nil}), 400, "audience", "audience in body is required"},
		{"policy without certificates", with(obj{"enrollAuthPolicyId": noCert, "enrollToCertEnabled": true}), 400, "enrollAuthPolicyId", "enrollment to a certificate needs an auth policy that allows certificates"},
		{"policy without tokens", with(obj{"enrollAuthPolicyId": noCert, "enrollToTokenEnabled": true}), 400, "enrollAuthPolicyId", "enrollment to a token needs an auth policy that allows external tokens"},
		{"unknown policy", with(obj{"enrollAuthPolicyId": "nope"}), 404, "", ""},
		{"wrong type", `{"name":"x","issuer":5}`, 400, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f.in(t)
			a := f.do("POST", m("/external-jwt-signers"), tt.body).status(tt.status)
			if tt.field != "" {
				a.is("error.cause.field", tt.field).is("error.cause.reason", tt.reason)
			}
		})
	}
	f.do("GET", m("/external-jwt-signers"), nil).is("meta.pagination.totalCount", 1)
}

// CheckAddress asks the test.
func (f *fixture) CheckAddress(_ context.Context, address string) error {
	if f.keys == nil {
		return nil
	}
	return f.keys(address)
}

func TestClientSigners(t *testing.T) {
	f := newFixture(t)
	on := f.create("external-jwt-signers", signer("on", obj{"clientId": "c", "externalAuthUrl": "https://on.example/auth", "kid": "secret-kid"}))
	f.create("external-jwt-signers", signer("off", obj{"enabled": false}))
	nobody := []string{"zt-session", ""}
	a := f.do("GET", c("/external-jwt-signers"), nil, nobody...).status(200).is("meta.pagination.totalCount", 1).is("data.0.id", on).is("data.0.clientId", "c").
		is("data.0.targetToken", "ACCESS").is("data.0.externalAuthUrl", "https://on.example/auth").is("data.0.scopes", "[]")
	for _, private := range []string{"issuer", "jwksEndpoint", "kid", "certPem", "claimsProperty", "enrollAuthPolicyId"} {
		if v, ok := a.at("data.0").(map[string]any)[private]; ok {
			t.Errorf("%s is shown to anybody: %v", private, v)
		}
	}
	f.do("GET", c("/external-jwt-signers?filter=%s", url.QueryEscape(`kid="secret-kid"`)), nil, nobody...).status(400).is("error.code", "INVALID_FILTER")
	f.do("GET", c("/external-jwt-signers?filter=%s", url.QueryEscape(`id in ["`+on+`"]`)), nil, nobody...).is("meta.pagination.totalCount", 1)
	f.do("GET", m("/external-jwt-signers"), nil, nobody...).status(401)
}

func authPolicy(name string, cert, jwt obj) obj {
	return obj{"name": name, "secondary": obj{"requireTotp": false}, "primary": obj{"cert": cert, "extJwt": jwt, "updb": obj{"allowed": true,
		"lockoutDurationMinutes": 0, "maxAttempts": 0, "minPasswordLength": 5, "requireMixedCase": false, "requireNumberChar": false, "requireSpecialChar": false}}}
}

func TestAuthPoliciesAndSigners(t *testing.T) {
	f := newFixture(t)
	id := f.create("external-jwt-signers", signer("one", nil))
	cert := obj{"allowed": true, "allowExpiredCerts": true}
	jwt := func(ids ...string) obj { return obj{"allowed": true, "allowedSigners": append([]string{}, ids...)} }
	f.do("POST", m("/auth-policies"), authPolicy("x", cert, jwt("nope"))).status(404).is("error.code", "NOT_FOUND").
		is("error.cause.field", "primary.extJwt.allowedExtJwtSigners[0]").is("error.cause.reason", "not found")
	f.do("POST", m("/auth-policies"), authPolicy("x", cert, jwt(id, "nope"))).status(404).is("error.cause.field", "primary.extJwt.allowedExtJwtSigners[1]")
	p := f.create("auth-policies", authPolicy("p", cert, jwt(id)))
	f.do("GET", m("/auth-policies/%s", p), nil).is("data.primary.extJwt.allowedSigners.0", id)
	f.do("DELETE", m("/external-jwt-signers/%s", id), nil).status(409).is("error.code", "CAN_NOT_DELETE_REFERENCED_ENTITY").
		is("error.cause.field", "primary.extJwt.allowedSigners").is("error.cause.reason", "entity type externalJwtSigner referenced by authPolicy: ["+p+"]").is("error.cause.value", "["+p+"]")
	f.do("PATCH", m("/auth-policies/%s", p), obj{"secondary": obj{"requireExtJwtSigner": "nope"}}).status(404).is("error.cause.field", "secondary.requireExtJwtSigner")
	f.do("PATCH", m("/auth-policies/%s", p), obj{"secondary": obj{"requireExtJwtSigner": id}, "primary": obj{"extJwt": obj{"allowedSigners": []string{}}}}).status(200)
	f.do("DELETE", m("/external-jwt-signers/%s", id), nil).status(409).is("error.cause.field", "secondary.requireExtJwtSigner")
	f.do("PATCH", m("/external-jwt-signers/%s", id), obj{"enrollAuthPolicyId": p}).status(200)
	f.do("DELETE", m("/auth-policies/%s", p), nil).status(409).is("error.cause.field", "enrollAuthPolicyId").
		is("error.cause.reason", "entity type authPolicy referenced by externalJwtSigner: ["+id+"]")
	f.do("PATCH", m("/external-jwt-signers/%s", id), obj{"enrollAuthPolicyId": ""}).status(200)
	user := f.create("identities", obj{"name": "u", "type": "User", "isAdmin": false, "authPolicyId": p})
	f.do("DELETE", m("/auth-policies/%s", p), nil).status(409).is("error.cause.field", "authPolicyId").is("error.cause.value", "["+user+"]")
	f.do("DELETE", m("/identities/%s", user), nil).status(200)
	f.do("PUT", m("/auth-policies/%s", p), authPolicy("p", cert, jwt())).status(200)
	f.do("GET", m("/auth-policies/%s", p), nil).is("data.secondary.requireExtJwtSigner", nil)
	f.do("DELETE", m("/external-jwt-signers/%s", id), nil).status(200)
	f.do("DELETE", m("/auth-policies/%s", p), nil).status(200)
	f.do("DELETE", m("/auth-policies/default"), nil).status(409)
}
