package app

import (
	"context"
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/golang-jwt/jwt/v5"
	"go.yaml.in/yaml/v3"

	"github.com/weftnet/weft/client"
	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/pki"
)

// routerClaims are the claims of a router's enrolment token.
type routerClaims struct {
	Method      string   `json:"em"`
	Controllers []string `json:"ctrls"`
	Controller  string   `json:"ctrl"` // in tokens of older controllers
	jwt.RegisteredClaims
}

// EnrollRouter uses an enrolment token: it makes the router's key unless there
// is one, has its certificates signed, and writes them, the trusted CAs and the
// endpoints of the controllers to the files that the configuration names. It
// returns the id of the router.
func EnrollRouter(ctx context.Context, cfg *conf.Router, token string, log *slog.Logger) (string, error) {
	token = strings.TrimSpace(token)
	var claims routerClaims
	if _, _, err := jwt.NewParser().ParseUnverified(token, &claims); err != nil {
		return "", problem("give the whole file that `weft create edge-router --jwt` wrote", "the enrollment token cannot be read: %w", err)
	}
	if claims.Method != "erott" && claims.Method != "trott" {
		return "", problem("use the token of an edge router", "the token enrolls by %q, a router needs erott", claims.Method)
	}
	files, err := routerFiles(cfg.Identity)
	if err != nil {
		return "", err
	}
	trusted, err := trustOf(ctx, token, claims.Issuer)
	if err != nil {
		return "", err
	}
	key, err := files.loadKey()
	if err != nil {
		return "", err
	}
	issued, err := requestCertificates(ctx, cfg.CSR(), &claims, key, trusted)
	if err != nil {
		return "", err
	}
	if err := files.write(issued); err != nil {
		return "", err
	}
	if err := writeEndpoints(cfg.Ctrl.EndpointsFile, claims); err != nil {
		return "", err
	}
	if cfg.Edge != nil { // what an earlier enrolment had learned
		if err := os.Remove(cfg.Edge.DB); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	log.Info("router enrolled", "router", claims.Subject, "controller", claims.Issuer)
	return claims.Subject, nil
}

// trustOf fetches the CAs of the controller that signed the token: it proves
// to be that one by the key of its server certificate.
func trustOf(ctx context.Context, token, issuer string) (*pki.Bundle, error) {
	c, err := client.New(issuer, client.Options{TLS: &tls.Config{
		InsecureSkipVerify: true, // VerifyConnection checks the one thing that is known of the server
		VerifyConnection:   func(s tls.ConnectionState) error { return signedBy(token, s.PeerCertificates[0]) },
	}})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	certs, err := c.TrustAnchors(ctx)
	if err != nil {
		return nil, fmt.Errorf("CAs of the controller: %w", err)
	}
	if len(certs) == 0 {
		return nil, errors.New("the controller offers no CAs")
	}
	return pki.NewBundle(certs...), nil
}

func signedBy(token string, leaf *x509.Certificate) error {
	_, err := jwt.NewParser(jwt.WithValidMethods([]string{"RS256", "RS384", "RS512", "ES256", "ES384", "ES512"})).
		ParseWithClaims(token, &routerClaims{}, func(*jwt.Token) (any, error) { return leaf.PublicKey, nil })
	if err != nil {
		return problem("check the address in the token and ask for a new one", "the server did not sign this enrollment token: %w", err)
	}
	return nil
}

// requestCertificates enrols with two certificate requests for one key.
func requestCertificates(ctx context.Context, csr conf.CSR, claims *routerClaims, key crypto.Signer, trusted *pki.Bundle) (*client.Enrolled, error) {
	subject := pkix.Name{CommonName: claims.Subject}
	for _, f := range []struct {
		value string
		to    *[]string
	}{
		{csr.Country, &subject.Country}, {csr.Province, &subject.Province}, {csr.Locality, &subject.Locality},
		{csr.Organization, &subject.Organization}, {csr.OrganizationalUnit, &subject.OrganizationalUnit},
	} {
		if f.value != "" {
			*f.to = []string{f.value}
		}
	}
	request, err := pki.NewCSR(key, subject, slices.Concat(csr.SANs.DNS, csr.SANs.IP)...)
	if err != nil {
		return nil, err
	}
	c, err := client.New(claims.Issuer, client.Options{TLS: &tls.Config{RootCAs: trusted.Pool()}})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	issued, err := c.Edge().Enroll(ctx, &client.EnrollParams{Method: claims.Method, Token: claims.ID},
		&client.GenericEnroll{CertCSR: &request, ServerCertCSR: &request})
	if err != nil {
		return nil, err
	}
	if issued.Cert == "" || issued.ServerCert == "" || issued.Ca == "" {
		return nil, errors.New("the controller did not issue both certificates and its CAs")
	}
	return issued, nil
}

// identityFiles are the files of a router's identity.
type identityFiles struct{ cert, serverCert, key, ca string }

func routerFiles(c conf.Identity) (*identityFiles, error) {
	f := &identityFiles{}
	for _, v := range []struct {
		name, value string
		to          *string
	}{{"cert", c.Cert, &f.cert}, {"server_cert", c.ServerCert, &f.serverCert}, {"key", c.Key, &f.key}, {"ca", c.CA, &f.ca}} {
		if v.value == "" {
			return nil, fmt.Errorf("identity.%s: enrollment needs a path to write to", v.name)
		}
		if _, inline := pki.Inline(v.value); inline {
			return nil, fmt.Errorf("identity.%s: enrollment writes files; give a path in place of PEM text", v.name)
		}
		path, err := pki.Path(v.value)
		if err != nil {
			return nil, fmt.Errorf("identity.%s: %w", v.name, err)
		}
		*v.to = path
	}
	return f, nil
}

// loadKey returns the key of the router; it is made if it is not there.
func (f *identityFiles) loadKey() (crypto.Signer, error) {
	text, err := os.ReadFile(f.key)
	if err == nil {
		return pki.ParseKey(text)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	key, err := pki.NewKey()
	if err != nil {
		return nil, err
	}
	encoded, err := pki.EncodeKey(key)
	if err != nil {
		return nil, err
	}
	return key, pki.WriteNew(f.key, encoded, 0o600)
}

func (f *identityFiles) write(issued *client.Enrolled) error {
	return errors.Join(
		replaceFile(f.cert, issued.Cert, 0o644), replaceFile(f.serverCert, issued.ServerCert, 0o644), replaceFile(f.ca, issued.Ca, 0o644))
}

// writeEndpoints writes the controllers that the token names.
func writeEndpoints(path string, claims routerClaims) error {
	list := claims.Controllers
	if len(list) == 0 && claims.Controller != "" {
		list = []string{claims.Controller}
	}
	if len(list) == 0 {
		return nil
	}
	text, err := yaml.Marshal(map[string][]string{"endpoints": list})
	if err != nil {
		return err
	}
	return replaceFile(path, string(text), 0o600)
}

// replaceFile writes a file in one step: readers see the old text or the new.
func replaceFile(path, text string, mode os.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
