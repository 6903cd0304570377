package routers

import (
	"maps"
	"time"

	"github.com/weftnet/weft/control"
	"github.com/weftnet/weft/wire/ctrl"
)

// ConnectedIdentity is an identity with connections to a router.
type ConnectedIdentity struct {
	IdentityID string
	Since      time.Time // of the first report
	Connects   []*ctrl.Connect
}

// Bounds of what is kept of a router's reports.
const (
	maxIdentities = 100_000
	maxConnects   = 16 // of one identity, the latest ones
	maxInterfaces = 1000
)

// HandleIdentities is called by the session.
func (r *Registry) HandleIdentities(s *control.ControllerEnd, m *ctrl.ConnectedIdentities) {
	if r.keepIdentities(s, m) && r.cfg.Observer != nil {
		r.cfg.Observer.IdentitiesReported(s.RouterID, m)
	}
}

// keepIdentities keeps a report; false if it comes from a session that is over.
func (r *Registry) keepIdentities(s *control.ControllerEnd, m *ctrl.ConnectedIdentities) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := r.of(s.RouterID)
	if at.session != s {
		return false
	}
	old := at.identities
	if m.Whole || old == nil {
		at.identities = make(map[string]ConnectedIdentity, len(m.Put))
	}
	for _, p := range m.Put {
		if !p.Connected {
			delete(at.identities, p.IdentityId)
			continue
		}
		next, ok := old[p.IdentityId]
		switch {
		case ok:
		case len(at.identities) >= maxIdentities:
			continue
		default:
			next = ConnectedIdentity{IdentityID: p.IdentityId, Since: r.cfg.Now()}
		}
		all := append(append([]*ctrl.Connect(nil), next.Connects...), p.Connects...)
		next.Connects = all[max(len(all)-maxConnects, 0):]
		at.identities[p.IdentityId] = next
	}
	return true
}

// HandleInterfaces is called by the session.
func (r *Registry) HandleInterfaces(s *control.ControllerEnd, m *ctrl.Interfaces) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at := r.of(s.RouterID); at.session == s {
		at.interfaces = m.Interfaces[:min(len(m.Interfaces), maxInterfaces)]
	}
}

// Interfaces returns the network interfaces that a router has last reported.
// They are shared.
func (r *Registry) Interfaces(routerID string) []*ctrl.Interface {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at := r.routers[routerID]; at != nil {
		return at.interfaces
	}
	return nil
}

// Identities returns the identities that are connected to a router as it has
// last reported, by id; none while it is offline.
func (r *Registry) Identities(routerID string) map[string]ConnectedIdentity {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at := r.routers[routerID]; at != nil && at.session != nil {
		return maps.Clone(at.identities)
	}
	return nil
}

// IdentityStatus is whether an identity is connected to a router.
type IdentityStatus string

// Statuses of an identity: connected to a router that is online, to none, and to
// such only as were online when they last reported it.
const (
	IdentityOnline  IdentityStatus = "online"
	IdentityOffline IdentityStatus = "offline"
	IdentityUnknown IdentityStatus = "unknown"
)

// IdentityStatus returns the status of an identity as routers have reported it.
func (r *Registry) IdentityStatus(id string) IdentityStatus {
	r.mu.Lock()
	defer r.mu.Unlock()
	status := IdentityOffline
	for _, at := range r.routers {
		if _, ok := at.identities[id]; ok && at.session != nil {
			return IdentityOnline
		} else if ok {
			status = IdentityUnknown
		}
	}
	return status
}

// ForgetIdentities forgets what routers have reported that are offline for longer.
func (r *Registry) ForgetIdentities(awayFor time.Duration) {
	now := r.cfg.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, at := range r.routers {
		if at.session == nil && now.Sub(at.status.Since) > awayFor {
			at.identities = nil
		}
	}
}
