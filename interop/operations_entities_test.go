package interop

// The tables here make, show, change and remove every kind of entity. Together
// with operations_more_test.go they call every operation of the management API.

var gone = 404

// entitySteps is what every kind of entity takes; the bodies differ.
func entitySteps(singular, plural, body, create, patch, update string) []step {
	id := with{"ID": "$it"}
	by := func(text string) with { return with{"ID": "$it", body: text} }
	return []step{
		{op: "Create" + singular, with: with{body: create}, keep: "it=data.id"},
		{op: "Detail" + singular, with: id, want: []string{"data.id=$it", "data.name=crud-1", "data.createdAt", "data._links.self.href"}},
		{op: "Create" + singular, with: with{body: create}, code: 400}, // the name is taken
		{op: "List" + plural, with: with{"Filter": `id="$it"`, "Limit": 5, "Offset": 0}, want: []string{"data.#=1", "data.0.id=$it", "meta.pagination.totalCount=1"}},
		{op: "List" + plural, with: with{"Filter": `name = `}, code: 400},
		{op: "Patch" + singular, with: by(patch)},
		{op: "Detail" + singular, with: id, want: []string{"data.name=crud-2"}},
		{op: "Update" + singular, with: by(update)},
		{op: "Detail" + singular, with: id, want: []string{"data.name=crud-3"}},
		{op: "Delete" + singular, with: id},
		{op: "Detail" + singular, with: id, code: gone},
		{op: "Delete" + singular, with: id, code: gone},
	}
}

