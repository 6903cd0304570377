package app

import (
	"context"
	"crypto/x509"

	"github.com/weftnet/weft/controller/enroll"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/wire/ctrl"
)

// extender renews the certificates of routers over their control connections.
type extender struct{ *enroll.Enroller }

// Extend offers certificates.
func (e extender) Extend(ctx context.Context, routerID string, leaf *x509.Certificate, m *ctrl.Extend) *ctrl.Extended {
	made, err := e.OfferRouter(ctx, routerID, leaf, m.CertCsr, m.ServerCertCsr)
	if err != nil {
		return &ctrl.Extended{Refusal: refusalOf(err)}
	}
	return &ctrl.Extended{Cert: made.Cert, ServerCert: made.ServerCert, Ca: made.CA}
}

// ConfirmExtend puts them in force.
func (e extender) ConfirmExtend(ctx context.Context, routerID string, m *ctrl.ConfirmExtend) *ctrl.ExtendConfirmed {
	if err := e.ConfirmRouter(ctx, routerID, m.Cert); err != nil {
		return &ctrl.ExtendConfirmed{Refusal: refusalOf(err)}
	}
	return &ctrl.ExtendConfirmed{}
}

// refusalOf returns an error as routers are told it.
func refusalOf(err error) *ctrl.Refusal {
	f := fault.From(err)
	return &ctrl.Refusal{Code: f.Kind.Code, Message: f.Error(), Remedy: f.Help()}
}
