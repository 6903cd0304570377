package auth

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/token"
)

// rights answer by service id.
type rights struct {
	mu sync.Mutex
	m  map[string]ServiceAccess
}

func (r *rights) ServiceAccess(_, serviceID, _ string) ServiceAccess {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.m[serviceID]
}

func (r *rights) set(serviceID string, a ServiceAccess) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.m[serviceID] = a
}

func TestServiceSessions(t *testing.T) {
	ctx := context.Background()
	r := &rights{m: map[string]ServiceAccess{
		"good":      {Visible: true, Allowed: true, Routers: true, Policies: []string{"p1"}},
		"visible":   {Visible: true},
		"no-router": {Visible: true, Allowed: true},
	}}
	withRights := func(_ *Config, d *Deps) { d.Access = r }
	b := newBench(t)
	a := b.open(withRights)
	b.identity("alice")
	b.password(a, "alice", "alice1", "secret1")
	s := login(t, a, "alice1", "secret1")

	for _, tt := range []struct {
		name, service, kind string
		want                *fault.Kind
	}{
		{"hidden", "hidden", SessionDial, fault.NotFound},
		{"seen but not granted", "visible", SessionDial, fault.CouldNotValidate},
		{"no router", "no-router", SessionDial, fault.NoEdgeRoutersAvailable},
		{"bad type", "good", "Sing", fault.CouldNotValidate},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := a.CreateServiceSession(ctx, s, tt.service, tt.kind); !errors.Is(err, tt.want) {
				t.Errorf("error %v", err)
			}
		})
	}

	first, err := a.CreateServiceSession(ctx, s, "good", "")
	if err != nil {
		t.Fatal(err)
	}
	claims, err := token.NewVerifier(a.Keyring(), 10).Service(first.Token, b.clock.Now())
	if err != nil || claims.ID != first.ID || claims.APISessionID != s.ID || claims.IdentityID != "alice" ||
		claims.ServiceID != "good" || claims.Type != SessionDial || !claims.Legacy || claims.Issuer != "https://localhost:1280" {
		t.Errorf("claims %+v, %v", claims, err)
	}
	b.clock.Advance(time.Minute)
	if again, err := a.CreateServiceSession(ctx, s, "good", SessionDial); err != nil || again.ID != first.ID || again.Token != first.Token {
		t.Errorf("second call: %+v, %v", again, err)
	}
	if bind, err := a.CreateServiceSession(ctx, s, "good", SessionBind); err != nil || bind.ID == first.ID {
		t.Errorf("other type: %+v, %v", bind, err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}

	a = b.start(withRights)
	if again, err := a.CreateServiceSession(ctx, s, "good", SessionDial); err != nil || again.Token != first.Token {
		t.Errorf("after a restart: %+v, %v", again, err)
	}
	if got := a.ServiceSessions(s.ID); len(got) != 2 {
		t.Errorf("%d sessions", len(got))
	}
	if _, err := a.ServiceSession("another", first.ID); !errors.Is(err, fault.NotFound) {
		t.Errorf("another's session: %v", err)
	}
	if err := a.DeleteServiceSession(ctx, s.ID, first.ID); err != nil {
		t.Fatal(err)
	}
	if rev := b.revocation(first.ID); rev == nil || rev.Type != model.RevokeJTI {
		t.Errorf("revocation %+v", rev)
	}
	if err := a.DeleteServiceSession(ctx, s.ID, first.ID); !errors.Is(err, fault.NotFound) {
		t.Errorf("delete again: %v", err)
	}
	if next, err := a.CreateServiceSession(ctx, s, "good", SessionDial); err != nil || next.ID == first.ID {
		t.Errorf("after the delete: %+v, %v", next, err)
	}
	r.set("good", ServiceAccess{Visible: true})
	if got := a.ServiceSessions(""); len(got) != 0 {
		t.Errorf("%d sessions without a right", len(got))
	}
	r.set("good", ServiceAccess{Visible: true, Allowed: true, Routers: true})
	if err := a.End(ctx, s.ID, "logout"); err != nil {
		t.Fatal(err)
	}
	if _, err := a.CreateServiceSession(ctx, s, "good", SessionDial); !errors.Is(err, fault.Unauthorized) {
		t.Errorf("after logout: %v", err)
	}
	if got := a.ServiceSessions(""); len(got) != 0 {
		t.Errorf("%d sessions after logout", len(got))
	}
}
