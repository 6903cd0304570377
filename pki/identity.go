package pki

import (
	"context"
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
)

// Source is the identity section of a configuration or identity file. Each
// value is a path, file://path, pem:<PEM>, pem://<PEM>, or PEM text itself.
type Source struct {
	Cert           string // client certificate chain, leaf first
	Key            string // private key of Cert, and of ServerCert without ServerKey
	ServerCert     string // server certificate chains; without it and ServerKey that of the client
	ServerKey      string
	CA             string // trusted CAs
	AltServerCerts []AltSource
}

// AltSource is a further server certificate, offered by SNI. Without a
// ServerKey the identity's server key is used.
type AltSource struct {
	ServerCert string
	ServerKey  string
}

// Identity is a loaded identity section. The material can be reloaded; a
// handshake sees either the old or the new one. It is safe for concurrent use.
type Identity struct {
	source Source
	now    atomic.Pointer[material]
}

type material struct {
	client  *tls.Certificate // nil without Cert
	servers []*tls.Certificate
	bundle  *Bundle
	stamps  map[string]time.Time // modification times of the files read
}

// FieldError is a value of an identity section that cannot be used.
type FieldError struct {
	Field string // such as key, or alt_server_certs[0].server_cert
	Err   error
}

// Error names the field and what is wrong with it.
func (e *FieldError) Error() string { return e.Field + ": " + e.Err.Error() }

// Unwrap returns what is wrong.
func (e *FieldError) Unwrap() error { return e.Err }

// LoadIdentity reads an identity section. Its errors are FieldErrors.
func LoadIdentity(s Source) (*Identity, error) {
	i := &Identity{source: s}
	if err := i.Reload(); err != nil {
		return nil, err
	}
	return i, nil
}

// Reload reads everything anew. With an error the former material stays.
func (i *Identity) Reload() error {
	m, err := readMaterial(i.source)
	if err != nil {
		return err
	}
	i.now.Store(m)
	return nil
}

// Watch reloads when a file has changed, looking every interval, until ctx
// ends. report is called after each attempt, with its error or nil.
func (i *Identity) Watch(ctx context.Context, interval time.Duration, report func(error)) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if i.now.Load().changed() {
				report(i.Reload())
			}
		}
	}
}

func (m *material) changed() bool {
	for path, was := range m.stamps {
		if st, err := os.Stat(path); err == nil && !st.ModTime().Equal(was) {
			return true
		}
	}
	return false
}

// ClientCertificate returns the chain and key that prove this identity, nil
// without one.
func (i *Identity) ClientCertificate() *tls.Certificate { return i.now.Load().client }

// ServerCertificates returns the server chains: those of ServerCert first.
func (i *Identity) ServerCertificates() []*tls.Certificate { return i.now.Load().servers }

// Bundle returns the trusted CAs, empty when none are configured.
func (i *Identity) Bundle() *Bundle { return i.now.Load().bundle }

// ServerCertificateFor returns the server certificate for a name: an exact
// match, then a wildcard match, then the first. It is nil without server
// certificates.
func (i *Identity) ServerCertificateFor(name string) *tls.Certificate {
	m := i.now.Load()
	if c := m.match(name); c != nil {
		return c
	}
	if len(m.servers) > 0 {
		return m.servers[0]
	}
	return nil
}

// ServerCertificateValidFor is like ServerCertificateFor, but returns nil when
// no certificate is made for the name.
func (i *Identity) ServerCertificateValidFor(name string) *tls.Certificate {
	return i.now.Load().match(name)
}

func (m *material) match(name string) *tls.Certificate {
	if name == "" {
		return nil
	}
	for _, exact := range []bool{true, false} {
		for _, c := range m.servers {
			if exact && hasName(c.Leaf, name) || !exact && c.Leaf.VerifyHostname(name) == nil {
				return c
			}
		}
	}
	return nil
}

func hasName(c *x509.Certificate, name string) bool {
	for _, n := range c.DNSNames {
		if strings.EqualFold(n, strings.TrimSuffix(name, ".")) {
			return true
		}
	}
	return false
}

