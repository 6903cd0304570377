package api

import "time"

// APISession is the detail of a login session.
type APISession struct {
	Base
	AuthQueries             []AuthQuery `json:"authQueries"`
	AuthenticatorID         string      `json:"authenticatorId"`
	CachedLastActivityAt    time.Time   `json:"cachedLastActivityAt"`
	ConfigTypes             []string    `json:"configTypes"` // config type ids
	Identity                Ref         `json:"identity"`
	IdentityID              string      `json:"identityId"`
	ImproperClientCertChain bool        `json:"improperClientCertChain,omitempty"`
	IPAddress               string      `json:"ipAddress"`
	IsCertExtendRequested   bool        `json:"isCertExtendRequested,omitempty"`
	IsCertExtendable        bool        `json:"isCertExtendable"`
	IsCertKeyRollRequested  bool        `json:"isCertKeyRollRequested,omitempty"`
	IsMfaComplete           bool        `json:"isMfaComplete"`
	IsMfaRequired           bool        `json:"isMfaRequired"`
	LastActivityAt          time.Time   `json:"lastActivityAt"`
	Token                   string      `json:"token"`
}

// CurrentAPISession is the caller's own session.
type CurrentAPISession struct {
	APISession
	ExpirationSeconds int64     `json:"expirationSeconds"`
	ExpiresAt         time.Time `json:"expiresAt"`
}

// AuthQuery is a factor that a partial session still has to satisfy.
type AuthQuery struct {
	ClientID   string   `json:"clientId,omitempty"`
	Format     string   `json:"format,omitempty"`
	HTTPMethod string   `json:"httpMethod,omitempty"`
	HTTPURL    string   `json:"httpUrl,omitempty"`
	ID         string   `json:"id,omitempty"`
	MaxLength  int64    `json:"maxLength,omitempty"`
	MinLength  int64    `json:"minLength,omitempty"`
	Provider   string   `json:"provider"`
	Scopes     []string `json:"scopes" api:"null"`
	TypeID     string   `json:"typeId,omitempty"` // MFA, TOTP or EXT-JWT
}

// Authenticate are the credentials of a login and what the client tells about
// itself.
type Authenticate struct {
	ConfigTypes []string `json:"configTypes,omitempty"`
	EnvInfo     *EnvInfo `json:"envInfo,omitempty"`
	Password    *string  `json:"password,omitempty" api:"min=5,max=100"`
	SdkInfo     *SdkInfo `json:"sdkInfo,omitempty"`
	Username    *string  `json:"username,omitempty" api:"min=4,max=100"`
}

// Session is a service session. The answer to a create has null for links,
// references and times, and the service access token as token.
type Session struct {
	Links           *Links          `json:"_links"`
	APISession      *Ref            `json:"apiSession"`
	APISessionID    string          `json:"apiSessionId"`
	CreatedAt       *time.Time      `json:"createdAt"`
	EdgeRouters     []SessionRouter `json:"edgeRouters"`
	ID              string          `json:"id"`
	IdentityID      string          `json:"identityId"`
	Service         *Ref            `json:"service"`
	ServiceID       string          `json:"serviceId"`
	ServicePolicies []Ref           `json:"servicePolicies,omitempty"`
	Tags            *Tags           `json:"tags,omitempty"`
	Token           string          `json:"token"`
	Type            string          `json:"type"` // Dial or Bind
	UpdatedAt       *time.Time      `json:"updatedAt"`
}

// SessionRouter is a router through which a session can be used.
type SessionRouter struct {
	RouterProperties
	URLs map[string]string `json:"urls"` // protocol to URL
}

// SessionCreate asks for a service session.
type SessionCreate struct {
	ServiceID *string `json:"serviceId,omitempty"`
	Tags      Tags    `json:"tags,omitempty"`
	Type      *string `json:"type,omitempty" api:"enum=Dial|Bind|Invalid"`
}

// RoutePath is the path of a session's circuits.
type RoutePath struct {
	RoutePath []string `json:"routePath"` // router names
}

