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

// ListProtocols lists the protocols of the client API.
func (a *Edge) ListProtocols(ctx context.Context) (*Protocols, error) {
	return detail[Protocols](ctx, a.c, call{method: "GET", path: "/edge/client/v1/protocols"})
}

// ListNetworkJWTs lists tokens that introduce the network to a client.
func (a *Edge) ListNetworkJWTs(ctx context.Context) ([]NetworkJWT, error) {
	return array[NetworkJWT](ctx, a.c, call{method: "GET", path: "/edge/client/v1/network-jwts"})
}

// ListSpecs lists the API descriptions.
func (a *Edge) ListSpecs(ctx context.Context) ([]Spec, error) {
	return array[Spec](ctx, a.c, call{method: "GET", path: "/edge/client/v1/specs"})
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

// DetailMfa shows the caller's MFA enrollment.
func (a *Edge) DetailMfa(ctx context.Context) error {
	return nothing(ctx, a.c, call{method: "GET", path: "/edge/client/v1/current-identity/mfa"})
}

// Enroll enrolls by any method; the body is a PEM certificate request or JSON.
func (a *Edge) Enroll(ctx context.Context, p *EnrollParams, body *GenericEnroll) (*Enrolled, error) {
	return detail[Enrolled](ctx, a.c, call{method: "POST", path: "/edge/client/v1/enroll", params: p, body: body})
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

// ListExternalJwtSigners lists the external JWT signers that a client may log in with.
func (a *Edge) ListExternalJwtSigners(ctx context.Context, p *ListParams) (*Page[ExternalJwtSigner], error) {
	return list[ExternalJwtSigner](ctx, a.c, call{method: "GET", path: "/edge/client/v1/external-jwt-signers", params: p})
}
