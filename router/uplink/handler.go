package uplink

import (
	"context"
	"sync"

	"github.com/weftnet/weft/control"
	"github.com/weftnet/weft/wire/ctrl"
)

// sessionHandler does what the controller of one session asks for.
type sessionHandler struct {
	u        *Uplink
	receiver control.Receiver

	mu      sync.Mutex
	session *control.RouterEnd
}

func (h *sessionHandler) set(s *control.RouterEnd) {
	h.mu.Lock()
	h.session = s
	h.mu.Unlock()
}

// HandleSlice applies a change of the slice and asks for the whole one if the
// change does not fit.
func (h *sessionHandler) HandleSlice(m *ctrl.SliceUpdate) {
	update := h.receiver.Add(m)
	if update == nil {
		return
	}
	news, err := h.u.apply(update)
	switch {
	case err == nil:
	case update.Whole: // asking again would bring the same
		h.u.cfg.Log.Error("slice not understood in full", "index", update.To, "error", err)
	default:
		h.u.cfg.Log.Warn("slice not up to date, asking for the whole", "error", err)
		h.resync()
	}
	h.u.publish(news)
}

func (h *sessionHandler) resync() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.session != nil {
		h.session.Resync()
	}
}

// HandleUnroute ends circuits.
func (h *sessionHandler) HandleUnroute(m *ctrl.Unroute) { h.u.cfg.Node.EndCircuits(m) }

// HandlePeers takes news of other routers.
func (h *sessionHandler) HandlePeers(m *ctrl.Peers) { h.u.takePeers(m) }

// HandleEndpoints takes news of controllers.
func (h *sessionHandler) HandleEndpoints(m *ctrl.Endpoints) { h.u.takeEndpoints(m) }

// HandleCloseLink closes a link.
func (h *sessionHandler) HandleCloseLink(m *ctrl.CloseLink) {
	if h.u.cfg.CloseLink != nil {
		h.u.cfg.CloseLink(m.LinkId, m.Reason)
	}
}

// HandleRoute makes the router a node of a path.
func (h *sessionHandler) HandleRoute(ctx context.Context, m *ctrl.Route) *ctrl.RouteResult {
	return h.u.cfg.Node.Route(ctx, m)
}

// HandleInspect answers for the router.
func (h *sessionHandler) HandleInspect(_ context.Context, m *ctrl.Inspect) *ctrl.InspectResult {
	return &ctrl.InspectResult{Values: h.u.cfg.Node.Inspect(m.Keys)}
}