// ServiceUpdates tells when the services of the caller last changed.
type ServiceUpdates struct {
	LastChangeAt time.Time `json:"lastChangeAt"`
}

// SessionCertificate is a certificate of the caller's session.
type SessionCertificate struct {
	Base
	Certificate string    `json:"certificate"`
	Fingerprint string    `json:"fingerprint"`
	Subject     string    `json:"subject"`
	ValidFrom   time.Time `json:"validFrom"`
	ValidTo     time.Time `json:"validTo"`
}

// SessionCertificateCreate asks for one.
type SessionCertificateCreate struct {
	CSR *string `json:"csr" api:"req=c"` // PEM
}

// SessionCertificateCreated is the answer: the chain and the trust anchors.
type SessionCertificateCreated struct {
	Created
	Cas         string `json:"cas"`         // PEM
	Certificate string `json:"certificate"` // PEM
}

// ClientEdgeRouter is a router of the caller.
type ClientEdgeRouter struct {
	Base
	Cost               *int              `json:"cost"`
	Disabled           *bool             `json:"disabled"`
	Hostname           string            `json:"hostname"`
	IsOnline           bool              `json:"isOnline"`
	Name               string            `json:"name"`
	NoTraversal        *bool             `json:"noTraversal"`
	SupportedProtocols map[string]string `json:"supportedProtocols"`
	SyncStatus         string            `json:"syncStatus"`
}

func authentication() []Operation {
	b := body[Authenticate]("auth", Create)
	b.Required = false
	method := Param{Name: "method", In: "query", Type: "string", Required: true, Enum: []string{"password", "cert", "ext-jwt"}, Doc: "How to log in."}
	return []Operation{{API: Both, Method: "POST", Path: "/authenticate", ID: "authenticate", Tag: "Authentication",
		Doc:    "Logs in and answers with a session, whose token goes into the header zt-session.",
		Access: Access{Rule: Public}, Params: []Param{method}, Body: b, Result: detailOf[CurrentAPISession](), Deprecated: true}}
}

func currentSession() []Operation {
	const tag = "Current API Session"
	partial, full := Access{Rule: AuthenticatedOrPartial}, Access{Rule: Authenticated}
	cert := "/current-api-session/certificates"
	return []Operation{
		{API: Both, Method: "GET", Path: "/current-api-session", ID: "getCurrentAPISession", Tag: tag,
			Doc: "Shows the caller's session and counts as activity.", Access: partial, Result: detailOf[CurrentAPISession]()},
		{API: Both, Method: "DELETE", Path: "/current-api-session", ID: "deleteCurrentAPISession", Tag: tag,
			Doc: "Logs out.", Access: partial, Result: nothing()},
		{API: Client, Method: "GET", Path: "/current-api-session/service-updates", ID: "listServiceUpdates", Tag: tag,
			Doc: "Tells when the caller's services last changed.", Access: full, Result: detailOf[ServiceUpdates]()},
		{API: Client, Method: "GET", Path: cert, ID: "listCurrentApiSessionCertificates", Tag: tag,
			Doc: "Lists the certificates of the caller's session.", Access: full, Params: paging(), Result: listOf[SessionCertificate]()},
		{API: Client, Method: "POST", Path: cert, ID: "createCurrentApiSessionCertificate", Tag: tag,
			Doc: "Issues a certificate that is valid with the caller's session.", Access: full, Body: body[SessionCertificateCreate]("sessionCertificate", Create),
			Result: Result{Detail, typeOf[SessionCertificateCreated](), 201}},
		{API: Client, Method: "GET", Path: cert + "/{id}", ID: "detailCurrentApiSessionCertificate", Tag: tag,
			Doc: "Shows one certificate of the caller's session.", Access: full, Result: detailOf[SessionCertificate]()},
		{API: Client, Method: "DELETE", Path: cert + "/{id}", ID: "deleteCurrentApiSessionCertificate", Tag: tag,
			Doc: "Takes one certificate of the caller's session away.", Access: full, Result: nothing()},
	}
}

