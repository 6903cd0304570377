package app

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/weftnet/weft/agent"
	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/router/renew"
	"github.com/weftnet/weft/router/uplink"
)

// certificateFiles returns the files that renewed certificates go to; those of
// values that name no file are empty.
func certificateFiles(c conf.Identity) renew.Files {
	path := func(value string) string {
		p, err := pki.Path(value)
		if err != nil {
			return ""
		}
		return p
	}
	f := renew.Files{Cert: path(c.Cert), ServerCert: path(c.ServerCert), CA: path(c.CA)}
	if f.ServerCert == f.Cert {
		f.ServerCert = "" // one file for both: it is the client's, see readMaterial of pki
	}
	for _, other := range []string{path(c.Key), path(c.ServerKey), f.CA} {
		if other != "" && (other == f.Cert || other == f.ServerCert) {
			return renew.Files{} // new certificates would take the place of a key or of the CAs
		}
	}
	return f
}

// finishRenewal ends a renewal that the end of the last process interrupted.
func (r *Router) finishRenewal() error {
	replaced, err := certificateFiles(r.o.Config.Identity).Finish()
	if replaced {
		r.o.Log.Info("renewed certificates put in place: the last process ended before it could")
	}
	return err
}

// newRenewer makes what keeps the router's certificates valid.
func (r *Router) newRenewer() *renew.Renewer {
	sans := r.o.Config.CSR().SANs
	return renew.New(renew.Config{
		Identity: r.identity, Files: certificateFiles(r.o.Config.Identity), Names: slices.Concat(sans.DNS, sans.IP),
		Controller: r.uplink, AtOnce: r.o.Extend, Log: r.o.Log,
	})
}

// RenewCertificates asks a controller for new certificates now, and returns when
// they are in use. With an error the present ones stay.
func (r *Router) RenewCertificates(ctx context.Context) error { return r.renewer.Renew(ctx) }

// extension is the answer to the agent's extend.
type extension struct {
	Fingerprint string    `json:"fingerprint"` // of the client certificate, SHA-1
	Until       time.Time `json:"until"`
	Renewal     time.Time `json:"renewal"` // when it is due again
}

// extend renews the certificates for an operator.
func (r *Router) extend(ctx context.Context, _ agent.Args) (any, error) {
	switch err := r.RenewCertificates(ctx); {
	case errors.Is(err, uplink.ErrNoController):
		return nil, &agent.Error{Code: "NO_CONTROLLER", Message: "the router has no connection to a controller", Remedy: "see weft agent status, and try again when it is connected"}
	case err != nil:
		return nil, &agent.Error{Code: "NOT_EXTENDED", Message: err.Error(), Remedy: "the certificates in use go on; the router tries again by itself when they are due"}
	}
	leaf := r.identity.ClientCertificate().Leaf
	return extension{Fingerprint: pki.Fingerprint(leaf), Until: leaf.NotAfter, Renewal: r.renewer.Due()}, nil
}
