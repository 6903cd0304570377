// Code generated from the operation table by client/internal/gen. DO NOT EDIT.

package client

import "context"

// ListRoot shows the version and the APIs of the controller.
func (a *Management) ListRoot(ctx context.Context) (*Version, error) {
	return detail[Version](ctx, a.c, call{method: "GET", path: "/edge/management/v1/"})
}

// ListVersion shows the version and the APIs of the controller.
func (a *Management) ListVersion(ctx context.Context) (*Version, error) {
	return detail[Version](ctx, a.c, call{method: "GET", path: "/edge/management/v1/version"})
}

// ListWellKnownCas returns the trust anchors as PKCS#7, certificates only, in base64.
func (a *Management) ListWellKnownCas(ctx context.Context) ([]byte, error) {
	return text(ctx, a.c, call{method: "GET", path: "/edge/management/v1/.well-known/est/cacerts"})
}

// ListEnumeratedCapabilities lists the capabilities that a version document may name.
func (a *Management) ListEnumeratedCapabilities(ctx context.Context) ([]string, error) {
	return array[string](ctx, a.c, call{method: "GET", path: "/edge/management/v1/enumerated-capabilities"})
}

// ListEnumeratedRouterCapabilities lists the capabilities that a router may tell of.
func (a *Management) ListEnumeratedRouterCapabilities(ctx context.Context) ([]string, error) {
	return array[string](ctx, a.c, call{method: "GET", path: "/edge/management/v1/enumerated-router-capabilities"})
}

// ListNetworkJWTs lists tokens that introduce the network to a client.
func (a *Management) ListNetworkJWTs(ctx context.Context) ([]NetworkJWT, error) {
	return array[NetworkJWT](ctx, a.c, call{method: "GET", path: "/edge/management/v1/network-jwts"})
}

// ListSummary counts the entities of every store.
func (a *Management) ListSummary(ctx context.Context) (*Summary, error) {
	return detail[Summary](ctx, a.c, call{method: "GET", path: "/edge/management/v1/summary"})
}

// Authenticate logs in and answers with a session, whose token goes into the header zt-session.
// Controllers keep it for clients of today; newer ways of logging in are to come.
func (a *Management) Authenticate(ctx context.Context, p *AuthenticateParams, body *Authenticate) (*CurrentAPISession, error) {
	return detail[CurrentAPISession](ctx, a.c, call{method: "POST", path: "/edge/management/v1/authenticate", params: p, body: body})
}

// GetCurrentAPISession shows the caller's session and counts as activity.
func (a *Management) GetCurrentAPISession(ctx context.Context) (*CurrentAPISession, error) {
	return detail[CurrentAPISession](ctx, a.c, call{method: "GET", path: "/edge/management/v1/current-api-session"})
}

// DeleteCurrentAPISession logs out.
func (a *Management) DeleteCurrentAPISession(ctx context.Context) error {
	return nothing(ctx, a.c, call{method: "DELETE", path: "/edge/management/v1/current-api-session"})
}

// GetCurrentIdentity shows the caller's identity.
func (a *Management) GetCurrentIdentity(ctx context.Context) (*Identity, error) {
	return detail[Identity](ctx, a.c, call{method: "GET", path: "/edge/management/v1/current-identity"})
}

// ListCurrentIdentityAuthenticators lists the caller's authenticators.
func (a *Management) ListCurrentIdentityAuthenticators(ctx context.Context, p *ListParams) (*Page[Authenticator], error) {
	return list[Authenticator](ctx, a.c, call{method: "GET", path: "/edge/management/v1/current-identity/authenticators", params: p})
}

// DetailCurrentIdentityAuthenticator shows one of the caller's authenticators.
func (a *Management) DetailCurrentIdentityAuthenticator(ctx context.Context, id string) (*Authenticator, error) {
	return detail[Authenticator](ctx, a.c, call{method: "GET", path: "/edge/management/v1/current-identity/authenticators/" + segment(id)})
}

// UpdateCurrentIdentityAuthenticator replaces the caller's user name and password.
func (a *Management) UpdateCurrentIdentityAuthenticator(ctx context.Context, id string, body *OwnAuthenticatorInput) error {
	return nothing(ctx, a.c, call{method: "PUT", path: "/edge/management/v1/current-identity/authenticators/" + segment(id), body: body})
}

// PatchCurrentIdentityAuthenticator changes the caller's user name or password.
func (a *Management) PatchCurrentIdentityAuthenticator(ctx context.Context, id string, body *OwnAuthenticatorInput) error {
	return nothing(ctx, a.c, call{method: "PATCH", path: "/edge/management/v1/current-identity/authenticators/" + segment(id), body: body})
}

// ExtendCurrentIdentityAuthenticator renews the caller's certificate; it counts once it is verified.
func (a *Management) ExtendCurrentIdentityAuthenticator(ctx context.Context, id string, body *ExtendIdentity) (*ExtendedIdentity, error) {
	return detail[ExtendedIdentity](ctx, a.c, call{method: "POST", path: "/edge/management/v1/current-identity/authenticators/" + segment(id) + "/extend", body: body})
}

// ExtendVerifyCurrentIdentityAuthenticator confirms that the renewed certificate has arrived.
func (a *Management) ExtendVerifyCurrentIdentityAuthenticator(ctx context.Context, id string, body *ExtendVerify) error {
	return nothing(ctx, a.c, call{method: "POST", path: "/edge/management/v1/current-identity/authenticators/" + segment(id) + "/extend-verify", body: body})
}

// AuthenticateMfa satisfies the MFA query of the caller's session by a one-time code or a recovery code.
func (a *Management) AuthenticateMfa(ctx context.Context, body *MFACode) error {
	return nothing(ctx, a.c, call{method: "POST", path: "/edge/management/v1/authenticate/mfa", body: body})
}

// DetailMfa shows the caller's enrollment in one-time codes; its secret only until it is verified.
func (a *Management) DetailMfa(ctx context.Context) (*MFA, error) {
	return detail[MFA](ctx, a.c, call{method: "GET", path: "/edge/management/v1/current-identity/mfa"})
}

// EnrollMfa begins the caller's enrollment in one-time codes; it counts once it is verified.
func (a *Management) EnrollMfa(ctx context.Context) (*Created, error) {
	return detail[Created](ctx, a.c, call{method: "POST", path: "/edge/management/v1/current-identity/mfa"})
}

// DeleteMfa removes the caller's enrollment in one-time codes; a verified one only with a current code or a recovery code.
func (a *Management) DeleteMfa(ctx context.Context, p *DeleteMfaParams) error {
	return nothing(ctx, a.c, call{method: "DELETE", path: "/edge/management/v1/current-identity/mfa", params: p})
}

// VerifyMfa puts the caller's enrollment in force by a first code.
func (a *Management) VerifyMfa(ctx context.Context, body *MFACode) error {
	return nothing(ctx, a.c, call{method: "POST", path: "/edge/management/v1/current-identity/mfa/verify", body: body})
}

// DetailMfaQrCode shows the provisioning URL of an unverified enrollment as a QR code.
func (a *Management) DetailMfaQrCode(ctx context.Context) ([]byte, error) {
	return text(ctx, a.c, call{method: "GET", path: "/edge/management/v1/current-identity/mfa/qr-code"})
}

// DetailMfaRecoveryCodes shows the recovery codes that are left to who has a current code.
func (a *Management) DetailMfaRecoveryCodes(ctx context.Context, p *DetailMfaRecoveryCodesParams, body *MFACode) (*MFARecoveryCodes, error) {
	return detail[MFARecoveryCodes](ctx, a.c, call{method: "GET", path: "/edge/management/v1/current-identity/mfa/recovery-codes", params: p, body: body})
}

// CreateMfaRecoveryCodes replaces all recovery codes; needs a current code or a recovery code.
func (a *Management) CreateMfaRecoveryCodes(ctx context.Context, body *MFACode) error {
	return nothing(ctx, a.c, call{method: "POST", path: "/edge/management/v1/current-identity/mfa/recovery-codes", body: body})
}

