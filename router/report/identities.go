package report

import (
	"context"
	"log/slog"
	"time"

	"github.com/weftnet/weft/clock"
	"github.com/weftnet/weft/wire/ctrl"
)

// Connection is a client that is connected.
type Connection struct {
	ID            string
	IdentityID    string
	SessionID     string
	Local, Remote string
}

// IdentitiesConfig describes reports of connected identities.
type IdentitiesConfig struct {
	Batch time.Duration // between two reports of changes
	Whole time.Duration // between two reports of everything
	// Details bounds the connections that are told with address and time before a
	// controller has them; that an identity is connected is always told.
	Details     int
	Connections func() []Connection
	// Session names the session with a controller, nil without one: whoever is new
	// gets everything.
	Session func() any
	Send    func(ctx context.Context, m *ctrl.ConnectedIdentities) error
	Clock   clock.Clock
	Log     *slog.Logger
}

// identities is what the controller was told last.
type identities struct {
	cfg       IdentitiesConfig
	session   any
	wholeAt   time.Time
	connected map[string]bool       // identities
	seen      map[string]Connection // connections, by id
	details   []*detail             // of connections that no report has had
}

type detail struct {
	identityID string
	connect    *ctrl.Connect
}

// Identities reports which identities are connected until ctx ends: changes in
// each batch, everything now and then and to a controller that is new.
func Identities(ctx context.Context, cfg IdentitiesConfig) {
	if cfg.Clock == nil {
		cfg.Clock = clock.Real()
	}
	i := &identities{cfg: cfg, connected: make(map[string]bool), seen: make(map[string]Connection)}
	timer := cfg.Clock.NewTimer(cfg.Batch)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C():
		}
		i.look()
		if err := i.report(ctx); err != nil && ctx.Err() == nil {
			cfg.Log.Debug("connected identities not reported", "error", err)
		}
		timer.Reset(cfg.Batch)
	}
}

// look finds connections that are new, and forgets those that are gone.
func (i *identities) look() {
	now := make(map[string]Connection)
	for _, c := range i.cfg.Connections() {
		now[c.ID] = c
		if _, known := i.seen[c.ID]; known || len(i.details) >= i.cfg.Details {
			continue
		}
		i.details = append(i.details, &detail{c.IdentityID, &ctrl.Connect{
			SessionId: c.SessionID, Local: c.Local, Remote: c.Remote, AtMillis: i.cfg.Clock.Now().UnixMilli()}})
	}
	i.seen = now
}

// report tells the controller what it does not know. Without a controller the
// next one is told everything.
func (i *identities) report(ctx context.Context) error {
	session := i.cfg.Session()
	if session == nil {
		i.session = nil
		return nil
	}
	now := make(map[string]bool)
	for _, c := range i.seen {
		now[c.IdentityID] = true
	}
	m := &ctrl.ConnectedIdentities{Whole: session != i.session || i.cfg.Clock.Now().Sub(i.wholeAt) >= i.cfg.Whole}
	put := make(map[string]*ctrl.ConnectedIdentity)
	of := func(id string, connected bool) *ctrl.ConnectedIdentity {
		if put[id] == nil {
			put[id] = &ctrl.ConnectedIdentity{IdentityId: id, Connected: connected}
			m.Put = append(m.Put, put[id])
		}
		return put[id]
	}
	for id := range now {
		if m.Whole || !i.connected[id] {
			of(id, true)
		}
	}
	if !m.Whole {
		for id := range i.connected {
			if !now[id] {
				of(id, false)
			}
		}
	}
	for _, d := range i.details {
		if it := of(d.identityID, now[d.identityID]); it != nil {
			it.Connects = append(it.Connects, d.connect)
		}
	}
	if len(m.Put) == 0 && !m.Whole {
		return nil
	}
	if err := i.cfg.Send(ctx, m); err != nil {
		i.session = nil
		return err
	}
	if m.Whole {
		i.session, i.wholeAt = session, i.cfg.Clock.Now()
	}
	i.connected, i.details = now, nil
	return nil
}
