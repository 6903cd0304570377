package app

import (
	"context"
	"crypto/x509"
	"errors"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/pki"
)

// signer is the CA that signs what enrols, with the bundle of all CAs that the
// network trusts. It does not change while the controller runs.
type signer struct {
	ca      *pki.Authority
	all     *pki.Bundle
	anchors string // of the bundle, PKCS#7 in base64
}

// loadSigner loads the signing certificate; the CAs of the identities are
// trusted beside it.
func loadSigner(c conf.SigningCert, identities []*pki.Identity) (*signer, error) {
	const section = "edge.enrollment.signingCert"
	chain, err := readCertificates(c.Cert)
	if err != nil {
		return nil, wrong(section+".cert", keyRemedy(err), "%w", err)
	}
	if err := checkValid(section+".cert", chain[0], time.Now()); err != nil {
		return nil, err
	}
	keyText, err := readPEM(c.Key)
	if err != nil {
		return nil, wrong(section+".key", keyRemedy(err), "%w", err)
	}
	key, err := pki.ParseKey(keyText)
	if err != nil {
		return nil, wrong(section+".key", keyRemedy(err), "%w", err)
	}
	var further []*x509.Certificate
	if c.CA != "" {
		if further, err = readCertificates(c.CA); err != nil {
			return nil, wrong(section+".ca", keyRemedy(err), "%w", err)
		}
	}
	trusted := append([]*x509.Certificate{chain[0]}, further...)
	for _, i := range identities {
		trusted = append(trusted, i.Bundle().Certificates()...)
	}
	s := &signer{all: pki.NewBundle(trusted...)}
	if s.ca, err = pki.NewAuthority(chain[0], key, append(chain[1:], s.all.Certificates()...)...); err != nil {
		return nil, wrong(section+".key", "name the key of signingCert.cert, which has to be a CA", "%w", err)
	}
	s.anchors, err = pki.PKCS7Base64(s.all.Certificates())
	return s, err
}

func (s *signer) authority() *pki.Authority { return s.ca }
func (s *signer) bundle() *pki.Bundle       { return s.all }
func (s *signer) trustAnchors() string      { return s.anchors }

// readPEM returns the text that a configuration value names: PEM text itself,
// or a path.
func readPEM(value string) ([]byte, error) {
	if text, ok := pki.Inline(value); ok {
		return []byte(text), nil
	}
	path, err := pki.Path(value)
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

func readCertificates(value string) ([]*x509.Certificate, error) {
	text, err := readPEM(value)
	if err != nil {
		return nil, err
	}
	certs, err := pki.ParseCertificates(text)
	if err == nil && len(certs) == 0 {
		err = errors.New("no certificate found")
	}
	return certs, err
}

// distinct returns each identity once.
func distinct(all []*pki.Identity) []*pki.Identity {
	var out []*pki.Identity
	for _, i := range all {
		if !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	return out
}

// chainOf returns the first server chain of an identity.
func chainOf(i *pki.Identity) []*x509.Certificate {
	var out []*x509.Certificate
	servers := i.ServerCertificates()
	if len(servers) == 0 {
		return nil
	}
	for _, raw := range servers[0].Certificate {
		if c, err := x509.ParseCertificate(raw); err == nil {
			out = append(out, c)
		}
	}
	return out
}

// watchInterval is how often files of an identity are looked at.
const watchInterval = 10 * time.Second

// watchIdentity reloads an identity when its files change, until ctx ends. The
// returned function ends it with stop and waits.
func watchIdentity(ctx context.Context, stop func(), i *pki.Identity, log *slog.Logger) func() error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		i.Watch(ctx, watchInterval, reloaded(log))
	}()
	return func() error { stop(); <-done; return nil }
}

// reloaded says in the log how a reload of changed files went.
func reloaded(log *slog.Logger) func(error) {
	return func(err error) {
		if err != nil {
			log.Error("changed identity not loaded, the former one stays", "error", err)
			return
		}
		log.Info("identity reloaded")
	}
}
