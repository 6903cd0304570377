package app

import (
	"fmt"

	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/pki"
)

// source returns an identity section as the PKI reads it.
func source(c conf.Identity) pki.Source {
	s := pki.Source{Cert: c.Cert, Key: c.Key, CA: c.CA, ServerCert: c.ServerCert, ServerKey: c.ServerKey}
	for _, a := range c.AltServerCerts {
		s.AltServerCerts = append(s.AltServerCerts, pki.AltSource{ServerCert: a.ServerCert, ServerKey: a.ServerKey})
	}
	return s
}

// loadIdentity loads an identity section; the error names the section.
func loadIdentity(section string, c conf.Identity) (*pki.Identity, error) {
	i, err := pki.LoadIdentity(source(c))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", section, err)
	}
	return i, nil
}

// commonName returns the name that the client certificate of i carries, which
// is the id of the controller or router.
func commonName(i *pki.Identity) (string, error) {
	leaf := i.ClientCertificate().Leaf
	if leaf == nil || leaf.Subject.CommonName == "" {
		return "", fmt.Errorf("identity.cert: the certificate has no common name, which is the id of the process")
	}
	return leaf.Subject.CommonName, nil
}
