package auth

import (
	"time"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

// Notice is something that others are told of: *LoginNotice, *SessionNotice or
// *ServiceNotice.
type Notice interface{ notice() }

// LoginNotice tells that somebody has tried to log in.
type LoginNotice struct {
	At              time.Time
	Method          string // see LoginRequest
	Success         bool
	Reason          string // why not; never told to who tried
	IdentityID      string // empty if none is known
	AuthenticatorID string // empty if none is known
	AuthPolicyID    string
	RemoteAddress   string // as the request gives it, with the port
	LocalAddress    string // that was connected to, with the path of the request
	ImproperChain   bool
}

// SessionNotice tells that an API session has begun or ended.
type SessionNotice struct {
	At              time.Time
	Began           bool
	ID              string
	IdentityID      string
	AuthenticatorID string
	IPAddress       string
	Partial         bool // factors were outstanding at the login
	ImproperChain   bool
	Reason          string // of the end
}

// ServiceNotice tells that a service session has begun or ended.
type ServiceNotice struct {
	At           time.Time
	Began        bool
	ID           string
	Type         string // Dial or Bind
	APISessionID string
	IdentityID   string
	ServiceID    string
}

func (*LoginNotice) notice()   {}
func (*SessionNotice) notice() {}
func (*ServiceNotice) notice() {}

func (a *Auth) notify(n Notice) {
	if a.deps.Notify != nil {
		a.deps.Notify(n)
	}
}

// loginFailed tells of a login that was refused.
func (a *Auth) loginFailed(r LoginRequest, d *denied) {
	a.notify(&LoginNotice{
		At: a.now(), Method: r.Method, Reason: d.reason, IdentityID: d.identityID, AuthenticatorID: d.authenticatorID,
		AuthPolicyID: a.policyOf(d.identityID), RemoteAddress: r.remote(), LocalAddress: r.LocalAddress,
	})
}

// loggedIn tells of a login and the session that it began.
func (a *Auth) loggedIn(r LoginRequest, rec *record, policyID string) {
	at := a.now()
	a.notify(&LoginNotice{
		At: at, Method: r.Method, Success: true, IdentityID: rec.IdentityID, AuthenticatorID: rec.AuthenticatorID,
		AuthPolicyID: policyID, RemoteAddress: r.remote(), LocalAddress: r.LocalAddress, ImproperChain: rec.ImproperChain,
	})
	a.notify(sessionNotice(rec, at, true, ""))
}

// policyOf returns the id of the auth policy of an identity, empty if there is
// none.
func (a *Auth) policyOf(identityID string) string {
	if i := state.Get[model.Identity](a.deps.Store.View(), identityID); i != nil {
		return i.AuthPolicyID
	}
	return ""
}

func (r *LoginRequest) remote() string {
	if r.RemoteAddress != "" {
		return r.RemoteAddress
	}
	return r.RemoteIP
}

func sessionNotice(rec *record, at time.Time, began bool, reason string) *SessionNotice {
	return &SessionNotice{
		At: at, Began: began, ID: rec.ID, IdentityID: rec.IdentityID, AuthenticatorID: rec.AuthenticatorID, IPAddress: rec.IPAddress,
		Partial: rec.Partial, ImproperChain: rec.ImproperChain, Reason: reason,
	}
}

// endService takes a service session away and tells of it.
func (a *Auth) endService(id string) {
	if r := a.sessions.removeService(id); r != nil {
		a.notify(serviceNotice(r, a.now(), false))
	}
}

func serviceNotice(r *serviceRecord, at time.Time, began bool) *ServiceNotice {
	return &ServiceNotice{At: at, Began: began, ID: r.ID, Type: r.Type, APISessionID: r.APISessionID, IdentityID: r.IdentityID, ServiceID: r.ServiceID}
}
