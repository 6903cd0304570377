package routers

import (
	"github.com/weftnet/weft/control"
	"github.com/weftnet/weft/wire/ctrl"
)

// HandleCircuitFaults is called by the session.
func (r *Registry) HandleCircuitFaults(s *control.ControllerEnd, ids []string) {
	r.cfg.Network.CircuitFaults(s.RouterID, ids)
}

// HandleConfirmCircuits is called by the session.
func (r *Registry) HandleConfirmCircuits(s *control.ControllerEnd, m *ctrl.ConfirmCircuits, reply func(*ctrl.ConfirmedCircuits)) {
	reply(&ctrl.ConfirmedCircuits{Drop: r.cfg.Network.ConfirmCircuits(s.RouterID, m)})
}

// HandleLinkChanges is called by the session.
func (r *Registry) HandleLinkChanges(s *control.ControllerEnd, m *ctrl.LinkChanges) {
	r.cfg.Network.LinkChanges(s.RouterID, m)
}

// HandleRouterState is called by the session.
func (r *Registry) HandleRouterState(s *control.ControllerEnd, m *ctrl.RouterState) {
	r.mu.Lock()
	at := r.of(s.RouterID)
	was, current := at.status.Quiesced, at.session == s
	if current {
		at.status.Quiesced = m.Quiesced
	}
	r.mu.Unlock()
	if current && was != m.Quiesced {
		r.cfg.Log.Info("router quiesced or in use again", "router", s.RouterID, "quiesced", m.Quiesced)
		r.cfg.Network.SetQuiesced(s.RouterID, m.Quiesced)
	}
}

// HandleMetrics is called by the session.
func (r *Registry) HandleMetrics(s *control.ControllerEnd, m *ctrl.MetricsReport) {
	if r.cfg.Metrics != nil {
		r.cfg.Metrics(s.RouterID, m)
	}
}
