// Code generated from the operation table by client/internal/gen. DO NOT EDIT.

package client

import "context"

// ListRoot shows the version and the APIs of the controller.
func (a *Edge) ListRoot(ctx context.Context) (*Version, error) {
	return detail[Version](ctx, a.c, call{method: "GET", path: "/edge/client/v1/"})
}

// ListVersion shows the version and the APIs of the controller.
func (a *Edge) ListVersion(ctx context.Context) (*Version, error) {
	return detail[Version](ctx, a.c, call{method: "GET", path: "/edge/client/v1/version"})
}

// ListWellKnownCas returns the trust anchors as PKCS#7, certificates only, in base64.
func (a *Edge) ListWellKnownCas(ctx context.Context) ([]byte, error) {
	return text(ctx, a.c, call{method: "GET", path: "/edge/client/v1/.well-known/est/cacerts"})
}

// ListEnumeratedCapabilities lists the capabilities that a version document may name.
func (a *Edge) ListEnumeratedCapabilities(ctx context.Context) ([]string, error) {
	return array[string](ctx, a.c, call{method: "GET", path: "/edge/client/v1/enumerated-capabilities"})
}

// ListEnumeratedRouterCapabilities lists the capabilities that a router may tell of.
func (a *Edge) ListEnumeratedRouterCapabilities(ctx context.Context) ([]string, error) {
	return array[string](ctx, a.c, call{method: "GET", path: "/edge/client/v1/enumerated-router-capabilities"})
}

// ListProtocols lists the protocols of the client API.
func (a *Edge) ListProtocols(ctx context.Context) (*Protocols, error) {
	return detail[Protocols](ctx, a.c, call{method: "GET", path: "/edge/client/v1/protocols"})
}

// ListNetworkJWTs lists tokens that introduce the network to a client.
func (a *Edge) ListNetworkJWTs(ctx context.Context) ([]NetworkJWT, error) {
	return array[NetworkJWT](ctx, a.c, call{method: "GET", path: "/edge/client/v1/network-jwts"})
}

// CreatePostureResponse takes posture data of the caller's machine.
func (a *Edge) CreatePostureResponse(ctx context.Context, body *PostureResponse) (*PostureServices, error) {
	return detail[PostureServices](ctx, a.c, call{method: "POST", path: "/edge/client/v1/posture-response", body: body})
}

// CreatePostureResponseBulk takes posture data of the caller's machine.
func (a *Edge) CreatePostureResponseBulk(ctx context.Context, body []PostureResponse) (*PostureServices, error) {
	return detail[PostureServices](ctx, a.c, call{method: "POST", path: "/edge/client/v1/posture-response-bulk", body: body})
}

// Authenticate logs in and answers with a session, whose token goes into the header zt-session.
// Controllers keep it for clients of today; newer ways of logging in are to come.
func (a *Edge) Authenticate(ctx context.Context, p *AuthenticateParams, body *Authenticate) (*CurrentAPISession, error) {
	return detail[CurrentAPISession](ctx, a.c, call{method: "POST", path: "/edge/client/v1/authenticate", params: p, body: body})
}

// GetCurrentAPISession shows the caller's session and counts as activity.
func (a *Edge) GetCurrentAPISession(ctx context.Context) (*CurrentAPISession, error) {
	return detail[CurrentAPISession](ctx, a.c, call{method: "GET", path: "/edge/client/v1/current-api-session"})
}

// DeleteCurrentAPISession logs out.
func (a *Edge) DeleteCurrentAPISession(ctx context.Context) error {
	return nothing(ctx, a.c, call{method: "DELETE", path: "/edge/client/v1/current-api-session"})
}

// ListServiceUpdates tells when the caller's services last changed.
func (a *Edge) ListServiceUpdates(ctx context.Context) (*ServiceUpdates, error) {
	return detail[ServiceUpdates](ctx, a.c, call{method: "GET", path: "/edge/client/v1/current-api-session/service-updates"})
}

// ListCurrentApiSessionCertificates lists the certificates of the caller's session.
func (a *Edge) ListCurrentApiSessionCertificates(ctx context.Context, p *ListParams) (*Page[SessionCertificate], error) {
	return list[SessionCertificate](ctx, a.c, call{method: "GET", path: "/edge/client/v1/current-api-session/certificates", params: p})
}

// CreateCurrentApiSessionCertificate issues a certificate that is valid with the caller's session.
func (a *Edge) CreateCurrentApiSessionCertificate(ctx context.Context, body *SessionCertificateCreate) (*SessionCertificateCreated, error) {
	return detail[SessionCertificateCreated](ctx, a.c, call{method: "POST", path: "/edge/client/v1/current-api-session/certificates", body: body})
}

