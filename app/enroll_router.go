package app

import (
	"context"
	"crypto"
	"crypto/tls"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/weftnet/weft/client"
	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/sdk"
)

// EnrollRouter uses an enrolment token: it makes the router's key unless there
// is one, has its certificates signed, and writes them, the trusted CAs and the
// endpoints of the controllers to the files that the configuration names. It
// returns the id of the router.
func EnrollRouter(ctx context.Context, cfg *conf.Router, token string, log *slog.Logger) (string, error) {
	enrollment, err := sdk.ParseEnrollment(token)
	if err != nil {
		return "", err
	}
	if enrollment.Method != "erott" && enrollment.Method != "trott" {
		return "", problem("use the token that `weft create edge-router --jwt` wrote", "the token enrolls by %q, a router needs erott", enrollment.Method)
	}
	files, err := routerFiles(cfg.Identity)
	if err != nil {
		return "", err
	}
	trusted, err := enrollment.FetchCAs(ctx)
	if err != nil {
		return "", err
	}
	key, err := files.loadKey()
	if err != nil {
		return "", err
	}
	issued, err := requestCertificates(ctx, cfg.CSR(), enrollment, key, trusted)
	if err != nil {
		return "", err
	}
	// What an interrupted renewal has left would take the place of the new ones.
	if err := certificateFiles(cfg.Identity).Discard(); err != nil {
		return "", err
	}
	if err := files.write(issued); err != nil {
		return "", err
	}
	if err := writeEndpoints(cfg.Ctrl.EndpointsFile, enrollment.Controllers); err != nil {
		return "", err
	}
	if cfg.Edge != nil { // what an earlier enrolment had learned
		if err := os.Remove(cfg.Edge.DB); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	log.Info("router enrolled", "router", enrollment.Subject, "controller", enrollment.Issuer)
	return enrollment.Subject, nil
}

// requestCertificates enrols with two certificate requests for one key.
func requestCertificates(ctx context.Context, csr conf.CSR, enrollment *sdk.Enrollment, key crypto.Signer, trusted *pki.Bundle) (*client.Enrolled, error) {
	request, err := pki.NewCSR(key, subjectOf(csr, enrollment.Subject), slices.Concat(csr.SANs.DNS, csr.SANs.IP)...)
	if err != nil {
		return nil, err
	}
	c, err := client.New(enrollment.Issuer, client.Options{TLS: &tls.Config{
		MinVersion: tls.VersionTLS12, RootCAs: trusted.Pool(), VerifyConnection: sdk.VerifyController,
	}})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	issued, err := c.Edge().Enroll(ctx, &client.EnrollParams{Method: enrollment.Method, Token: enrollment.Token},
		&client.GenericEnroll{CertCSR: &request, ServerCertCSR: &request})
	if err != nil {
		return nil, err
	}
	if issued.Cert == "" || issued.ServerCert == "" || issued.Ca == "" {
		return nil, errors.New("the controller did not issue both certificates and its CAs")
	}
	return issued, nil
}

// subjectOf returns the subject of a router's certificate requests.
func subjectOf(csr conf.CSR, routerID string) pkix.Name {
	subject := pkix.Name{CommonName: routerID}
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
	return subject
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

// loadKey returns the key of the router; it is made, with its directory, if it
// is not there.
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
	if err := os.MkdirAll(filepath.Dir(f.key), 0o700); err != nil {
		return nil, err
	}
	return key, pki.WriteNew(f.key, encoded, 0o600)
}

func (f *identityFiles) write(issued *client.Enrolled) error {
	return errors.Join(
		replaceFile(f.cert, issued.Cert, 0o644), replaceFile(f.serverCert, issued.ServerCert, 0o644), replaceFile(f.ca, issued.Ca, 0o644))
}

// writeEndpoints writes the controllers that the token names.
func writeEndpoints(path string, list []string) error {
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
// It makes the directory if there is none.
func replaceFile(path, text string, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
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
