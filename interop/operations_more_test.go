package interop

// relationSteps make two identities, a service with a config and policies, and
// read how they hang together from every side.
func relationSteps() []step {
	one := func(op, id string, want ...string) step { return step{op: op, with: with{"ID": id}, want: want} }
	return []step{
		{op: "CreateIdentity", with: with{"Identity": `{"name":"rel-who","isAdmin":false,"type":"Default","roleAttributes":["rel"]}`}, keep: "who=data.id"},
		{op: "CreateConfig", with: with{"Config": `{"name":"rel-config","configTypeId":"NH5p4FpGR","data":{"protocol":"tcp","address":"localhost","port":80}}`}, keep: "config=data.id"},
		{op: "CreateService", with: with{"Service": `{"name":"rel-service","encryptionRequired":true,"roleAttributes":["rel"],"configs":["$config"]}`}, keep: "service=data.id"},
		{op: "CreateEdgeRouter", with: with{"EdgeRouter": `{"name":"rel-router","roleAttributes":["rel"]}`}, keep: "newRouter=data.id"},
		{op: "CreatePostureCheck", with: with{"PostureCheck": `{"typeId":"DOMAIN","name":"rel-check","roleAttributes":["rel"],"domains":["example.net"]}`}, keep: "check=data.id"},
		{op: "CreateServicePolicy", with: with{"Policy": `{"name":"rel-dial","type":"Dial","semantic":"AnyOf","identityRoles":["#rel"],"serviceRoles":["@$service"]}`}, keep: "dial=data.id"},
		{op: "CreateServicePolicy", with: with{"Policy": `{"name":"rel-posture","type":"Dial","semantic":"AnyOf","identityRoles":["@$who"],"serviceRoles":["#rel"],"postureCheckRoles":["#rel"]}`}, keep: "posture=data.id"},
		{op: "CreateEdgeRouterPolicy", with: with{"Policy": `{"name":"rel-routers","semantic":"AnyOf","identityRoles":["#rel"],"edgeRouterRoles":["#rel","@$router"]}`}, keep: "routers=data.id"},
		{op: "CreateServiceEdgeRouterPolicy", with: with{"Policy": `{"name":"rel-services","semantic":"AnyOf","serviceRoles":["#rel"],"edgeRouterRoles":["#rel"]}`}, keep: "services=data.id"},

		one("ListIdentityServices", "$who", "data.*.id=$service"),
		{op: "ListIdentityServices", with: with{"ID": "$who", "PolicyType": "bind"}, want: []string{"data.#=0"}},
		one("ListIdentityServicePolicies", "$who", "data.*.id=$dial", "data.*.id=$posture"),
		one("ListIdentitysEdgeRouterPolicies", "$who", "data.*.id=$routers"),
		one("ListIdentityEdgeRouters", "$who", "data.*.id=$newRouter", "data.*.id=$router"),
		one("GetIdentityPostureData", "$who"),
		one("GetIdentityFailedServiceRequests", "$who"),
		{op: "GetIdentityPolicyAdvice", with: with{"ID": "$who", "ServiceID": "$service"},
			want: []string{"data.isDialAllowed=true", "data.isBindAllowed=false", "data.identityId=$who", "data.serviceId=$service", "data.commonRouters.*.id=$newRouter"}},
		{op: "GetIdentityPolicyAdvice", with: with{"ID": "$who", "ServiceID": "none"}, code: gone},
		one("ListServiceConfig", "$service", "data.0.id=$config"),
		one("ListServiceEdgeRouters", "$service", "data.*.id=$newRouter"),
		one("ListServiceIdentities", "$service", "data.*.id=$who"),
		{op: "ListServiceIdentities", with: with{"ID": "$service", "PolicyType": "dial"}, want: []string{"data.0.id=$who"}},
		one("ListServiceServiceEdgeRouterPolicies", "$service", "data.*.id=$services"),
		one("ListServiceServicePolicies", "$service", "data.*.id=$dial"),
		{op: "ListServices", with: with{"RoleFilter": []string{"#rel"}, "RoleSemantic": "AllOf", "ConfigTypes": []string{"all"}}, want: []string{"data.#=1", "data.0.postureQueries.*.policyId"}},
		{op: "ListIdentities", with: with{"RoleFilter": []string{"#rel"}, "RoleSemantic": "AnyOf"}, want: []string{"data.#=1"}},
		{op: "ListEdgeRouters", with: with{"RoleFilter": []string{"#rel"}, "RoleSemantic": "AnyOf"}, want: []string{"data.#=1"}},
		{op: "ListPostureChecks", with: with{"RoleFilter": []string{"#rel"}, "RoleSemantic": "AnyOf"}, want: []string{"data.#=1"}},
		one("ListConfigServices", "$config", "data.0.id=$service"),
		one("ListConfigsForConfigType", "NH5p4FpGR", "data.*.id=$config"),
		one("ListEdgeRouterEdgeRouterPolicies", "$newRouter", "data.*.id=$routers"),
		// described as a list of service policies
		{op: "ListEdgeRouterServiceEdgeRouterPolicies", with: with{"ID": "$newRouter"}, want: []string{"data.*.id=$services"}, loose: true},
		one("ListEdgeRouterIdentities", "$newRouter", "data.*.id"), // ten of all that there are
		one("ListEdgeRouterServices", "$newRouter", "data.*.id"),
		one("ListEdgeRouterPolicyEdgeRouters", "$routers", "data.*.id=$router"),
		one("ListEdgeRouterPolicyIdentities", "$routers", "data.0.id=$who"),
		one("ListServiceEdgeRouterPolicyEdgeRouters", "$services", "data.0.id=$newRouter"),
		one("ListServiceEdgeRouterPolicyServices", "$services", "data.0.id=$service"),
		one("ListServicePolicyIdentities", "$dial", "data.0.id=$who"),
		one("ListServicePolicyServices", "$dial", "data.0.id=$service"),
		one("ListServicePolicyPostureChecks", "$posture", "data.0.id=$check"),
		{op: "ListIdentityRoleAttributes", with: with{"Filter": `id contains "rel"`}, want: []string{"data.*=rel"}},
		{op: "ListServiceRoleAttributes", want: []string{"data.*=rel"}, with: with{"Filter": "true limit none"}},
		{op: "ListEdgeRouterRoleAttributes", want: []string{"data.*=rel"}},
		{op: "ListPostureCheckRoleAttributes", want: []string{"data.*=rel"}},
		{op: "ListIdentityRoleAttributeUsage", with: with{"WithIds": true, "Filter": `roleAttribute = "rel"`}},
		{op: "ListServiceRoleAttributeUsage", with: with{"WithIds": true}},
		{op: "ListEdgeRouterRoleAttributeUsage", with: with{"WithIds": false}},
		{op: "ListPostureCheckRoleAttributeUsage"},

		{op: "AssociateIdentitysServiceConfigs", with: with{"ID": "$who", "ServiceConfigs": `[{"serviceId":"$service","configId":"$config"}]`}},
		one("ListIdentitysServiceConfigs", "$who", "data.0.configId=$config", "data.0.serviceId=$service"),
		{op: "DisassociateIdentitysServiceConfigs", with: with{"ID": "$who", "ServiceConfigIDPairs": `[{"serviceId":"$service","configId":"$config"}]`}},
		one("ListIdentitysServiceConfigs", "$who", "data.#=0"),
		{op: "AssociateIdentitysServiceConfigs", with: with{"ID": "$who", "ServiceConfigs": `[{"serviceId":"none","configId":"$config"}]`}}, // skipped
		one("ListIdentitysServiceConfigs", "$who", "data.#=0"),

		{op: "DisableIdentity", with: with{"ID": "$who", "Disable": `{"durationMinutes":10}`}},
		one("DetailIdentity", "$who", "data.disabled=true", "data.disabledUntil"),
		{op: "EnableIdentity", with: with{"ID": "$who"}},
		one("DetailIdentity", "$who", "data.disabled=false"),
		{op: "UpdateIdentityTracing", with: with{"ID": "$who", "TraceSpec": `{"enabled":true,"duration":"1m","traceId":"rel","channels":["all"]}`}, want: []string{"data.enabled=true", "data.traceId=rel"}},
		{op: "UpdateIdentityTracing", with: with{"ID": "$who", "TraceSpec": `{"enabled":false,"channels":[]}`}, want: []string{"data.enabled=false"}},
		{op: "ReEnrollEdgeRouter", with: with{"ID": "$newRouter"}},
		one("DetailEdgeRouter", "$newRouter", "data.isVerified=false", "data.enrollmentJwt"),

		{op: "DeleteServicePolicy", with: with{"ID": "$dial"}},
		{op: "DeleteServicePolicy", with: with{"ID": "$posture"}},
		{op: "DeleteEdgeRouterPolicy", with: with{"ID": "$routers"}},
		{op: "DeleteServiceEdgeRouterPolicy", with: with{"ID": "$services"}},
		{op: "DeletePostureCheck", with: with{"ID": "$check"}},
		{op: "DeleteEdgeRouter", with: with{"ID": "$newRouter"}},
		{op: "DeleteService", with: with{"ID": "$service"}},
		{op: "DeleteConfig", with: with{"ID": "$config"}},
		{op: "DeleteIdentity", with: with{"ID": "$who"}},
	}
}