// DetailCurrentApiSessionCertificate shows one certificate of the caller's session.
func (a *Edge) DetailCurrentApiSessionCertificate(ctx context.Context, id string) (*SessionCertificate, error) {
	return detail[SessionCertificate](ctx, a.c, call{method: "GET", path: "/edge/client/v1/current-api-session/certificates/" + segment(id)})
}

// DeleteCurrentApiSessionCertificate takes one certificate of the caller's session away.
func (a *Edge) DeleteCurrentApiSessionCertificate(ctx context.Context, id string) error {
	return nothing(ctx, a.c, call{method: "DELETE", path: "/edge/client/v1/current-api-session/certificates/" + segment(id)})
}

// GetCurrentIdentity shows the caller's identity.
func (a *Edge) GetCurrentIdentity(ctx context.Context) (*Identity, error) {
	return detail[Identity](ctx, a.c, call{method: "GET", path: "/edge/client/v1/current-identity"})
}

// GetCurrentIdentityEdgeRouters lists the routers that the caller may use.
func (a *Edge) GetCurrentIdentityEdgeRouters(ctx context.Context, p *ListParams) (*Page[ClientEdgeRouter], error) {
	return list[ClientEdgeRouter](ctx, a.c, call{method: "GET", path: "/edge/client/v1/current-identity/edge-routers", params: p})
}

// ListCurrentIdentityAuthenticators lists the caller's authenticators.
func (a *Edge) ListCurrentIdentityAuthenticators(ctx context.Context, p *ListParams) (*Page[Authenticator], error) {
	return list[Authenticator](ctx, a.c, call{method: "GET", path: "/edge/client/v1/current-identity/authenticators", params: p})
}

// DetailCurrentIdentityAuthenticator shows one of the caller's authenticators.
func (a *Edge) DetailCurrentIdentityAuthenticator(ctx context.Context, id string) (*Authenticator, error) {
	return detail[Authenticator](ctx, a.c, call{method: "GET", path: "/edge/client/v1/current-identity/authenticators/" + segment(id)})
}

// UpdateCurrentIdentityAuthenticator replaces the caller's user name and password.
func (a *Edge) UpdateCurrentIdentityAuthenticator(ctx context.Context, id string, body *OwnAuthenticatorInput) error {
	return nothing(ctx, a.c, call{method: "PUT", path: "/edge/client/v1/current-identity/authenticators/" + segment(id), body: body})
}

// PatchCurrentIdentityAuthenticator changes the caller's user name or password.
func (a *Edge) PatchCurrentIdentityAuthenticator(ctx context.Context, id string, body *OwnAuthenticatorInput) error {
	return nothing(ctx, a.c, call{method: "PATCH", path: "/edge/client/v1/current-identity/authenticators/" + segment(id), body: body})
}

// ExtendCurrentIdentityAuthenticator renews the caller's certificate; it counts once it is verified.
func (a *Edge) ExtendCurrentIdentityAuthenticator(ctx context.Context, id string, body *ExtendIdentity) (*ExtendedIdentity, error) {
	return detail[ExtendedIdentity](ctx, a.c, call{method: "POST", path: "/edge/client/v1/current-identity/authenticators/" + segment(id) + "/extend", body: body})
}

// ExtendVerifyCurrentIdentityAuthenticator confirms that the renewed certificate has arrived.
func (a *Edge) ExtendVerifyCurrentIdentityAuthenticator(ctx context.Context, id string, body *ExtendVerify) error {
	return nothing(ctx, a.c, call{method: "POST", path: "/edge/client/v1/current-identity/authenticators/" + segment(id) + "/extend-verify", body: body})
}

// AuthenticateMfa satisfies the MFA query of the caller's session by a one-time code or a recovery code.
func (a *Edge) AuthenticateMfa(ctx context.Context, body *MFACode) error {
	return nothing(ctx, a.c, call{method: "POST", path: "/edge/client/v1/authenticate/mfa", body: body})
}

// DetailMfa shows the caller's enrollment in one-time codes; its secret only until it is verified.
func (a *Edge) DetailMfa(ctx context.Context) (*MFA, error) {
	return detail[MFA](ctx, a.c, call{method: "GET", path: "/edge/client/v1/current-identity/mfa"})
}

// EnrollMfa begins the caller's enrollment in one-time codes; it counts once it is verified.
func (a *Edge) EnrollMfa(ctx context.Context) (*Created, error) {
	return detail[Created](ctx, a.c, call{method: "POST", path: "/edge/client/v1/current-identity/mfa"})
}