// CreateTotpToken makes a token that proves a one-time code to routers. Only for sessions whose token is a JWT.
func (a *Management) CreateTotpToken(ctx context.Context, body *MFACode) (*TotpToken, error) {
	return detail[TotpToken](ctx, a.c, call{method: "POST", path: "/edge/management/v1/current-api-session/totp-token", body: body})
}

// ListSessions lists all service sessions.
func (a *Management) ListSessions(ctx context.Context, p *ListParams) (*Page[Session], error) {
	return list[Session](ctx, a.c, call{method: "GET", path: "/edge/management/v1/sessions", params: p})
}

// DetailSession shows one of all service sessions.
func (a *Management) DetailSession(ctx context.Context, id string) (*Session, error) {
	return detail[Session](ctx, a.c, call{method: "GET", path: "/edge/management/v1/sessions/" + segment(id)})
}

// DeleteSession ends one of all service sessions.
func (a *Management) DeleteSession(ctx context.Context, id string) error {
	return nothing(ctx, a.c, call{method: "DELETE", path: "/edge/management/v1/sessions/" + segment(id)})
}

// DetailSessionRoutePath shows the path of one session's circuits.
func (a *Management) DetailSessionRoutePath(ctx context.Context, id string) (*RoutePath, error) {
	return detail[RoutePath](ctx, a.c, call{method: "GET", path: "/edge/management/v1/sessions/" + segment(id) + "/route-path"})
}

// ListAPISessions lists api sessions.
func (a *Management) ListAPISessions(ctx context.Context, p *ListParams) (*Page[APISession], error) {
	return list[APISession](ctx, a.c, call{method: "GET", path: "/edge/management/v1/api-sessions", params: p})
}

// DetailAPISessions shows one a p i session.
func (a *Management) DetailAPISessions(ctx context.Context, id string) (*APISession, error) {
	return detail[APISession](ctx, a.c, call{method: "GET", path: "/edge/management/v1/api-sessions/" + segment(id)})
}

// DeleteAPISessions deletes one a p i session.
func (a *Management) DeleteAPISessions(ctx context.Context, id string) error {
	return nothing(ctx, a.c, call{method: "DELETE", path: "/edge/management/v1/api-sessions/" + segment(id)})
}

// ListIdentities lists identities.
func (a *Management) ListIdentities(ctx context.Context, p *ListIdentitiesParams) (*Page[Identity], error) {
	return list[Identity](ctx, a.c, call{method: "GET", path: "/edge/management/v1/identities", params: p})
}

// DetailIdentity shows one identity.
func (a *Management) DetailIdentity(ctx context.Context, id string) (*Identity, error) {
	return detail[Identity](ctx, a.c, call{method: "GET", path: "/edge/management/v1/identities/" + segment(id)})
}

// CreateIdentity creates one identity.
func (a *Management) CreateIdentity(ctx context.Context, body *IdentityInput) (*Created, error) {
	return detail[Created](ctx, a.c, call{method: "POST", path: "/edge/management/v1/identities", body: body})
}

// UpdateIdentity replaces every settable member of one identity; members left out get their defaults.
func (a *Management) UpdateIdentity(ctx context.Context, id string, body *IdentityInput) error {
	return nothing(ctx, a.c, call{method: "PUT", path: "/edge/management/v1/identities/" + segment(id), body: body})
}

// PatchIdentity changes the given members of one identity; null leaves a member as it is.
func (a *Management) PatchIdentity(ctx context.Context, id string, body *IdentityInput) error {
	return nothing(ctx, a.c, call{method: "PATCH", path: "/edge/management/v1/identities/" + segment(id), body: body})
}

// DeleteIdentity deletes one identity.
func (a *Management) DeleteIdentity(ctx context.Context, id string) error {
	return nothing(ctx, a.c, call{method: "DELETE", path: "/edge/management/v1/identities/" + segment(id)})
}

// DisableIdentity disables one identity and ends its sessions.
func (a *Management) DisableIdentity(ctx context.Context, id string, body *DisableParams) error {
	return nothing(ctx, a.c, call{method: "POST", path: "/edge/management/v1/identities/" + segment(id) + "/disable", body: body})
}

// EnableIdentity enables a disabled identity.
func (a *Management) EnableIdentity(ctx context.Context, id string) error {
	return nothing(ctx, a.c, call{method: "POST", path: "/edge/management/v1/identities/" + segment(id) + "/enable"})
}

// RemoveIdentityMfa removes the MFA enrollment of one identity.
func (a *Management) RemoveIdentityMfa(ctx context.Context, id string) error {
	return nothing(ctx, a.c, call{method: "DELETE", path: "/edge/management/v1/identities/" + segment(id) + "/mfa"})
}

// AssociateIdentitysServiceConfigs overrides configs of services for one identity.
func (a *Management) AssociateIdentitysServiceConfigs(ctx context.Context, id string, body []ServiceConfigAssign) error {
	return nothing(ctx, a.c, call{method: "POST", path: "/edge/management/v1/identities/" + segment(id) + "/service-configs", body: body})
}

// DisassociateIdentitysServiceConfigs takes overrides of configs away.
func (a *Management) DisassociateIdentitysServiceConfigs(ctx context.Context, id string, body []ServiceConfigAssign) error {
	return nothing(ctx, a.c, call{method: "DELETE", path: "/edge/management/v1/identities/" + segment(id) + "/service-configs", body: body})
}

// ListIdentitysServiceConfigs lists the config overrides of one identity.
func (a *Management) ListIdentitysServiceConfigs(ctx context.Context, id string) (*Page[ServiceConfig], error) {
	return list[ServiceConfig](ctx, a.c, call{method: "GET", path: "/edge/management/v1/identities/" + segment(id) + "/service-configs"})
}

// GetIdentityFailedServiceRequests lists refused service requests of one identity.
func (a *Management) GetIdentityFailedServiceRequests(ctx context.Context, id string) ([]FailedServiceRequest, error) {
	return array[FailedServiceRequest](ctx, a.c, call{method: "GET", path: "/edge/management/v1/identities/" + segment(id) + "/failed-service-requests"})
}

// GetIdentityPolicyAdvice tells what one identity may do with one service.
func (a *Management) GetIdentityPolicyAdvice(ctx context.Context, id string, serviceID string) (*PolicyAdvice, error) {
	return detail[PolicyAdvice](ctx, a.c, call{method: "GET", path: "/edge/management/v1/identities/" + segment(id) + "/policy-advice/" + segment(serviceID)})
}

// GetIdentityPostureData shows what the clients of one identity have told about their machines.
func (a *Management) GetIdentityPostureData(ctx context.Context, id string) (*PostureData, error) {
	return detail[PostureData](ctx, a.c, call{method: "GET", path: "/edge/management/v1/identities/" + segment(id) + "/posture-data"})
}

// UpdateIdentityTracing has the controller write requests, circuits and refusals of one identity into its log for a while.
func (a *Management) UpdateIdentityTracing(ctx context.Context, id string, body *TraceSpec) (*TraceDetail, error) {
	return detail[TraceDetail](ctx, a.c, call{method: "PUT", path: "/edge/management/v1/identities/" + segment(id) + "/trace", body: body})
}

// GetIdentityAuthenticators lists the authenticators of one identity.
func (a *Management) GetIdentityAuthenticators(ctx context.Context, id string, p *ListParams) (*Page[Authenticator], error) {
	return list[Authenticator](ctx, a.c, call{method: "GET", path: "/edge/management/v1/identities/" + segment(id) + "/authenticators", params: p})
}

// ListIdentitysEdgeRouterPolicies lists the edge router policies of one identity.
func (a *Management) ListIdentitysEdgeRouterPolicies(ctx context.Context, id string, p *ListParams) (*Page[EdgeRouterPolicy], error) {
	return list[EdgeRouterPolicy](ctx, a.c, call{method: "GET", path: "/edge/management/v1/identities/" + segment(id) + "/edge-router-policies", params: p})
}

// ListIdentityEdgeRouters lists the edge routers of one identity.
func (a *Management) ListIdentityEdgeRouters(ctx context.Context, id string, p *ListParams) (*Page[EdgeRouter], error) {
	return list[EdgeRouter](ctx, a.c, call{method: "GET", path: "/edge/management/v1/identities/" + segment(id) + "/edge-routers", params: p})
}