func readMaterial(s Source) (*material, error) {
	r := &reader{stamps: make(map[string]time.Time)}
	m := &material{bundle: NewBundle(), stamps: r.stamps}
	key, err := r.key("key", s.Key)
	if err != nil {
		return nil, err
	}
	if s.Cert != "" {
		chains, err := r.chains("cert", s.Cert, key)
		if err != nil {
			return nil, err
		}
		m.client = chains[0]
	}
	if s.ServerKey != "" {
		if key, err = r.key("server_key", s.ServerKey); err != nil {
			return nil, err
		}
	}
	if s.ServerCert != "" {
		if m.servers, err = r.chains("server_cert", s.ServerCert, key); err != nil {
			return nil, err
		}
	}
	if s.ServerCert == "" && s.ServerKey == "" && m.client != nil {
		m.servers = []*tls.Certificate{m.client}
	}
	for n, alt := range s.AltServerCerts {
		chains, err := r.alternative(fmt.Sprintf("alt_server_certs[%d]", n), alt, key)
		if err != nil {
			return nil, err
		}
		m.servers = append(m.servers, chains...)
	}
	if s.CA != "" {
		text, err := r.text("ca", s.CA)
		if err != nil {
			return nil, err
		}
		if m.bundle, err = ParseBundle(text); err != nil {
			return nil, &FieldError{"ca", err}
		}
	}
	return m, nil
}

// reader reads the values of an identity section and remembers the files.
type reader struct{ stamps map[string]time.Time }

func (r *reader) alternative(field string, alt AltSource, key crypto.Signer) ([]*tls.Certificate, error) {
	if alt.ServerCert == "" {
		return nil, &FieldError{field + ".server_cert", errors.New("is required")}
	}
	if alt.ServerKey != "" {
		k, err := r.key(field+".server_key", alt.ServerKey)
		if err != nil {
			return nil, err
		}
		key = k
	}
	return r.chains(field+".server_cert", alt.ServerCert, key)
}

func (r *reader) key(field, value string) (crypto.Signer, error) {
	if value == "" {
		return nil, nil
	}
	text, err := r.text(field, value)
	if err != nil {
		return nil, err
	}
	key, err := ParseKey(text)
	if err != nil {
		return nil, &FieldError{field, err}
	}
	return key, nil
}

// chains reads one or several chains with the same key: each certificate that
// belongs to the key begins a chain.
func (r *reader) chains(field, value string, key crypto.Signer) ([]*tls.Certificate, error) {
	text, err := r.text(field, value)
	if err != nil {
		return nil, err
	}
	certs, err := ParseCertificates(text)
	if err != nil {
		return nil, &FieldError{field, err}
	}
	if key == nil {
		return nil, &FieldError{field, errors.New("no private key is configured")}
	}
	if !SamePublicKey(certs[0], key) {
		return nil, &FieldError{field, errors.New("the first certificate does not belong to the private key")}
	}
	var chains []*tls.Certificate
	for _, c := range certs {
		if SamePublicKey(c, key) {
			chains = append(chains, &tls.Certificate{PrivateKey: key, Leaf: c})
		}
		last := chains[len(chains)-1]
		last.Certificate = append(last.Certificate, c.Raw)
	}
	return chains, nil
}

// text returns the PEM text that a value stands for.
func (r *reader) text(field, value string) ([]byte, error) {
	if t, ok := Inline(value); ok {
		return []byte(t), nil
	}
	path, err := Path(value)
	if err != nil {
		return nil, &FieldError{field, err}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, &FieldError{field, err}
	}
	if st, err := os.Stat(path); err == nil {
		r.stamps[path] = st.ModTime()
	}
	return data, nil
}

// Inline returns the PEM text of a value that holds it itself.
func Inline(value string) (string, bool) {
	for _, prefix := range []string{"pem://", "pem:"} {
		if t, ok := strings.CutPrefix(value, prefix); ok {
			return t, true
		}
	}
	return value, strings.HasPrefix(strings.TrimSpace(value), "-----BEGIN")
}

// Path returns the file that a value of an identity section names. Inline
// material and hardware keys are errors.
func Path(value string) (string, error) {
	if _, ok := Inline(value); ok {
		return "", errors.New("inline PEM names no file")
	}
	if p, ok := strings.CutPrefix(value, "file://"); ok {
		return filepath.FromSlash(p), nil
	}
	if scheme, _, ok := strings.Cut(value, ":"); ok && len(scheme) > 1 && !strings.ContainsAny(scheme, "/\\.") {
		return "", fmt.Errorf("keys of kind %q are not supported; use a PEM file or pem: text", scheme)
	}
	return value, nil
}
