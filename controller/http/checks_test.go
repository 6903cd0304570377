package http

import (
	"testing"
	"time"

	"github.com/weftnet/weft/api"
)

// TestCheckShapes compares the answers about authorities, posture checks and
// signers with those that clients know.
func TestCheckShapes(t *testing.T) {
	g := newGolden(t, "testdata/checks.json")
	defer g.complete()
	ca := newTestCA(t, "sample")
	id := g.step("cas create", "POST", m("/cas"), obj{"name": "sample-ca", "certPem": ca.pem, "identityNameFormat": "[caName]-[commonName]",
		"identityRoles": []string{"ca-users"}, "isAuthEnabled": true, "isAutoCaEnrollmentEnabled": true, "isOttCaEnrollmentEnabled": true}).id()
	g.step("cas detail", "GET", m("/cas/%s", id), nil)
	g.step("cas patch", "PATCH", m("/cas/%s", id), obj{"isAuthEnabled": false})
	g.step("cas list", "GET", m("/cas"), nil).is("data.0.isAuthEnabled", false)
	g.step("cas delete", "DELETE", m("/cas/%s", id), nil)

	for kind, members := range postureSamples() {
		members["name"], members["typeId"], members["roleAttributes"] = "sample-"+kind, kind, []string{"pc"}
		id := g.step("posture-checks create "+kind, "POST", m("/posture-checks"), members).id()
		g.step("posture-checks detail "+kind, "GET", m("/posture-checks/%s", id), nil)
		if kind == "DOMAIN" {
			g.step("posture-checks patch DOMAIN", "PATCH", m("/posture-checks/%s", id), obj{"typeId": kind, "domains": []string{"a.example"}})
			g.step("posture-checks put DOMAIN", "PUT", m("/posture-checks/%s", id), obj{"typeId": kind, "name": "sample-DOMAIN", "domains": []string{"a.example"}})
			g.step("posture-checks delete DOMAIN", "DELETE", m("/posture-checks/%s", id), nil)
		}
	}
	g.step("posture-checks list", "GET", m("/posture-checks?sort=name+desc&filter=typeId%%3D%%22PROCESS%%22"), nil)
	g.step("posture-check-types list", "GET", m("/posture-check-types"), nil).is("meta.pagination.totalCount", 5)
	g.step("posture-check-types detail", "GET", m("/posture-check-types/OS"), nil)

	signer := g.step("external-jwt-signers create", "POST", m("/external-jwt-signers"), obj{"name": "sample-signer", "audience": "ziti", "claimsProperty": "sub",
		"clientId": "cid", "enabled": true, "externalAuthUrl": "https://idp.example/auth", "issuer": "https://idp.example", "jwksEndpoint": "https://idp.example/jwks",
		"scopes": []string{"openid"}, "targetToken": "ACCESS", "useExternalId": true}).id()
	g.step("external-jwt-signers detail", "GET", m("/external-jwt-signers/%s", signer), nil).is("data.enrollAuthPolicyId", "default").is("data.claimsProperty", "sub")
	g.step("external-jwt-signers patch", "PATCH", m("/external-jwt-signers/%s", signer), obj{"enabled": false})
	g.step("external-jwt-signers list", "GET", m("/external-jwt-signers"), nil)
	g.step("external-jwt-signers delete", "DELETE", m("/external-jwt-signers/%s", signer), nil)

	g.step("identities posture-data", "GET", m("/identities/%s/posture-data", g.f.admin), nil)
	g.f.posture = samplePosture(g.f.now)
	g.step("identities posture-data after responses", "GET", m("/identities/%s/posture-data", g.f.admin), nil)
	g.step("identities trace", "PUT", m("/identities/%s/trace", g.f.admin), obj{"enabled": true, "duration": "1m", "traceId": "t1", "channels": []string{"all"}}).
		is("data.until", "2026-11-20T12:01:00.000Z")
}

// postureSamples has the particular members of one posture check per type.
func postureSamples() map[string]obj {
	return map[string]obj{
		"OS":      {"operatingSystems": []obj{{"type": "Windows", "versions": []string{">=10.0.0"}}, {"type": "Linux", "versions": []string{}}}},
		"DOMAIN":  {"domains": []string{"corp.example"}},
		"MAC":     {"macAddresses": []string{"00:11:22:33:44:55"}},
		"PROCESS": {"process": obj{"osType": "Linux", "path": "/bin/x", "hashes": []string{"ABCD"}, "signerFingerprint": "00FF"}},
		"PROCESS_MULTI": {"semantic": "AnyOf", "processes": []obj{{"osType": "Linux", "path": "/bin/x"},
			{"osType": "Windows", "path": `C:\x.exe`, "hashes": []string{"ab"}, "signerFingerprints": []string{"cd"}}}},
		"MFA": {"timeoutSeconds": 60, "promptOnWake": true, "promptOnUnlock": false, "ignoreLegacyEndpoints": false},
	}
}

func samplePosture(now time.Time) *api.PostureData {
	seen := api.PostureBase{LastUpdatedAt: &now, PostureCheckID: "0"}
	domain, kind, version := "corp.example", "linux", "6.1.0"
	return &api.PostureData{
		APISessions: map[string]api.PostureSession{"session": {EndpointState: &api.PostureEndpoint{WokenAt: &now}, Mfa: api.PostureMfa{APISessionID: "session"},
			SdkInfo: api.SdkInfo{AppID: "a", AppVersion: "b", Type: "sample-sdk", Version: "1.2.3"}}},
		Domain: api.PostureDomain{PostureBase: seen, Domain: &domain}, Mac: api.PostureMac{PostureBase: seen, Addresses: []string{"001122334455"}},
		Os:        api.PostureOs{PostureBase: seen, Type: &kind, Version: &version},
		Processes: []api.PostureProcessData{{PostureBase: seen, BinaryHash: "abcd", IsRunning: true, SignerFingerprints: []string{"00ff"}}},
	}
}