// GetIdentityEnrollments lists the enrollments of one identity.
func (a *Management) GetIdentityEnrollments(ctx context.Context, id string, p *ListParams) (*Page[Enrollment], error) {
	return list[Enrollment](ctx, a.c, call{method: "GET", path: "/edge/management/v1/identities/" + segment(id) + "/enrollments", params: p})
}

// ListIdentityServicePolicies lists the service policies of one identity.
func (a *Management) ListIdentityServicePolicies(ctx context.Context, id string, p *ListParams) (*Page[ServicePolicy], error) {
	return list[ServicePolicy](ctx, a.c, call{method: "GET", path: "/edge/management/v1/identities/" + segment(id) + "/service-policies", params: p})
}

// ListIdentityServices lists the services of one identity.
func (a *Management) ListIdentityServices(ctx context.Context, id string, p *ListIdentityServicesParams) (*Page[Service], error) {
	return list[Service](ctx, a.c, call{method: "GET", path: "/edge/management/v1/identities/" + segment(id) + "/services", params: p})
}

// ListAuthenticators lists authenticators.
func (a *Management) ListAuthenticators(ctx context.Context, p *ListParams) (*Page[Authenticator], error) {
	return list[Authenticator](ctx, a.c, call{method: "GET", path: "/edge/management/v1/authenticators", params: p})
}

// DetailAuthenticator shows one authenticator.
func (a *Management) DetailAuthenticator(ctx context.Context, id string) (*Authenticator, error) {
	return detail[Authenticator](ctx, a.c, call{method: "GET", path: "/edge/management/v1/authenticators/" + segment(id)})
}

// CreateAuthenticator creates one authenticator.
func (a *Management) CreateAuthenticator(ctx context.Context, body *AuthenticatorCreate) (*Created, error) {
	return detail[Created](ctx, a.c, call{method: "POST", path: "/edge/management/v1/authenticators", body: body})
}

// UpdateAuthenticator replaces every settable member of one authenticator; members left out get their defaults.
func (a *Management) UpdateAuthenticator(ctx context.Context, id string, body *AuthenticatorInput) error {
	return nothing(ctx, a.c, call{method: "PUT", path: "/edge/management/v1/authenticators/" + segment(id), body: body})
}

// PatchAuthenticator changes the given members of one authenticator; null leaves a member as it is.
func (a *Management) PatchAuthenticator(ctx context.Context, id string, body *AuthenticatorInput) error {
	return nothing(ctx, a.c, call{method: "PATCH", path: "/edge/management/v1/authenticators/" + segment(id), body: body})
}

// DeleteAuthenticator deletes one authenticator.
func (a *Management) DeleteAuthenticator(ctx context.Context, id string) error {
	return nothing(ctx, a.c, call{method: "DELETE", path: "/edge/management/v1/authenticators/" + segment(id)})
}

// ReEnrollAuthenticator replaces one authenticator by an enrollment of the same method.
func (a *Management) ReEnrollAuthenticator(ctx context.Context, id string, body *ReEnroll) (*Created, error) {
	return detail[Created](ctx, a.c, call{method: "POST", path: "/edge/management/v1/authenticators/" + segment(id) + "/re-enroll", body: body})
}

// RequestExtendAuthenticator marks one certificate so that its client is asked to renew it.
func (a *Management) RequestExtendAuthenticator(ctx context.Context, id string, body *RequestExtend) error {
	return nothing(ctx, a.c, call{method: "POST", path: "/edge/management/v1/authenticators/" + segment(id) + "/request-extend", body: body})
}

// ListEnrollments lists enrollments.
func (a *Management) ListEnrollments(ctx context.Context, p *ListParams) (*Page[Enrollment], error) {
	return list[Enrollment](ctx, a.c, call{method: "GET", path: "/edge/management/v1/enrollments", params: p})
}

// DetailEnrollment shows one enrollment.
func (a *Management) DetailEnrollment(ctx context.Context, id string) (*Enrollment, error) {
	return detail[Enrollment](ctx, a.c, call{method: "GET", path: "/edge/management/v1/enrollments/" + segment(id)})
}

// CreateEnrollment creates one enrollment.
func (a *Management) CreateEnrollment(ctx context.Context, body *EnrollmentCreate) (*Created, error) {
	return detail[Created](ctx, a.c, call{method: "POST", path: "/edge/management/v1/enrollments", body: body})
}

// DeleteEnrollment deletes one enrollment.
func (a *Management) DeleteEnrollment(ctx context.Context, id string) error {
	return nothing(ctx, a.c, call{method: "DELETE", path: "/edge/management/v1/enrollments/" + segment(id)})
}

// RefreshEnrollment gives one enrollment a new token and expiry.
func (a *Management) RefreshEnrollment(ctx context.Context, id string, body *EnrollmentRefresh) error {
	return nothing(ctx, a.c, call{method: "POST", path: "/edge/management/v1/enrollments/" + segment(id) + "/refresh", body: body})
}

// ListAuthPolicies lists auth policies.
func (a *Management) ListAuthPolicies(ctx context.Context, p *ListParams) (*Page[AuthPolicy], error) {
	return list[AuthPolicy](ctx, a.c, call{method: "GET", path: "/edge/management/v1/auth-policies", params: p})
}

// DetailAuthPolicy shows one auth policy.
func (a *Management) DetailAuthPolicy(ctx context.Context, id string) (*AuthPolicy, error) {
	return detail[AuthPolicy](ctx, a.c, call{method: "GET", path: "/edge/management/v1/auth-policies/" + segment(id)})
}

// CreateAuthPolicy creates one auth policy.
func (a *Management) CreateAuthPolicy(ctx context.Context, body *AuthPolicyInput) (*Created, error) {
	return detail[Created](ctx, a.c, call{method: "POST", path: "/edge/management/v1/auth-policies", body: body})
}

// UpdateAuthPolicy replaces every settable member of one auth policy; members left out get their defaults.
func (a *Management) UpdateAuthPolicy(ctx context.Context, id string, body *AuthPolicyInput) error {
	return nothing(ctx, a.c, call{method: "PUT", path: "/edge/management/v1/auth-policies/" + segment(id), body: body})
}

// PatchAuthPolicy changes the given members of one auth policy; null leaves a member as it is.
func (a *Management) PatchAuthPolicy(ctx context.Context, id string, body *AuthPolicyInput) error {
	return nothing(ctx, a.c, call{method: "PATCH", path: "/edge/management/v1/auth-policies/" + segment(id), body: body})
}

// DeleteAuthPolicy deletes one auth policy.
func (a *Management) DeleteAuthPolicy(ctx context.Context, id string) error {
	return nothing(ctx, a.c, call{method: "DELETE", path: "/edge/management/v1/auth-policies/" + segment(id)})
}

// ListRevocations lists revocations.
func (a *Management) ListRevocations(ctx context.Context, p *ListParams) (*Page[Revocation], error) {
	return list[Revocation](ctx, a.c, call{method: "GET", path: "/edge/management/v1/revocations", params: p})
}

// DetailRevocation shows one revocation.
func (a *Management) DetailRevocation(ctx context.Context, id string) (*Revocation, error) {
	return detail[Revocation](ctx, a.c, call{method: "GET", path: "/edge/management/v1/revocations/" + segment(id)})
}

// CreateRevocation creates one revocation.
func (a *Management) CreateRevocation(ctx context.Context, body *RevocationCreate) (*Created, error) {
	return detail[Created](ctx, a.c, call{method: "POST", path: "/edge/management/v1/revocations", body: body})
}

// ListServices lists services.
func (a *Management) ListServices(ctx context.Context, p *ListServicesParams) (*Page[Service], error) {
	return list[Service](ctx, a.c, call{method: "GET", path: "/edge/management/v1/services", params: p})
}

// DetailService shows one service.
func (a *Management) DetailService(ctx context.Context, id string) (*Service, error) {
	return detail[Service](ctx, a.c, call{method: "GET", path: "/edge/management/v1/services/" + segment(id)})
}

// CreateService creates one service.
func (a *Management) CreateService(ctx context.Context, body *ServiceInput) (*Created, error) {
	return detail[Created](ctx, a.c, call{method: "POST", path: "/edge/management/v1/services", body: body})
}