// DeleteMfa removes the caller's enrollment in one-time codes; a verified one only with a current code or a recovery code.
func (a *Edge) DeleteMfa(ctx context.Context, p *DeleteMfaParams) error {
	return nothing(ctx, a.c, call{method: "DELETE", path: "/edge/client/v1/current-identity/mfa", params: p})
}

// VerifyMfa puts the caller's enrollment in force by a first code.
func (a *Edge) VerifyMfa(ctx context.Context, body *MFACode) error {
	return nothing(ctx, a.c, call{method: "POST", path: "/edge/client/v1/current-identity/mfa/verify", body: body})
}

// DetailMfaQrCode shows the provisioning URL of an unverified enrollment as a QR code.
func (a *Edge) DetailMfaQrCode(ctx context.Context) ([]byte, error) {
	return text(ctx, a.c, call{method: "GET", path: "/edge/client/v1/current-identity/mfa/qr-code"})
}

// DetailMfaRecoveryCodes shows the recovery codes that are left to who has a current code.
func (a *Edge) DetailMfaRecoveryCodes(ctx context.Context, p *DetailMfaRecoveryCodesParams, body *MFACode) (*MFARecoveryCodes, error) {
	return detail[MFARecoveryCodes](ctx, a.c, call{method: "GET", path: "/edge/client/v1/current-identity/mfa/recovery-codes", params: p, body: body})
}

// CreateMfaRecoveryCodes replaces all recovery codes; needs a current code or a recovery code.
func (a *Edge) CreateMfaRecoveryCodes(ctx context.Context, body *MFACode) error {
	return nothing(ctx, a.c, call{method: "POST", path: "/edge/client/v1/current-identity/mfa/recovery-codes", body: body})
}

// CreateTotpToken makes a token that proves a one-time code to routers. Only for sessions whose token is a JWT.
func (a *Edge) CreateTotpToken(ctx context.Context, body *MFACode) (*TotpToken, error) {
	return detail[TotpToken](ctx, a.c, call{method: "POST", path: "/edge/client/v1/current-api-session/totp-token", body: body})
}

// Enroll enrolls by any method; the body is a PEM certificate request or JSON.
func (a *Edge) Enroll(ctx context.Context, p *EnrollParams, body *GenericEnroll) (*Enrolled, error) {
	return detail[Enrolled](ctx, a.c, call{method: "POST", path: "/edge/client/v1/enroll", params: p, body: body})
}

// EnrollCa makes an identity for the bearer of a client certificate of a third-party CA that allows it.
func (a *Edge) EnrollCa(ctx context.Context, body *CaEnroll) (*Enrolled, error) {
	return detail[Enrolled](ctx, a.c, call{method: "POST", path: "/edge/client/v1/enroll/ca", body: body})
}

// EnrollToken makes an identity for the bearer of a token of an external signer, with a certificate if one is asked for.
func (a *Edge) EnrollToken(ctx context.Context, p *EnrollTokenParams, body *SignerEnroll) (*Enrolled, error) {
	return detail[Enrolled](ctx, a.c, call{method: "POST", path: "/edge/client/v1/enroll/token", params: p, body: body})
}

// EnrollOtt enrolls with a one-time token; the network issues the certificate.
func (a *Edge) EnrollOtt(ctx context.Context, body *TokenEnroll) (*Enrolled, error) {
	return detail[Enrolled](ctx, a.c, call{method: "POST", path: "/edge/client/v1/enroll/ott", body: body})
}

// EnrollOttCa enrolls with a one-time token and a certificate of a third-party CA.
func (a *Edge) EnrollOttCa(ctx context.Context, body *TokenEnroll) (*Enrolled, error) {
	return detail[Enrolled](ctx, a.c, call{method: "POST", path: "/edge/client/v1/enroll/ottca", body: body})
}

// EnrollUpdb sets the password of a user name.
func (a *Edge) EnrollUpdb(ctx context.Context, p *EnrollUpdbParams, body *UpdbEnroll) (*Enrolled, error) {
	return detail[Enrolled](ctx, a.c, call{method: "POST", path: "/edge/client/v1/enroll/updb", params: p, body: body})
}

// EnrollErOtt enrolls an edge router.
func (a *Edge) EnrollErOtt(ctx context.Context, body *TokenEnroll) (*Enrolled, error) {
	return detail[Enrolled](ctx, a.c, call{method: "POST", path: "/edge/client/v1/enroll/erott", body: body})
}

// ExtendRouterEnrollment renews the certificates of the router that presents one.
func (a *Edge) ExtendRouterEnrollment(ctx context.Context, body *ExtendRouter) (*Enrolled, error) {
	return detail[Enrolled](ctx, a.c, call{method: "POST", path: "/edge/client/v1/enroll/extend/router", body: body})
}

