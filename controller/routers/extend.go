package routers

import (
	"context"

	"github.com/weftnet/weft/control"
	"github.com/weftnet/weft/wire/ctrl"
)

// Extender gives routers certificates for their next term.
type Extender interface {
	// Extend issues certificates for the keys of a router's requests.
	Extend(ctx context.Context, routerID string, m *ctrl.Extend) *ctrl.Extended
	// ConfirmExtend makes issued certificates the router's.
	ConfirmExtend(ctx context.Context, routerID string, m *ctrl.ConfirmExtend) *ctrl.ExtendConfirmed
}

var notSupported = &ctrl.Refusal{Code: "NOT_SUPPORTED", Message: "this controller does not renew certificates", Remedy: "enroll the router again"}

// HandleExtend is called by the session.
func (r *Registry) HandleExtend(s *control.ControllerEnd, m *ctrl.Extend, reply func(*ctrl.Extended)) {
	if r.cfg.Extender == nil {
		reply(&ctrl.Extended{Refusal: notSupported})
		return
	}
	r.aside(func(ctx context.Context) { reply(r.cfg.Extender.Extend(ctx, s.RouterID, m)) })
}

// HandleConfirmExtend is called by the session.
func (r *Registry) HandleConfirmExtend(s *control.ControllerEnd, m *ctrl.ConfirmExtend, reply func(*ctrl.ExtendConfirmed)) {
	if r.cfg.Extender == nil {
		reply(&ctrl.ExtendConfirmed{Refusal: notSupported})
		return
	}
	r.aside(func(ctx context.Context) { reply(r.cfg.Extender.ConfirmExtend(ctx, s.RouterID, m)) })
}
