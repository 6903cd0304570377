package app

import (
	"context"
	"slices"

	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/router/renew"
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
