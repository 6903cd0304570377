package app

import (
	"context"
	"crypto/x509"
	"errors"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/clock"
	"github.com/weftnet/weft/controller/auth"
	"github.com/weftnet/weft/controller/enroll"
	"github.com/weftnet/weft/controller/extjwt"
	"github.com/weftnet/weft/controller/fetch"
	chttp "github.com/weftnet/weft/controller/http"
)

// enroller shows enrolment to the REST APIs of a controller.
type enroller struct {
	*enroll.Enroller
	passwords *auth.Passwords
}

// Enroll uses an enrollment.
func (e enroller) Enroll(ctx context.Context, in chttp.EnrollRequest) (*api.Enrolled, error) {
	result, err := e.Enroller.Enroll(ctx, enroll.Request{
		Method: in.Method, Token: in.Token, ClientCSR: text(in.Body.ClientCSR), CertCSR: text(in.Body.CertCSR),
		ServerCSR: text(in.Body.ServerCertCSR), Password: text(in.Body.Password), RemoteIP: hostOf(in.RemoteAddr),
		Name: text(in.Body.Name), Certificates: in.PeerCerts, Bearers: in.Bearers, SignerID: in.SignerID,
	})
	return enrolled(result), err
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func enrolled(r *enroll.Result) *api.Enrolled {
	if r == nil {
		return nil
	}
	return &api.Enrolled{Ca: r.CA, Cert: r.Cert, ServerCert: r.ServerCert, Username: r.Username}
}

// ExtendRouter renews the certificates of the router that presented peer.
func (e enroller) ExtendRouter(ctx context.Context, peer []*x509.Certificate, in api.ExtendRouter) (*api.Enrolled, error) {
	result, err := e.Enroller.ExtendRouter(ctx, peer, text(in.CertCSR), text(in.ServerCertCSR))
	return enrolled(result), err
}

// ExtendIdentity renews the certificate of an identity that presented peer.
func (e enroller) ExtendIdentity(ctx context.Context, peer []*x509.Certificate, identityID, authenticatorID, csr string) (*api.ExtendedIdentity, error) {
	made, err := e.Enroller.ExtendIdentity(ctx, identityID, authenticatorID, peer, csr)
	if err != nil {
		return nil, err
	}
	return &api.ExtendedIdentity{Ca: made.CA, ClientCert: made.ClientCert}, nil
}

// VerifyExtension puts a renewed certificate in force.
func (e enroller) VerifyExtension(ctx context.Context, peer []*x509.Certificate, identityID, authenticatorID, cert string) error {
	return e.Enroller.VerifyExtension(ctx, identityID, authenticatorID, peer, cert)
}

// HashPassword returns the stored form of a password.
func (e enroller) HashPassword(ctx context.Context, password string) (string, error) {
	return e.passwords.Hash(ctx, password)
}

// CheckPassword compares a password with a stored form.
func (e enroller) CheckPassword(ctx context.Context, hash, password string) (bool, error) {
	err := e.passwords.Verify(ctx, hash, password)
	if errors.Is(err, auth.ErrPassword) {
		return false, nil
	}
	return err == nil, err
}

// tokens returns the verifier of tokens of external signers, which fetches
// their keys within the gates of the configuration.
func (c *Controller) tokens() *extjwt.Verifier {
	j := c.o.Config.Edge.ExternalJWTSigners.JWKSFetch
	keys := fetch.New(fetch.Config{Gates: fetchGates(j), Timeout: j.Timeout, MaxRedirects: j.MaxRedirects})
	return extjwt.New(c.store.Store, keys, clock.Real(), c.o.Log)
}
