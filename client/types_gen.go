// Code generated from the operation table by client/internal/gen. DO NOT EDIT.

package client

import (
	"encoding/json"
	"time"
)

// APIAddress is one URL of an API.
type APIAddress struct {
	URL     string `json:"url"`
	Version string `json:"version"`
}

// APISession is the detail of a login session.
type APISession struct {
	Base
	AuthQueries             []AuthQuery `json:"authQueries"`
	AuthenticatorID         string      `json:"authenticatorId"`
	CachedLastActivityAt    time.Time   `json:"cachedLastActivityAt"`
	ConfigTypes             []string    `json:"configTypes"` // config type ids
	Identity                Ref         `json:"identity"`
	IdentityID              string      `json:"identityId"`
	ImproperClientCertChain bool        `json:"improperClientCertChain,omitzero"`
	IPAddress               string      `json:"ipAddress"`
	IsCertExtendRequested   bool        `json:"isCertExtendRequested,omitzero"`
	IsCertExtendable        bool        `json:"isCertExtendable"`
	IsCertKeyRollRequested  bool        `json:"isCertKeyRollRequested,omitzero"`
	IsMfaComplete           bool        `json:"isMfaComplete"`
	IsMfaRequired           bool        `json:"isMfaRequired"`
	LastActivityAt          time.Time   `json:"lastActivityAt"`
	Token                   string      `json:"token"`
}

// APIVersion is one version of one binding.
type APIVersion struct {
	APIBaseURLs []string `json:"apiBaseUrls"`
	Path        string   `json:"path"`
}

// AuditRecord is one change of one entity: who made it, from where, and what it
// changed. Secrets are shown as ***.
type AuditRecord struct {
	Action        string    `json:"action"` // missed: entries of the log that could not be recorded
	After         Raw       `json:"after"`  // members that changed as they are now, all of a new entity; null for none
	At            time.Time `json:"at"`
	Auth          string    `json:"auth"`       // how the author proved itself: edge for a login session
	AuthorID      string    `json:"authorId"`   // identity, router or controller
	AuthorName    string    `json:"authorName"` // at that time
	AuthorType    string    `json:"authorType"`
	Before        Raw       `json:"before"`         // members that changed as they were, all of a deleted entity; null for none
	Count         int64     `json:"count,omitzero"` // of missed entries
	EntityID      string    `json:"entityId"`
	EntityName    string    `json:"entityName"`
	EntityType    string    `json:"entityType"` // such as service
	ID            string    `json:"id"`
	Index         int64     `json:"index"` // of the replicated log; what one request changes has the same
	LocalAddress  string    `json:"localAddress"`
	Operation     string    `json:"operation"` // of the APIs, or what a process does
	RemoteAddress string    `json:"remoteAddress"`
	SessionID     string    `json:"sessionId"` // API session
	Source        string    `json:"source"`    // interface: rest, control or internal
}

// AuthCert holds the rules of client certificates.
type AuthCert struct {
	AllowExpiredCerts bool `json:"allowExpiredCerts"`
	Allowed           bool `json:"allowed"`
}

// AuthCertInput holds the rules of client certificates.
type AuthCertInput struct {
	AllowExpiredCerts *bool `json:"allowExpiredCerts,omitzero"`
	Allowed           *bool `json:"allowed,omitzero"`
}

// AuthExtJwt holds the rules of tokens of external signers.
type AuthExtJwt struct {
	Allowed        bool     `json:"allowed"`
	AllowedSigners []string `json:"allowedSigners"`
}

// AuthExtJwtInput holds the rules of tokens of external signers.
type AuthExtJwtInput struct {
	Allowed        *bool    `json:"allowed,omitzero"`
	AllowedSigners []string `json:"allowedSigners,omitzero"`
}

// AuthPolicy is the detail of an auth policy.
type AuthPolicy struct {
	Base
	IsSystem  bool          `json:"isSystem,omitzero"`
	Name      string        `json:"name"`
	Primary   AuthPrimary   `json:"primary"`
	Secondary AuthSecondary `json:"secondary"`
}

// AuthPolicyInput is what a caller may set on an auth policy.
type AuthPolicyInput struct {
	Name      *string             `json:"name,omitzero"`
	Primary   *AuthPrimaryInput   `json:"primary,omitzero"`
	Secondary *AuthSecondaryInput `json:"secondary,omitzero"`
	Tags      Tags                `json:"tags,omitzero"`
}

// AuthPrimary holds the rules of the first factors.
type AuthPrimary struct {
	Cert   AuthCert   `json:"cert"`
	ExtJwt AuthExtJwt `json:"extJwt"`
	Updb   AuthUpdb   `json:"updb"`
}

// AuthPrimaryInput holds the rules of the first factors.
type AuthPrimaryInput struct {
	Cert   *AuthCertInput   `json:"cert,omitzero"`
	ExtJwt *AuthExtJwtInput `json:"extJwt,omitzero"`
	Updb   *AuthUpdbInput   `json:"updb,omitzero"`
}

// AuthQuery is a factor that a partial session still has to satisfy.
type AuthQuery struct {
	ClientID   string   `json:"clientId,omitzero"`
	Format     string   `json:"format,omitzero"`
	HTTPMethod string   `json:"httpMethod,omitzero"`
	HTTPURL    string   `json:"httpUrl,omitzero"`
	ID         string   `json:"id,omitzero"`
	MaxLength  int64    `json:"maxLength,omitzero"`
	MinLength  int64    `json:"minLength,omitzero"`
	Provider   string   `json:"provider"`
	Scopes     []string `json:"scopes"`
	TypeID     string   `json:"typeId,omitzero"` // MFA, TOTP or EXT-JWT
}

// AuthSecondary holds the rules of the second factors.
type AuthSecondary struct {
	RequireExtJwtSigner *string `json:"requireExtJwtSigner,omitzero"`
	RequireTotp         bool    `json:"requireTotp"`
}

// AuthSecondaryInput holds the rules of the second factors.
type AuthSecondaryInput struct {
	RequireExtJwtSigner *string `json:"requireExtJwtSigner,omitzero"`
	RequireTotp         *bool   `json:"requireTotp,omitzero"`
}

// AuthUpdb holds the rules of passwords.
type AuthUpdb struct {
	Allowed                bool  `json:"allowed"`
	LockoutDurationMinutes int64 `json:"lockoutDurationMinutes"`
	MaxAttempts            int64 `json:"maxAttempts"`
	MinPasswordLength      int64 `json:"minPasswordLength"`
	RequireMixedCase       bool  `json:"requireMixedCase"`
	RequireNumberChar      bool  `json:"requireNumberChar"`
	RequireSpecialChar     bool  `json:"requireSpecialChar"`
}

// AuthUpdbInput holds the rules of passwords.
type AuthUpdbInput struct {
	Allowed                *bool  `json:"allowed,omitzero"`
	LockoutDurationMinutes *int64 `json:"lockoutDurationMinutes,omitzero"`
	MaxAttempts            *int64 `json:"maxAttempts,omitzero"`
	MinPasswordLength      *int64 `json:"minPasswordLength,omitzero"`
	RequireMixedCase       *bool  `json:"requireMixedCase,omitzero"`
	RequireNumberChar      *bool  `json:"requireNumberChar,omitzero"`
	RequireSpecialChar     *bool  `json:"requireSpecialChar,omitzero"`
}

// Authenticate are the credentials of a login and what the client tells about
// itself.
type Authenticate struct {
	ConfigTypes []string `json:"configTypes,omitzero"`
	EnvInfo     *EnvInfo `json:"envInfo,omitzero"`
	Password    *string  `json:"password,omitzero"`
	SdkInfo     *SdkInfo `json:"sdkInfo,omitzero"`
	Username    *string  `json:"username,omitzero"`
}

// Authenticator is the detail of an authenticator.
type Authenticator struct {
	Base
	IsSystem               bool       `json:"isSystem,omitzero"`
	CertPem                string     `json:"certPem,omitzero"`
	ExtendRequestedAt      *time.Time `json:"extendRequestedAt,omitzero"`
	Fingerprint            string     `json:"fingerprint,omitzero"`
	Identity               Ref        `json:"identity"`
	IdentityID             string     `json:"identityId"`
	IsExtendRequested      bool       `json:"isExtendRequested,omitzero"`
	IsIssuedByNetwork      bool       `json:"isIssuedByNetwork,omitzero"`
	IsKeyRollRequested     bool       `json:"isKeyRollRequested,omitzero"`
	LastAuthResolvedToRoot bool       `json:"lastAuthResolvedToRoot,omitzero"`
	LastExtendRolledKeys   bool       `json:"lastExtendRolledKeys,omitzero"`
	Method                 string     `json:"method"`
	Username               string     `json:"username,omitzero"`
}

// AuthenticatorCreate makes an authenticator.
type AuthenticatorCreate struct {
	CertPem    *string `json:"certPem,omitzero"`
	IdentityID *string `json:"identityId"`
	Method     *string `json:"method"`
	Password   *string `json:"password,omitzero"`
	Tags       Tags    `json:"tags,omitzero"`
	Username   *string `json:"username,omitzero"`
}

// AuthenticatorInput changes the user name or password of an authenticator.
type AuthenticatorInput struct {
	Password *string `json:"password,omitzero"`
	Tags     Tags    `json:"tags,omitzero"`
	Username *string `json:"username,omitzero"`
}

