package auth

import (
	"context"
	"encoding/json"
	"time"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/token"
)

// revokeTimeout bounds how long a logout waits for the log.
const revokeTimeout = 5 * time.Second

// End ends a session: at once here, and everywhere by a revocation, which is
// written before End returns when there is a leader and as soon as there is one
// otherwise. The refusal is fault.NotFound for a session that is not live. The
// reason goes to the log.
func (a *Auth) End(ctx context.Context, sessionID, reason string) error {
	e := a.sessions.get(sessionID)
	if e == nil || !a.drop(e, reason) {
		return fault.NotFound.Errorf("apiSession with id %s not found", sessionID)
	}
	ctx, cancel := context.WithTimeout(ctx, revokeTimeout)
	defer cancel()
	if err := a.revokePending(ctx); err != nil {
		a.journal.flush()
		a.log.Warn("the end of a session could not be written to the log yet; it is tried again",
			"sessionId", sessionID, "error", err)
	}
	return nil
}

// EndIdentity ends every session of an identity, as End does.
func (a *Auth) EndIdentity(ctx context.Context, identityID, reason string) error {
	for _, e := range a.sessions.ofIdentity(identityID) {
		a.drop(e, reason)
	}
	ctx, cancel := context.WithTimeout(ctx, revokeTimeout)
	defer cancel()
	if err := a.revokePending(ctx); err != nil {
		a.journal.flush()
		a.log.Warn("ends of sessions could not be written to the log yet; it is tried again",
			"identityId", identityID, "error", err)
	}
	return nil
}

// drop ends a session here and remembers that the state has to learn it.
func (a *Auth) drop(e *entry, reason string) bool {
	rec := e.record.Load()
	a.sessions.pend(rec.ID)
	if _, was := a.sessions.remove(rec.ID, a.forgetAt(rec)); !was {
		return false
	}
	a.log.Info("session ended", "sessionId", rec.ID, "identityId", rec.IdentityID, "reason", reason)
	a.notify(sessionNotice(rec, a.now(), false, reason))
	return true
}

// dropKnown ends a session here of which the state need not learn: it knows, or
// the session is in nobody's use.
func (a *Auth) dropKnown(e *entry, reason string) {
	rec := e.record.Load()
	if _, was := a.sessions.remove(rec.ID, a.forgetAt(rec)); was {
		a.log.Info("session ended", "sessionId", rec.ID, "identityId", rec.IdentityID, "reason", reason)
		a.notify(sessionNotice(rec, a.now(), false, reason))
	}
}

// forgetAt is when nobody can mistake an ended session for one whose record is
// lost any more.
func (a *Auth) forgetAt(rec *record) time.Time {
	if rec.CreatedAt.After(a.start) {
		return a.now()
	}
	return a.start.Add(a.cfg.SessionTimeout)
}

// maxRevocations bounds the revocations of one command.
const maxRevocations = 500

// revokePending writes revocations for the ends that the state does not know.
func (a *Auth) revokePending(ctx context.Context) error {
	for {
		batch := a.sessions.pendingEnds(maxRevocations)
		if len(batch) == 0 {
			return nil
		}
		now := a.now()
		c := a.command()
		for _, id := range batch {
			r := &model.Revocation{Type: model.RevokeAPISession, ExpiresAt: now.Add(token.RevocationLife)}
			r.ID = id
			c.Put(r)
		}
		if len(c.Ops) > 0 {
			if err := a.write(ctx, c); err != nil {
				return err
			}
		}
		a.sessions.settled(batch)
	}
}

// pend notes an end that has to be written to the log.
func (t *table) pend(id string) {
	t.mu.Lock()
	t.pending[id] = struct{}{}
	t.mu.Unlock()
	t.journal.put(keyPending+id, true)
}

func (t *table) pendingEnds(most int) []string {
	t.mu.RLock()
	defer t.mu.RUnlock()
	out := make([]string, 0, min(most, len(t.pending)))
	for id := range t.pending {
		if len(out) == most {
			break
		}
		out = append(out, id)
	}
	return out
}

func (t *table) settled(batch []string) {
	t.mu.Lock()
	for _, id := range batch {
		delete(t.pending, id)
	}
	t.mu.Unlock()
	for _, id := range batch {
		t.journal.remove(keyPending + id)
	}
}

// restore takes up what the journal holds. Sessions count as active now.
func (a *Auth) restore(entries map[string]json.RawMessage) {
	var services []json.RawMessage
	for k, raw := range entries {
		var err error
		switch prefix, key := k[:min(2, len(k))], k[min(2, len(k)):]; prefix {
		case keySession:
			var rec record
			if err = json.Unmarshal(raw, &rec); err == nil {
				a.sessions.insert(&rec, a.start)
			}
		case keyPending:
			a.sessions.pending[key] = struct{}{}
			a.sessions.ended[key] = a.start.Add(a.cfg.SessionTimeout)
		case keyAttempts:
			err = a.attempts.restore(key, raw)
		case keyUsedCode, keyMistakes:
			err = a.codes.restore(prefix, key, raw)
		case keyService:
			services = append(services, raw)
		}
		if err != nil {
			a.log.Warn("entry of the session journal is unreadable; it is left out", "key", k, "error", err)
		}
	}
	for _, raw := range services {
		var s serviceRecord
		if err := json.Unmarshal(raw, &s); err == nil {
			if a.sessions.addService(&s) == nil {
				a.journal.remove(keyService + s.ID)
			}
		}
	}
	for key := range a.sessions.pending { // ended between two lines of the journal
		a.sessions.remove(key, a.start.Add(a.cfg.SessionTimeout))
	}
}
