package interop

import (
	"crypto/tls"
	"testing"

	"github.com/go-openapi/strfmt"
)

// testAuthority proves an authority, enrols by it in both ways and logs in.
func testAuthority(t *testing.T, o *operations, manager *caller, a *authority) {
	const body = `"isAuthEnabled":true,"isAutoCaEnrollmentEnabled":true,"isOttCaEnrollmentEnabled":true,"identityRoles":["by-ca"],"identityNameFormat":"[caName]-[commonName]"`
	manager.run(t,
		step{op: "CreateCa", with: with{"Ca": `{"name":"proven","certPem":"$caPem",` + body + `}`}, keep: "ca=data.id"},
		step{op: "DetailCa", with: with{"ID": "$ca"}, want: []string{"data.isVerified=false", "data.fingerprint"}, keep: "proof=data.verificationToken"})
	manager.run(t,
		step{op: "VerifyCa", with: with{"ID": "$ca", "Certificate": pemOf("CERTIFICATE", a.issue(t, "another name").Certificate[0])}, code: 400},
		step{op: "VerifyCa", with: with{"ID": "$ca", "Certificate": pemOf("CERTIFICATE", a.issue(t, o.vars["proof"]).Certificate[0])}},
		step{op: "DetailCa", with: with{"ID": "$ca"}, want: []string{"data.isVerified=true"}},
		step{op: "GetCaJWT", with: with{"ID": "$ca"}},
		step{op: "CreateIdentity", with: with{"Identity": `{"name":"by-ottca","isAdmin":false,"type":"Default","enrollment":{"ottca":"$ca"}}`}, keep: "who=data.id"},
		step{op: "DetailIdentity", with: with{"ID": "$who"}, want: []string{"data.enrollment.ottca.jwt"}, keep: "ott=data.enrollment.ottca.token"})
	once := a.issue(t, "once")
	o.asClient(t, "", nil).run(t, step{op: "EnrollOttCa", with: with{"OttEnrollmentRequest": `{"token":"$ott"}`}, code: 400})
	o.asClient(t, "", once).run(t, step{op: "EnrollOttCa", with: with{"OttEnrollmentRequest": `{"token":"$ott"}`}})
	o.asClient(t, o.certLogin(t, once), once).run(t, step{op: "GetCurrentIdentity", want: []string{"data.name=by-ottca"}})
	auto := a.issue(t, "auto")
	o.asClient(t, "", auto).run(t, step{op: "EnrollCa"}, step{op: "EnrollCa", code: 409})
	o.asClient(t, o.certLogin(t, auto), auto).run(t,
		step{op: "GetCurrentIdentity", want: []string{"data.name=proven-auto", "data.roleAttributes.*=by-ca"}, keep: "auto=data.id"})
	manager.run(t, step{op: "DeleteIdentity", with: with{"ID": "$who"}}, step{op: "DeleteIdentity", with: with{"ID": "$auto"}}, step{op: "DeleteCa", with: with{"ID": "$ca"}})
}

