package routers

import "github.com/weftnet/weft/wire/ctrl"

// Observer is told of routers and of the identities that are connected to them.
// It is called by many goroutines, for one router in order, and must not wait;
// it may ask the Registry.
type Observer interface {
	RouterConnected(routerID, address string)
	// IdentitiesReported gets a router's report after the Registry has taken it.
	IdentitiesReported(routerID string, m *ctrl.ConnectedIdentities)
	RouterGone(routerID string)
}
