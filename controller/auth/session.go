package auth

import (
	"crypto/x509"
	"time"

	"github.com/weftnet/weft/model"
)

// Session is an API session as it was at one moment. It is immutable.
type Session struct {
	ID              string
	Token           string // value of the zt-session header
	IdentityID      string
	AuthenticatorID string
	CreatedAt       time.Time
	UpdatedAt       time.Time
	ConfigTypes     []string // ids of config types, or "all"; never nil
	IPAddress       string   // of the login, without port
	AuthQueries     []Query  // outstanding factors; never nil
	IsMfaRequired   bool
	IsMfaComplete   bool
	// IsCertExtendable: logged in with a certificate that the network issued.
	IsCertExtendable        bool
	IsCertExtendRequested   bool
	IsCertKeyRollRequested  bool
	ImproperClientCertChain bool
	LastActivityAt          time.Time // as of the last ActivityInterval
	CachedLastActivityAt    time.Time
	ExpiresAt               time.Time
	ExpirationSeconds       int64
	// Fingerprint is that of the certificate that logged in, else empty.
	Fingerprint string
}

// Partial reports whether factors are outstanding.
func (s *Session) Partial() bool { return len(s.AuthQueries) > 0 }

// Query is one outstanding factor.
type Query struct {
	TypeID     string `json:"typeId"`
	Provider   string `json:"provider"`
	HTTPMethod string `json:"httpMethod,omitempty"`
	HTTPURL    string `json:"httpUrl,omitempty"`
	Format     string `json:"format,omitempty"`
	MinLength  int    `json:"minLength,omitempty"`
	MaxLength  int    `json:"maxLength,omitempty"`
	ID         string `json:"id,omitempty"` // of the external signer
}

// Certificate is a certificate that belongs to an API session.
type Certificate struct {
	ID          string
	CreatedAt   time.Time
	PEM         string // chain, leaf first
	Fingerprint string
	Subject     string
	ValidFrom   time.Time
	ValidTo     time.Time
}

// record is the stored form of a session. It is replaced, never changed; only
// activity moves, which the table keeps beside it.
type record struct {
	ID              string       `json:"id"`
	IdentityID      string       `json:"identityId"`
	AuthenticatorID string       `json:"authenticatorId,omitempty"`
	CreatedAt       time.Time    `json:"createdAt"`
	ConfigTypes     []string     `json:"configTypes,omitempty"`
	IPAddress       string       `json:"ipAddress,omitempty"`
	ImproperChain   bool         `json:"improperChain,omitempty"`
	Fingerprint     string       `json:"fingerprint,omitempty"`
	Certificates    []certRecord `json:"certificates,omitempty"`
	Queries         []Query      `json:"queries,omitempty"`     // outstanding
	Partial         bool         `json:"partial,omitempty"`     // there were queries at the login
	MfaRequired     bool         `json:"mfaRequired,omitempty"` // a verified enrolment demands codes
	MfaComplete     bool         `json:"mfaComplete,omitempty"` // a code was given
	UpdatedAt       time.Time    `json:"updatedAt,omitzero"`
	CA              string       `json:"ca,omitempty"` // third-party CA of the certificate that logged in
}

type certRecord struct {
	ID        string    `json:"id"`
	CreatedAt time.Time `json:"createdAt"`
	Chain     [][]byte  `json:"chain"` // DER, leaf first
}

// certificate returns the public form of a stored certificate.
func (c certRecord) certificate() (*Certificate, error) {
	chain := make([]*x509.Certificate, len(c.Chain))
	for i, der := range c.Chain {
		cert, err := x509.ParseCertificate(der)
		if err != nil {
			return nil, err
		}
		chain[i] = cert
	}
	return describe(c.ID, c.CreatedAt, chain), nil
}

// snapshot builds the public form of a session.
func (a *Auth) snapshot(e *entry, tokenText string) *Session {
	r := e.record.Load()
	active := e.active()
	s := &Session{
		ID: r.ID, Token: tokenText, IdentityID: r.IdentityID, AuthenticatorID: r.AuthenticatorID,
		CreatedAt: r.CreatedAt, UpdatedAt: r.CreatedAt, IsMfaRequired: r.MfaRequired, IsMfaComplete: r.MfaComplete, ConfigTypes: r.ConfigTypes, IPAddress: r.IPAddress,
		AuthQueries:             append([]Query{}, r.Queries...),
		ImproperClientCertChain: r.ImproperChain, Fingerprint: r.Fingerprint,
		LastActivityAt: e.savedActivity(), CachedLastActivityAt: active,
		ExpiresAt: active.Add(a.cfg.SessionTimeout), ExpirationSeconds: int64(a.cfg.SessionTimeout / time.Second),
	}
	if !r.UpdatedAt.IsZero() {
		s.UpdatedAt = r.UpdatedAt
	}
	if s.ConfigTypes == nil {
		s.ConfigTypes = []string{}
	}
	if auth := a.authenticator(r.AuthenticatorID); auth != nil {
		s.IsCertExtendable = auth.Method == model.MethodCert && auth.IsIssuedByNetwork
		s.IsCertExtendRequested, s.IsCertKeyRollRequested = auth.IsExtendRequested, auth.IsKeyRollRequested
	}
	return s
}