// UpdateService replaces every settable member of one service; members left out get their defaults.
func (a *Management) UpdateService(ctx context.Context, id string, body *ServiceInput) error {
	return nothing(ctx, a.c, call{method: "PUT", path: "/edge/management/v1/services/" + segment(id), body: body})
}

// PatchService changes the given members of one service; null leaves a member as it is.
func (a *Management) PatchService(ctx context.Context, id string, body *ServiceInput) error {
	return nothing(ctx, a.c, call{method: "PATCH", path: "/edge/management/v1/services/" + segment(id), body: body})
}

// DeleteService deletes one service.
func (a *Management) DeleteService(ctx context.Context, id string) error {
	return nothing(ctx, a.c, call{method: "DELETE", path: "/edge/management/v1/services/" + segment(id)})
}

// ListServiceConfig lists the configs of one service.
func (a *Management) ListServiceConfig(ctx context.Context, id string, p *ListParams) (*Page[Config], error) {
	return list[Config](ctx, a.c, call{method: "GET", path: "/edge/management/v1/services/" + segment(id) + "/configs", params: p})
}

// ListServiceEdgeRouters lists the edge routers of one service.
func (a *Management) ListServiceEdgeRouters(ctx context.Context, id string, p *ListParams) (*Page[EdgeRouter], error) {
	return list[EdgeRouter](ctx, a.c, call{method: "GET", path: "/edge/management/v1/services/" + segment(id) + "/edge-routers", params: p})
}

// ListServiceIdentities lists the identities of one service.
func (a *Management) ListServiceIdentities(ctx context.Context, id string, p *ListServiceIdentitiesParams) (*Page[Identity], error) {
	return list[Identity](ctx, a.c, call{method: "GET", path: "/edge/management/v1/services/" + segment(id) + "/identities", params: p})
}

// ListServiceServiceEdgeRouterPolicies lists the service edge router policies of one service.
func (a *Management) ListServiceServiceEdgeRouterPolicies(ctx context.Context, id string, p *ListParams) (*Page[ServiceEdgeRouterPolicy], error) {
	return list[ServiceEdgeRouterPolicy](ctx, a.c, call{method: "GET", path: "/edge/management/v1/services/" + segment(id) + "/service-edge-router-policies", params: p})
}

// ListServiceServicePolicies lists the service policies of one service.
func (a *Management) ListServiceServicePolicies(ctx context.Context, id string, p *ListParams) (*Page[ServicePolicy], error) {
	return list[ServicePolicy](ctx, a.c, call{method: "GET", path: "/edge/management/v1/services/" + segment(id) + "/service-policies", params: p})
}

// ListServiceTerminators lists the terminators of one service.
func (a *Management) ListServiceTerminators(ctx context.Context, id string, p *ListParams) (*Page[Terminator], error) {
	return list[Terminator](ctx, a.c, call{method: "GET", path: "/edge/management/v1/services/" + segment(id) + "/terminators", params: p})
}

// ListConfigs lists configs.
func (a *Management) ListConfigs(ctx context.Context, p *ListParams) (*Page[Config], error) {
	return list[Config](ctx, a.c, call{method: "GET", path: "/edge/management/v1/configs", params: p})
}

// DetailConfig shows one config.
func (a *Management) DetailConfig(ctx context.Context, id string) (*Config, error) {
	return detail[Config](ctx, a.c, call{method: "GET", path: "/edge/management/v1/configs/" + segment(id)})
}

// CreateConfig creates one config.
func (a *Management) CreateConfig(ctx context.Context, body *ConfigInput) (*Created, error) {
	return detail[Created](ctx, a.c, call{method: "POST", path: "/edge/management/v1/configs", body: body})
}

// UpdateConfig replaces every settable member of one config; members left out get their defaults.
func (a *Management) UpdateConfig(ctx context.Context, id string, body *ConfigInput) error {
	return nothing(ctx, a.c, call{method: "PUT", path: "/edge/management/v1/configs/" + segment(id), body: body})
}

// PatchConfig changes the given members of one config; null leaves a member as it is.
func (a *Management) PatchConfig(ctx context.Context, id string, body *ConfigInput) error {
	return nothing(ctx, a.c, call{method: "PATCH", path: "/edge/management/v1/configs/" + segment(id), body: body})
}

// DeleteConfig deletes one config.
func (a *Management) DeleteConfig(ctx context.Context, id string) error {
	return nothing(ctx, a.c, call{method: "DELETE", path: "/edge/management/v1/configs/" + segment(id)})
}

// ListConfigServices lists the services of one config.
func (a *Management) ListConfigServices(ctx context.Context, id string, p *ListParams) (*Page[Service], error) {
	return list[Service](ctx, a.c, call{method: "GET", path: "/edge/management/v1/configs/" + segment(id) + "/services", params: p})
}

// ListConfigTypes lists config types.
func (a *Management) ListConfigTypes(ctx context.Context, p *ListParams) (*Page[ConfigType], error) {
	return list[ConfigType](ctx, a.c, call{method: "GET", path: "/edge/management/v1/config-types", params: p})
}

// DetailConfigType shows one config type.
func (a *Management) DetailConfigType(ctx context.Context, id string) (*ConfigType, error) {
	return detail[ConfigType](ctx, a.c, call{method: "GET", path: "/edge/management/v1/config-types/" + segment(id)})
}

// CreateConfigType creates one config type.
func (a *Management) CreateConfigType(ctx context.Context, body *ConfigTypeInput) (*Created, error) {
	return detail[Created](ctx, a.c, call{method: "POST", path: "/edge/management/v1/config-types", body: body})
}

// UpdateConfigType replaces every settable member of one config type; members left out get their defaults.
func (a *Management) UpdateConfigType(ctx context.Context, id string, body *ConfigTypeInput) error {
	return nothing(ctx, a.c, call{method: "PUT", path: "/edge/management/v1/config-types/" + segment(id), body: body})
}

// PatchConfigType changes the given members of one config type; null leaves a member as it is.
func (a *Management) PatchConfigType(ctx context.Context, id string, body *ConfigTypeInput) error {
	return nothing(ctx, a.c, call{method: "PATCH", path: "/edge/management/v1/config-types/" + segment(id), body: body})
}

// DeleteConfigType deletes one config type.
func (a *Management) DeleteConfigType(ctx context.Context, id string) error {
	return nothing(ctx, a.c, call{method: "DELETE", path: "/edge/management/v1/config-types/" + segment(id)})
}

// ListConfigsForConfigType lists the configs of one config type.
func (a *Management) ListConfigsForConfigType(ctx context.Context, id string, p *ListParams) (*Page[Config], error) {
	return list[Config](ctx, a.c, call{method: "GET", path: "/edge/management/v1/config-types/" + segment(id) + "/configs", params: p})
}

// ListTerminators lists terminators.
func (a *Management) ListTerminators(ctx context.Context, p *ListParams) (*Page[Terminator], error) {
	return list[Terminator](ctx, a.c, call{method: "GET", path: "/edge/management/v1/terminators", params: p})
}

// DetailTerminator shows one terminator.
func (a *Management) DetailTerminator(ctx context.Context, id string) (*Terminator, error) {
	return detail[Terminator](ctx, a.c, call{method: "GET", path: "/edge/management/v1/terminators/" + segment(id)})
}

// CreateTerminator creates one terminator.
func (a *Management) CreateTerminator(ctx context.Context, body *TerminatorInput) (*Created, error) {
	return detail[Created](ctx, a.c, call{method: "POST", path: "/edge/management/v1/terminators", body: body})
}

// UpdateTerminator replaces every settable member of one terminator; members left out get their defaults.
func (a *Management) UpdateTerminator(ctx context.Context, id string, body *TerminatorInput) error {
	return nothing(ctx, a.c, call{method: "PUT", path: "/edge/management/v1/terminators/" + segment(id), body: body})
}

// PatchTerminator changes the given members of one terminator; null leaves a member as it is.
func (a *Management) PatchTerminator(ctx context.Context, id string, body *TerminatorInput) error {
	return nothing(ctx, a.c, call{method: "PATCH", path: "/edge/management/v1/terminators/" + segment(id), body: body})
}