// fixedSteps read what is no entity, and do what is done to the database.
func fixedSteps() []step {
	return []step{
		{op: "ListSummary", want: []string{"data.identities", "data.services"}},
		{op: "ListVersion", want: []string{"data.version", "data.apiVersions.edge.v1.path", "data.capabilities.#"}},
		{op: "ListRoot", want: []string{"data.version"}},
		{op: "ListEnumeratedCapabilities", want: []string{"data.#"}},
		{op: "ListSpecs", want: []string{"data.*.id"}, keep: "spec=data.0.id"},
		{op: "DetailSpec", with: with{"ID": "$spec"}, want: []string{"data.id=$spec"}},
		{op: "DetailSpecBody", with: with{"ID": "$spec"}},
		{op: "DetailSpec", with: with{"ID": "none"}, code: gone},
		{op: "ListWellKnownCas"},
		{op: "ListNetworkJWTs", want: []string{"data.0.name=default", "data.0.token"}},
		{op: "ListControllers", want: []string{"data.0.id", "data.0.isOnline=true", "data.0.certPem", "data.0.apiAddresses.edge-client.0.url"}},
		{op: "ListIdentityTypes", want: []string{"data.*.id=Default"}},
		{op: "DetailIdentityType", with: with{"ID": "Default"}, want: []string{"data.name=Default"}},
		{op: "ListPostureCheckTypes", want: []string{"data.*.id=PROCESS_MULTI"}},
		{op: "CreateDatabaseSnapshot"},
		{op: "CheckDataIntegrity"},
		{op: "DataIntegrityResults", want: []string{"data.startTime", "data.inProgress=false"}, until: true},
		{op: "FixDataIntegrity", until: true},
	}
}

