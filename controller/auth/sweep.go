package auth

import (
	"context"
	"slices"
	"time"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/observe"
	"github.com/weftnet/weft/state"
)

// Touch counts as activity of sessions that have live connections at a router.
// A router that serves a session which has ended by inactivity, and therefore
// without a revocation, is told by one.
func (a *Auth) Touch(sessionIDs ...string) {
	now := a.now()
	for _, id := range sessionIDs {
		e := a.sessions.get(id)
		if e != nil && now.Sub(e.active()) <= a.cfg.SessionTimeout {
			e.touch(now)
			continue
		}
		if !a.mayBeLost(id, e, now) {
			a.revokeStale(id)
		}
	}
}

// Alive reports whether a session goes on, as far as is known: the record of one
// from before the start may be lost and is believed in for one timeout.
func (a *Auth) Alive(sessionID string) bool {
	now, e := a.now(), a.sessions.get(sessionID)
	return e != nil && now.Sub(e.active()) <= a.cfg.SessionTimeout || a.mayBeLost(sessionID, e, now)
}

// AliveFor is Alive for a session that has to be of an identity and to have no
// outstanding factors.
func (a *Auth) AliveFor(sessionID, identityID string) bool {
	if e := a.sessions.get(sessionID); e != nil {
		if r := e.record.Load(); r.IdentityID != identityID || len(r.Queries) > 0 {
			return false
		}
	}
	return a.Alive(sessionID)
}

func (a *Auth) mayBeLost(id string, e *entry, now time.Time) bool {
	return e == nil && !a.sessions.hasEnded(id) && now.Sub(a.start) <= a.cfg.SessionTimeout
}

// revokeStale has a revocation written for a session that has ended, unless
// there is one.
func (a *Auth) revokeStale(id string) {
	if state.Get[model.Revocation](a.deps.Store.View(), id) != nil {
		return
	}
	a.log.Info("a router serves a session that has ended", "sessionId", id)
	a.sessions.pend(id)
}

// sweep ends inactive sessions, writes the revocations that are due, saves
// activity and removes old revocations.
func (a *Auth) sweep(ctx context.Context) {
	timer := a.deps.Clock.NewTimer(a.cfg.SweepInterval)
	defer timer.Stop()
	saved, purged := a.now(), a.now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C():
		}
		now := a.now()
		a.endInactive(now)
		if now.Sub(saved) >= a.cfg.ActivityInterval {
			a.markActivity()
			a.codes.sweep(now)
			saved = now
		}
		if err := a.revokePending(ctx); err != nil && ctx.Err() == nil {
			a.log.Debug("revocations could not be written yet", "error", err)
		}
		if now.Sub(purged) >= purgeEvery {
			a.purge(ctx, now)
			purged = now
		}
		timer.Reset(a.cfg.SweepInterval)
	}
}

// searches measure the searches for what is over.
type searches struct {
	sessions, revocations *observe.Timer
	ended, removed        *observe.Meter
}

// Counts returns how many API sessions and service sessions there are, some of
// which may be about to end.
func (a *Auth) Counts() (sessions, services int) {
	a.sessions.mu.RLock()
	defer a.sessions.mu.RUnlock()
	return len(a.sessions.live), len(a.sessions.service)
}

// endInactive ends sessions that nobody uses. They leave no revocation: no
// router serves them, here they are unknown, and nearly all sessions end so.
func (a *Auth) endInactive(now time.Time) {
	start := time.Now()
	for _, e := range a.sessions.inactive(now.Add(-a.cfg.SessionTimeout)) {
		a.dropKnown(e, "inactive")
		a.searches.ended.Mark(1)
	}
	a.searches.sessions.Update(time.Since(start))
	a.sessions.forget(now)
	a.forgetPostures()
}

// inactive returns the sessions whose last activity is before a time.
func (t *table) inactive(before time.Time) []*entry {
	ms := before.UnixMilli()
	t.mu.RLock()
	defer t.mu.RUnlock()
	var out []*entry
	for _, e := range t.live {
		if e.last.Load() < ms {
			out = append(out, e)
		}
	}
	return out
}

// markActivity makes the activity so far the stored one. The journal does not
// hold it: after a start every session counts as active anyway.
func (a *Auth) markActivity() {
	a.sessions.mu.RLock()
	defer a.sessions.mu.RUnlock()
	for _, e := range a.sessions.live {
		e.saved.Store(e.last.Load())
	}
}

// purgeEvery is the time between two removals of revocations that cover only
// tokens which are too old anyway.
const purgeEvery = time.Minute

func (a *Auth) purge(ctx context.Context, now time.Time) {
	start := time.Now()
	defer func() { a.searches.revocations.Update(time.Since(start)) }()
	var old []string
	for r := range state.All[model.Revocation](a.deps.Store.View()) {
		if now.After(r.ExpiresAt) {
			old = append(old, r.ID)
		}
	}
	for batch := range slices.Chunk(old, maxRevocations) {
		c := a.command().Each()
		for _, id := range batch {
			c.Remove(model.KindRevocation, id)
		}
		if err := a.write(ctx, c); err != nil {
			if ctx.Err() == nil {
				a.log.Debug("old revocations could not be removed", "error", err)
			}
			return
		}
		a.searches.removed.Mark(len(batch))
	}
}