// DeleteTerminator deletes one terminator.
func (a *Management) DeleteTerminator(ctx context.Context, id string) error {
	return nothing(ctx, a.c, call{method: "DELETE", path: "/edge/management/v1/terminators/" + segment(id)})
}

// ListEdgeRouters lists edge routers.
func (a *Management) ListEdgeRouters(ctx context.Context, p *ListEdgeRoutersParams) (*Page[EdgeRouter], error) {
	return list[EdgeRouter](ctx, a.c, call{method: "GET", path: "/edge/management/v1/edge-routers", params: p})
}

// DetailEdgeRouter shows one edge router.
func (a *Management) DetailEdgeRouter(ctx context.Context, id string) (*EdgeRouter, error) {
	return detail[EdgeRouter](ctx, a.c, call{method: "GET", path: "/edge/management/v1/edge-routers/" + segment(id)})
}

// CreateEdgeRouter creates one edge router.
func (a *Management) CreateEdgeRouter(ctx context.Context, body *EdgeRouterInput) (*Created, error) {
	return detail[Created](ctx, a.c, call{method: "POST", path: "/edge/management/v1/edge-routers", body: body})
}

// UpdateEdgeRouter replaces every settable member of one edge router; members left out get their defaults.
func (a *Management) UpdateEdgeRouter(ctx context.Context, id string, body *EdgeRouterInput) error {
	return nothing(ctx, a.c, call{method: "PUT", path: "/edge/management/v1/edge-routers/" + segment(id), body: body})
}

// PatchEdgeRouter changes the given members of one edge router; null leaves a member as it is.
func (a *Management) PatchEdgeRouter(ctx context.Context, id string, body *EdgeRouterInput) error {
	return nothing(ctx, a.c, call{method: "PATCH", path: "/edge/management/v1/edge-routers/" + segment(id), body: body})
}

// DeleteEdgeRouter deletes one edge router.
func (a *Management) DeleteEdgeRouter(ctx context.Context, id string) error {
	return nothing(ctx, a.c, call{method: "DELETE", path: "/edge/management/v1/edge-routers/" + segment(id)})
}

// ReEnrollEdgeRouter takes the certificates of one edge router away and makes a new enrollment.
func (a *Management) ReEnrollEdgeRouter(ctx context.Context, id string) error {
	return nothing(ctx, a.c, call{method: "POST", path: "/edge/management/v1/edge-routers/" + segment(id) + "/re-enroll"})
}

// ListEdgeRouterEdgeRouterPolicies lists the edge router policies of one edge router.
func (a *Management) ListEdgeRouterEdgeRouterPolicies(ctx context.Context, id string, p *ListParams) (*Page[EdgeRouterPolicy], error) {
	return list[EdgeRouterPolicy](ctx, a.c, call{method: "GET", path: "/edge/management/v1/edge-routers/" + segment(id) + "/edge-router-policies", params: p})
}

// ListEdgeRouterIdentities lists the identities of one edge router.
func (a *Management) ListEdgeRouterIdentities(ctx context.Context, id string, p *ListParams) (*Page[Identity], error) {
	return list[Identity](ctx, a.c, call{method: "GET", path: "/edge/management/v1/edge-routers/" + segment(id) + "/identities", params: p})
}

// ListEdgeRouterServiceEdgeRouterPolicies lists the service edge router policies of one edge router.
func (a *Management) ListEdgeRouterServiceEdgeRouterPolicies(ctx context.Context, id string, p *ListParams) (*Page[ServiceEdgeRouterPolicy], error) {
	return list[ServiceEdgeRouterPolicy](ctx, a.c, call{method: "GET", path: "/edge/management/v1/edge-routers/" + segment(id) + "/service-edge-router-policies", params: p})
}

// ListEdgeRouterServices lists the services of one edge router.
func (a *Management) ListEdgeRouterServices(ctx context.Context, id string, p *ListParams) (*Page[Service], error) {
	return list[Service](ctx, a.c, call{method: "GET", path: "/edge/management/v1/edge-routers/" + segment(id) + "/services", params: p})
}

// ListTransitRouters lists transit routers.
func (a *Management) ListTransitRouters(ctx context.Context, p *ListParams) (*Page[Router], error) {
	return list[Router](ctx, a.c, call{method: "GET", path: "/edge/management/v1/transit-routers", params: p})
}

// DetailTransitRouter shows one transit router.
func (a *Management) DetailTransitRouter(ctx context.Context, id string) (*Router, error) {
	return detail[Router](ctx, a.c, call{method: "GET", path: "/edge/management/v1/transit-routers/" + segment(id)})
}

// CreateTransitRouter creates one transit router.
func (a *Management) CreateTransitRouter(ctx context.Context, body *RouterInput) (*Created, error) {
	return detail[Created](ctx, a.c, call{method: "POST", path: "/edge/management/v1/transit-routers", body: body})
}

// UpdateTransitRouter replaces every settable member of one transit router; members left out get their defaults.
func (a *Management) UpdateTransitRouter(ctx context.Context, id string, body *RouterInput) error {
	return nothing(ctx, a.c, call{method: "PUT", path: "/edge/management/v1/transit-routers/" + segment(id), body: body})
}

// PatchTransitRouter changes the given members of one transit router; null leaves a member as it is.
func (a *Management) PatchTransitRouter(ctx context.Context, id string, body *RouterInput) error {
	return nothing(ctx, a.c, call{method: "PATCH", path: "/edge/management/v1/transit-routers/" + segment(id), body: body})
}

// DeleteTransitRouter deletes one transit router.
func (a *Management) DeleteTransitRouter(ctx context.Context, id string) error {
	return nothing(ctx, a.c, call{method: "DELETE", path: "/edge/management/v1/transit-routers/" + segment(id)})
}

// ListRouters lists routers.
func (a *Management) ListRouters(ctx context.Context, p *ListParams) (*Page[Router], error) {
	return list[Router](ctx, a.c, call{method: "GET", path: "/edge/management/v1/routers", params: p})
}

// DetailRouter shows one router.
func (a *Management) DetailRouter(ctx context.Context, id string) (*Router, error) {
	return detail[Router](ctx, a.c, call{method: "GET", path: "/edge/management/v1/routers/" + segment(id)})
}

// CreateRouter creates one router.
func (a *Management) CreateRouter(ctx context.Context, body *RouterInput) (*Created, error) {
	return detail[Created](ctx, a.c, call{method: "POST", path: "/edge/management/v1/routers", body: body})
}

// UpdateRouter replaces every settable member of one router; members left out get their defaults.
func (a *Management) UpdateRouter(ctx context.Context, id string, body *RouterInput) error {
	return nothing(ctx, a.c, call{method: "PUT", path: "/edge/management/v1/routers/" + segment(id), body: body})
}

// PatchRouter changes the given members of one router; null leaves a member as it is.
func (a *Management) PatchRouter(ctx context.Context, id string, body *RouterInput) error {
	return nothing(ctx, a.c, call{method: "PATCH", path: "/edge/management/v1/routers/" + segment(id), body: body})
}

// DeleteRouter deletes one router.
func (a *Management) DeleteRouter(ctx context.Context, id string) error {
	return nothing(ctx, a.c, call{method: "DELETE", path: "/edge/management/v1/routers/" + segment(id)})
}

// ListServicePolicies lists service policies.
func (a *Management) ListServicePolicies(ctx context.Context, p *ListParams) (*Page[ServicePolicy], error) {
	return list[ServicePolicy](ctx, a.c, call{method: "GET", path: "/edge/management/v1/service-policies", params: p})
}

// DetailServicePolicy shows one service policy.
func (a *Management) DetailServicePolicy(ctx context.Context, id string) (*ServicePolicy, error) {
	return detail[ServicePolicy](ctx, a.c, call{method: "GET", path: "/edge/management/v1/service-policies/" + segment(id)})
}

// CreateServicePolicy creates one service policy.
func (a *Management) CreateServicePolicy(ctx context.Context, body *ServicePolicyInput) (*Created, error) {
	return detail[Created](ctx, a.c, call{method: "POST", path: "/edge/management/v1/service-policies", body: body})
}

