package cli

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/weftnet/weft/client"
	"github.com/weftnet/weft/sdk"
)

// client returns an API client with what the account holds.
func (a *account) client(t *tool) (*client.Client, error) {
	cfg, err := a.tls()
	if err != nil {
		return nil, err
	}
	return client.New(a.Address, client.Options{TLS: cfg, Token: a.Token, UserAgent: t.agent(), Wrap: func(next http.RoundTripper) http.RoundTripper { return t.wrap(next, a.ReadOnly) }})
}

// wrap puts the layer of -j, --dry-run and --read-only around a transport.
func (t *tool) wrap(next http.RoundTripper, readOnly bool) http.RoundTripper {
	t.wire = &wire{next: next, dry: t.dryRun, keep: t.envelope, readOnly: readOnly}
	return t.wire
}

func (t *tool) agent() string { return "weft-cli/" + t.version }

// tls returns the trust anchors and the certificate of the account.
func (a *account) tls() (*tls.Config, error) {
	cfg := &tls.Config{MinVersion: tls.VersionTLS12, VerifyConnection: sdk.VerifyController}
	if a.CA != "" {
		cfg.RootCAs = x509.NewCertPool()
		if !cfg.RootCAs.AppendCertsFromPEM([]byte(a.CA)) {
			return nil, &failure{code: "BAD_CA", cause: "the trust anchors hold no PEM certificate", remedy: "log in with --ca and a file of PEM certificates", exit: ExitFailure}
		}
	}
	cert, key, err := a.keyPair()
	if err != nil || cert == "" {
		return cfg, err
	}
	pair, err := tls.X509KeyPair([]byte(cert), []byte(key))
	if err != nil {
		return nil, usageError("give a certificate and its key, both PEM", "the client certificate: %s", err)
	}
	cfg.Certificates = []tls.Certificate{pair}
	return cfg, nil
}

// keyPair returns certificate and key as PEM, empty if the account has none.
func (a *account) keyPair() (cert, key string, err error) {
	certValue, keyValue := a.Cert, a.Key
	if a.IdentityFile != "" {
		id, err := sdk.LoadIdentity(a.IdentityFile)
		if err != nil {
			return "", "", usageError("give an identity file", "%s", err)
		}
		certValue, keyValue = id.Credentials.Cert, id.Credentials.Key
	}
	if certValue == "" {
		return "", "", nil
	}
	if cert, err = pemValue(certValue); err == nil {
		key, err = pemValue(keyValue)
	}
	return cert, key, err
}

// pemValue reads a value of an identity file: `pem:` and PEM, `file://` and a
// path, PEM itself, or a path.
func pemValue(value string) (string, error) {
	if text, ok := strings.CutPrefix(value, "pem:"); ok {
		return text, nil
	}
	if strings.HasPrefix(strings.TrimSpace(value), "-----BEGIN") {
		return value, nil
	}
	b, err := os.ReadFile(strings.TrimPrefix(value, "file://"))
	if err != nil {
		return "", usageError("check the path", "%s", fmt.Errorf("key material: %w", err))
	}
	return string(b), nil
}