// ListSessions lists the caller's service sessions.
func (a *Edge) ListSessions(ctx context.Context, p *ListParams) (*Page[Session], error) {
	return list[Session](ctx, a.c, call{method: "GET", path: "/edge/client/v1/sessions", params: p})
}

// DetailSession shows one of the caller's service sessions.
func (a *Edge) DetailSession(ctx context.Context, id string) (*Session, error) {
	return detail[Session](ctx, a.c, call{method: "GET", path: "/edge/client/v1/sessions/" + segment(id)})
}

// DeleteSession ends one of the caller's service sessions.
func (a *Edge) DeleteSession(ctx context.Context, id string) error {
	return nothing(ctx, a.c, call{method: "DELETE", path: "/edge/client/v1/sessions/" + segment(id)})
}

// CreateSession asks for the right to dial or bind one service.
func (a *Edge) CreateSession(ctx context.Context, body *SessionCreate) (*Session, error) {
	return detail[Session](ctx, a.c, call{method: "POST", path: "/edge/client/v1/sessions", body: body})
}

// ListServices lists the services that the caller may dial or bind.
func (a *Edge) ListServices(ctx context.Context, p *EdgeListServicesParams) (*Page[Service], error) {
	return list[Service](ctx, a.c, call{method: "GET", path: "/edge/client/v1/services", params: p})
}

// DetailService shows one service that the caller may dial or bind.
func (a *Edge) DetailService(ctx context.Context, id string, p *DetailServiceParams) (*Service, error) {
	return detail[Service](ctx, a.c, call{method: "GET", path: "/edge/client/v1/services/" + segment(id), params: p})
}

// ListServiceEdgeRouters lists the routers that the caller shares with one service.
func (a *Edge) ListServiceEdgeRouters(ctx context.Context, id string) (*ServiceRouters, error) {
	return detail[ServiceRouters](ctx, a.c, call{method: "GET", path: "/edge/client/v1/services/" + segment(id) + "/edge-routers"})
}

// ListServiceTerminators lists the terminators of one service.
func (a *Edge) ListServiceTerminators(ctx context.Context, id string, p *ListParams) (*Page[ClientTerminator], error) {
	return list[ClientTerminator](ctx, a.c, call{method: "GET", path: "/edge/client/v1/services/" + segment(id) + "/terminators", params: p})
}

// ListControllers lists the controllers.
func (a *Edge) ListControllers(ctx context.Context, p *ListParams) (*Page[Controller], error) {
	return list[Controller](ctx, a.c, call{method: "GET", path: "/edge/client/v1/controllers", params: p})
}

// ListExternalJwtSigners lists the enabled external JWT signers, which a client may log in with.
func (a *Edge) ListExternalJwtSigners(ctx context.Context, p *ListParams) (*Page[ClientExternalJwtSigner], error) {
	return list[ClientExternalJwtSigner](ctx, a.c, call{method: "GET", path: "/edge/client/v1/external-jwt-signers", params: p})
}

// ListSpecs lists the API descriptions.
func (a *Edge) ListSpecs(ctx context.Context) ([]Spec, error) {
	return array[Spec](ctx, a.c, call{method: "GET", path: "/edge/client/v1/specs"})
}

// DetailSpec shows one API description.
func (a *Edge) DetailSpec(ctx context.Context, id string) (*Spec, error) {
	return detail[Spec](ctx, a.c, call{method: "GET", path: "/edge/client/v1/specs/" + segment(id)})
}

// DetailSpecBody returns the OpenAPI document of one API, as JSON or, for Accept: text/yaml, as YAML.
func (a *Edge) DetailSpecBody(ctx context.Context, id string) ([]byte, error) {
	return text(ctx, a.c, call{method: "GET", path: "/edge/client/v1/specs/" + segment(id) + "/spec"})
}

// ShowSwagger returns the OpenAPI document of this API.
func (a *Edge) ShowSwagger(ctx context.Context) ([]byte, error) {
	return text(ctx, a.c, call{method: "GET", path: "/edge/client/v1/swagger.json"})
}

// ShowOpenAPI returns the OpenAPI document of this API.
func (a *Edge) ShowOpenAPI(ctx context.Context) ([]byte, error) {
	return text(ctx, a.c, call{method: "GET", path: "/edge/client/v1/openapi.json"})
}

// ShowDocs returns the description of this API as a page to read.
func (a *Edge) ShowDocs(ctx context.Context) ([]byte, error) {
	return text(ctx, a.c, call{method: "GET", path: "/edge/client/v1/docs"})
}