// Base are the members that every entity has.
type Base struct {
	Links     Links     `json:"_links"`
	CreatedAt time.Time `json:"createdAt"`
	ID        string    `json:"id"`
	Tags      Tags      `json:"tags"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// CA is the detail of a third-party certificate authority.
type CA struct {
	Base
	IsSystem                  bool             `json:"isSystem,omitzero"`
	CertPem                   string           `json:"certPem"`
	ExternalIDClaim           *ExternalIDClaim `json:"externalIdClaim,omitzero"`
	Fingerprint               string           `json:"fingerprint"` // SHA-1 in hex
	IdentityNameFormat        string           `json:"identityNameFormat"`
	IdentityRoles             []string         `json:"identityRoles"`
	IsAuthEnabled             bool             `json:"isAuthEnabled"`
	IsAutoCaEnrollmentEnabled bool             `json:"isAutoCaEnrollmentEnabled"`
	IsOttCaEnrollmentEnabled  bool             `json:"isOttCaEnrollmentEnabled"`
	IsVerified                bool             `json:"isVerified"`
	Name                      string           `json:"name"`
	VerificationToken         string           `json:"verificationToken,omitzero"` // while it is not verified
}

// CAInput is what a caller may set on a CA.
type CAInput struct {
	CertPem                   *string               `json:"certPem,omitzero"`
	ExternalIDClaim           *ExternalIDClaimInput `json:"externalIdClaim,omitzero"`
	IdentityNameFormat        *string               `json:"identityNameFormat,omitzero"`
	IdentityRoles             []string              `json:"identityRoles,omitzero"`
	IsAuthEnabled             *bool                 `json:"isAuthEnabled,omitzero"`
	IsAutoCaEnrollmentEnabled *bool                 `json:"isAutoCaEnrollmentEnabled,omitzero"`
	IsOttCaEnrollmentEnabled  *bool                 `json:"isOttCaEnrollmentEnabled,omitzero"`
	Name                      *string               `json:"name,omitzero"`
	Tags                      Tags                  `json:"tags,omitzero"`
}

// CaEnroll says how an identity that enrolls by its certificate would be called.
type CaEnroll struct {
	Name *string `json:"name,omitzero"`
}

// Circuit is one circuit that is open. Its tags name the identities of both
// ends and the service.
type Circuit struct {
	Base
	ClientID     string      `json:"clientId"` // session of the dialing client
	Path         CircuitPath `json:"path"`
	Service      Ref         `json:"service"`
	Terminator   Ref         `json:"terminator"`
	Identity     *Ref        `json:"identity,omitzero"`     // that dialed
	HostIdentity *Ref        `json:"hostIdentity,omitzero"` // that hosts
	State        string      `json:"state,omitzero"`
}

// CircuitDelete is the body of the end of a circuit.
type CircuitDelete struct {
	Immediate *bool `json:"immediate,omitzero"` // without effect: circuits always end at once
}

// CircuitPath is the way of a circuit: routers from the dialer to the host, and
// the links between them.
type CircuitPath struct {
	Links []Ref `json:"links"`
	Nodes []Ref `json:"nodes"`
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

// ClientExternalJwtSigner is a signer as a client sees it before it logs in.
type ClientExternalJwtSigner struct {
	Base
	Audience               *string  `json:"audience"`
	ClientID               *string  `json:"clientId"`
	EnrollToCertEnabled    bool     `json:"enrollToCertEnabled"`
	EnrollToTokenEnabled   bool     `json:"enrollToTokenEnabled"`
	ExternalAuthURL        string   `json:"externalAuthUrl"`
	Name                   string   `json:"name"`
	OpenIDConfigurationURL string   `json:"openIdConfigurationUrl,omitzero"`
	Scopes                 []string `json:"scopes"`
	TargetToken            string   `json:"targetToken"`
}

// ClientTerminator is a terminator as clients may see it.
type ClientTerminator struct {
	Base
	Identity  string `json:"identity"` // instance id
	RouterID  string `json:"routerId"`
	Service   Ref    `json:"service"`
	ServiceID string `json:"serviceId"`
}

// ClusterMember is one controller of the cluster.
type ClusterMember struct {
	Address         string `json:"address"` // where other members reach it
	Connected       bool   `json:"connected"`
	ID              string `json:"id"`
	Leader          bool   `json:"leader"`
	PreferredLeader bool   `json:"preferredLeader,omitzero"`
	ReadOnly        bool   `json:"readOnly"` // of the controller that answers
	Version         string `json:"version"`  // <not connected> where it is not known
	Voter           bool   `json:"voter"`
}

// ClusterMemberAdd names a controller that is to become a member.
type ClusterMemberAdd struct {
	Address *string `json:"address"` // tls:host:port
	IsVoter *bool   `json:"isVoter"`
}

// ClusterMemberRemove names a member that is to leave.
type ClusterMemberRemove struct {
	ID *string `json:"id"`
}

// ClusterMembers are the members of the cluster. The answer has no meta.
type ClusterMembers struct {
	Data []ClusterMember `json:"data"`
}

// ClusterTransferLeadership names the next leader.
type ClusterTransferLeadership struct {
	NewLeaderID *string `json:"newLeaderId,omitzero"` // any voter by default
}

// Config is the detail of a config.
type Config struct {
	Base
	IsSystem     bool   `json:"isSystem,omitzero"`
	ConfigType   Ref    `json:"configType"`
	ConfigTypeID string `json:"configTypeId"`
	Data         Raw    `json:"data"`
	Name         string `json:"name"`
}

// ConfigInput is what a caller may set on a config.
type ConfigInput struct {
	ConfigTypeID *string `json:"configTypeId,omitzero"`
	Data         Object  `json:"data,omitzero"`
	Name         *string `json:"name,omitzero"`
	Tags         Tags    `json:"tags,omitzero"`
}

// ConfigType is the detail of a config type.
type ConfigType struct {
	Base
	IsSystem bool    `json:"isSystem,omitzero"`
	Name     string  `json:"name"`
	Schema   Raw     `json:"schema"`
	Target   *string `json:"target,omitzero"`
}

// ConfigTypeInput is what a caller may set on a config type.
type ConfigTypeInput struct {
	Name   *string `json:"name,omitzero"`
	Schema Object  `json:"schema,omitzero"` // JSON schema
	Tags   Tags    `json:"tags,omitzero"`
	Target *string `json:"target,omitzero"`
}

// Controller is the detail of a controller.
type Controller struct {
	Base
	IsSystem          bool                    `json:"isSystem,omitzero"`
	APIAddresses      map[string][]APIAddress `json:"apiAddresses"` // by binding
	CertPem           string                  `json:"certPem"`
	CtrlAddress       *string                 `json:"ctrlAddress,omitzero"`
	Fingerprint       string                  `json:"fingerprint"`
	IsOnline          bool                    `json:"isOnline"`
	IsPreferredLeader bool                    `json:"isPreferredLeader,omitzero"`
	LastJoinedAt      time.Time               `json:"lastJoinedAt"`
	Name              string                  `json:"name"`
}

// Created is the answer to a create.
type Created struct {
	Links Links  `json:"_links"`
	ID    string `json:"id"`
}

// CurrentAPISession is the caller's own session.
type CurrentAPISession struct {
	APISession
	ExpirationSeconds int64     `json:"expirationSeconds"`
	ExpiresAt         time.Time `json:"expiresAt"`
}

// Decision tells whether one action is allowed, and else what refuses it and
// what can be done.
type Decision struct {
	Allowed  bool   `json:"allowed"` // by a policy, through a router that is online
	Code     string `json:"code,omitzero"`
	Policies []Ref  `json:"policies"` // service policies that grant it
	Remedy   string `json:"remedy,omitzero"`
	Rule     string `json:"rule,omitzero"`
}

// Declaration says how entities have to be, by names instead of ids.
type Declaration struct {
	Files []DeclarationFile `json:"files,omitzero"` // absent: the body is one declaration itself
}

// DeclarationFile is one file of a declaration: one or several YAML or JSON
// documents.
type DeclarationFile struct {
	Name string  `json:"name,omitzero"` // shown in refusals
	Text *string `json:"text,omitzero"`
}

// DeclarationReport is what a declaration does, or would do.
type DeclarationReport struct {
	Applied   bool             `json:"applied"` // something was written
	Created   int              `json:"created"`
	Updated   int              `json:"updated"`
	Unchanged int              `json:"unchanged"`
	Deleted   int              `json:"deleted"`
	Entities  []DeclaredEntity `json:"entities"`
}

// DeclaredEntity is what a declaration does to one entity.
type DeclaredEntity struct {
	Action     string           `json:"action"` // create, update, none or delete
	Kind       string           `json:"kind"`   // as sections of a declaration are called, such as services
	Name       string           `json:"name"`
	ID         string           `json:"id,omitzero"`         // absent for one that is not made yet
	Enrollment string           `json:"enrollment,omitzero"` // method of the enrollment that is made with it
	File       string           `json:"file,omitzero"`
	Line       int              `json:"line,omitzero"`
	Members    []DeclaredMember `json:"members"` // of create and update
}

// DeclaredMember is one member of an entity that differs from its declaration,
// in the form of the declaration.
type DeclaredMember struct {
	Member string `json:"member"`
	Before Raw    `json:"before"` // null where it had its default
	After  Raw    `json:"after"`  // null where it gets its default
}

// DisableParams say for how long an identity is disabled.
type DisableParams struct {
	DurationMinutes *int64 `json:"durationMinutes"` // 0 or less: for ever; at most a hundred years
}

// EdgeRouter is the detail of an edge router. The enrollment members are
// present until the router is enrolled.
type EdgeRouter struct {
	Base
	IsSystem              bool                `json:"isSystem,omitzero"`
	AppData               Tags                `json:"appData"`
	CertPem               *string             `json:"certPem"`
	Configs               []string            `json:"configs"`
	Cost                  int                 `json:"cost"`
	CtrlChanListeners     map[string][]string `json:"ctrlChanListeners,omitzero"`
	Disabled              bool                `json:"disabled"`
	EnrollmentCreatedAt   *time.Time          `json:"enrollmentCreatedAt,omitzero"`
	EnrollmentExpiresAt   *time.Time          `json:"enrollmentExpiresAt,omitzero"`
	EnrollmentJWT         *string             `json:"enrollmentJwt,omitzero"`
	EnrollmentToken       *string             `json:"enrollmentToken,omitzero"`
	Fingerprint           string              `json:"fingerprint,omitzero"`
	Hostname              string              `json:"hostname"`
	Interfaces            []Interface         `json:"interfaces"`
	IsOnline              bool                `json:"isOnline"`
	IsTunnelerEnabled     bool                `json:"isTunnelerEnabled"`
	IsVerified            bool                `json:"isVerified"`
	Name                  string              `json:"name"`
	NoTraversal           bool                `json:"noTraversal"`
	RoleAttributes        []string            `json:"roleAttributes"`
	SupportedProtocols    map[string]string   `json:"supportedProtocols"`
	SyncStatus            string              `json:"syncStatus"`
	UnverifiedCertPem     *string             `json:"unverifiedCertPem"`
	UnverifiedFingerprint *string             `json:"unverifiedFingerprint"`
	VersionInfo           VersionInfo         `json:"versionInfo"`
}

// EdgeRouterInput is what a caller may set on an edge router.
type EdgeRouterInput struct {
	AppData           Tags                `json:"appData,omitzero"`
	Configs           []string            `json:"configs,omitzero"`
	Cost              *int                `json:"cost,omitzero"`
	CtrlChanListeners map[string][]string `json:"ctrlChanListeners,omitzero"`
	Disabled          *bool               `json:"disabled,omitzero"`
	IsTunnelerEnabled *bool               `json:"isTunnelerEnabled,omitzero"`
	Name              *string             `json:"name,omitzero"`
	NoTraversal       *bool               `json:"noTraversal,omitzero"`
	RoleAttributes    []string            `json:"roleAttributes,omitzero"`
	Tags              Tags                `json:"tags,omitzero"`
}

// EdgeRouterPolicy is the detail of an edge router policy.
type EdgeRouterPolicy struct {
	Base
	EdgeRouterRoles        []string    `json:"edgeRouterRoles"`
	EdgeRouterRolesDisplay []NamedRole `json:"edgeRouterRolesDisplay"`
	IdentityRoles          []string    `json:"identityRoles"`
	IdentityRolesDisplay   []NamedRole `json:"identityRolesDisplay"`
	IsSystem               bool        `json:"isSystem"`
	Name                   string      `json:"name"`
	Semantic               string      `json:"semantic"`
}

// EdgeRouterPolicyInput is what a caller may set on an edge router policy.
type EdgeRouterPolicyInput struct {
	EdgeRouterRoles []string `json:"edgeRouterRoles,omitzero"`
	IdentityRoles   []string `json:"identityRoles,omitzero"`
	Name            *string  `json:"name,omitzero"`
	Semantic        *string  `json:"semantic,omitzero"`
	Tags            Tags     `json:"tags,omitzero"`
}

// Enrolled is the answer to an enrollment; which members it has depends on the
// method.
type Enrolled struct {
	Ca         string `json:"ca,omitzero"`         // PEM
	Cert       string `json:"cert,omitzero"`       // PEM chain
	ServerCert string `json:"serverCert,omitzero"` // PEM chain
	Username   string `json:"username,omitzero"`
}

// Enrollment is the detail of an enrollment.
type Enrollment struct {
	Base
	IsSystem        bool      `json:"isSystem,omitzero"`
	CaID            *string   `json:"caId,omitzero"`
	EdgeRouter      *Ref      `json:"edgeRouter,omitzero"`
	EdgeRouterID    string    `json:"edgeRouterId,omitzero"`
	ExpiresAt       time.Time `json:"expiresAt"`
	Identity        *Ref      `json:"identity,omitzero"`
	IdentityID      string    `json:"identityId,omitzero"`
	JWT             string    `json:"jwt"`
	Method          string    `json:"method"`
	Token           string    `json:"token"`
	TransitRouter   *Ref      `json:"transitRouter,omitzero"`
	TransitRouterID string    `json:"transitRouterId,omitzero"`
	Username        string    `json:"username,omitzero"`
}

// EnrollmentCreate makes an enrollment for an identity.
type EnrollmentCreate struct {
	CaID       *string    `json:"caId,omitzero"`
	ExpiresAt  *time.Time `json:"expiresAt"`
	IdentityID *string    `json:"identityId"`
	Method     *string    `json:"method"`
	Username   *string    `json:"username,omitzero"`
}

// EnrollmentRefresh renews an enrollment.
type EnrollmentRefresh struct {
	ExpiresAt *time.Time `json:"expiresAt"`
}

// EnvInfo describes the machine of a client.
type EnvInfo struct {
	Arch      string `json:"arch,omitzero"`
	Domain    string `json:"domain,omitzero"`
	Hostname  string `json:"hostname,omitzero"`
	Os        string `json:"os,omitzero"`
	OsRelease string `json:"osRelease,omitzero"`
	OsVersion string `json:"osVersion,omitzero"`
}

// ExplainedDetail is one thing that a rule looked at: a policy, a router, a
// terminator.
type ExplainedDetail struct {
	Entity   *Ref   `json:"entity,omitzero"`
	Sentence string `json:"sentence"`
	State    string `json:"state"`
}

// ExplainedRule is one rule and what it says.
type ExplainedRule struct {
	Code     string            `json:"code,omitzero"` // of a failure
	Details  []ExplainedDetail `json:"details"`
	Omitted  int               `json:"omitted,omitzero"` // details left out
	Remedy   string            `json:"remedy,omitzero"`  // of a failure
	Rule     string            `json:"rule"`
	Sentence string            `json:"sentence"`
	State    string            `json:"state"` // skipped: an earlier rule leaves nothing to ask
}

// Explanation tells whether an identity reaches a service, rule by rule in the
// order in which they are applied.
type Explanation struct {
	Allowed  bool            `json:"allowed"`
	Cause    string          `json:"cause,omitzero"`  // of the first rule that fails
	Code     string          `json:"code,omitzero"`   // of the same
	Failed   string          `json:"failed,omitzero"` // its name
	Identity Ref             `json:"identity"`
	Remedy   string          `json:"remedy,omitzero"` // a command, where there is one
	Router   *Ref            `json:"router,omitzero"` // the one asked for
	Rules    []ExplainedRule `json:"rules"`
	Service  Ref             `json:"service"`
	Type     string          `json:"type"` // Dial or Bind
}

// ExposeInput makes one service reachable.
type ExposeInput struct {
	Name   *string  `json:"name,omitzero"`           // of the service
	To     []string `json:"to,omitzero"`             // where the host reaches it: protocol:host:port
	Host   []string `json:"host,omitzero"`           // who hosts it: identity names, @name or #attribute
	Router []string `json:"router,omitzero"`         // routers that host it themselves
	As     []string `json:"as,omitzero"`             // what clients dial: host, host:port or host:low-high
	Dial   []string `json:"dial,omitzero"`           // who may dial: identity names, @name, #attribute or #all
	Bind   []string `json:"bind,omitzero"`           // who may host it beside Host
	Attrs  []string `json:"roleAttributes,omitzero"` // of the service
	Plain  *bool    `json:"plain,omitzero"`          // no end-to-end encryption
	Remove *bool    `json:"remove,omitzero"`         // take away what was exposed by that name
}

// ExtendIdentity renews the certificate of an identity.
type ExtendIdentity struct {
	ClientCertCSR *string `json:"clientCertCsr"`
}

// ExtendRouter renews the certificates of a router.
type ExtendRouter struct {
	CertCSR       *string `json:"certCsr"`
	ServerCertCSR *string `json:"serverCertCsr"`
}

// ExtendVerify confirms a renewed certificate.
type ExtendVerify struct {
	ClientCert *string `json:"clientCert"`
}

// ExtendedIdentity is the answer.
type ExtendedIdentity struct {
	Ca         string `json:"ca"`
	ClientCert string `json:"clientCert"`
}

// ExternalIDClaim says where in a certificate the externalId of its identity is.
type ExternalIDClaim struct {
	Index           int64  `json:"index"`
	Location        string `json:"location"`
	Matcher         string `json:"matcher"`
	MatcherCriteria string `json:"matcherCriteria"`
	Parser          string `json:"parser"`
	ParserCriteria  string `json:"parserCriteria"`
}

// ExternalIDClaimInput is what a caller may set on the claim of a CA.
type ExternalIDClaimInput struct {
	Index           *int64  `json:"index,omitzero"`
	Location        *string `json:"location,omitzero"`
	Matcher         *string `json:"matcher,omitzero"`
	MatcherCriteria *string `json:"matcherCriteria,omitzero"`
	Parser          *string `json:"parser,omitzero"`
	ParserCriteria  *string `json:"parserCriteria,omitzero"`
}

// ExternalJwtSigner is the detail of an external JWT signer.
type ExternalJwtSigner struct {
	Base
	IsSystem                      bool      `json:"isSystem,omitzero"`
	Audience                      string    `json:"audience"`
	CertPem                       *string   `json:"certPem"`
	ClaimsProperty                string    `json:"claimsProperty"`
	ClientID                      string    `json:"clientId"`
	CommonName                    string    `json:"commonName"`
	Enabled                       bool      `json:"enabled"`
	EnrollAttributeClaimsSelector string    `json:"enrollAttributeClaimsSelector,omitzero"`
	EnrollAuthPolicyID            string    `json:"enrollAuthPolicyId,omitzero"`
	EnrollNameClaimsSelector      string    `json:"enrollNameClaimsSelector,omitzero"`
	EnrollToCertEnabled           bool      `json:"enrollToCertEnabled,omitzero"`
	EnrollToTokenEnabled          bool      `json:"enrollToTokenEnabled,omitzero"`
	ExternalAuthURL               string    `json:"externalAuthUrl"`
	Fingerprint                   *string   `json:"fingerprint"` // SHA-1 in hex, null without a certificate
	Issuer                        string    `json:"issuer"`
	JwksEndpoint                  *string   `json:"jwksEndpoint"`
	Kid                           *string   `json:"kid"`
	Name                          string    `json:"name"`
	NotAfter                      time.Time `json:"notAfter"`
	NotBefore                     time.Time `json:"notBefore"`
	Scopes                        []string  `json:"scopes"`
	TargetToken                   string    `json:"targetToken"` // ACCESS or ID
	UseExternalID                 bool      `json:"useExternalId"`
}

// ExternalJwtSignerInput is what a caller may set on an external JWT signer.
type ExternalJwtSignerInput struct {
	Audience                      *string  `json:"audience,omitzero"`
	CertPem                       *string  `json:"certPem,omitzero"`
	ClaimsProperty                *string  `json:"claimsProperty,omitzero"` // JSON pointer or name
	ClientID                      *string  `json:"clientId,omitzero"`
	Enabled                       *bool    `json:"enabled,omitzero"`
	EnrollAttributeClaimsSelector *string  `json:"enrollAttributeClaimsSelector,omitzero"`
	EnrollAuthPolicyID            *string  `json:"enrollAuthPolicyId,omitzero"`
	EnrollNameClaimsSelector      *string  `json:"enrollNameClaimsSelector,omitzero"`
	EnrollToCertEnabled           *bool    `json:"enrollToCertEnabled,omitzero"`
	EnrollToTokenEnabled          *bool    `json:"enrollToTokenEnabled,omitzero"`
	ExternalAuthURL               *string  `json:"externalAuthUrl,omitzero"`
	Issuer                        *string  `json:"issuer,omitzero"`
	JwksEndpoint                  *string  `json:"jwksEndpoint,omitzero"`
	Kid                           *string  `json:"kid,omitzero"`
	Name                          *string  `json:"name,omitzero"`
	Scopes                        []string `json:"scopes,omitzero"`
	Tags                          Tags     `json:"tags,omitzero"`
	TargetToken                   *string  `json:"targetToken,omitzero"`
	UseExternalID                 *bool    `json:"useExternalId,omitzero"`
}

// FabricLink is a link between two routers. The source is the router that
// dialed it.
type FabricLink struct {
	Connections   []LinkConnection `json:"connections"`
	Cost          int64            `json:"cost"`          // static cost and both latencies in milliseconds
	DestLatency   int64            `json:"destLatency"`   // round trip in nanoseconds as the destination measures it
	DestRouter    Ref              `json:"destRouter"`    // that was dialed
	Down          bool             `json:"down"`          // taken out of use by an operator
	ID            string           `json:"id"`            // new for every dial
	Iteration     int64            `json:"iteration"`     // of the dialer's attempts
	Protocol      string           `json:"protocol"`      // tls
	SourceLatency int64            `json:"sourceLatency"` // round trip in nanoseconds as the source measures it
	SourceRouter  Ref              `json:"sourceRouter"`  // that dialed
	State         string           `json:"state"`         // Connected, or what is wrong
	StaticCost    int64            `json:"staticCost"`
	Address       string           `json:"address,omitzero"` // that was dialed
	Since         *time.Time       `json:"since,omitzero"`
}

// FabricLinkInput is what a caller may change about a link.
type FabricLinkInput struct {
	Down       *bool  `json:"down,omitzero"`
	StaticCost *int64 `json:"staticCost,omitzero"`
}

// FabricRouter is the detail of a router as the fabric API shows it.
type FabricRouter struct {
	Base
	IsSystem          bool                `json:"isSystem,omitzero"`
	Connected         bool                `json:"connected"`
	Cost              int                 `json:"cost"`
	CtrlChanListeners map[string][]string `json:"ctrlChanListeners,omitzero"`
	Disabled          bool                `json:"disabled"`
	Fingerprint       *string             `json:"fingerprint"`
	Interfaces        []Interface         `json:"interfaces"`
	ListenerAddresses []RouterListener    `json:"listenerAddresses"` // of its links
	Name              string              `json:"name"`
	NoTraversal       bool                `json:"noTraversal"`
	Quiesced          bool                `json:"quiesced,omitzero"` // takes no new circuits
	VersionInfo       *VersionInfo        `json:"versionInfo,omitzero"`
}

// FabricRouterInput is what a caller may set on a router by the fabric API.
type FabricRouterInput struct {
	Cost              *int                `json:"cost,omitzero"`
	CtrlChanListeners map[string][]string `json:"ctrlChanListeners,omitzero"`
	Disabled          *bool               `json:"disabled,omitzero"`
	Fingerprint       *string             `json:"fingerprint,omitzero"` // SHA-1 of its certificate in hex
	ID                *string             `json:"id,omitzero"`
	Name              *string             `json:"name,omitzero"`
	NoTraversal       *bool               `json:"noTraversal,omitzero"`
	Tags              Tags                `json:"tags,omitzero"`
}

// FabricService is the detail of a service without its edge parts.
type FabricService struct {
	Base
	IsSystem           bool   `json:"isSystem,omitzero"`
	MaxIdleTimeMillis  int64  `json:"maxIdleTimeMillis"`
	Name               string `json:"name"`
	TerminatorStrategy string `json:"terminatorStrategy"`
}

// FabricServiceInput is what a caller may set on a service by the fabric API.
type FabricServiceInput struct {
	MaxIdleTimeMillis  *int64  `json:"maxIdleTimeMillis,omitzero"`
	Name               *string `json:"name,omitzero"`
	Tags               Tags    `json:"tags,omitzero"`
	TerminatorStrategy *string `json:"terminatorStrategy,omitzero"`
}

// FabricTerminator is the detail of a terminator as the fabric API shows it.
type FabricTerminator struct {
	Base
	IsSystem    bool   `json:"isSystem,omitzero"`
	Address     string `json:"address"`
	Binding     string `json:"binding"`
	Cost        int    `json:"cost"`
	DynamicCost int    `json:"dynamicCost"`
	HostID      string `json:"hostId"` // identity that hosts, empty for an egress
	InstanceID  string `json:"instanceId"`
	Precedence  string `json:"precedence"`
	Router      Ref    `json:"router"`
	RouterID    string `json:"routerId"`
	Service     Ref    `json:"service"`
	ServiceID   string `json:"serviceId"`
}

// FabricTerminatorInput is what a caller may set on a terminator by the fabric
// API.
type FabricTerminatorInput struct {
	Address        *string `json:"address,omitzero"`
	Binding        *string `json:"binding,omitzero"`
	Cost           *int    `json:"cost,omitzero"`
	HostID         *string `json:"hostId,omitzero"`
	InstanceID     *string `json:"instanceId,omitzero"`
	InstanceSecret []byte  `json:"instanceSecret,omitzero"` // base64
	Precedence     *string `json:"precedence,omitzero"`
	Router         *string `json:"router,omitzero"`
	Service        *string `json:"service,omitzero"`
	Tags           Tags    `json:"tags,omitzero"`
}

// FailedServiceRequest is a refused request for a service.
type FailedServiceRequest struct {
	APISessionID   string          `json:"apiSessionId"`
	Code           string          `json:"code,omitzero"` // of the refusal
	PolicyFailures []PolicyFailure `json:"policyFailures"`
	Reason         string          `json:"reason,omitzero"`
	ServiceID      string          `json:"serviceId"`
	ServiceName    string          `json:"serviceName"`
	SessionType    string          `json:"sessionType"` // Dial or Bind
	When           time.Time       `json:"when"`
}

// GenericEnroll is the JSON body of an enrollment of any method. A PEM body is
// taken as ClientCSR.
type GenericEnroll struct {
	CertCSR       *string `json:"certCsr,omitzero"`
	ClientCSR     *string `json:"clientCsr,omitzero"`
	Name          *string `json:"name,omitzero"`
	Password      *string `json:"password,omitzero"`
	ServerCertCSR *string `json:"serverCertCsr,omitzero"`
	Username      *string `json:"username,omitzero"`
}

// Grant is one identity that may dial or bind a service, or one service that an
// identity may, with the policies that say so.
type Grant struct {
	Entity   Ref    `json:"entity"` // the identity or the service
	ID       string `json:"id"`
	Name     string `json:"name"`
	Policies []Ref  `json:"policies"`
	Type     string `json:"type"` // Dial or Bind
}

// Hop is one router of a path and the link by which it is left.
type Hop struct {
	Router Ref         `json:"router"`
	Cost   int         `json:"cost"` // what the router adds, at least network.minRouterCost; 0 for the first one
	Link   *FabricLink `json:"link"` // to the next router, null at the last
}

// Identity is the detail of an identity.
type Identity struct {
	Base
	IsSystem                   bool                   `json:"isSystem,omitzero"`
	AppData                    Tags                   `json:"appData"`
	AuthPolicy                 Ref                    `json:"authPolicy"`
	AuthPolicyID               string                 `json:"authPolicyId"`
	Authenticators             IdentityAuthenticators `json:"authenticators"`
	DefaultHostingCost         int                    `json:"defaultHostingCost"`
	DefaultHostingPrecedence   string                 `json:"defaultHostingPrecedence"`
	Disabled                   bool                   `json:"disabled"`
	DisabledAt                 *time.Time             `json:"disabledAt,omitzero"`
	DisabledUntil              *time.Time             `json:"disabledUntil,omitzero"`
	EdgeRouterConnectionStatus string                 `json:"edgeRouterConnectionStatus"` // online, offline or unknown
	Enrollment                 IdentityEnrollments    `json:"enrollment"`
	EnvInfo                    EnvInfo                `json:"envInfo"`
	ExternalID                 *string                `json:"externalId"`
	HasAPISession              bool                   `json:"hasApiSession"`
	HasEdgeRouterConnection    bool                   `json:"hasEdgeRouterConnection"`
	Interfaces                 []Interface            `json:"interfaces"`
	IsAdmin                    bool                   `json:"isAdmin"`
	IsDefaultAdmin             bool                   `json:"isDefaultAdmin"`
	IsMfaEnabled               bool                   `json:"isMfaEnabled"`
	Name                       string                 `json:"name"`
	Permissions                []string               `json:"permissions"`
	RoleAttributes             []string               `json:"roleAttributes"`
	SdkInfo                    SdkInfo                `json:"sdkInfo"`
	ServiceHostingCosts        map[string]int         `json:"serviceHostingCosts"`
	ServiceHostingPrecedences  map[string]string      `json:"serviceHostingPrecedences"`
	Type                       Ref                    `json:"type"`
	TypeID                     string                 `json:"typeId"`
}

// IdentityAuthenticators are the ways in which an identity can log in.
type IdentityAuthenticators struct {
	Cert *IdentityCert `json:"cert,omitzero"`
	Updb *IdentityUpdb `json:"updb,omitzero"`
}

// IdentityCert is the certificate of an identity.
type IdentityCert struct {
	Fingerprint string `json:"fingerprint,omitzero"`
	ID          string `json:"id"`
}

// IdentityEnrollment is one open enrollment.
type IdentityEnrollment struct {
	Ca        *Ref      `json:"ca,omitzero"` // of method ottca
	CaID      string    `json:"caId,omitzero"`
	ExpiresAt time.Time `json:"expiresAt"`
	ID        string    `json:"id"`
	JWT       string    `json:"jwt"`
	Token     string    `json:"token"`
}

// IdentityEnrollmentInput asks for an enrollment together with the identity.
type IdentityEnrollmentInput struct {
	Ott   *bool   `json:"ott,omitzero"`
	Ottca *string `json:"ottca,omitzero"` // id of the CA
	Updb  *string `json:"updb,omitzero"`  // user name
}

// IdentityEnrollments are the open enrollments of an identity.
type IdentityEnrollments struct {
	Ott   *IdentityEnrollment `json:"ott,omitzero"`
	Ottca *IdentityEnrollment `json:"ottca,omitzero"`
	Updb  *IdentityEnrollment `json:"updb,omitzero"`
}

// IdentityInput is what a caller may set on an identity.
type IdentityInput struct {
	AppData                   Tags                     `json:"appData,omitzero"`
	AuthPolicyID              *string                  `json:"authPolicyId,omitzero"`
	DefaultHostingCost        *int                     `json:"defaultHostingCost,omitzero"`
	DefaultHostingPrecedence  *string                  `json:"defaultHostingPrecedence,omitzero"`
	Enrollment                *IdentityEnrollmentInput `json:"enrollment,omitzero"`
	ExternalID                *string                  `json:"externalId,omitzero"`
	IsAdmin                   *bool                    `json:"isAdmin,omitzero"`
	Name                      *string                  `json:"name,omitzero"`
	Permissions               []string                 `json:"permissions,omitzero"`
	RoleAttributes            []string                 `json:"roleAttributes,omitzero"`
	ServiceHostingCosts       map[string]int           `json:"serviceHostingCosts,omitzero"`
	ServiceHostingPrecedences map[string]string        `json:"serviceHostingPrecedences,omitzero"`
	Tags                      Tags                     `json:"tags,omitzero"`
	Type                      *string                  `json:"type,omitzero"`
}

// IdentityType is a type of identities.
type IdentityType struct {
	Base
	Name string `json:"name"`
}

// IdentityUpdb is the user name of an identity.
type IdentityUpdb struct {
	ID       string `json:"id"`
	Username string `json:"username,omitzero"`
}

// InspectRequest asks processes about themselves.
type InspectRequest struct {
	AppRegex        *string  `json:"appRegex"`        // matched against ids and names
	RequestedValues []string `json:"requestedValues"` // keys
}

// InspectValue is one value of one process.
type InspectValue struct {
	AppID string `json:"appId"`
	Name  string `json:"name"`
	Value Raw    `json:"value"` // an object, an array or a text
}

// Inspection is what processes told of themselves. It has no envelope.
type Inspection struct {
	Errors  []string       `json:"errors"`
	Success bool           `json:"success"`
	Values  []InspectValue `json:"values"`
}

// IntegrityFinding is one thing that is wrong with the state.
type IntegrityFinding struct {
	Description string `json:"description"`
	Fixed       bool   `json:"fixed"`
}

// IntegrityResults are the findings of the last check of the state.
type IntegrityResults struct {
	EndTime       time.Time          `json:"endTime"` // zero while it runs
	Error         *string            `json:"error"`   // why the check could not be finished
	FixingErrors  bool               `json:"fixingErrors"`
	InProgress    bool               `json:"inProgress"`
	Results       []IntegrityFinding `json:"results"`       // at most 1000
	StartTime     time.Time          `json:"startTime"`     // zero if none ever ran
	TooManyErrors bool               `json:"tooManyErrors"` // there are more than results
}

// Interface is one network interface of a router's machine.
type Interface struct {
	Addresses       []string `json:"addresses"`
	HardwareAddress string   `json:"hardwareAddress"`
	Index           int64    `json:"index"`
	IsBroadcast     bool     `json:"isBroadcast"`
	IsLoopback      bool     `json:"isLoopback"`
	IsMulticast     bool     `json:"isMulticast"`
	IsRunning       bool     `json:"isRunning"`
	IsUp            bool     `json:"isUp"`
	Mtu             int64    `json:"mtu"`
	Name            string   `json:"name"`
}

// Link is one relation of an entity.
type Link struct {
	Href string `json:"href"`
}

// LinkConnection is one connection of a link.
type LinkConnection struct {
	Dest   string `json:"dest"`   // tcp:ip:port
	Source string `json:"source"` // tcp:ip:port
	Type   string `json:"type"`   // link.default or link.ack
}

// Links are the relations of an entity by name.
type Links map[string]Link

// MFA is the caller's enrolment in one-time codes. Secrets are shown until it
// is verified: provisioningUrl and recoveryCodes, which is null afterwards.
type MFA struct {
	Base
	IsVerified      bool     `json:"isVerified"`
	ProvisioningURL string   `json:"provisioningUrl,omitzero"` // otpauth URL with the secret
	RecoveryCodes   []string `json:"recoveryCodes"`
}

// MFACode is a one-time code or, where it is accepted, a recovery code.
type MFACode struct {
	Code *string `json:"code"`
}

// MFARecoveryCodes are the recovery codes that are left.
type MFARecoveryCodes struct {
	Base
	RecoveryCodes []string `json:"recoveryCodes"`
}

// NamedRole is a role with the name of the entity it mentions.
type NamedRole struct {
	Name string `json:"name"`
	Role string `json:"role"`
}

// NetworkJWT is a token from which a client learns the controller's address
// and trust anchors.
type NetworkJWT struct {
	Name  string `json:"name"`
	Token string `json:"token"`
}

// Object is the text of a JSON object.
type Object = json.RawMessage

// OperatingSystem is an operating system with the versions of it that pass.
type OperatingSystem struct {
	Type     string   `json:"type"`
	Versions []string `json:"versions"`
}

// OperatingSystemInput is an operating system with the versions that pass, all
// when there are none.
type OperatingSystemInput struct {
	Type     *string  `json:"type,omitzero"`
	Versions []string `json:"versions,omitzero"` // semantic versions or ranges of them
}

// OwnAuthenticatorInput changes the caller's own user name or password.
type OwnAuthenticatorInput struct {
	AuthenticatorInput
	CurrentPassword *string `json:"currentPassword"`
}

// PathAdvice tells which way new circuits between two routers would take, or
// why there is none.
type PathAdvice struct {
	From   Ref    `json:"from"`
	To     Ref    `json:"to"`
	Found  bool   `json:"found"`
	Cost   int64  `json:"cost"` // of the links and of all routers but the first
	Hops   []Hop  `json:"hops"` // from the first router to the last
	Code   string `json:"code,omitzero"`
	Reason string `json:"reason,omitzero"` // why there is no path
	Remedy string `json:"remedy,omitzero"`
}

// PolicyAdvice tells what an identity may do with a service and through which
// routers.
type PolicyAdvice struct {
	Bind                Decision    `json:"bind"`
	CommonRouters       []RouterRef `json:"commonRouters"`
	Dial                Decision    `json:"dial"`
	Identity            Ref         `json:"identity"`
	IdentityID          string      `json:"identityId"`
	IdentityRouterCount int         `json:"identityRouterCount"`
	IsBindAllowed       bool        `json:"isBindAllowed"`
	IsDialAllowed       bool        `json:"isDialAllowed"`
	Service             Ref         `json:"service"`
	ServiceID           string      `json:"serviceId"`
	ServiceRouterCount  int         `json:"serviceRouterCount"`
}

// PolicyFailure is a policy that would grant the service if its posture checks
// passed.
type PolicyFailure struct {
	Checks     []PostureFailure `json:"checks"`
	PolicyID   string           `json:"policyId"`
	PolicyName string           `json:"policyName"`
}

// PostureAnyProcess is one of several programs.
type PostureAnyProcess struct {
	Hashes             []string `json:"hashes"`
	OsType             string   `json:"osType"`
	Path               string   `json:"path"`
	SignerFingerprints []string `json:"signerFingerprints"`
}

// PostureAnyProcessInput is one of several programs.
type PostureAnyProcessInput struct {
	Hashes             []string `json:"hashes,omitzero"`
	OsType             *string  `json:"osType,omitzero"`
	Path               *string  `json:"path,omitzero"`
	SignerFingerprints []string `json:"signerFingerprints,omitzero"`
}

// PostureBase are the members of every part.
type PostureBase struct {
	LastUpdatedAt  *time.Time `json:"lastUpdatedAt"`
	PostureCheckID string     `json:"postureCheckId"`
	TimedOut       bool       `json:"timedOut"`
}

// PostureCheck is the detail of a posture check; typeId decides which members
// it has.
type PostureCheck struct {
	Base
	IsSystem              bool                `json:"isSystem,omitzero"`
	Domains               []string            `json:"domains,omitzero"`
	IgnoreLegacyEndpoints bool                `json:"ignoreLegacyEndpoints,omitzero"`
	MacAddresses          []string            `json:"macAddresses,omitzero"` // hex, lower case, no separators
	Name                  string              `json:"name"`
	OperatingSystems      []OperatingSystem   `json:"operatingSystems,omitzero"`
	Process               *PostureProcess     `json:"process,omitzero"`
	Processes             []PostureAnyProcess `json:"processes,omitzero"`
	PromptOnUnlock        bool                `json:"promptOnUnlock,omitzero"`
	PromptOnWake          bool                `json:"promptOnWake,omitzero"`
	RoleAttributes        []string            `json:"roleAttributes"`
	Semantic              string              `json:"semantic,omitzero"`
	TimeoutSeconds        int64               `json:"timeoutSeconds,omitzero"` // -1: none
	TypeID                string              `json:"typeId"`
	Version               int64               `json:"version"` // counts the changes
}

// PostureCheckInput is what a caller may set on a posture check; typeId decides
// which members count.
type PostureCheckInput struct {
	Domains               []string                 `json:"domains,omitzero"`
	IgnoreLegacyEndpoints *bool                    `json:"ignoreLegacyEndpoints,omitzero"`
	MacAddresses          []string                 `json:"macAddresses,omitzero"`
	Name                  *string                  `json:"name,omitzero"`
	OperatingSystems      []OperatingSystemInput   `json:"operatingSystems,omitzero"`
	Process               *PostureProcessInput     `json:"process,omitzero"`
	Processes             []PostureAnyProcessInput `json:"processes,omitzero"`
	PromptOnUnlock        *bool                    `json:"promptOnUnlock,omitzero"`
	PromptOnWake          *bool                    `json:"promptOnWake,omitzero"`
	RoleAttributes        []string                 `json:"roleAttributes,omitzero"`
	Semantic              *string                  `json:"semantic,omitzero"`
	Tags                  Tags                     `json:"tags,omitzero"`
	TimeoutSeconds        *int64                   `json:"timeoutSeconds,omitzero"` // 0 or less: none
	TypeID                *string                  `json:"typeId,omitzero"`
}

// PostureCheckType is a type of posture checks.
type PostureCheckType struct {
	Base
	Name             string            `json:"name"`
	OperatingSystems []OperatingSystem `json:"operatingSystems"`
	Version          *string           `json:"version"`
}

// PostureData is what the clients of an identity have told about their machines.
type PostureData struct {
	APISessions map[string]PostureSession `json:"apiSessionPostureData"` // by id
	Domain      PostureDomain             `json:"domain"`
	Mac         PostureMac                `json:"mac"`
	Os          PostureOs                 `json:"os"`
	Processes   []PostureProcessData      `json:"processes"`
}

// PostureDomain is the domain of the machine.
type PostureDomain struct {
	PostureBase
	Domain *string `json:"domain"`
}

// PostureEndpoint is when the machine woke and was unlocked.
type PostureEndpoint struct {
	UnlockedAt *time.Time `json:"unlockedAt"`
	WokenAt    *time.Time `json:"wokenAt"`
}

// PostureFailure is a posture check that did not pass.
type PostureFailure struct {
	PostureCheckID   string `json:"postureCheckId"`
	PostureCheckName string `json:"postureCheckName"`
	PostureCheckType string `json:"postureCheckType"`
}

// PostureMac are the hardware addresses of the machine.
type PostureMac struct {
	PostureBase
	Addresses []string `json:"addresses"`
}

// PostureMfa is what is known of the second factor.
type PostureMfa struct {
	APISessionID   string     `json:"apiSessionId"`
	PassedAt       *time.Time `json:"passedAt"`
	PassedMfa      bool       `json:"passedMfa"`
	PassedOnUnlock *bool      `json:"passedOnUnlock"`
	PassedOnWake   *bool      `json:"passedOnWake"`
}

// PostureOs is the operating system of the machine.
type PostureOs struct {
	PostureBase
	Build   *string `json:"build"`
	Type    *string `json:"type"`
	Version *string `json:"version"`
}

// PostureProcess is a program that has to run.
type PostureProcess struct {
	Hashes            []string `json:"hashes"`
	OsType            string   `json:"osType"`
	Path              string   `json:"path"`
	SignerFingerprint string   `json:"signerFingerprint,omitzero"`
}

// PostureProcessData is one process of the machine.
type PostureProcessData struct {
	PostureBase
	BinaryHash         string   `json:"binaryHash"`
	IsRunning          bool     `json:"isRunning"`
	SignerFingerprints []string `json:"signerFingerprints"`
}

// PostureProcessInput is a program that has to run.
type PostureProcessInput struct {
	Hashes            []string `json:"hashes,omitzero"`
	OsType            *string  `json:"osType,omitzero"`
	Path              *string  `json:"path,omitzero"`
	SignerFingerprint *string  `json:"signerFingerprint,omitzero"`
}

// PostureQueries are the posture checks of one policy that grants a service.
type PostureQueries struct {
	IsPassing      bool           `json:"isPassing"`
	PolicyID       string         `json:"policyId"`
	PolicyType     string         `json:"policyType"`
	PostureQueries []PostureQuery `json:"postureQueries"`
}

// PostureQuery is one posture check that a client must answer.
type PostureQuery struct {
	Base
	IsPassing                bool                  `json:"isPassing"`
	Process                  *PostureQueryProcess  `json:"process,omitzero"`
	Processes                []PostureQueryProcess `json:"processes"`
	PromptGracePeriodSeconds int64                 `json:"promptGracePeriodSeconds,omitzero"`
	PromptOnUnlock           bool                  `json:"promptOnUnlock,omitzero"`
	PromptOnWake             bool                  `json:"promptOnWake,omitzero"`
	QueryType                string                `json:"queryType"`
	Timeout                  int64                 `json:"timeout"` // seconds, -1 for none
	TimeoutAt                *time.Time            `json:"timeoutAt,omitzero"`
	TimeoutRemaining         int64                 `json:"timeoutRemaining"` // seconds, -1 without a timeout
}

// PostureQueryProcess is a program that the client has to look for.
type PostureQueryProcess struct {
	OsType string `json:"osType"`
	Path   string `json:"path"`
}

// PostureResponse is what a client tells about its machine; the members depend
// on the type.
type PostureResponse struct {
	Build              *string  `json:"build,omitzero"`              // OS
	Domain             *string  `json:"domain,omitzero"`             // DOMAIN
	Hash               *string  `json:"hash,omitzero"`               // PROCESS
	ID                 *string  `json:"id"`                          // of the check; 0 where it has no meaning
	IsRunning          *bool    `json:"isRunning,omitzero"`          // PROCESS
	MacAddresses       []string `json:"macAddresses,omitzero"`       // MAC
	Path               *string  `json:"path,omitzero"`               // PROCESS
	SignerFingerprints []string `json:"signerFingerprints,omitzero"` // PROCESS
	Type               *string  `json:"type,omitzero"`               // OS
	TypeID             *string  `json:"typeId"`
	Unlocked           *bool    `json:"unlocked,omitzero"` // ENDPOINT_STATE
	Version            *string  `json:"version,omitzero"`  // OS
	Woken              *bool    `json:"woken,omitzero"`    // ENDPOINT_STATE
}

// PostureServices are the services whose state a posture response changed.
type PostureServices struct {
	Services []string `json:"services"`
}

// PostureSession is what is known of one API session.
type PostureSession struct {
	EndpointState *PostureEndpoint `json:"endpointState,omitzero"`
	Mfa           PostureMfa       `json:"mfa"`
	SdkInfo       SdkInfo          `json:"sdkInfo"`
}

// Protocol is the address of one.
type Protocol struct {
	Address string `json:"address"` // host:port
}

// Protocols are the protocols of the client API by name.
type Protocols map[string]Protocol

// Raw is a JSON text.
type Raw = json.RawMessage

// ReEnroll replaces an authenticator by an enrollment.
type ReEnroll struct {
	ExpiresAt *time.Time `json:"expiresAt"`
}

// Ref is a reference to another entity.
type Ref struct {
	Links  Links  `json:"_links"`
	Entity string `json:"entity"`
	ID     string `json:"id"`
	Name   string `json:"name,omitzero"`
}

// RequestExtend asks the client to renew its certificate.
type RequestExtend struct {
	RollKeys *bool `json:"rollKeys,omitzero"`
}

// Revocation is the detail of a revocation.
type Revocation struct {
	Base
	IsSystem  bool      `json:"isSystem,omitzero"`
	ExpiresAt time.Time `json:"expiresAt"`
	Type      string    `json:"type"` // JTI, IDENTITY or API_SESSION
}

// RevocationCreate ends tokens before their time.
type RevocationCreate struct {
	ID   *string `json:"id"`
	Tags Tags    `json:"tags,omitzero"`
	Type *string `json:"type"`
}

// RoleAttributeSources are the entities of one kind.
type RoleAttributeSources struct {
	Count int64    `json:"count"`
	Ids   []string `json:"ids,omitzero"` // when withIds asks for them
}

// RoleAttributeUsage tells who has a role attribute and who asks for it.
type RoleAttributeUsage struct {
	RoleAttribute string                          `json:"roleAttribute"`
	Usage         map[string]RoleAttributeSources `json:"usage"` // by kind, such as identities and servicePolicies
}

// RoutePath is the path of a session's circuits.
type RoutePath struct {
	RoutePath []string `json:"routePath"` // router names
}

// Router is the detail of a router of any kind, without its edge parts.
type Router struct {
	Base
	IsSystem              bool                `json:"isSystem,omitzero"`
	Configs               []string            `json:"configs"`
	Cost                  int                 `json:"cost"`
	CtrlChanListeners     map[string][]string `json:"ctrlChanListeners,omitzero"`
	Disabled              bool                `json:"disabled"`
	EnrollmentCreatedAt   *time.Time          `json:"enrollmentCreatedAt,omitzero"`
	EnrollmentExpiresAt   *time.Time          `json:"enrollmentExpiresAt,omitzero"`
	EnrollmentJWT         *string             `json:"enrollmentJwt,omitzero"`
	EnrollmentToken       *string             `json:"enrollmentToken,omitzero"`
	Fingerprint           *string             `json:"fingerprint"`
	Interfaces            []Interface         `json:"interfaces"`
	IsOnline              bool                `json:"isOnline"`
	IsVerified            bool                `json:"isVerified"`
	Name                  string              `json:"name"`
	NoTraversal           bool                `json:"noTraversal"`
	UnverifiedCertPem     *string             `json:"unverifiedCertPem"`
	UnverifiedFingerprint *string             `json:"unverifiedFingerprint"`
}

// RouterInput is what a caller may set on a transit router.
type RouterInput struct {
	Configs           []string            `json:"configs,omitzero"`
	Cost              *int                `json:"cost,omitzero"`
	CtrlChanListeners map[string][]string `json:"ctrlChanListeners,omitzero"`
	Disabled          *bool               `json:"disabled,omitzero"`
	Name              *string             `json:"name,omitzero"`
	NoTraversal       *bool               `json:"noTraversal,omitzero"`
	Tags              Tags                `json:"tags,omitzero"`
}

// RouterListener is an address at which a router accepts links.
type RouterListener struct {
	Address  string `json:"address"` // protocol:host:port
	Protocol string `json:"protocol"`
}

// RouterProperties are what clients need to know of an edge router.
type RouterProperties struct {
	AppData            Tags              `json:"appData,omitzero"`
	Cost               int               `json:"cost"`
	Disabled           bool              `json:"disabled"`
	Hostname           string            `json:"hostname"`
	IsOnline           bool              `json:"isOnline"`
	Name               string            `json:"name"`
	NoTraversal        bool              `json:"noTraversal"`
	SupportedProtocols map[string]string `json:"supportedProtocols"` // protocol to URL
	SyncStatus         string            `json:"syncStatus"`
}

// RouterRef is a reference to an edge router with its state.
type RouterRef struct {
	Ref
	IsOnline bool `json:"isOnline"`
}

// SdkInfo describes the program of a client.
type SdkInfo struct {
	AppID      string `json:"appId,omitzero"`
	AppVersion string `json:"appVersion,omitzero"`
	Branch     string `json:"branch,omitzero"`
	Revision   string `json:"revision,omitzero"`
	Type       string `json:"type,omitzero"`
	Version    string `json:"version,omitzero"`
}

// Service is the detail of a service. On the client API config, permissions
// and postureQueries are those of the caller.
type Service struct {
	Base
	IsSystem           bool             `json:"isSystem,omitzero"`
	Config             *ServiceConfigs  `json:"config"`
	Configs            []string         `json:"configs"`
	EncryptionRequired bool             `json:"encryptionRequired"`
	MaxIdleTimeMillis  int64            `json:"maxIdleTimeMillis"`
	Name               string           `json:"name"`
	Permissions        []string         `json:"permissions"`
	PostureQueries     []PostureQueries `json:"postureQueries"`
	RoleAttributes     []string         `json:"roleAttributes"`
	TerminatorStrategy string           `json:"terminatorStrategy"`
}

// ServiceConfig is one such override.
type ServiceConfig struct {
	Config    Ref    `json:"config"`
	ConfigID  string `json:"configId"`
	Service   Ref    `json:"service"`
	ServiceID string `json:"serviceId"`
}

// ServiceConfigAssign is a config that overrides the service's own for one identity.
type ServiceConfigAssign struct {
	ConfigID  *string `json:"configId"`
	ServiceID *string `json:"serviceId"`
}

// ServiceConfigs is the data of the effective configs by config type name.
type ServiceConfigs map[string]Raw

// ServiceEdgeRouterPolicy is the detail of a service edge router policy.
type ServiceEdgeRouterPolicy struct {
	Base
	IsSystem               bool        `json:"isSystem,omitzero"`
	EdgeRouterRoles        []string    `json:"edgeRouterRoles"`
	EdgeRouterRolesDisplay []NamedRole `json:"edgeRouterRolesDisplay"`
	Name                   string      `json:"name"`
	Semantic               string      `json:"semantic"`
	ServiceRoles           []string    `json:"serviceRoles"`
	ServiceRolesDisplay    []NamedRole `json:"serviceRolesDisplay"`
}

// ServiceEdgeRouterPolicyInput is what a caller may set on a service edge
// router policy.
type ServiceEdgeRouterPolicyInput struct {
	EdgeRouterRoles []string `json:"edgeRouterRoles,omitzero"`
	Name            *string  `json:"name,omitzero"`
	Semantic        *string  `json:"semantic,omitzero"`
	ServiceRoles    []string `json:"serviceRoles,omitzero"`
	Tags            Tags     `json:"tags,omitzero"`
}

// ServiceInput is what a caller may set on a service.
type ServiceInput struct {
	Configs            []string `json:"configs,omitzero"`
	EncryptionRequired *bool    `json:"encryptionRequired,omitzero"`
	MaxIdleTimeMillis  *int64   `json:"maxIdleTimeMillis,omitzero"`
	Name               *string  `json:"name,omitzero"`
	RoleAttributes     []string `json:"roleAttributes,omitzero"`
	Tags               Tags     `json:"tags,omitzero"`
	TerminatorStrategy *string  `json:"terminatorStrategy,omitzero"`
}

// ServicePolicy is the detail of a service policy.
type ServicePolicy struct {
	Base
	IsSystem                 bool        `json:"isSystem,omitzero"`
	IdentityRoles            []string    `json:"identityRoles"`
	IdentityRolesDisplay     []NamedRole `json:"identityRolesDisplay"`
	Name                     string      `json:"name"`
	PostureCheckRoles        []string    `json:"postureCheckRoles"`
	PostureCheckRolesDisplay []NamedRole `json:"postureCheckRolesDisplay"`
	Semantic                 string      `json:"semantic"`
	ServiceRoles             []string    `json:"serviceRoles"`
	ServiceRolesDisplay      []NamedRole `json:"serviceRolesDisplay"`
	Type                     string      `json:"type"` // Dial or Bind
}

// ServicePolicyInput is what a caller may set on a service policy.
type ServicePolicyInput struct {
	IdentityRoles     []string `json:"identityRoles,omitzero"`
	Name              *string  `json:"name,omitzero"`
	PostureCheckRoles []string `json:"postureCheckRoles,omitzero"`
	Semantic          *string  `json:"semantic,omitzero"`
	ServiceRoles      []string `json:"serviceRoles,omitzero"`
	Tags              Tags     `json:"tags,omitzero"`
	Type              *string  `json:"type,omitzero"`
}

// ServiceRouters are the routers through which a service can be reached.
type ServiceRouters struct {
	EdgeRouters []RouterProperties `json:"edgeRouters"`
}

// ServiceUpdates tells when the services of the caller last changed.
type ServiceUpdates struct {
	LastChangeAt time.Time `json:"lastChangeAt"`
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
	ServicePolicies []Ref           `json:"servicePolicies,omitzero"`
	Tags            *Tags           `json:"tags,omitzero"`
	Token           string          `json:"token"`
	Type            string          `json:"type"` // Dial or Bind
	UpdatedAt       *time.Time      `json:"updatedAt"`
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
	CSR *string `json:"csr"` // PEM
}

// SessionCertificateCreated is the answer: the chain and the trust anchors.
type SessionCertificateCreated struct {
	Created
	Cas         string `json:"cas"`         // PEM
	Certificate string `json:"certificate"` // PEM
}

// SessionCreate asks for a service session.
type SessionCreate struct {
	ServiceID *string `json:"serviceId,omitzero"`
	Tags      Tags    `json:"tags,omitzero"`
	Type      *string `json:"type,omitzero"`
}

// SessionRouter is a router through which a session can be used.
type SessionRouter struct {
	RouterProperties
	URLs map[string]string `json:"urls"` // protocol to URL
}

// SignerEnroll asks for a certificate beside the identity that a token makes.
type SignerEnroll struct {
	ClientCSR *string `json:"clientCsr,omitzero"` // PEM
}

// SnapshotRequest names the file of a snapshot.
type SnapshotRequest struct {
	Path *string `json:"path,omitzero"`
}

// SnapshotResult tells where a snapshot was written.
type SnapshotResult struct {
	Path string `json:"path"` // on the controller's host
}

// Spec is an API description.
type Spec struct {
	Base
	Name string `json:"name"`
}

// Summary is the number of entities by store.
type Summary map[string]int

// Tags are free members of an entity: scalars only.
type Tags map[string]any

// Terminator is the detail of a terminator.
type Terminator struct {
	Base
	IsSystem    bool   `json:"isSystem,omitzero"`
	Address     string `json:"address"`
	Binding     string `json:"binding"`
	Cost        int    `json:"cost"`
	DynamicCost int    `json:"dynamicCost"`
	Identity    string `json:"identity"` // instance id
	Precedence  string `json:"precedence"`
	Router      Ref    `json:"router"`
	RouterID    string `json:"routerId"`
	Service     Ref    `json:"service"`
	ServiceID   string `json:"serviceId"`
}

// TerminatorInput is what a caller may set on a terminator.
type TerminatorInput struct {
	Address        *string `json:"address,omitzero"`
	Binding        *string `json:"binding,omitzero"`
	Cost           *int    `json:"cost,omitzero"`
	Identity       *string `json:"identity,omitzero"`       // instance id
	IdentitySecret []byte  `json:"identitySecret,omitzero"` // base64
	Precedence     *string `json:"precedence,omitzero"`
	Router         *string `json:"router,omitzero"`
	Service        *string `json:"service,omitzero"`
	Tags           Tags    `json:"tags,omitzero"`
}

// TokenEnroll is the body of an enrollment with a token in it.
type TokenEnroll struct {
	ClientCSR *string `json:"clientCsr,omitzero"`
	ServerCSR *string `json:"serverCsr,omitzero"`
	Token     *string `json:"token,omitzero"`
}

// TotpToken proves that a one-time code was given in the caller's session.
type TotpToken struct {
	IssuedAt time.Time `json:"issuedAt"`
	Token    string    `json:"token"`
}

// TraceDetail is the state of a trace.
type TraceDetail struct {
	Enabled bool       `json:"enabled"`
	TraceID string     `json:"traceId,omitzero"`
	Until   *time.Time `json:"until,omitzero"`
}

// TraceSpec asks for a trace of an identity.
type TraceSpec struct {
	Channels []string `json:"channels,omitzero"` // everything is traced, whatever they name
	Duration *string  `json:"duration,omitzero"` // such as 10m, which is the default; a day at most
	Enabled  *bool    `json:"enabled,omitzero"`
	TraceID  *string  `json:"traceId,omitzero"`
}

// UpdbEnroll sets the password of a user name.
type UpdbEnroll struct {
	Password *string `json:"password,omitzero"`
	Username *string `json:"username,omitzero"`
}

// Validation is the result of a check.
type Validation struct {
	Details []ValidationDetail `json:"details"`
	Kind    string             `json:"kind"`
	Valid   bool               `json:"valid"`
}

// ValidationDetail is the result for one router, controller, terminator or host.
type ValidationDetail struct {
	Errors  []string         `json:"errors"`
	Fixed   bool             `json:"fixed"`
	ID      string           `json:"id"`
	Items   []ValidationItem `json:"items"`
	Message string           `json:"message"`
	Name    string           `json:"name"`
	OK      bool             `json:"ok"` // it could be asked; of a terminator: it is valid
	Type    string           `json:"type"`
}

// ValidationItem is one link, terminator or circuit of a router.
type ValidationItem struct {
	ControllerState string   `json:"controllerState"`
	ID              string   `json:"id"`
	Messages        []string `json:"messages"`
	RouterState     string   `json:"routerState"`
	Valid           bool     `json:"valid"`
}

// ValidationRequest is what to check.
type ValidationRequest struct {
	Controller        *bool   `json:"controller,omitzero"` // with router-data-model: this controller too
	Filter            *string `json:"filter,omitzero"`     // of routers, or of terminators, in the filter language; default all
	Fix               *bool   `json:"fix,omitzero"`        // mend what can be mended: terminators, router-data-model
	IdentityFilter    *string `json:"identityFilter,omitzero"`
	Kind              *string `json:"kind"`
	PerHost           *int    `json:"perHost,omitzero"`           // terminators that every host should have
	PerServiceAndHost *int    `json:"perServiceAndHost,omitzero"` // the same of one service
}

// Version is the version document.
type Version struct {
	APIVersions    map[string]map[string]APIVersion `json:"apiVersions"` // binding to version
	BuildDate      string                           `json:"buildDate"`
	Capabilities   []string                         `json:"capabilities"`
	Revision       string                           `json:"revision"`
	RuntimeVersion string                           `json:"runtimeVersion"`
	Version        string                           `json:"version"`
}

// VersionInfo describes the program of a router.
type VersionInfo struct {
	Arch      string `json:"arch"`
	BuildDate string `json:"buildDate"`
	Os        string `json:"os"`
	Revision  string `json:"revision"`
	Version   string `json:"version"`
}

// WhatIf are changes that are not made, only thought through, in their order.
type WhatIf struct {
	Changes     []WhatIfChange `json:"changes,omitzero"`
	Declaration *Declaration   `json:"declaration,omitzero"` // tried after the changes, as apply would make it without prune
	Limit       *int           `json:"limit,omitzero"`       // of the pairs that are listed per kind; 20 by default
}

// WhatIfAnswer tells who would gain and who would lose.
type WhatIfAnswer struct {
	Kinds []WhatIfKind `json:"kinds"`
}

// WhatIfChange is one of them. The members have the meaning that they have in
// the body of the entity; names may stand for ids in roles. Members that are
// left out of an update stay as they are.
type WhatIfChange struct {
	Action            string   `json:"action"`
	Disabled          *bool    `json:"disabled,omitzero"`
	EdgeRouterRoles   []string `json:"edgeRouterRoles,omitzero"`
	Entity            string   `json:"entity,omitzero"` // id or name of what is updated or deleted
	IdentityRoles     []string `json:"identityRoles,omitzero"`
	Kind              string   `json:"kind"`
	Name              *string  `json:"name,omitzero"`
	PostureCheckRoles []string `json:"postureCheckRoles,omitzero"`
	RoleAttributes    []string `json:"roleAttributes,omitzero"`
	Semantic          *string  `json:"semantic,omitzero"`
	ServiceRoles      []string `json:"serviceRoles,omitzero"`
	Type              *string  `json:"type,omitzero"` // of a service policy
}

// WhatIfKind are the pairs of one kind that would change. dial and bind are
// identities and services, counted when a policy allows the pair through some
// common router; identity-router and service-router are pairs that router
// policies join.
type WhatIfKind struct {
	Gained int          `json:"gained"`
	Gains  []WhatIfPair `json:"gains"` // the first of them
	Kind   string       `json:"kind"`
	Losses []WhatIfPair `json:"losses"`
	Lost   int          `json:"lost"`
}

// WhatIfPair is one of them, with what makes the difference.
type WhatIfPair struct {
	From   Ref    `json:"from"`            // the identity, or the service of service-router
	Policy *Ref   `json:"policy,omitzero"` // that grants it: after the changes of a gain, before them of a loss
	Reason string `json:"reason,omitzero"` // of a loss: the rule that would refuse
	To     Ref    `json:"to"`              // the service or the router
}