// settingsSteps are the operations that the contract declares and nothing implements.
func settingsSteps() []step {
	var all []step
	id := with{"ID": "any"}
	for op, w := range map[string]with{
		"ListControllerSettings":           nil,
		"CreateControllerSetting":          {"ControllerSetting": `{"controllerId":"any","oidc":{"redirectUris":[]}}`},
		"DetailControllerSetting":          id,
		"DetailControllerSettingEffective": id,
		"UpdateControllerSetting":          {"ID": "any", "ControllerSetting": `{}`},
		"PatchControllerSetting":           {"ID": "any", "ControllerSetting": `{}`},
		"DeleteControllerSetting":          id,
	} {
		all = append(all, step{op: op, with: w, code: 501, loose: true})
	}
	return all
}

// ownSteps are what a login by password may do about itself, on both APIs; they
// end with the end of the session.
func ownSteps() []step {
	return []step{
		{op: "GetCurrentIdentity", want: []string{"data.name=own", "data.isMfaEnabled=false"}},
		{op: "GetCurrentAPISession", want: []string{"data.identity.name=own", "data.expiresAt"}},
		{op: "ListCurrentIdentityAuthenticators", with: with{"Filter": `method="updb"`}, want: []string{"data.#=1"}, keep: "own=data.0.id"},
		{op: "DetailCurrentIdentityAuthenticator", with: with{"ID": "$own"}, want: []string{"data.username=own-user"}},
		{op: "PatchCurrentIdentityAuthenticator", with: with{"ID": "$own", "Authenticator": `{"currentPassword":"wrong-password","password":"own-password2"}`}, code: 401},
		{op: "PatchCurrentIdentityAuthenticator", with: with{"ID": "$own", "Authenticator": `{"currentPassword":"own-password","password":"own-password2"}`}},
		{op: "UpdateCurrentIdentityAuthenticator", with: with{"ID": "$own", "Authenticator": `{"currentPassword":"own-password2","password":"own-password","username":"own-user"}`}},
		{op: "ExtendCurrentIdentityAuthenticator", with: with{"ID": "$own", "Extend": `{"clientCertCsr":"$csr"}`}, code: 401},
		{op: "ExtendVerifyCurrentIdentityAuthenticator", with: with{"ID": "$own", "Extend": `{"clientCert":"$caPem"}`}, code: 401},
	}
}

