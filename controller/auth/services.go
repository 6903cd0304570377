package auth

import (
	"context"
	"crypto/sha256"
	"math/big"
	"sort"
	"strconv"
	"time"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
	"github.com/weftnet/weft/token"
)

// Types of service sessions.
const (
	SessionDial = "Dial"
	SessionBind = "Bind"
)

// ServiceSession is the right of an API session to dial or bind a service.
type ServiceSession struct {
	ID           string
	Token        string // JWT, set by CreateServiceSession only
	Type         string // Dial or Bind
	APISessionID string
	IdentityID   string
	ServiceID    string
	Policies     []string // ids of the policies that grant it now
	CreatedAt    time.Time
}

// serviceRecord is the stored form.
type serviceRecord struct {
	ID           string    `json:"id"`
	Type         string    `json:"type"`
	APISessionID string    `json:"apiSessionId"`
	IdentityID   string    `json:"identityId"`
	ServiceID    string    `json:"serviceId"`
	CreatedAt    time.Time `json:"createdAt"`
}

// CreateServiceSession returns the service session of an API session, service
// and type; a second call returns the same id and token. An empty type is Dial.
// Refusals: fault.NotFound for a service that the identity does not see,
// fault.CouldNotValidate for one that it sees but has no such right to and for
// an unknown type, fault.NoEdgeRoutersAvailable.
func (a *Auth) CreateServiceSession(_ context.Context, s *Session, serviceID, sessionType string) (*ServiceSession, error) {
	if sessionType == "" {
		sessionType = SessionDial
	}
	if sessionType != SessionDial && sessionType != SessionBind {
		return nil, fault.CouldNotValidate.Field("type", "type in body should be one of [Dial Bind]", sessionType)
	}
	if s.Partial() {
		return nil, unauthorized(wwwSession, nil)
	}
	access := a.access(s.IdentityID, serviceID, sessionType)
	switch {
	case !access.Visible:
		return nil, fault.NotFound.Errorf("service with id %s not found", serviceID)
	case !access.Allowed:
		return nil, fault.CouldNotValidate.Field("ServiceId", "service not found", serviceID)
	case !access.Routers:
		return nil, fault.NoEdgeRoutersAvailable.New(nil)
	}
	rec := a.serviceRecord(s, serviceID, sessionType)
	if rec == nil {
		return nil, unauthorized(wwwSession, nil)
	}
	signer := a.signers.service.Load()
	if signer == nil {
		return nil, fault.Unhandled.New(errNoKey)
	}
	text, err := signer.Service(token.Service{
		ID: rec.ID, ServiceID: rec.ServiceID, APISessionID: rec.APISessionID, IdentityID: rec.IdentityID,
		Type: rec.Type, Legacy: true, Issuer: a.cfg.Issuer, IssuedAt: rec.CreatedAt,
	})
	if err != nil {
		return nil, fault.Unhandled.New(err)
	}
	out := rec.public(access)
	out.Token = text
	return out, nil
}

// serviceRecord finds or makes the record; nil when the API session has ended.
func (a *Auth) serviceRecord(s *Session, serviceID, sessionType string) *serviceRecord {
	v := a.deps.Store.View()
	rec := &serviceRecord{
		Type: sessionType, APISessionID: s.ID, IdentityID: s.IdentityID, ServiceID: serviceID,
		CreatedAt: a.now().Truncate(time.Second),
	}
	// An id that was deleted stays revoked; the next number gives another id.
	for n := 0; ; n++ {
		rec.ID = serviceSessionID(s.ID, serviceID, sessionType, n)
		if state.Get[model.Revocation](v, rec.ID) == nil {
			break
		}
	}
	kept := a.sessions.addService(rec)
	if kept == rec {
		a.journal.put(keyService+rec.ID, rec)
		a.notify(serviceNotice(rec, a.now(), true))
	}
	return kept
}

// serviceSessionID derives the id of a service session, so that every member
// of a cluster, and this one after a restart, arrives at the same.
func serviceSessionID(apiSessionID, serviceID, sessionType string, n int) string {
	sum := sha256.Sum256([]byte(apiSessionID + "\x00" + serviceID + "\x00" + sessionType + "\x00" + strconv.Itoa(n)))
	text := new(big.Int).SetBytes(sum[:]).Text(36)
	return "c" + text[len(text)-24:]
}

