package auth

import (
	"slices"
	"sync"
	"time"
)

const (
	maxPostureProcesses = 256 // of one session
	maxPostureSessions  = 64  // of one identity, whose data is shown
)

// Posture is what the client of a session has told about its machine, each part
// as it was told last. Parts that were never told are nil.
type Posture struct {
	OS        *PostureOS
	Domain    *PostureDomain
	MAC       *PostureMAC
	Processes []PostureProcess // by check and path, in the order of their first report
	WokenAt   *time.Time
	UnlockAt  *time.Time
}

// PostureTold is when something was told and for which check; SDKs send 0 where
// it has no meaning.
type PostureTold struct {
	At      time.Time
	CheckID string
}

// PostureOS is the operating system.
type PostureOS struct {
	PostureTold
	Type, Version, Build string
}

// PostureDomain is the domain of the machine.
type PostureDomain struct {
	PostureTold
	Domain string
}

// PostureMAC are the hardware addresses, lower case, without separators.
type PostureMAC struct {
	PostureTold
	Addresses []string
}

// PostureProcess is one process.
type PostureProcess struct {
	PostureTold
	Path, Hash         string
	IsRunning          bool
	SignerFingerprints []string
}

// postures hold what sessions told. It lives and ends with the sessions and is
// not journalled: clients tell it anew when they connect.
type postures struct {
	mu   sync.RWMutex
	told map[string]Posture // by session id
}

// TellPosture changes what is known of the machine of a live session. change is
// called with a copy whose lists it must replace, never change. Of several
// processes the latest are kept.
func (a *Auth) TellPosture(sessionID string, change func(p *Posture)) error {
	if _, err := a.recordOf(sessionID); err != nil {
		return err
	}
	a.postures.mu.Lock()
	defer a.postures.mu.Unlock()
	p := a.postures.told[sessionID]
	change(&p)
	if over := len(p.Processes) - maxPostureProcesses; over > 0 {
		p.Processes = slices.Clone(p.Processes[over:])
	}
	a.postures.told[sessionID] = p
	return nil
}

// SessionPosture is the posture of one live session.
type SessionPosture struct {
	Session *Session
	Posture Posture
}

// PosturesOf returns what the live sessions of an identity have told, the session
// that began last first, at most 64.
func (a *Auth) PosturesOf(identityID string) []SessionPosture {
	now := a.now()
	var out []SessionPosture
	for _, e := range a.sessions.ofIdentity(identityID) {
		s := a.shown(e, now)
		if s == nil {
			continue
		}
		a.postures.mu.RLock()
		p, ok := a.postures.told[s.ID]
		a.postures.mu.RUnlock()
		if ok || s.IsMfaRequired || s.IsMfaComplete {
			out = append(out, SessionPosture{s, p})
		}
	}
	slices.SortFunc(out, func(x, y SessionPosture) int { return y.Session.CreatedAt.Compare(x.Session.CreatedAt) })
	return out[:min(len(out), maxPostureSessions)]
}

// forgetPostures drops what sessions told that have ended.
func (a *Auth) forgetPostures() {
	a.postures.mu.Lock()
	defer a.postures.mu.Unlock()
	for id := range a.postures.told {
		if a.sessions.get(id) == nil {
			delete(a.postures.told, id)
		}
	}
}
