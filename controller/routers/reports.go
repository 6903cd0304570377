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
func (r *Registry) HandleLinkChanges(s *control.ControllerEnd, m *ctrl.LinkChanges) {
	r.cfg.Network.LinkChanges(s.RouterID, m)
}

// HandleRouterState is called by the session.
func (r *Registry) HandleRouterState(s *control.ControllerEnd, m *ctrl.RouterState) {
	r.cfg.Network.SetQuiesced(s.RouterID, m.Quiesced)
}

// HandleMetrics is called by the session.
func (r *Registry) HandleMetrics(s *control.ControllerEnd, m *ctrl.MetricsReport) {
	if r.cfg.Metrics != nil {
		r.cfg.Metrics(s.RouterID, m)
	}
}