// entityTables are the entities of the management API.
func entityTables() map[string][]step {
	const (
		identityBody = `"isAdmin":false,"type":"Device","roleAttributes":["crud-a","crud-b"],"appData":{"k":"v"},"tags":{"t":"1"}`
		roles        = `"semantic":"AllOf","edgeRouterRoles":["#crud"]`
		primary      = `"primary":{"cert":{"allowed":true,"allowExpiredCerts":true},"extJwt":{"allowed":false,"allowedSigners":[]},` +
			`"updb":{"allowed":true,"lockoutDurationMinutes":0,"maxAttempts":5,"minPasswordLength":5,"requireMixedCase":false,"requireNumberChar":false,"requireSpecialChar":false}},` +
			`"secondary":{"requireTotp":false}`
		signer = `"issuer":"https://crud.example.net","audience":"crud","enabled":true,"claimsProperty":"email","externalAuthUrl":"https://crud.example.net/auth",` +
			`"jwksEndpoint":"https://crud.example.net/keys","scopes":["openid"],"targetToken":"ACCESS","useExternalId":true`
		ca = `"isAuthEnabled":true,"isAutoCaEnrollmentEnabled":true,"isOttCaEnrollmentEnabled":true,"identityRoles":["crud"],"identityNameFormat":"[caName]-[commonName]"`
	)
	return map[string][]step{
		"identity": entitySteps("Identity", "Identities", "Identity",
			`{"name":"crud-1","enrollment":{"ott":true},"defaultHostingCost":10,"defaultHostingPrecedence":"required",`+identityBody+`}`,
			`{"name":"crud-2"}`, `{"name":"crud-3",`+identityBody+`}`),
		"service": entitySteps("Service", "Services", "Service",
			`{"name":"crud-1","encryptionRequired":true,"terminatorStrategy":"weighted","roleAttributes":["crud"],"configs":[]}`,
			`{"name":"crud-2"}`, `{"name":"crud-3","encryptionRequired":false,"maxIdleTimeMillis":1000}`),
		"config": entitySteps("Config", "Configs", "Config",
			`{"name":"crud-1","configTypeId":"NH5p4FpGR","data":{"protocol":"tcp","address":"localhost","port":80}}`,
			`{"name":"crud-2"}`, `{"name":"crud-3","data":{"protocol":"udp","address":"localhost","port":53}}`),
		"config type": entitySteps("ConfigType", "ConfigTypes", "ConfigType",
			`{"name":"crud-1","schema":{"type":"object"}}`, `{"name":"crud-2"}`, `{"name":"crud-3","schema":{"type":"object"}}`),
		"edge router": entitySteps("EdgeRouter", "EdgeRouters", "EdgeRouter",
			`{"name":"crud-1","isTunnelerEnabled":true,"roleAttributes":["crud"],"cost":3,"noTraversal":true}`,
			`{"name":"crud-2"}`, `{"name":"crud-3","disabled":true}`),
		"router": entitySteps("Router", "Routers", "Router",
			`{"name":"crud-1","cost":3,"noTraversal":true}`, `{"name":"crud-2"}`, `{"name":"crud-3","disabled":true}`),
		"transit router": entitySteps("TransitRouter", "TransitRouters", "Router",
			`{"name":"crud-1","cost":3,"noTraversal":true}`, `{"name":"crud-2"}`, `{"name":"crud-3","disabled":true}`),
		"service policy": entitySteps("ServicePolicy", "ServicePolicies", "Policy",
			`{"name":"crud-1","type":"Dial","semantic":"AnyOf","identityRoles":["#crud"],"serviceRoles":["#all"],"postureCheckRoles":["#crud"]}`,
			`{"name":"crud-2","identityRoles":["#crud","#more"]}`, `{"name":"crud-3","type":"Bind","semantic":"AllOf","identityRoles":[],"serviceRoles":[],"postureCheckRoles":[]}`),
		"edge router policy": entitySteps("EdgeRouterPolicy", "EdgeRouterPolicies", "Policy",
			`{"name":"crud-1","identityRoles":["#crud"],`+roles+`}`, `{"name":"crud-2"}`, `{"name":"crud-3","identityRoles":["#all"],`+roles+`}`),
		"service edge router policy": entitySteps("ServiceEdgeRouterPolicy", "ServiceEdgeRouterPolicies", "Policy",
			`{"name":"crud-1","serviceRoles":["#crud"],`+roles+`}`, `{"name":"crud-2"}`, `{"name":"crud-3","serviceRoles":["#crud"],`+roles+`}`),
		"auth policy": entitySteps("AuthPolicy", "AuthPolicies", "AuthPolicy",
			`{"name":"crud-1",`+primary+`}`, `{"name":"crud-2"}`, `{"name":"crud-3",`+primary+`}`),
		"external JWT signer": entitySteps("ExternalJWTSigner", "ExternalJWTSigners", "ExternalJWTSigner",
			`{"name":"crud-1",`+signer+`}`, `{"name":"crud-2"}`, `{"name":"crud-3",`+signer+`}`),
		"authority": entitySteps("Ca", "Cas", "Ca",
			`{"name":"crud-1","certPem":"$caPem",`+ca+`,"externalIdClaim":{"location":"COMMON_NAME","matcher":"PREFIX","matcherCriteria":"x-","parser":"SPLIT","parserCriteria":".","index":0}}`,
			`{"name":"crud-2","externalIdClaim":{"index":1}}`, `{"name":"crud-3",`+ca+`}`),
		"posture check OS":      postureSteps("OS", `"operatingSystems":[{"type":"Windows","versions":["10.0.0"]},{"type":"Linux","versions":[]}]`),
		"posture check domain":  postureSteps("DOMAIN", `"domains":["example.net"]`),
		"posture check MAC":     postureSteps("MAC", `"macAddresses":["01:02:03:04:05:06"]`),
		"posture check MFA":     postureSteps("MFA", `"timeoutSeconds":300,"promptOnWake":true,"promptOnUnlock":true,"ignoreLegacyEndpoints":true`),
		"posture check process": postureSteps("PROCESS", `"process":{"osType":"Linux","path":"/bin/x","hashes":["0123456789abcdef"],"signerFingerprint":"0123456789abcdef"}`),
		"posture check processes": postureSteps("PROCESS_MULTI",
			`"semantic":"AnyOf","processes":[{"osType":"Linux","path":"/bin/x","hashes":["0123456789abcdef"],"signerFingerprints":["0123456789abcdef"]}]`),
		"terminator": {
			{op: "CreateService", with: with{"Service": `{"name":"crud-terminator","encryptionRequired":false}`}, keep: "service=data.id"},
			{op: "CreateTerminator", with: with{"Terminator": `{"service":"$service","router":"$router","binding":"transport","address":"tcp:localhost:1","cost":5,"precedence":"required"}`}, keep: "it=data.id"},
			{op: "DetailTerminator", with: with{"ID": "$it"}, want: []string{"data.address=tcp:localhost:1", "data.precedence=required", "data.cost=5", "data.router.id=$router"}},
			{op: "ListTerminators", with: with{"Filter": `service="$service"`}, want: []string{"data.#=1"}},
			{op: "ListServiceTerminators", with: with{"ID": "$service"}, want: []string{"data.0.id=$it"}},
			{op: "PatchTerminator", with: with{"ID": "$it", "Terminator": `{"address":"tcp:localhost:2"}`}},
			{op: "DetailTerminator", with: with{"ID": "$it"}, want: []string{"data.address=tcp:localhost:2", "data.cost=5"}},
			{op: "UpdateTerminator", with: with{"ID": "$it", "Terminator": `{"service":"$service","router":"$router","binding":"transport","address":"tcp:localhost:3"}`}},
			{op: "DetailTerminator", with: with{"ID": "$it"}, want: []string{"data.address=tcp:localhost:3", "data.cost=0"}},
			{op: "DeleteTerminator", with: with{"ID": "$it"}},
			{op: "DeleteTerminator", with: with{"ID": "$it"}, code: gone},
			{op: "DeleteService", with: with{"ID": "$service"}},
		},
		"authenticator": {
			{op: "CreateIdentity", with: with{"Identity": `{"name":"crud-authenticator","isAdmin":false,"type":"Default"}`}, keep: "who=data.id"},
			{op: "CreateAuthenticator", with: with{"Authenticator": `{"identityId":"$who","method":"updb","username":"crud-user","password":"crud-password"}`}, keep: "it=data.id"},
			{op: "CreateAuthenticator", with: with{"Authenticator": `{"identityId":"$who","method":"updb","username":"crud-other","password":"crud-password"}`}, code: 409},
			{op: "DetailAuthenticator", with: with{"ID": "$it"}, want: []string{"data.username=crud-user", "data.method=updb", "data.identityId=$who"}},
			{op: "GetIdentityAuthenticators", with: with{"ID": "$who"}, want: []string{"data.0.id=$it"}},
			{op: "ListAuthenticators", with: with{"Filter": `id="$it"`}, want: []string{"data.#=1"}},
			{op: "PatchAuthenticator", with: with{"ID": "$it", "Authenticator": `{"username":"crud-user2"}`}},
			{op: "UpdateAuthenticator", with: with{"ID": "$it", "Authenticator": `{"username":"crud-user3","password":"crud-password3"}`}},
			{op: "DetailAuthenticator", with: with{"ID": "$it"}, want: []string{"data.username=crud-user3"}},
			{op: "RequestExtendAuthenticator", with: with{"ID": "$it", "RequestExtendAuthenticator": `{"rollKeys":true}`}, code: 409},
			{op: "ReEnrollAuthenticator", with: with{"ID": "$it", "ReEnroll": `{"expiresAt":"$later"}`}, keep: "enrollment=data.id"},
			{op: "DetailAuthenticator", with: with{"ID": "$it"}, code: gone},
			{op: "DetailEnrollment", with: with{"ID": "$enrollment"}, want: []string{"data.method=updb"}},
			{op: "DeleteAuthenticator", with: with{"ID": "$it"}, code: gone},
			{op: "CreateAuthenticator", with: with{"Authenticator": `{"identityId":"$who","method":"updb","username":"crud-user4","password":"crud-password"}`}, keep: "it=data.id"},
			{op: "DeleteAuthenticator", with: with{"ID": "$it"}},
			{op: "DeleteIdentity", with: with{"ID": "$who"}},
		},
		"enrollment": {
			{op: "CreateIdentity", with: with{"Identity": `{"name":"crud-enrollment","isAdmin":false,"type":"Default"}`}, keep: "who=data.id"},
			{op: "CreateEnrollment", with: with{"Enrollment": `{"identityId":"$who","method":"ott","expiresAt":"2001-01-01T00:00:00.000Z"}`}, code: 400},
			{op: "CreateEnrollment", with: with{"Enrollment": `{"identityId":"$who","method":"ott","expiresAt":"$later"}`}, keep: "it=data.id"},
			{op: "CreateEnrollment", with: with{"Enrollment": `{"identityId":"$who","method":"ott","expiresAt":"$later"}`}, code: 409},
			{op: "DetailEnrollment", with: with{"ID": "$it"}, want: []string{"data.method=ott", "data.jwt", "data.identityId=$who"}},
			{op: "ListEnrollments", with: with{"Filter": `id="$it"`}, want: []string{"data.#=1"}},
			{op: "GetIdentityEnrollments", with: with{"ID": "$who"}, want: []string{"data.0.id=$it"}},
			{op: "RefreshEnrollment", with: with{"ID": "$it", "Refresh": `{"expiresAt":"$later"}`}},
			{op: "DeleteEnrollment", with: with{"ID": "$it"}},
			{op: "DetailEnrollment", with: with{"ID": "$it"}, code: gone},
			{op: "DeleteIdentity", with: with{"ID": "$who"}},
		},
		"revocation": {
			{op: "CreateRevocation", with: with{"Revocation": `{"id":"0e2d7b4c-6f0d-4a4e-9b57-6f1f6a1b0001","type":"JTI"}`}, keep: "it=data.id"},
			{op: "DetailRevocation", with: with{"ID": "$it"}, want: []string{"data.id=$it", "data.type=JTI", "data.expiresAt"}},
			{op: "DetailRevocation", with: with{"ID": "none"}, code: gone},
			{op: "ListRevocations", with: with{"Filter": `id="$it"`}, want: []string{"data.#=1"}},
		},
	}
}

func postureSteps(kind, members string) []step {
	body := func(name string) string { return `{"typeId":"` + kind + `","name":"` + name + `",` + members + `}` }
	all := entitySteps("PostureCheck", "PostureChecks", "PostureCheck",
		`{"typeId":"`+kind+`","name":"crud-1","roleAttributes":["crud-`+kind+`"],`+members+`}`, body("crud-2"), body("crud-3"))
	if kind == "MFA" { // the ecosystem does not list it among the types
		return all
	}
	return append([]step{{op: "DetailPostureCheckType", with: with{"ID": kind}, want: []string{"data.id=" + kind}}}, all...)
}
