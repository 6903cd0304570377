package enroll

import (
	"context"
	"crypto/x509"
	"crypto/x509/pkix"
	"net/url"
	"unicode"
	"unicode/utf8"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/id"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/state"
)

// ott issues a certificate for an identity.
func (n *Enroller) ott(ctx context.Context, v *state.View, e *model.Enrollment, r Request) (*Result, error) {
	identity := state.Get[model.Identity](v, e.IdentityID)
	if identity == nil {
		return nil, fault.InvalidEnrollmentToken.New(nil)
	}
	chain, err := n.identityCertificate(identity.ID, r.ClientCSR)
	if err != nil {
		return nil, err
	}
	a := &model.Authenticator{Method: model.MethodCert, IdentityID: identity.ID, IsIssuedByNetwork: true}
	a.ID = id.Short()
	describe(a, chain)
	if err := n.consume(ctx, e, n.command(authorOf(identity), "enrollOtt", r.RemoteIP).Create(a)); err != nil {
		return nil, err
	}
	return &Result{Cert: a.CertPem}, nil
}

// identityCertificate signs the key of a request for an identity.
func (n *Enroller) identityCertificate(identityID, csr string) ([]*x509.Certificate, error) {
	req, err := pki.ParseCSR([]byte(csr))
	if err != nil {
		return nil, fault.CouldNotProcessCSR.New(err)
	}
	chain, err := n.deps.Signer().Issue(pki.Leaf{
		PublicKey:   req.PublicKey,
		Subject:     pkix.Name{CommonName: identityID},
		URIs:        []*url.URL{pki.IdentitySPIFFE(n.cfg.TrustDomain, identityID)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}, n.now())
	if err != nil {
		return nil, fault.CouldNotProcessCSR.New(err)
	}
	return chain, nil
}

// describe puts a certificate into an authenticator.
func describe(a *model.Authenticator, chain []*x509.Certificate) {
	a.CertPem = pki.EncodeCertificates(chain...)
	a.Fingerprint = pki.Fingerprint(chain[0])
	a.PublicKeyPrint = pki.PublicKeyPrint(chain[0])
}

// updb sets the password of the user name that the enrollment names.
func (n *Enroller) updb(ctx context.Context, v *state.View, e *model.Enrollment, r Request) (*Result, error) {
	identity := state.Get[model.Identity](v, e.IdentityID)
	if identity == nil {
		return nil, fault.InvalidEnrollmentToken.New(nil)
	}
	if r.Password == "" {
		return nil, fault.CouldNotValidate.Field("password", "password in body is required", nil)
	}
	var rules model.AuthUpdb
	if policy := state.Get[model.AuthPolicy](v, identity.AuthPolicyID); policy != nil {
		rules = policy.Primary.Updb
	}
	if err := CheckPassword(rules, r.Password); err != nil {
		return nil, err
	}
	hash, err := n.deps.Passwords.Hash(ctx, r.Password)
	if err != nil {
		return nil, fault.TooManyRequests.New(err)
	}
	a := &model.Authenticator{Method: model.MethodUpdb, IdentityID: identity.ID, Username: e.Username, PasswordHash: hash}
	a.ID = id.Short()
	if err := n.consume(ctx, e, n.command(authorOf(identity), "enrollUpdb", r.RemoteIP).Create(a)); err != nil {
		return nil, err
	}
	return &Result{Username: e.Username}, nil
}

func authorOf(i *model.Identity) state.Author {
	return state.Author{ID: i.ID, Name: i.Name, Type: "identity"}
}

// Lengths of passwords, in characters.
const (
	minPassword = 5
	maxPassword = 100
)

// CheckPassword compares a new password with the rules of an auth policy. The
// refusal is fault.CouldNotValidate; it never contains the password.
func CheckPassword(rules model.AuthUpdb, password string) error {
	refuse := func(reason string) error { return fault.CouldNotValidate.Field("password", reason, nil) }
	length := int64(utf8.RuneCountInString(password))
	var upper, lower, digit, special bool
	for _, r := range password {
		switch {
		case unicode.IsUpper(r):
			upper = true
		case unicode.IsLower(r):
			lower = true
		case unicode.IsDigit(r):
			digit = true
		case !unicode.IsLetter(r):
			special = true
		}
	}
	switch {
	case length < minPassword:
		return refuse("password in body should be at least 5 chars long")
	case length > maxPassword:
		return refuse("password in body should be at most 100 chars long")
	case length < rules.MinPasswordLength:
		return refuse("password is shorter than the auth policy demands")
	case rules.RequireMixedCase && !(upper && lower):
		return refuse("the auth policy demands upper and lower case letters")
	case rules.RequireNumberChar && !digit:
		return refuse("the auth policy demands a digit")
	case rules.RequireSpecialChar && !special:
		return refuse("the auth policy demands a special character")
	}
	return nil
}