func (r *serviceRecord) public(access ServiceAccess) *ServiceSession {
	policies := access.Policies
	if policies == nil {
		policies = []string{}
	}
	return &ServiceSession{
		ID: r.ID, Type: r.Type, APISessionID: r.APISessionID, IdentityID: r.IdentityID,
		ServiceID: r.ServiceID, Policies: policies, CreatedAt: r.CreatedAt,
	}
}

// ServiceSessions returns the service sessions of an API session, or all of
// them for an empty id, in the order of their ids. Those whose right is gone
// are ended on the way.
func (a *Auth) ServiceSessions(apiSessionID string) []*ServiceSession {
	out := []*ServiceSession{}
	for _, r := range a.sessions.servicesOf(apiSessionID) {
		if s := a.current(r); s != nil {
			out = append(out, s)
		}
	}
	return out
}

// ServiceSession returns one service session. With an API session id only its
// own are found. The refusal is fault.NotFound.
func (a *Auth) ServiceSession(apiSessionID, sessionID string) (*ServiceSession, error) {
	if r := a.sessions.serviceByID(sessionID); r != nil && (apiSessionID == "" || r.APISessionID == apiSessionID) {
		if s := a.current(r); s != nil {
			return s, nil
		}
	}
	return nil, fault.NotFound.Errorf("session with id %s not found", sessionID)
}

// current returns the public form, nil when the right is gone.
func (a *Auth) current(r *serviceRecord) *ServiceSession {
	access := a.access(r.IdentityID, r.ServiceID, r.Type)
	if !access.Allowed {
		a.endService(r.ID)
		return nil
	}
	return r.public(access)
}

// DeleteServiceSession ends a service session by a revocation of its token,
// upon which routers end its circuits. With an API session id only its own are
// found. Refusals: fault.NotFound and those of the Writer.
func (a *Auth) DeleteServiceSession(ctx context.Context, apiSessionID, sessionID string) error {
	s, err := a.ServiceSession(apiSessionID, sessionID)
	if err != nil {
		return err
	}
	r := &model.Revocation{Type: model.RevokeJTI, ExpiresAt: a.now().Add(token.ServiceTokenLife)}
	r.ID = s.ID
	if err := a.write(ctx, a.command().Put(r)); err != nil {
		return err
	}
	a.endService(s.ID)
	return nil
}

// addService puts a service session beside its API session and returns the one
// that is there then; nil when the API session is not live.
func (t *table) addService(r *serviceRecord) *serviceRecord {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.live[r.APISessionID]
	if e == nil {
		return nil
	}
	if old := t.service[r.ID]; old != nil {
		return old
	}
	t.service[r.ID], e.services[r.ID] = r, r
	return r
}

// removeService returns what was removed, nil for nothing.
func (t *table) removeService(id string) *serviceRecord {
	t.mu.Lock()
	r := t.service[id]
	delete(t.service, id)
	if r != nil {
		if e := t.live[r.APISessionID]; e != nil {
			delete(e.services, id)
		}
	}
	t.mu.Unlock()
	if r != nil {
		t.journal.remove(keyService + id)
	}
	return r
}

func (t *table) serviceByID(id string) *serviceRecord {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.service[id]
}

// servicesOf returns the service sessions of an API session, all for "".
func (t *table) servicesOf(apiSessionID string) []*serviceRecord {
	t.mu.RLock()
	from := t.service
	if apiSessionID != "" {
		from = nil
		if e := t.live[apiSessionID]; e != nil {
			from = e.services
		}
	}
	out := make([]*serviceRecord, 0, len(from))
	for _, r := range from {
		out = append(out, r)
	}
	t.mu.RUnlock()
	sort.Slice(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	return out
}

func (a *Auth) access(identityID, serviceID, sessionType string) ServiceAccess {
	if a.deps.Access == nil {
		return ServiceAccess{Visible: true, Allowed: true, Routers: true}
	}
	return a.deps.Access.ServiceAccess(identityID, serviceID, sessionType)
}