// factorSteps enrol a second factor, use it and take it away again. $code is a
// code of now, which the test works out when it is asked for.
func factorSteps() []step {
	code := func(op string) step { return step{op: op, with: with{"MfaValidation": `{"code":"$code"}`}} }
	wrong := func(op string) step {
		return step{op: op, with: with{"MfaValidation": `{"code":"abcdef"}`}, code: 400, loose: true}
	}
	return []step{
		{op: "DetailMfa", code: 404},
		{op: "DeleteMfa", with: with{"MfaValidationCode": "123456"}, code: 404},
		{op: "EnrollMfa"},
		{op: "EnrollMfa", code: 409, loose: true},
		{op: "DetailMfa", want: []string{"data.isVerified=false", "data.recoveryCodes.#=20"}, keep: "provisioning=data.provisioningUrl"},
		{op: "DetailMfaQrCode"},
		wrong("VerifyMfa"), code("VerifyMfa"),
		{op: "DetailMfa", want: []string{"data.isVerified=true"}},
		{op: "AuthenticateMfa", with: with{"MfaAuth": `{"code":"abcdef"}`}, code: 400, loose: true},
		{op: "AuthenticateMfa", with: with{"MfaAuth": `{"code":"$code"}`}},
		{op: "DetailMfaRecoveryCodes", with: with{"MfaValidationCode": "$code"}, keep: "recovery=data.recoveryCodes.0"},
		{op: "AuthenticateMfa", with: with{"MfaAuth": `{"code":"$recovery"}`}},
		code("CreateMfaRecoveryCodes"), wrong("CreateMfaRecoveryCodes"),
		{op: "CreateTotpToken", with: with{"MfaValidation": `{"code":"$code"}`}, code: 400, loose: true}, // not for sessions of this kind
		{op: "GetCurrentIdentity", want: []string{"data.isMfaEnabled=true"}},
		{op: "DeleteMfa", with: with{"MfaValidationCode": "$recovery"}, code: 400, loose: true}, // renewed since
		{op: "DeleteMfa", with: with{"MfaValidationCode": "$code"}},
		{op: "DetailMfa", code: 404},
	}
}