// UpdateServicePolicy replaces every settable member of one service policy; members left out get their defaults.
func (a *Management) UpdateServicePolicy(ctx context.Context, id string, body *ServicePolicyInput) error {
	return nothing(ctx, a.c, call{method: "PUT", path: "/edge/management/v1/service-policies/" + segment(id), body: body})
}

// PatchServicePolicy changes the given members of one service policy; null leaves a member as it is.
func (a *Management) PatchServicePolicy(ctx context.Context, id string, body *ServicePolicyInput) error {
	return nothing(ctx, a.c, call{method: "PATCH", path: "/edge/management/v1/service-policies/" + segment(id), body: body})
}

// DeleteServicePolicy deletes one service policy.
func (a *Management) DeleteServicePolicy(ctx context.Context, id string) error {
	return nothing(ctx, a.c, call{method: "DELETE", path: "/edge/management/v1/service-policies/" + segment(id)})
}

// ListServicePolicyIdentities lists the identities of one service policy.
func (a *Management) ListServicePolicyIdentities(ctx context.Context, id string, p *ListParams) (*Page[Identity], error) {
	return list[Identity](ctx, a.c, call{method: "GET", path: "/edge/management/v1/service-policies/" + segment(id) + "/identities", params: p})
}

// ListServicePolicyPostureChecks lists the posture checks of one service policy.
func (a *Management) ListServicePolicyPostureChecks(ctx context.Context, id string, p *ListParams) (*Page[PostureCheck], error) {
	return list[PostureCheck](ctx, a.c, call{method: "GET", path: "/edge/management/v1/service-policies/" + segment(id) + "/posture-checks", params: p})
}

// ListServicePolicyServices lists the services of one service policy.
func (a *Management) ListServicePolicyServices(ctx context.Context, id string, p *ListParams) (*Page[Service], error) {
	return list[Service](ctx, a.c, call{method: "GET", path: "/edge/management/v1/service-policies/" + segment(id) + "/services", params: p})
}

// ListEdgeRouterPolicies lists edge router policies.
func (a *Management) ListEdgeRouterPolicies(ctx context.Context, p *ListParams) (*Page[EdgeRouterPolicy], error) {
	return list[EdgeRouterPolicy](ctx, a.c, call{method: "GET", path: "/edge/management/v1/edge-router-policies", params: p})
}

// DetailEdgeRouterPolicy shows one edge router policy.
func (a *Management) DetailEdgeRouterPolicy(ctx context.Context, id string) (*EdgeRouterPolicy, error) {
	return detail[EdgeRouterPolicy](ctx, a.c, call{method: "GET", path: "/edge/management/v1/edge-router-policies/" + segment(id)})
}

// CreateEdgeRouterPolicy creates one edge router policy.
func (a *Management) CreateEdgeRouterPolicy(ctx context.Context, body *EdgeRouterPolicyInput) (*Created, error) {
	return detail[Created](ctx, a.c, call{method: "POST", path: "/edge/management/v1/edge-router-policies", body: body})
}

// UpdateEdgeRouterPolicy replaces every settable member of one edge router policy; members left out get their defaults.
func (a *Management) UpdateEdgeRouterPolicy(ctx context.Context, id string, body *EdgeRouterPolicyInput) error {
	return nothing(ctx, a.c, call{method: "PUT", path: "/edge/management/v1/edge-router-policies/" + segment(id), body: body})
}

// PatchEdgeRouterPolicy changes the given members of one edge router policy; null leaves a member as it is.
func (a *Management) PatchEdgeRouterPolicy(ctx context.Context, id string, body *EdgeRouterPolicyInput) error {
	return nothing(ctx, a.c, call{method: "PATCH", path: "/edge/management/v1/edge-router-policies/" + segment(id), body: body})
}

// DeleteEdgeRouterPolicy deletes one edge router policy.
func (a *Management) DeleteEdgeRouterPolicy(ctx context.Context, id string) error {
	return nothing(ctx, a.c, call{method: "DELETE", path: "/edge/management/v1/edge-router-policies/" + segment(id)})
}

// ListEdgeRouterPolicyEdgeRouters lists the edge routers of one edge router policy.
func (a *Management) ListEdgeRouterPolicyEdgeRouters(ctx context.Context, id string, p *ListParams) (*Page[EdgeRouter], error) {
	return list[EdgeRouter](ctx, a.c, call{method: "GET", path: "/edge/management/v1/edge-router-policies/" + segment(id) + "/edge-routers", params: p})
}

// ListEdgeRouterPolicyIdentities lists the identities of one edge router policy.
func (a *Management) ListEdgeRouterPolicyIdentities(ctx context.Context, id string, p *ListParams) (*Page[Identity], error) {
	return list[Identity](ctx, a.c, call{method: "GET", path: "/edge/management/v1/edge-router-policies/" + segment(id) + "/identities", params: p})
}

// ListServiceEdgeRouterPolicies lists service edge router policies.
func (a *Management) ListServiceEdgeRouterPolicies(ctx context.Context, p *ListParams) (*Page[ServiceEdgeRouterPolicy], error) {
	return list[ServiceEdgeRouterPolicy](ctx, a.c, call{method: "GET", path: "/edge/management/v1/service-edge-router-policies", params: p})
}

// DetailServiceEdgeRouterPolicy shows one service edge router policy.
func (a *Management) DetailServiceEdgeRouterPolicy(ctx context.Context, id string) (*ServiceEdgeRouterPolicy, error) {
	return detail[ServiceEdgeRouterPolicy](ctx, a.c, call{method: "GET", path: "/edge/management/v1/service-edge-router-policies/" + segment(id)})
}

// CreateServiceEdgeRouterPolicy creates one service edge router policy.
func (a *Management) CreateServiceEdgeRouterPolicy(ctx context.Context, body *ServiceEdgeRouterPolicyInput) (*Created, error) {
	return detail[Created](ctx, a.c, call{method: "POST", path: "/edge/management/v1/service-edge-router-policies", body: body})
}

// UpdateServiceEdgeRouterPolicy replaces every settable member of one service edge router policy; members left out get their defaults.
func (a *Management) UpdateServiceEdgeRouterPolicy(ctx context.Context, id string, body *ServiceEdgeRouterPolicyInput) error {
	return nothing(ctx, a.c, call{method: "PUT", path: "/edge/management/v1/service-edge-router-policies/" + segment(id), body: body})
}

// PatchServiceEdgeRouterPolicy changes the given members of one service edge router policy; null leaves a member as it is.
func (a *Management) PatchServiceEdgeRouterPolicy(ctx context.Context, id string, body *ServiceEdgeRouterPolicyInput) error {
	return nothing(ctx, a.c, call{method: "PATCH", path: "/edge/management/v1/service-edge-router-policies/" + segment(id), body: body})
}

// DeleteServiceEdgeRouterPolicy deletes one service edge router policy.
func (a *Management) DeleteServiceEdgeRouterPolicy(ctx context.Context, id string) error {
	return nothing(ctx, a.c, call{method: "DELETE", path: "/edge/management/v1/service-edge-router-policies/" + segment(id)})
}

// ListServiceEdgeRouterPolicyEdgeRouters lists the edge routers of one service edge router policy.
func (a *Management) ListServiceEdgeRouterPolicyEdgeRouters(ctx context.Context, id string, p *ListParams) (*Page[EdgeRouter], error) {
	return list[EdgeRouter](ctx, a.c, call{method: "GET", path: "/edge/management/v1/service-edge-router-policies/" + segment(id) + "/edge-routers", params: p})
}

// ListServiceEdgeRouterPolicyServices lists the services of one service edge router policy.
func (a *Management) ListServiceEdgeRouterPolicyServices(ctx context.Context, id string, p *ListParams) (*Page[Service], error) {
	return list[Service](ctx, a.c, call{method: "GET", path: "/edge/management/v1/service-edge-router-policies/" + segment(id) + "/services", params: p})
}

// ListControllers lists the controllers.
func (a *Management) ListControllers(ctx context.Context, p *ListParams) (*Page[Controller], error) {
	return list[Controller](ctx, a.c, call{method: "GET", path: "/edge/management/v1/controllers", params: p})
}