func currentIdentity() []Operation {
	const tag = "Current Identity"
	full := Access{Rule: Authenticated}
	own := "/current-identity/authenticators"
	return []Operation{
		{API: Both, Method: "GET", Path: "/current-identity", ID: "getCurrentIdentity", Tag: tag,
			Doc: "Shows the caller's identity.", Access: full, Result: detailOf[Identity]()},
		{API: Client, Method: "GET", Path: "/current-identity/edge-routers", ID: "getCurrentIdentityEdgeRouters", Tag: tag,
			Doc: "Lists the routers that the caller may use.", Access: full, Params: paging(), Result: listOf[ClientEdgeRouter]()},
		{API: Both, Method: "GET", Path: own, ID: "listCurrentIdentityAuthenticators", Tag: tag,
			Doc: "Lists the caller's authenticators.", Access: full, Params: paging(), Result: listOf[Authenticator]()},
		{API: Both, Method: "GET", Path: own + "/{id}", ID: "detailCurrentIdentityAuthenticator", Tag: tag,
			Doc: "Shows one of the caller's authenticators.", Access: full, Result: detailOf[Authenticator]()},
		{API: Both, Method: "PUT", Path: own + "/{id}", ID: "updateCurrentIdentityAuthenticator", Tag: tag,
			Doc: "Replaces the caller's user name and password.", Access: full, Body: body[OwnAuthenticatorInput]("authenticator", Update), Result: nothing()},
		{API: Both, Method: "PATCH", Path: own + "/{id}", ID: "patchCurrentIdentityAuthenticator", Tag: tag,
			Doc: "Changes the caller's user name or password.", Access: full, Body: body[OwnAuthenticatorInput]("authenticator", Patch), Result: nothing()},
		{API: Both, Method: "POST", Path: own + "/{id}/extend", ID: "extendCurrentIdentityAuthenticator", Tag: tag,
			Doc: "Renews the caller's certificate; it counts once it is verified.", Access: full, Body: body[ExtendIdentity]("extend", Create), Result: detailOf[ExtendedIdentity]()},
		{API: Both, Method: "POST", Path: own + "/{id}/extend-verify", ID: "extendVerifyCurrentIdentityAuthenticator", Tag: tag,
			Doc: "Confirms that the renewed certificate has arrived.", Access: full, Body: body[ExtendVerify]("extend", Create), Result: nothing()},
	}
}

func sessions() []Operation {
	const tag = "Session"
	full, ops := Access{Rule: Authenticated}, func(a string) Access { return Access{EntityAccess, "ops", a} }
	var out []Operation
	for _, a := range []struct {
		api       API
		read, del Access
		whose     string
	}{{Client, full, full, "the caller's service sessions"}, {Management, ops("read"), ops("delete"), "all service sessions"}} {
		out = append(out,
			Operation{API: a.api, Method: "GET", Path: "/sessions", ID: "listSessions", Tag: tag, Doc: "Lists " + a.whose + ".", Access: a.read, Params: paging(), Result: listOf[Session]()},
			Operation{API: a.api, Method: "GET", Path: "/sessions/{id}", ID: "detailSession", Tag: tag, Doc: "Shows one of " + a.whose + ".", Access: a.read, Result: detailOf[Session]()},
			Operation{API: a.api, Method: "DELETE", Path: "/sessions/{id}", ID: "deleteSession", Tag: tag, Doc: "Ends one of " + a.whose + ".", Access: a.del, Result: nothing()})
	}
	return append(out,
		Operation{API: Client, Method: "POST", Path: "/sessions", ID: "createSession", Tag: tag, Doc: "Asks for the right to dial or bind one service.",
			Access: full, Body: body[SessionCreate]("session", Create), Result: Result{Detail, typeOf[Session](), 201}},
		Operation{API: Management, Method: "GET", Path: "/sessions/{id}/route-path", ID: "detailSessionRoutePath", Tag: tag,
			Doc: "Shows the path of one session's circuits.", Access: ops("read"), Result: detailOf[RoutePath]()})
}

func apiSessions() []Operation {
	r := resource{"api-sessions", "APISessions", "APISessions", "ops", "API Session"}
	return append(reading[APISession](r), deleting(r))
}
