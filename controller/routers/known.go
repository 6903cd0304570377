package routers

import (
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

// HandleIdentities is called by the session.
func (r *Registry) HandleIdentities(s *control.ControllerEnd, m *ctrl.ConnectedIdentities) {}

// HandleInterfaces is called by the session.
func (r *Registry) HandleInterfaces(s *control.ControllerEnd, m *ctrl.Interfaces) {}

// Interfaces returns the network interfaces that a router has last reported.
func (r *Registry) Interfaces(routerID string) []*ctrl.Interface { return nil }

// Identities returns the identities that are connected to a router as it has
// last reported, by id.
func (r *Registry) Identities(routerID string) map[string]ConnectedIdentity { return nil }