// testClientAPI enrols an identity and uses what the client API has for it.
func testClientAPI(t *testing.T, o *operations, manager *caller) {
	manager.run(t,
		step{op: "CreateIdentity", with: with{"Identity": `{"name":"api-client","isAdmin":false,"type":"Default","roleAttributes":["api"],"enrollment":{"ott":true}}`}, keep: "who=data.id"},
		step{op: "DetailIdentity", with: with{"ID": "$who"}, keep: "ott=data.enrollment.ott.token"},
		step{op: "CreateService", with: with{"Service": `{"name":"api-service","encryptionRequired":true,"roleAttributes":["api"]}`}, keep: "service=data.id"},
		step{op: "CreateServicePolicy", with: with{"Policy": `{"name":"api-dial","type":"Dial","semantic":"AnyOf","identityRoles":["#api"],"serviceRoles":["#api"]}`}},
		step{op: "CreateService", with: with{"Service": `{"name":"api-checked","encryptionRequired":true}`}, keep: "checked=data.id"},
		step{op: "CreatePostureCheck", with: with{"PostureCheck": `{"typeId":"OS","name":"api-check","operatingSystems":[{"type":"Linux","versions":[]}]}`}, keep: "check=data.id"},
		step{op: "CreateServicePolicy", with: with{"Policy": `{"name":"api-checked","type":"Dial","semantic":"AnyOf","identityRoles":["#api"],"serviceRoles":["@$checked"],"postureCheckRoles":["@$check"]}`}})
	r := newRequest(t)
	o.vars["csr"] = jsonText(r.csr)
	open := o.asClient(t, "", nil)
	open.run(t, step{op: "EnrollOtt", with: with{"OttEnrollmentRequest": `{"token":"$ott","clientCsr":"$csr"}`}, keep: "cert=data.cert"},
		step{op: "EnrollOtt", with: with{"OttEnrollmentRequest": `{"token":"$ott","clientCsr":"$csr"}`}, code: 400})
	cert := r.answered(t, o.vars["cert"])
	token := o.certLogin(t, cert)
	c := o.asClient(t, token, cert)
	c.run(t,
		step{op: "ListVersion", want: []string{"data.version"}}, step{op: "ListRoot", want: []string{"data.version"}},
		step{op: "ListProtocols", want: []string{"data.https.address"}}, step{op: "ListEnumeratedCapabilities", want: []string{"data.#"}},
		step{op: "ListSpecs", keep: "spec=data.0.id"}, step{op: "DetailSpec", with: with{"ID": "$spec"}}, step{op: "DetailSpecBody", with: with{"ID": "$spec"}},
		step{op: "ListWellKnownCas"}, step{op: "ListNetworkJWTs", want: []string{"data.0.token"}},
		step{op: "ListExternalJWTSigners"}, step{op: "ListControllers", want: []string{"data.0.id"}},
		step{op: "GetCurrentIdentity", want: []string{"data.id=$who"}},
		step{op: "GetCurrentIdentityEdgeRouters", want: []string{"data.0.supportedProtocols"}},
		step{op: "ListServiceUpdates", want: []string{"data.lastChangeAt"}},
		step{op: "ListServices", with: with{"ConfigTypes": []string{"all"}, "Filter": `name="api-service"`}, want: []string{"data.#=1", "data.0.permissions.*=Dial"}},
		step{op: "ListServices", with: with{"Filter": `name="api-checked"`}, want: []string{"data.0.postureQueries.0.isPassing=false"}},
		step{op: "ListServices", with: with{"RoleFilter": []string{"#api"}, "RoleSemantic": "AllOf"}, want: []string{"data.#=1"}},
		step{op: "DetailService", with: with{"ID": "$service"}, want: []string{"data.name=api-service"}},
		step{op: "ListServiceEdgeRouters", with: with{"ID": "$service"}, want: []string{"data.edgeRouters.0.name"}},
		step{op: "ListServiceTerminators", with: with{"ID": "$service"}, want: []string{"data.#=0"}},
		step{op: "CreateSession", with: with{"Session": `{"serviceId":"$service","type":"Dial"}`}, want: []string{"data.token"}, keep: "session=data.id"},
		step{op: "CreateSession", with: with{"Session": `{"serviceId":"$service","type":"Bind"}`}, code: 400},
		step{op: "CreateSession", with: with{"Session": `{"serviceId":"$checked","type":"Dial"}`}, code: 409},
		step{op: "CreateSession", with: with{"Session": `{"serviceId":"none","type":"Dial"}`}, code: 404},
		step{op: "DetailSession", with: with{"ID": "$session"}, want: []string{"data.service.id=$service"}},
		step{op: "ListSessions", want: []string{"data.#=1"}},
		step{op: "CreatePostureResponse", with: with{"PostureResponse": `{"typeId":"OS","id":"$check","type":"Linux","version":"6.1.0","build":"1"}`}},
		step{op: "CreatePostureResponseBulk", with: with{"PostureResponse": `[{"typeId":"DOMAIN","id":"0","domain":"example.net"},{"typeId":"MAC","id":"0","macAddresses":["010203040506"]},` +
			`{"typeId":"PROCESS","id":"$check","path":"/bin/x","isRunning":true,"hash":"01","signerFingerprints":["02"]}]`}},
		step{op: "CreateCurrentAPISessionCertificate", with: with{"SessionCertificate": `{"csr":"$csr"}`}, want: []string{"data.certificate"}, keep: "sc=data.id"},
		step{op: "ListCurrentAPISessionCertificates", want: []string{"data.*.id=$sc"}},
		step{op: "DetailCurrentAPISessionCertificate", with: with{"ID": "$sc"}, want: []string{"data.id=$sc", "data.fingerprint"}},
		step{op: "DeleteCurrentAPISessionCertificate", with: with{"ID": "$sc"}},
		step{op: "DetailCurrentAPISessionCertificate", with: with{"ID": "$sc"}, code: gone})
	for op, w := range map[string]with{"UpdateService": {"ID": "any", "Service": `{"name":"x"}`}, "PatchService": {"ID": "any", "Service": `{"name":"x"}`},
		"DeleteService": {"ID": "any"}, "EnrollmentChallenge": {"Nonce": `{"keyId":"x","nonce":"0e2d7b4c-6f0d-4a4e-9b57-6f1f6a1b0001"}`}, "GetEnrollmentJwks": nil} {
		c.run(t, step{op: op, with: w, code: 501, loose: true})
	}
	manager.run(t,
		step{op: "GetIdentityPostureData", with: with{"ID": "$who"}, want: []string{"data.apiSessionPostureData"}},
		step{op: "GetIdentityFailedServiceRequests", with: with{"ID": "$who"}, want: []string{"data.*.code=INVALID_POSTURE"}, loose: true}, // without what the machine has and should have
		step{op: "ListSessions", with: with{"Filter": `id="$session"`}, want: []string{"data.0.service.id=$service"}},
		step{op: "DetailSession", with: with{"ID": "$session"}, want: []string{"data.type=Dial"}},
		step{op: "DetailSessionRoutePath", with: with{"ID": "$session"}, want: []string{"data"}}, // it has no circuit
		step{op: "ListAPISessions", with: with{"Filter": `identity="$who"`}, want: []string{"data.#=1"}, keep: "login=data.0.id"},
		step{op: "DetailAPISessions", with: with{"ID": "$login"}, want: []string{"data.identityId=$who"}})
	c.run(t, step{op: "DeleteSession", with: with{"ID": "$session"}}, step{op: "DetailSession", with: with{"ID": "$session"}, code: gone},
		step{op: "CreateSession", with: with{"Session": `{"serviceId":"$service","type":"Dial"}`}, keep: "session=data.id"})
	manager.run(t, step{op: "DeleteSession", with: with{"ID": "$session"}})
	testRenewal(t, o, manager, cert, token)
	manager.run(t, step{op: "DeleteAPISessions", with: with{"ID": "$login"}})
	c.run(t, step{op: "GetCurrentIdentity", code: 401})
}

