package http

import (
	"context"
	"crypto/x509"
	"iter"
	"net/http"
	"time"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/model"
)

// Writer brings commands into the log. Propose returns when the command has
// been applied here: result is nil, a *fault.Error or state.Errors, err a
// failure of the log such as a missing leader.
type Writer interface {
	Propose(ctx context.Context, command []byte) (index uint64, result any, err error)
}

// Caller is the sender of a request as its session tells.
type Caller struct {
	IdentityID  string
	SessionID   string   // API session
	Token       string   // that the request carried
	Partial     bool     // authentication queries are outstanding
	Admin       bool     // may do everything
	Permissions []string // of the identity
	ConfigTypes []string // ids that the session asked for at login; ["all"] for every type
	CreatedAt   time.Time
	ExpiresAt   time.Time     // if nothing more happens
	Timeout     time.Duration // of inactivity
}

// Authenticator resolves the session of a request and counts the request as
// activity. A refusal is fault.Unauthorized with the header of the 401.
type Authenticator interface {
	Authenticate(r *http.Request) (*Caller, error)
}

// Login makes a session from credentials. Refusals are those of the catalogue.
type Login interface {
	Login(r *http.Request, method string, in *api.Authenticate) (*APISession, error)
}

// APISession is a login session. The values are copies.
type APISession struct {
	ID                string
	Token             string
	IdentityID        string
	AuthenticatorID   string
	IPAddress         string
	ConfigTypes       []string // config type ids
	CreatedAt         time.Time
	UpdatedAt         time.Time
	LastActivityAt    time.Time
	ExpiresAt         time.Time
	Timeout           time.Duration
	AuthQueries       []api.AuthQuery
	MfaRequired       bool
	MfaComplete       bool
	CertExtendable    bool
	ExtendRequested   bool
	KeyRollRequested  bool
	ImproperCertChain bool
}

// SessionCertificate is a certificate issued for a session.
type SessionCertificate struct {
	ID, SessionID, Fingerprint, Subject, Certificate string
	CreatedAt, ValidFrom, ValidTo                    time.Time
}

// APISessions are the login sessions that this controller knows.
type APISessions interface {
	APISession(id string) *APISession // nil if unknown
	APISessions() iter.Seq[*APISession]
	HasAPISession(identityID string) bool
	EndAPISession(ctx context.Context, id string) error // fault.NotFound if unknown
	EndIdentitySessions(ctx context.Context, identityID string) error

	Certificates(sessionID string) []SessionCertificate
	IssueCertificate(ctx context.Context, c *Caller, csr string) (cert SessionCertificate, anchors string, err error)
	RemoveCertificate(ctx context.Context, sessionID, id string) error
}

// ServiceSession is the right to dial or bind one service.
type ServiceSession struct {
	ID, APISessionID, IdentityID, ServiceID string
	Type                                    string // Dial or Bind
	Token                                   string // service access token, set by Create only
	PolicyIDs                               []string
	Tags                                    model.Tags
	CreatedAt, UpdatedAt                    time.Time
}

// ServiceSessions are the service sessions that this controller knows.
type ServiceSessions interface {
	// Create returns a session; that the caller may have it has been decided.
	Create(ctx context.Context, c *Caller, serviceID, kind string) (*ServiceSession, error)
	ServiceSession(id string) *ServiceSession // nil if unknown
	ServiceSessions() iter.Seq[*ServiceSession]
	EndServiceSession(ctx context.Context, id string) error
}

// EnrollRequest is one attempt to enrol.
type EnrollRequest struct {
	Method     string // "" for that of the token
	Token      string
	Body       api.GenericEnroll
	PeerCerts  []*x509.Certificate // of the TLS connection, leaf first
	Bearers    []string            // bearer tokens of the request
	SignerID   string              // of the only signer whose tokens count, "" for all
	RemoteAddr string
}

// Enroller makes and uses enrollments, passwords and certificates.
type Enroller interface {
	Enroll(ctx context.Context, in EnrollRequest) (*api.Enrolled, error)
	// The Extend functions renew certificates; peer are those of the connection.
	ExtendRouter(ctx context.Context, peer []*x509.Certificate, in api.ExtendRouter) (*api.Enrolled, error)
	ExtendIdentity(ctx context.Context, peer []*x509.Certificate, identityID, authenticatorID, csr string) (*api.ExtendedIdentity, error)
	VerifyExtension(ctx context.Context, peer []*x509.Certificate, identityID, authenticatorID, cert string) error

	// NewEnrollment completes an enrollment that has a method and a subject: id,
	// token, JWT, and an expiry if it has none. Nothing is stored.
	NewEnrollment(e *model.Enrollment) error
	// HashPassword returns the stored form of a password, CheckPassword compares.
	HashPassword(ctx context.Context, password string) (string, error)
	CheckPassword(ctx context.Context, hash, password string) (bool, error)
	// NewCertAuthenticator fills fingerprint and key print from the PEM text.
	NewCertAuthenticator(a *model.Authenticator) error
	// NetworkJWT returns the token that introduces the network.
	NetworkJWT() (string, error)
	// CAJWT returns the token for enrolments by certificates of a CA.
	CAJWT(caID string) (string, error)
}

// RouterStatus is what is known of a router right now.
type RouterStatus struct {
	Online     bool
	SyncStatus string            // SYNC_DONE and so on
	Hostname   string            // advertised
	Protocols  map[string]string // protocol to URL
	Version    api.VersionInfo

	LinkListeners []api.RouterListener // of its links
	Interfaces    []model.Interface    // of its machine, as last reported
	Quiesced      bool                 // takes no new circuits
}

// Live tells what is connected. Safe for concurrent use, never waits.
type Live interface {
	Router(id string) RouterStatus
	// IdentityOnline reports whether a client of the identity counts as connected
	// to a router, and its status: online, offline or unknown.
	IdentityOnline(id string) (connected bool, status string)
	// DynamicCost returns the dynamic cost of a terminator.
	DynamicCost(terminatorID string) int
}