// ListIdentityRoleAttributes lists the role attributes in use.
func (a *Management) ListIdentityRoleAttributes(ctx context.Context, p *ListParams) (*Page[string], error) {
	return list[string](ctx, a.c, call{method: "GET", path: "/edge/management/v1/identity-role-attributes", params: p})
}

// ListIdentityRoleAttributeUsage lists the role attributes with the number of entities that have them and of policies that ask for them.
func (a *Management) ListIdentityRoleAttributeUsage(ctx context.Context, p *ListIdentityRoleAttributeUsageParams) (*Page[RoleAttributeUsage], error) {
	return list[RoleAttributeUsage](ctx, a.c, call{method: "GET", path: "/edge/management/v1/identity-role-attribute-usage", params: p})
}

// ListEdgeRouterRoleAttributes lists the role attributes in use.
func (a *Management) ListEdgeRouterRoleAttributes(ctx context.Context, p *ListParams) (*Page[string], error) {
	return list[string](ctx, a.c, call{method: "GET", path: "/edge/management/v1/edge-router-role-attributes", params: p})
}

// ListEdgeRouterRoleAttributeUsage lists the role attributes with the number of entities that have them and of policies that ask for them.
func (a *Management) ListEdgeRouterRoleAttributeUsage(ctx context.Context, p *ListEdgeRouterRoleAttributeUsageParams) (*Page[RoleAttributeUsage], error) {
	return list[RoleAttributeUsage](ctx, a.c, call{method: "GET", path: "/edge/management/v1/edge-router-role-attribute-usage", params: p})
}

// ListServiceRoleAttributes lists the role attributes in use.
func (a *Management) ListServiceRoleAttributes(ctx context.Context, p *ListParams) (*Page[string], error) {
	return list[string](ctx, a.c, call{method: "GET", path: "/edge/management/v1/service-role-attributes", params: p})
}

// ListServiceRoleAttributeUsage lists the role attributes with the number of entities that have them and of policies that ask for them.
func (a *Management) ListServiceRoleAttributeUsage(ctx context.Context, p *ListServiceRoleAttributeUsageParams) (*Page[RoleAttributeUsage], error) {
	return list[RoleAttributeUsage](ctx, a.c, call{method: "GET", path: "/edge/management/v1/service-role-attribute-usage", params: p})
}

// ListPostureCheckRoleAttributes lists the role attributes in use.
func (a *Management) ListPostureCheckRoleAttributes(ctx context.Context, p *ListParams) (*Page[string], error) {
	return list[string](ctx, a.c, call{method: "GET", path: "/edge/management/v1/posture-check-role-attributes", params: p})
}

// ListPostureCheckRoleAttributeUsage lists the role attributes with the number of entities that have them and of policies that ask for them.
func (a *Management) ListPostureCheckRoleAttributeUsage(ctx context.Context, p *ListPostureCheckRoleAttributeUsageParams) (*Page[RoleAttributeUsage], error) {
	return list[RoleAttributeUsage](ctx, a.c, call{method: "GET", path: "/edge/management/v1/posture-check-role-attribute-usage", params: p})
}

// ListCas lists cas.
func (a *Management) ListCas(ctx context.Context, p *ListParams) (*Page[CA], error) {
	return list[CA](ctx, a.c, call{method: "GET", path: "/edge/management/v1/cas", params: p})
}

// DetailCa shows one ca.
func (a *Management) DetailCa(ctx context.Context, id string) (*CA, error) {
	return detail[CA](ctx, a.c, call{method: "GET", path: "/edge/management/v1/cas/" + segment(id)})
}

// CreateCa creates one ca.
func (a *Management) CreateCa(ctx context.Context, body *CAInput) (*Created, error) {
	return detail[Created](ctx, a.c, call{method: "POST", path: "/edge/management/v1/cas", body: body})
}

// UpdateCa replaces every settable member of one ca; members left out get their defaults.
func (a *Management) UpdateCa(ctx context.Context, id string, body *CAInput) error {
	return nothing(ctx, a.c, call{method: "PUT", path: "/edge/management/v1/cas/" + segment(id), body: body})
}

// PatchCa changes the given members of one ca; null leaves a member as it is.
func (a *Management) PatchCa(ctx context.Context, id string, body *CAInput) error {
	return nothing(ctx, a.c, call{method: "PATCH", path: "/edge/management/v1/cas/" + segment(id), body: body})
}

// DeleteCa deletes one ca.
func (a *Management) DeleteCa(ctx context.Context, id string) error {
	return nothing(ctx, a.c, call{method: "DELETE", path: "/edge/management/v1/cas/" + segment(id)})
}

// GetCaJwt returns the token with which clients enrol by themselves, proved by certificates of one CA.
func (a *Management) GetCaJwt(ctx context.Context, id string) ([]byte, error) {
	return text(ctx, a.c, call{method: "GET", path: "/edge/management/v1/cas/" + segment(id) + "/jwt"})
}

// VerifyCa verifies one CA by a certificate that it has issued with the verification token as common name.
func (a *Management) VerifyCa(ctx context.Context, id string, body string) error {
	return nothing(ctx, a.c, call{method: "POST", path: "/edge/management/v1/cas/" + segment(id) + "/verify", body: body})
}

// ListPostureChecks lists posture checks.
func (a *Management) ListPostureChecks(ctx context.Context, p *ListPostureChecksParams) (*Page[PostureCheck], error) {
	return list[PostureCheck](ctx, a.c, call{method: "GET", path: "/edge/management/v1/posture-checks", params: p})
}

// DetailPostureCheck shows one posture check.
func (a *Management) DetailPostureCheck(ctx context.Context, id string) (*PostureCheck, error) {
	return detail[PostureCheck](ctx, a.c, call{method: "GET", path: "/edge/management/v1/posture-checks/" + segment(id)})
}

// CreatePostureCheck creates one posture check.
func (a *Management) CreatePostureCheck(ctx context.Context, body *PostureCheckInput) (*Created, error) {
	return detail[Created](ctx, a.c, call{method: "POST", path: "/edge/management/v1/posture-checks", body: body})
}

// UpdatePostureCheck replaces every settable member of one posture check; members left out get their defaults.
func (a *Management) UpdatePostureCheck(ctx context.Context, id string, body *PostureCheckInput) error {
	return nothing(ctx, a.c, call{method: "PUT", path: "/edge/management/v1/posture-checks/" + segment(id), body: body})
}

// PatchPostureCheck changes the given members of one posture check; null leaves a member as it is.
func (a *Management) PatchPostureCheck(ctx context.Context, id string, body *PostureCheckInput) error {
	return nothing(ctx, a.c, call{method: "PATCH", path: "/edge/management/v1/posture-checks/" + segment(id), body: body})
}

// DeletePostureCheck deletes one posture check.
func (a *Management) DeletePostureCheck(ctx context.Context, id string) error {
	return nothing(ctx, a.c, call{method: "DELETE", path: "/edge/management/v1/posture-checks/" + segment(id)})
}

// ListPostureCheckTypes lists posture check types.
func (a *Management) ListPostureCheckTypes(ctx context.Context, p *ListParams) (*Page[PostureCheckType], error) {
	return list[PostureCheckType](ctx, a.c, call{method: "GET", path: "/edge/management/v1/posture-check-types", params: p})
}

// DetailPostureCheckType shows one posture check type.
func (a *Management) DetailPostureCheckType(ctx context.Context, id string) (*PostureCheckType, error) {
	return detail[PostureCheckType](ctx, a.c, call{method: "GET", path: "/edge/management/v1/posture-check-types/" + segment(id)})
}

// ListExternalJwtSigners lists external jwt signers.
func (a *Management) ListExternalJwtSigners(ctx context.Context, p *ListParams) (*Page[ExternalJwtSigner], error) {
	return list[ExternalJwtSigner](ctx, a.c, call{method: "GET", path: "/edge/management/v1/external-jwt-signers", params: p})
}

// DetailExternalJwtSigner shows one external jwt signer.
func (a *Management) DetailExternalJwtSigner(ctx context.Context, id string) (*ExternalJwtSigner, error) {
	return detail[ExternalJwtSigner](ctx, a.c, call{method: "GET", path: "/edge/management/v1/external-jwt-signers/" + segment(id)})
}