// testRenewal renews the certificate of a login, first on one API, then with
// the new certificate on the other.
func testRenewal(t *testing.T, o *operations, manager *caller, cert *tls.Certificate, token string) {
	c := o.asClient(t, token, cert)
	c.run(t, step{op: "ListCurrentIdentityAuthenticators", want: []string{"data.#=1"}, keep: "own=data.0.id"})
	manager.run(t, step{op: "RequestExtendAuthenticator", with: with{"ID": "$own", "RequestExtendAuthenticator": `{"rollKeys":true}`}})
	c.run(t, step{op: "GetCurrentAPISession", want: []string{"data.isCertExtendRequested=true", "data.isCertExtendable=true"}})
	for _, as := range []func(*tls.Certificate) *caller{
		func(cert *tls.Certificate) *caller { return o.asClient(t, token, cert) },
		func(cert *tls.Certificate) *caller { return o.asManager(t, token, cert) },
	} {
		r := newRequest(t)
		o.vars["csr"] = jsonText(r.csr)
		as(cert).run(t, step{op: "ExtendCurrentIdentityAuthenticator", with: with{"ID": "$own", "Extend": `{"clientCertCsr":"$csr"}`}, keep: "renewed=data.clientCert"})
		renewed := r.answered(t, o.vars["renewed"])
		o.vars["renewed"] = jsonText(o.vars["renewed"])
		as(cert).run(t, step{op: "ExtendVerifyCurrentIdentityAuthenticator", with: with{"ID": "$own", "Extend": `{"clientCert":"$renewed"}`}})
		cert = renewed
	}
}

// testEnrolment enrols in the ways that the other tests leave out.
func testEnrolment(t *testing.T, o *operations, manager *caller) {
	manager.run(t,
		step{op: "CreateIdentity", with: with{"Identity": `{"name":"by-updb","isAdmin":false,"type":"Default","enrollment":{"updb":"by-updb-user"}}`}, keep: "who=data.id"},
		step{op: "DetailIdentity", with: with{"ID": "$who"}, keep: "updb=data.enrollment.updb.token"},
		step{op: "CreateIdentity", with: with{"Identity": `{"name":"by-any","isAdmin":false,"type":"Default","enrollment":{"ott":true}}`}, keep: "who=data.id"},
		step{op: "DetailIdentity", with: with{"ID": "$who"}, keep: "ott=data.enrollment.ott.token"},
		step{op: "CreateEdgeRouter", with: with{"EdgeRouter": `{"name":"by-erott"}`}, keep: "newRouter=data.id"},
		step{op: "DetailEdgeRouter", with: with{"ID": "$newRouter"}, keep: "erott=data.enrollmentToken"})
	open := o.asClient(t, "", nil)
	r := requestFor(t, o.vars["newRouter"])
	o.vars["csr"] = jsonText(r.csr)
	open.run(t,
		step{op: "EnrollUpdb", with: with{"Token": strfmt.UUID(o.vars["updb"]), "UpdbCredentials": `{"password":"by-updb-password"}`}, want: []string{"data.username=by-updb-user"}},
		step{op: "Enroll", with: with{"Method": "ott", "Token": strfmt.UUID(o.vars["ott"]), "Body": `{"clientCsr":"$csr"}`}, want: []string{"data.cert"}},
		step{op: "EnrollErOtt", with: with{"ErOttEnrollmentRequest": `{"token":"$erott","clientCsr":"$csr","serverCsr":"$csr"}`}, want: []string{"data.cert", "data.serverCert"}, keep: "cert=data.cert"},
		step{op: "EnrollToken", with: with{"Authorization": "Bearer none", "TokenEnrollmentRequest": `{}`}, code: 400},
		step{op: "ExtendRouterEnrollment", with: with{"RouterExtendEnrollmentRequest": `{"certCsr":"$csr","serverCertCsr":"$csr"}`}, code: 401})
	o.login(t, "by-updb-user", "by-updb-password")
	o.asClient(t, "", r.answered(t, o.vars["cert"])).run(t,
		step{op: "ExtendRouterEnrollment", with: with{"RouterExtendEnrollmentRequest": `{"certCsr":"$csr","serverCertCsr":"$csr"}`}, want: []string{"data.cert", "data.serverCert"}})
	manager.run(t, step{op: "DeleteEdgeRouter", with: with{"ID": "$newRouter"}})
}
