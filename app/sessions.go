package app

import (
	"context"
	"iter"
	"net"
	"net/http"
	"time"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/controller/auth"
	chttp "github.com/weftnet/weft/controller/http"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/pki"
)

// sessions shows the authentication of a controller to its REST APIs.
type sessions struct {
	auth   *auth.Auth
	bundle func() *pki.Bundle
}

// Authenticate resolves the caller of a request.
func (s sessions) Authenticate(r *http.Request) (*chttp.Caller, error) {
	p, err := s.auth.Authenticate(r)
	if err != nil {
		return nil, err
	}
	return &chttp.Caller{
		IdentityID: p.Identity.ID, SessionID: p.Session.ID, Token: p.Session.Token, Partial: p.Session.Partial(),
		Admin: p.Identity.IsAdmin || p.Identity.IsDefaultAdmin, Permissions: p.Identity.Permissions,
		ConfigTypes: p.Session.ConfigTypes, CreatedAt: p.Session.CreatedAt, ExpiresAt: p.Session.ExpiresAt,
		Timeout: s.auth.SessionTimeout(),
	}, nil
}

// Login begins a session.
func (s sessions) Login(r *http.Request, method string, in *api.Authenticate) (*chttp.APISession, error) {
	request := auth.LoginRequest{Method: method, ConfigTypes: in.ConfigTypes, RemoteIP: hostOf(r.RemoteAddr), RemoteAddress: r.RemoteAddr, LocalAddress: localAddress(r)}
	if in.Username != nil {
		request.Username = *in.Username
	}
	if in.Password != nil {
		request.Password = *in.Password
	}
	if e := in.EnvInfo; e != nil {
		request.EnvInfo = &model.EnvInfo{Arch: e.Arch, OS: e.Os, OSRelease: e.OsRelease, OSVersion: e.OsVersion, Domain: e.Domain, Hostname: e.Hostname}
	}
	if i := in.SdkInfo; i != nil {
		request.SdkInfo = &model.SdkInfo{AppID: i.AppID, AppVersion: i.AppVersion, Branch: i.Branch, Revision: i.Revision, Type: i.Type, Version: i.Version}
	}
	if r.TLS != nil {
		request.Certificates = r.TLS.PeerCertificates
	}
	session, err := s.auth.Login(r.Context(), request)
	if err != nil {
		return nil, err
	}
	return s.shown(session), nil
}

// localAddress is the address that a request came to, with its path.
func localAddress(r *http.Request) string {
	if a, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		return a.String() + r.URL.Path
	}
	return r.URL.Path
}

func hostOf(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	return host
}

// shown returns a session as the APIs show it.
func (s sessions) shown(a *auth.Session) *chttp.APISession {
	out := &chttp.APISession{
		ID: a.ID, Token: a.Token, IdentityID: a.IdentityID, AuthenticatorID: a.AuthenticatorID, IPAddress: a.IPAddress,
		ConfigTypes: a.ConfigTypes, CreatedAt: a.CreatedAt, UpdatedAt: a.UpdatedAt, LastActivityAt: a.LastActivityAt,
		ExpiresAt: a.ExpiresAt, Timeout: time.Duration(a.ExpirationSeconds) * time.Second, AuthQueries: []api.AuthQuery{},
		MfaRequired: a.IsMfaRequired, MfaComplete: a.IsMfaComplete, CertExtendable: a.IsCertExtendable,
		ExtendRequested: a.IsCertExtendRequested, KeyRollRequested: a.IsCertKeyRollRequested, ImproperCertChain: a.ImproperClientCertChain,
	}
	for _, q := range a.AuthQueries {
		out.AuthQueries = append(out.AuthQueries, api.AuthQuery{
			TypeID: q.TypeID, Provider: q.Provider, HTTPMethod: q.HTTPMethod, HTTPURL: q.HTTPURL, Format: q.Format,
			MinLength: int64(q.MinLength), MaxLength: int64(q.MaxLength), ID: q.ID,
		})
	}
	return out
}

