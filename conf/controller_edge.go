package conf

import (
	"strings"
	"time"
)

// ControllerEdge sets the edge APIs, enrolment and sessions.
type ControllerEdge struct {
	API                  EdgeAPI            `conf:"api" required:"true" doc:"address and sessions"`
	Enrollment           EdgeEnrollment     `conf:"enrollment" required:"true" doc:"signing certificate and life of tokens"`
	OIDC                 OIDC               `conf:"oidc" later:"the OIDC provider" doc:"tokens of the OIDC provider"`
	TOTP                 TOTP               `conf:"totp" doc:"one-time codes"`
	AuthRateLimiter      AuthLimit          `conf:"authRateLimiter" doc:"limit on logins at once"`
	IdentityStatusConfig IdentityStatus     `conf:"identityStatusConfig" doc:"how it is known which identities are online"`
	ExternalJWTSigners   ExternalJWTSigners `conf:"externalJwtSigners" doc:"fetching of signers' keys"`
	DisablePostureChecks bool               `conf:"disablePostureChecks" default:"false" doc:"policies grant access as if there were no posture checks"`
}

// EdgeAPI sets the address of the edge APIs and their sessions.
type EdgeAPI struct {
	Address                HostPort      `conf:"address" required:"true" doc:"host:port of a bind point with edge-client, written into enrollment tokens"`
	SessionTimeout         time.Duration `conf:"sessionTimeout" default:"30m" min:"1m" clamp:"default" doc:"inactivity after which a session ends"`
	_                      int           `conf:"activityUpdateBatchSize" inert:"activity is journalled in one write"`
	ActivityUpdateInterval time.Duration `conf:"activityUpdateInterval" default:"90s" min:"1ms" max:"10m" doc:"time between two writes of activity to the journal of sessions"`
	DisableOidcAutoBinding bool          `conf:"disableOidcAutoBinding" default:"false" later:"the OIDC provider" doc:"do not add edge-oidc by itself"`
}

// EdgeEnrollment sets how identities and routers enrol.
type EdgeEnrollment struct {
	SigningCert  SigningCert   `conf:"signingCert" required:"true" doc:"CA that signs identities and routers"`
	EdgeIdentity TokenDuration `conf:"edgeIdentity" required:"true" doc:"enrollment tokens of identities"`
	EdgeRouter   TokenDuration `conf:"edgeRouter" required:"true" doc:"enrollment tokens of routers"`
}

// SigningCert is the CA that signs what enrolls.
type SigningCert struct {
	Cert string `conf:"cert" required:"true" doc:"certificate chain, leaf first"`
	Key  string `conf:"key" required:"true" doc:"private key"`
	CA   string `conf:"ca" doc:"further trust anchors"`
}

// TokenDuration is the life of enrolment tokens.
type TokenDuration struct {
	Duration time.Duration `conf:"duration" default:"180m" min:"5m" clamp:"default" doc:"life of a token"`
}

// OIDC sets the tokens of the OIDC provider.
type OIDC struct {
	AccessTokenDuration         time.Duration `conf:"accessTokenDuration" default:"30m" min:"1m" clamp:"bound" doc:"life of access tokens"`
	IDTokenDuration             time.Duration `conf:"idTokenDuration" default:"30m" min:"1m" clamp:"bound" doc:"life of id tokens"`
	RefreshTokenDuration        time.Duration `conf:"refreshTokenDuration" default:"24h" min:"2m" clamp:"bound" doc:"life of refresh tokens"`
	RevocationMinTokenLifetime  time.Duration `conf:"revocationMinTokenLifetime" default:"0s" min:"0s" doc:"tokens with less left are not revoked"`
	RevocationBucketInterval    time.Duration `conf:"revocationBucketInterval" default:"1m" min:"1s" clamp:"bound" doc:"time over which revocations are gathered"`
	RevocationBucketMaxSize     int           `conf:"revocationBucketMaxSize" default:"200" min:"1" doc:"revocations gathered at most"`
	RevocationMaxQueued         int           `conf:"revocationMaxQueued" default:"25000" min:"1" doc:"revocations that wait"`
	RevocationEnforcerFrequency time.Duration `conf:"revocationEnforcerFrequency" default:"1m" min:"10s" clamp:"bound" doc:"time between two clean-ups"`
}

