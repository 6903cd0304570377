package app

import (
	"crypto/x509"
	"errors"
	"io/fs"
	"time"

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

// loadIdentity loads an identity section; the error names the key.
func loadIdentity(section string, c conf.Identity) (*pki.Identity, error) {
	i, err := pki.LoadIdentity(source(c))
	var field *pki.FieldError
	if errors.As(err, &field) {
		return nil, wrong(section+"."+field.Field, keyRemedy(field.Err), "%w", field.Err)
	}
	if err != nil {
		return nil, wrong(section, "see what the keys of the section name", "%w", err)
	}
	return i, nil
}

// keyRemedy is what to do about key material that cannot be used.
func keyRemedy(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "name the file, or make it: weft up makes the keys of a whole network, weft router enroll those of a router"
	case errors.Is(err, fs.ErrPermission):
		return "let the user of this process read the file"
	}
	return "name a PEM file, or write the PEM text after pem:"
}

// checkValid refuses certificates whose time is over: nobody would accept them.
func checkValid(key string, c *x509.Certificate, now time.Time) error {
	if c != nil && now.After(c.NotAfter) {
		return wrong(key, "renew the certificate, or correct the clock if it is wrong", "the certificate of %s has expired on %s", c.Subject, c.NotAfter.UTC().Format(time.RFC3339))
	}
	return nil
}

// checkIdentity refuses an identity whose certificates have expired; of several
// server chains it is the first that counts.
func checkIdentity(section string, i *pki.Identity, now time.Time) error {
	if c := i.ClientCertificate(); c != nil {
		if err := checkValid(section+".cert", c.Leaf, now); err != nil {
			return err
		}
	}
	if s := i.ServerCertificates(); len(s) > 0 {
		return checkValid(section+".server_cert", s[0].Leaf, now)
	}
	return nil
}

// commonName returns the name that the client certificate of i carries, which
// is the id of the controller or router.
func commonName(i *pki.Identity) (string, error) {
	leaf := i.ClientCertificate().Leaf
	if leaf == nil || leaf.Subject.CommonName == "" {
		return "", wrong("identity.cert", "use a certificate whose subject has a common name", "the certificate has no common name, which is the id of the process")
	}
	return leaf.Subject.CommonName, nil
}