// APISession returns a live session, nil if there is none with the id.
func (s sessions) APISession(id string) *chttp.APISession {
	a, err := s.auth.Session(id)
	if err != nil {
		return nil
	}
	return s.shown(a)
}

// APISessions returns every live session.
func (s sessions) APISessions() iter.Seq[*chttp.APISession] {
	return func(yield func(*chttp.APISession) bool) {
		for _, a := range s.auth.Sessions() {
			if !yield(s.shown(a)) {
				return
			}
		}
	}
}

// HasAPISession reports whether an identity has a live session.
func (s sessions) HasAPISession(identityID string) bool { return s.auth.HasSession(identityID) }

// EndAPISession ends a session.
func (s sessions) EndAPISession(ctx context.Context, id string) error {
	return s.auth.End(ctx, id, "ended through the API")
}

// EndIdentitySessions ends every session of an identity.
func (s sessions) EndIdentitySessions(ctx context.Context, identityID string) error {
	return s.auth.EndIdentity(ctx, identityID, "ended through the API")
}

// Certificates returns the certificates of a session.
func (s sessions) Certificates(sessionID string) []chttp.SessionCertificate {
	var out []chttp.SessionCertificate
	for _, c := range s.auth.Certificates(sessionID) {
		out = append(out, certificate(sessionID, c))
	}
	return out
}

func certificate(sessionID string, c *auth.Certificate) chttp.SessionCertificate {
	return chttp.SessionCertificate{
		ID: c.ID, SessionID: sessionID, Fingerprint: c.Fingerprint, Subject: c.Subject, Certificate: c.PEM,
		CreatedAt: c.CreatedAt, ValidFrom: c.ValidFrom, ValidTo: c.ValidTo,
	}
}

// IssueCertificate signs a certificate for the caller's session.
func (s sessions) IssueCertificate(ctx context.Context, c *chttp.Caller, csr string) (chttp.SessionCertificate, string, error) {
	cert, err := s.auth.CreateCertificate(ctx, c.SessionID, csr)
	if err != nil {
		return chttp.SessionCertificate{}, "", err
	}
	return certificate(c.SessionID, cert), s.bundle().PEM(), nil
}

// RemoveCertificate takes a certificate from a session.
func (s sessions) RemoveCertificate(_ context.Context, sessionID, id string) error {
	return s.auth.DeleteCertificate(sessionID, id)
}

// serviceSessions shows the service sessions of a controller to its REST APIs.
type serviceSessions struct{ auth *auth.Auth }

// Create returns the caller's session for a service.
func (s serviceSessions) Create(ctx context.Context, c *chttp.Caller, serviceID, kind string) (*chttp.ServiceSession, error) {
	session, err := s.auth.Session(c.SessionID)
	if err != nil {
		return nil, err
	}
	made, err := s.auth.CreateServiceSession(ctx, session, serviceID, kind)
	if err != nil {
		return nil, err
	}
	return serviceSession(made), nil
}

func serviceSession(s *auth.ServiceSession) *chttp.ServiceSession {
	return &chttp.ServiceSession{
		ID: s.ID, APISessionID: s.APISessionID, IdentityID: s.IdentityID, ServiceID: s.ServiceID, Type: s.Type,
		Token: s.Token, PolicyIDs: s.Policies, CreatedAt: s.CreatedAt, UpdatedAt: s.CreatedAt,
	}
}

// ServiceSession returns a service session, nil if there is none with the id.
func (s serviceSessions) ServiceSession(id string) *chttp.ServiceSession {
	found, err := s.auth.ServiceSession("", id)
	if err != nil {
		return nil
	}
	return serviceSession(found)
}

// ServiceSessions returns every service session.
func (s serviceSessions) ServiceSessions() iter.Seq[*chttp.ServiceSession] {
	return func(yield func(*chttp.ServiceSession) bool) {
		for _, found := range s.auth.ServiceSessions("") {
			if !yield(serviceSession(found)) {
				return
			}
		}
	}
}

// EndServiceSession ends a service session.
func (s serviceSessions) EndServiceSession(ctx context.Context, id string) error {
	return s.auth.DeleteServiceSession(ctx, "", id)
}