func (o *OIDC) check(c *Checker, path string) {
	if least := o.AccessTokenDuration + time.Minute; o.RefreshTokenDuration < least {
		c.Warn(path+".refreshTokenDuration", "has to outlive access tokens by a minute, using "+least.String(), "raise it")
		o.RefreshTokenDuration = least
	}
	if o.RevocationMinTokenLifetime >= o.RefreshTokenDuration/2 && o.RevocationMinTokenLifetime > 0 {
		c.Refuse(path+".revocationMinTokenLifetime", "is half of refreshTokenDuration or more", "lower it")
	}
}

// TOTP names the issuer of one-time codes.
type TOTP struct {
	Hostname string `conf:"hostname" default:"openziti.io" doc:"issuer shown by authenticator programs"`
}

func (t *TOTP) check(c *Checker, path string) {
	if strings.ContainsAny(t.Hostname, ":/ ?#@") {
		c.Refuse(path+".hostname", "expected a bare host name", "leave scheme, port and path out")
	}
}

// AuthLimit is an adaptive limit on logins.
type AuthLimit struct {
	Enabled bool          `conf:"enabled" default:"true" doc:"whether the limit applies"`
	MinSize int           `conf:"minSize" default:"5" min:"5" max:"1000" doc:"smallest window"`
	MaxSize int           `conf:"maxSize" default:"250" min:"5" max:"1000" doc:"largest window, and the first"`
	Timeout time.Duration `conf:"timeout" default:"30s" min:"1ms" doc:"time after which a login counts as too slow"`
}

func (a *AuthLimit) check(c *Checker, path string) {
	if a.MaxSize < a.MinSize {
		c.Refuse(path+".maxSize", "is smaller than minSize", "make it at least as large")
	}
}

// IdentityStatus sets how the controller knows who is online.
type IdentityStatus struct {
	ScanInterval   time.Duration `conf:"scanInterval" default:"1m" min:"1s" clamp:"bound" doc:"time between two looks for what unknownTimeout is over for"`
	UnknownTimeout time.Duration `conf:"unknownTimeout" default:"5m" min:"0s" doc:"time for which an identity is unknown, instead of offline, when the routers that reported it are away"`
	Source         string        `conf:"source" default:"hybrid" oneof:"heartbeats|connect-events|hybrid" doc:"what counts: sessions that routers report as active, their reports of connected identities, or either"`
}

// ExternalJWTSigners bounds fetches of signers' keys.
type ExternalJWTSigners struct {
	JWKSFetch JWKSFetch `conf:"jwksFetch" doc:"where keys may be fetched from"`
}

// JWKSFetch says where keys may be fetched from.
type JWKSFetch struct {
	BlockPrivateAddresses bool          `conf:"blockPrivateAddresses" default:"false" doc:"refuse private and loopback addresses"`
	DeniedIPs             Strings       `conf:"deniedIPs" doc:"ranges that are refused"`
	AllowedIPs            Strings       `conf:"allowedIPs" doc:"ranges that are always allowed"`
	DeniedHostnames       Strings       `conf:"deniedHostnames" doc:"hosts that are refused, *. in front for all below"`
	AllowedHostnames      Strings       `conf:"allowedHostnames" doc:"if given, the only hosts allowed"`
	Timeout               time.Duration `conf:"timeout" default:"5s" min:"1ms" doc:"time for a fetch with its redirects"`
	MaxRedirects          int           `conf:"maxRedirects" default:"5" min:"0" doc:"redirects that are followed"`
}

func (j *JWKSFetch) check(c *Checker, path string) {
	checkEach(c, path+".deniedIPs", j.DeniedIPs, isAddressOrRange)
	checkEach(c, path+".allowedIPs", j.AllowedIPs, isAddressOrRange)
	checkEach(c, path+".deniedHostnames", j.DeniedHostnames, isHostPattern)
	checkEach(c, path+".allowedHostnames", j.AllowedHostnames, isHostPattern)
}
