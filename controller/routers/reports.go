package routers

import (
	"github.com/weftnet/weft/control"
	"github.com/weftnet/weft/wire/ctrl"
)

// HandleCircuitFaults is called by the session.
func (r *Registry) HandleCircuitFaults(*control.ControllerEnd, []string) {}

// HandleConfirmCircuits is called by the session.
func (r *Registry) HandleConfirmCircuits(_ *control.ControllerEnd, _ *ctrl.ConfirmCircuits, reply func(*ctrl.ConfirmedCircuits)) {
	reply(&ctrl.ConfirmedCircuits{})
}

// HandleLinkChanges is called by the session.
func (r *Registry) HandleLinkChanges(*control.ControllerEnd, *ctrl.LinkChanges) {}

// HandleRouterState is called by the session.
func (r *Registry) HandleRouterState(*control.ControllerEnd, *ctrl.RouterState) {}

// HandleMetrics is called by the session.
func (r *Registry) HandleMetrics(*control.ControllerEnd, *ctrl.MetricsReport) {}

// HandleIdentities is called by the session.
func (r *Registry) HandleIdentities(*control.ControllerEnd, *ctrl.ConnectedIdentities) {}

// HandleInterfaces is called by the session.
func (r *Registry) HandleInterfaces(*control.ControllerEnd, *ctrl.Interfaces) {}

// HandleExtend is called by the session.
func (r *Registry) HandleExtend(_ *control.ControllerEnd, _ *ctrl.Extend, reply func(*ctrl.Extended)) {
	reply(&ctrl.Extended{Refusal: &ctrl.Refusal{Code: "NOT_SUPPORTED"}})
}

// HandleConfirmExtend is called by the session.
func (r *Registry) HandleConfirmExtend(_ *control.ControllerEnd, _ *ctrl.ConfirmExtend, reply func(*ctrl.ExtendConfirmed)) {
	reply(&ctrl.ExtendConfirmed{Refusal: &ctrl.Refusal{Code: "NOT_SUPPORTED"}})
}
