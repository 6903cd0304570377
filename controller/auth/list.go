package auth

import (
	"time"

	"github.com/weftnet/weft/fault"
)

// Sessions returns every live session, in the order of their ids.
func (a *Auth) Sessions() []*Session {
	entries := a.sessions.all()
	out := make([]*Session, 0, len(entries))
	now := a.now()
	for _, e := range entries {
		if s := a.shown(e, now); s != nil {
			out = append(out, s)
		}
	}
	return out
}

// Session returns a live session; the refusal is fault.NotFound.
func (a *Auth) Session(id string) (*Session, error) {
	if e := a.sessions.get(id); e != nil {
		if s := a.shown(e, a.now()); s != nil {
			return s, nil
		}
	}
	return nil, fault.NotFound.Errorf("apiSession with id %s not found", id)
}

// HasSession reports whether an identity has a live session.
func (a *Auth) HasSession(identityID string) bool {
	now := a.now()
	for _, e := range a.sessions.ofIdentity(identityID) {
		if now.Sub(e.active()) <= a.cfg.SessionTimeout {
			return true
		}
	}
	return false
}

func (a *Auth) shown(e *entry, now time.Time) *Session {
	if now.Sub(e.active()) > a.cfg.SessionTimeout {
		return nil
	}
	if text := e.text.Load(); text != nil {
		return a.snapshot(e, *text)
	}
	text, err := a.tokenOf(e.record.Load())
	if err != nil {
		return nil
	}
	e.text.Store(&text)
	return a.snapshot(e, text)
}
