package app

import (
	"sync"
	"time"

	"github.com/weftnet/weft/controller/auth"
	"github.com/weftnet/weft/controller/events"
	"github.com/weftnet/weft/controller/routers"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
	"github.com/weftnet/weft/wire/ctrl"
)

// observer tells of routers and identities that connect.
type observer struct {
	c *Controller

	mu   sync.Mutex
	told map[string]routers.IdentityStatus // what was told last, of those that are not offline
}

// RouterConnected implements routers.Observer.
func (o *observer) RouterConnected(routerID, address string) {
	o.c.observers.hub.Publish(&events.Connect{
		At: time.Now(), SrcType: "router", SrcID: routerID, SrcAddr: address, DstType: "ctrl", DstID: o.c.id, DstAddr: o.c.ctrlAddress(),
	})
}

// IdentitiesReported implements routers.Observer.
func (o *observer) IdentitiesReported(routerID string, m *ctrl.ConnectedIdentities) {
	var ids []string
	for _, p := range m.Put {
		ids = append(ids, p.IdentityId)
		for _, c := range p.Connects {
			o.c.observers.hub.Publish(&events.Connect{
				At: time.UnixMilli(c.AtMillis), SrcType: "identity", SrcID: p.IdentityId, SrcAddr: c.Remote, DstType: "router", DstID: routerID, DstAddr: c.Local,
			})
		}
	}
	o.look(ids)
	if m.Whole {
		o.lookAtAll()
	}
}

// RouterGone implements routers.Observer.
func (o *observer) RouterGone(routerID string) {
	o.c.forgetMetrics(routerID)
	o.lookAtAll()
}

// lookAtAll tells what has become of those who are not offline.
func (o *observer) lookAtAll() {
	o.mu.Lock()
	ids := make([]string, 0, len(o.told))
	for id := range o.told {
		ids = append(ids, id)
	}
	o.mu.Unlock()
	o.look(ids)
}

// look tells which identities have another status than was told last.
func (o *observer) look(ids []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, id := range ids {
		now, was := o.c.registry.IdentityStatus(id), o.told[id]
		if now == was || now == routers.IdentityOffline && was == "" {
			continue
		}
		kind := events.SDKUnknown
		o.told[id] = now
		switch now {
		case routers.IdentityOnline:
			kind = events.SDKOnline
		case routers.IdentityOffline:
			kind = events.SDKOffline
			delete(o.told, id)
		}
		o.c.observers.hub.Publish(&events.SDK{At: time.Now(), Type: kind, IdentityID: id})
	}
}

// notice publishes what happens to logins and sessions.
func (c *Controller) notice(n auth.Notice) {
	hub := c.observers.hub
	began := func(yes bool) string {
		if yes {
			return "created"
		}
		return "deleted"
	}
	switch n := n.(type) {
	case *auth.LoginNotice:
		hub.Publish(&events.Authentication{
			At: n.At, Success: n.Success, Method: n.Method, AuthenticatorID: n.AuthenticatorID, IdentityID: n.IdentityID, AuthPolicyID: n.AuthPolicyID,
			Address: n.RemoteAddress, Reason: n.Reason, ImproperChain: n.ImproperChain,
		})
		if n.Success {
			hub.Publish(&events.Connect{
				At: n.At, SrcType: "identity", SrcID: n.IdentityID, SrcAddr: n.RemoteAddress, DstType: "ctrl", DstID: c.id, DstAddr: n.LocalAddress,
			})
		}
	case *auth.SessionNotice:
		e := events.APISession{At: n.At, Type: began(n.Began), ID: n.ID, Provider: "legacy", IdentityID: n.IdentityID, Address: n.IPAddress}
		hub.Publish(&e)
		if hub.Wanted("entityChange") {
			hub.Publish(c.sessionChange(e, n))
		}
	case *auth.ServiceNotice:
		hub.Publish(&events.Session{
			At: n.At, Type: began(n.Began), SessionType: n.Type, Provider: "legacy", ID: n.ID, APISessionID: n.APISessionID,
			IdentityID: n.IdentityID, ServiceID: n.ServiceID,
		})
	}
}

func (c *Controller) sessionChange(e events.APISession, n *auth.SessionNotice) *events.APISessionChange {
	out := &events.APISessionChange{
		APISession: e, AuthenticatorID: n.AuthenticatorID, Version: c.o.Build.Version, Partial: n.Partial, ImproperChain: n.ImproperChain,
	}
	if i := state.Get[model.Identity](c.store.View(), n.IdentityID); i != nil {
		out.AuthorName = i.Name
	}
	if a := state.Get[model.Authenticator](c.store.View(), n.AuthenticatorID); a != nil {
		out.CertExtendable = a.Method == model.MethodCert && a.IsIssuedByNetwork
	}
	return out
}
