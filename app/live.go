package app

import (
	"strings"
	"sync"
	"time"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/controller/auth"
	chttp "github.com/weftnet/weft/controller/http"
	"github.com/weftnet/weft/controller/network"
	"github.com/weftnet/weft/controller/routers"
)

// live tells the REST APIs what is connected.
type live struct {
	registry *routers.Registry
	network  *network.Network
	statuses *statuses
}

// Router returns what is known of a router.
func (l live) Router(id string) chttp.RouterStatus {
	s := l.registry.Status(id)
	out := chttp.RouterStatus{Online: s.Online, SyncStatus: "SYNC_UNKNOWN", Hostname: s.Hostname, Protocols: s.Protocols, Quiesced: s.Quiesced}
	if s.Online {
		out.SyncStatus, out.LinkListeners = "SYNC_DONE", linkListeners(s.Links)
	}
	out.Interfaces = machineInterfaces(l.registry.Interfaces(id))
	parts := append(strings.Split(s.Version, "|"), "", "", "", "", "")
	out.Version = api.VersionInfo{Version: parts[0], Revision: parts[1], BuildDate: parts[2], Os: parts[3], Arch: parts[4]}
	return out
}

// DynamicCost returns the dynamic cost of a terminator.
func (l live) DynamicCost(terminatorID string) int { return l.network.DynamicCost(terminatorID) }

// IdentityOnline reports whether a client of an identity is connected to a
// router, as routers last reported, and the status of the identity.
func (l live) IdentityOnline(id string) (connected bool, status string) {
	connected, is := l.statuses.of(id)
	return connected, string(is)
}

// activity counts connections to routers as activity of sessions, and knows
// whose they are.
type activity struct {
	auth *auth.Auth
	keep time.Duration // how long a report counts

	mu   sync.Mutex
	last map[string]time.Time // last report by identity id
}

func newActivity(a *auth.Auth, keep time.Duration) *activity {
	return &activity{auth: a, keep: keep, last: make(map[string]time.Time)}
}

// SessionsActive is called with the sessions that have a connection.
func (a *activity) SessionsActive(ids []string) {
	a.auth.Touch(ids...)
	now := time.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	for id, at := range a.last {
		if now.Sub(at) > a.keep {
			delete(a.last, id)
		}
	}
	for _, id := range ids {
		if s, err := a.auth.Session(id); err == nil {
			a.last[s.IdentityID] = now
		}
	}
}

func (a *activity) online(identityID string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return time.Since(a.last[identityID]) <= a.keep
}
