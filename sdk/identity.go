package sdk

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/weftnet/weft/pki"
)

// Identity is the content of an identity file, in the format of the ecosystem.
// It is not safe to change while a Client uses it.
type Identity struct {
	// ControllerURL is the client API, for example https://host:1280/edge/client/v1.
	ControllerURL string `json:"ztAPI"`
	// ControllerURLs are the client APIs of all controllers of a cluster.
	ControllerURLs []string `json:"ztAPIs"`
	// ConfigTypes are names or ids of config types whose configs come with the
	// services; "all" means all of them.
	ConfigTypes []string    `json:"configTypes"`
	Credentials Credentials `json:"id"`
	EnableHA    bool        `json:"enableHa"`
}

// Credentials are the keys and certificates of an identity. Each value is
// "pem:" and PEM text, "file://" and a path, PEM text itself, or a path.
// An identity that logs in by password has only CA.
type Credentials struct {
	Key  string `json:"key,omitempty"`  // private key
	Cert string `json:"cert,omitempty"` // certificate chain, leaf first
	CA   string `json:"ca,omitempty"`   // trusted CAs; system's if empty
}

// LoadIdentity reads an identity file.
func LoadIdentity(path string) (*Identity, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("sdk: identity file: %w", err)
	}
	id, err := ParseIdentity(b)
	if err != nil {
		return nil, fmt.Errorf("sdk: identity file %s: %w", path, err)
	}
	return id, nil
}

// ParseIdentity reads the content of an identity file.
func ParseIdentity(b []byte) (*Identity, error) {
	var id Identity
	if err := json.Unmarshal(b, &id); err != nil {
		return nil, err
	}
	if id.ControllerURL == "" && len(id.ControllerURLs) > 0 {
		id.ControllerURL = id.ControllerURLs[0]
	}
	if id.ControllerURL == "" {
		return nil, errors.New(`no controller: "ztAPI" is missing`)
	}
	if (id.Credentials.Key == "") != (id.Credentials.Cert == "") {
		return nil, errors.New(`"id" needs both "key" and "cert", or neither`)
	}
	return &id, nil
}

// Save writes the identity file with mode 0600. It replaces an existing file
// in one step; the new content is on disk when Save returns.
func (id *Identity) Save(path string) error {
	b, err := json.MarshalIndent(id, "", "  ")
	if err != nil {
		return fmt.Errorf("sdk: identity file: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // mode 0600
	if err != nil {
		return fmt.Errorf("sdk: identity file: %w", err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(append(b, '\n'))
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("sdk: identity file: %w", err)
	}
	return nil
}

// urls returns the client APIs to try, without trailing slashes.
func (id *Identity) urls() []string {
	var list []string
	for _, u := range append([]string{id.ControllerURL}, id.ControllerURLs...) {
		u = strings.TrimRight(u, "/")
		known := u == ""
		for _, have := range list {
			known = known || have == u
		}
		if !known {
			list = append(list, u)
		}
	}
	return list
}

// material is the loaded form of Credentials.
type material struct {
	cert  *tls.Certificate // nil without an own certificate
	trust *pki.Bundle      // nil: the system's CAs
}

func (id *Identity) load() (*material, error) {
	m := &material{}
	c := id.Credentials
	if c.Cert != "" {
		own, err := pki.LoadIdentity(pki.Source{Cert: c.Cert, Key: c.Key, CA: c.CA})
		if err != nil {
			return nil, fmt.Errorf("sdk: identity: %w", err)
		}
		m.cert = own.ClientCertificate()
	}
	if c.CA != "" {
		text, err := readValue(c.CA)
		if err != nil {
			return nil, fmt.Errorf("sdk: identity: ca: %w", err)
		}
		if m.trust, err = pki.ParseBundle(text); err != nil {
			return nil, fmt.Errorf("sdk: identity: ca: %w", err)
		}
	}
	return m, nil
}

func readValue(value string) ([]byte, error) {
	if text, ok := pki.Inline(value); ok {
		return []byte(text), nil
	}
	path, err := pki.Path(value)
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// tls returns the configuration of connections to controllers and routers:
// cert, which may be nil, is presented when the server asks for one.
func (m *material) tls(cert *tls.Certificate) *tls.Config {
	cfg := &tls.Config{MinVersion: tls.VersionTLS12}
	if cert != nil {
		// Not Certificates: the issuers that a server names are incomplete.
		cfg.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return cert, nil }
	}
	if m.trust != nil {
		cfg.InsecureSkipVerify = true // VerifyConnection does it
		cfg.VerifyConnection = func(s tls.ConnectionState) error {
			return pki.VerifyServer(s, m.trust, time.Now())
		}
	}
	return cfg
}