// CreateExternalJwtSigner creates one external jwt signer.
func (a *Management) CreateExternalJwtSigner(ctx context.Context, body *ExternalJwtSignerInput) (*Created, error) {
	return detail[Created](ctx, a.c, call{method: "POST", path: "/edge/management/v1/external-jwt-signers", body: body})
}

// UpdateExternalJwtSigner replaces every settable member of one external jwt signer; members left out get their defaults.
func (a *Management) UpdateExternalJwtSigner(ctx context.Context, id string, body *ExternalJwtSignerInput) error {
	return nothing(ctx, a.c, call{method: "PUT", path: "/edge/management/v1/external-jwt-signers/" + segment(id), body: body})
}

// PatchExternalJwtSigner changes the given members of one external jwt signer; null leaves a member as it is.
func (a *Management) PatchExternalJwtSigner(ctx context.Context, id string, body *ExternalJwtSignerInput) error {
	return nothing(ctx, a.c, call{method: "PATCH", path: "/edge/management/v1/external-jwt-signers/" + segment(id), body: body})
}

// DeleteExternalJwtSigner deletes one external jwt signer.
func (a *Management) DeleteExternalJwtSigner(ctx context.Context, id string) error {
	return nothing(ctx, a.c, call{method: "DELETE", path: "/edge/management/v1/external-jwt-signers/" + segment(id)})
}

// ListIdentityTypes lists identity types.
func (a *Management) ListIdentityTypes(ctx context.Context, p *ListParams) (*Page[IdentityType], error) {
	return list[IdentityType](ctx, a.c, call{method: "GET", path: "/edge/management/v1/identity-types", params: p})
}

// DetailIdentityType shows one identity type.
func (a *Management) DetailIdentityType(ctx context.Context, id string) (*IdentityType, error) {
	return detail[IdentityType](ctx, a.c, call{method: "GET", path: "/edge/management/v1/identity-types/" + segment(id)})
}

// ListAudit lists records of changes, the newest first.
func (a *Management) ListAudit(ctx context.Context, p *ListParams) (*Page[AuditRecord], error) {
	return list[AuditRecord](ctx, a.c, call{method: "GET", path: "/edge/management/v1/audit", params: p})
}

// StreamEvents streams events as they happen, as server-sent events whose data is one JSON object each, until the client closes. A client that is too slow gets an event of type end with the reason.
func (a *Management) StreamEvents(ctx context.Context, p *StreamEventsParams) ([]byte, error) {
	return text(ctx, a.c, call{method: "GET", path: "/edge/management/v1/events", params: p})
}

// Validate checks whether what the controller knows agrees with what its routers have.
func (a *Management) Validate(ctx context.Context, body *ValidationRequest) (*Validation, error) {
	return detail[Validation](ctx, a.c, call{method: "POST", path: "/edge/management/v1/validate", body: body})
}

// Explain tells whether an identity reaches a service and which rule refuses first: login, policies, posture, routers, terminators, path. The answer is 200 in either case.
func (a *Management) Explain(ctx context.Context, p *ExplainParams) (*Explanation, error) {
	return detail[Explanation](ctx, a.c, call{method: "GET", path: "/edge/management/v1/explain", params: p})
}

// WhoCan lists the identities that policies let dial or bind a service through some router, online or not.
func (a *Management) WhoCan(ctx context.Context, p *WhoCanParams) (*Page[Grant], error) {
	return list[Grant](ctx, a.c, call{method: "GET", path: "/edge/management/v1/who-can", params: p})
}

// WhatCan lists the services that policies let an identity dial or bind through some router, online or not.
func (a *Management) WhatCan(ctx context.Context, p *WhatCanParams) (*Page[Grant], error) {
	return list[Grant](ctx, a.c, call{method: "GET", path: "/edge/management/v1/what-can", params: p})
}

// WhatIf tells who would gain and who would lose by changes of policies, attributes and posture checks, without making them.
func (a *Management) WhatIf(ctx context.Context, body *WhatIf) (*WhatIfAnswer, error) {
	return detail[WhatIfAnswer](ctx, a.c, call{method: "POST", path: "/edge/management/v1/what-if", body: body})
}

// CreateDatabaseSnapshot writes a snapshot of the state to a file beside the controller's data, at most one a minute.
func (a *Management) CreateDatabaseSnapshot(ctx context.Context) error {
	return nothing(ctx, a.c, call{method: "POST", path: "/edge/management/v1/database/snapshot"})
}

// CheckDataIntegrity starts a check of the state in the background: references, unique values, and what belongs to nothing.
func (a *Management) CheckDataIntegrity(ctx context.Context) error {
	return nothing(ctx, a.c, call{method: "POST", path: "/edge/management/v1/database/check-data-integrity"})
}

// FixDataIntegrity starts a check of the state in the background that mends what it finds.
func (a *Management) FixDataIntegrity(ctx context.Context) error {
	return nothing(ctx, a.c, call{method: "POST", path: "/edge/management/v1/database/fix-data-integrity"})
}

// DataIntegrityResults shows what the last check of the state has found.
func (a *Management) DataIntegrityResults(ctx context.Context) (*IntegrityResults, error) {
	return detail[IntegrityResults](ctx, a.c, call{method: "GET", path: "/edge/management/v1/database/data-integrity-results"})
}

// ListSpecs lists the API descriptions.
func (a *Management) ListSpecs(ctx context.Context) ([]Spec, error) {
	return array[Spec](ctx, a.c, call{method: "GET", path: "/edge/management/v1/specs"})
}

// DetailSpec shows one API description.
func (a *Management) DetailSpec(ctx context.Context, id string) (*Spec, error) {
	return detail[Spec](ctx, a.c, call{method: "GET", path: "/edge/management/v1/specs/" + segment(id)})
}

// DetailSpecBody returns the OpenAPI document of one API, as JSON or, for Accept: text/yaml, as YAML.
func (a *Management) DetailSpecBody(ctx context.Context, id string) ([]byte, error) {
	return text(ctx, a.c, call{method: "GET", path: "/edge/management/v1/specs/" + segment(id) + "/spec"})
}

// ShowSwagger returns the OpenAPI document of this API.
func (a *Management) ShowSwagger(ctx context.Context) ([]byte, error) {
	return text(ctx, a.c, call{method: "GET", path: "/edge/management/v1/swagger.json"})
}

// ShowOpenAPI returns the OpenAPI document of this API.
func (a *Management) ShowOpenAPI(ctx context.Context) ([]byte, error) {
	return text(ctx, a.c, call{method: "GET", path: "/edge/management/v1/openapi.json"})
}

// ShowDocs returns the description of this API as a page to read.
func (a *Management) ShowDocs(ctx context.Context) ([]byte, error) {
	return text(ctx, a.c, call{method: "GET", path: "/edge/management/v1/docs"})
}

// ExportModel writes the entities that the caller may read as a declaration: names instead of ids, in a stable order, without secrets and server-owned members.
func (a *Management) ExportModel(ctx context.Context, p *ExportModelParams) ([]byte, error) {
	return text(ctx, a.c, call{method: "GET", path: "/edge/management/v1/export", params: p})
}

// DiffDeclaration tells what apply would do; changes nothing. The body is a Declaration, or YAML.
func (a *Management) DiffDeclaration(ctx context.Context, p *DiffDeclarationParams, body *Declaration) (*DeclarationReport, error) {
	return detail[DeclarationReport](ctx, a.c, call{method: "POST", path: "/edge/management/v1/diff", params: p, body: body})
}

// ApplyDeclaration makes the network as it is declared, in one transaction; every change needs the permission of the operation that makes it singly. The body is a Declaration, or YAML.
func (a *Management) ApplyDeclaration(ctx context.Context, p *ApplyDeclarationParams, body *Declaration) (*DeclarationReport, error) {
	return detail[DeclarationReport](ctx, a.c, call{method: "POST", path: "/edge/management/v1/apply", params: p, body: body})
}

// ExposeService makes a service with its configs, policies and terminators in one transaction, or takes them away.
func (a *Management) ExposeService(ctx context.Context, p *ExposeServiceParams, body *ExposeInput) (*DeclarationReport, error) {
	return detail[DeclarationReport](ctx, a.c, call{method: "POST", path: "/edge/management/v1/expose", params: p, body: body})
}
