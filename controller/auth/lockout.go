package auth

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/token"
)

// maxAttemptsKept bounds the number of authenticators whose failures are
// remembered; only existing user names get there.
const maxAttemptsKept = 100000

// maxLockout is the longest lockout in minutes, a hundred years: more would not
// fit a time.
const maxLockout = 100 * 365 * 24 * 60

// attempts counts failed logins per authenticator since the last good one. The
// counts are journalled, so a restart gives no new attempts.
type attempts struct {
	journal *journal
	mu      sync.Mutex
	counts  map[string]int64
}

func newAttempts(j *journal) *attempts {
	return &attempts{journal: j, counts: make(map[string]int64)}
}

// fail counts a failure and returns the number so far.
func (t *attempts) fail(authenticatorID string) int64 {
	t.mu.Lock()
	if _, ok := t.counts[authenticatorID]; !ok && len(t.counts) >= maxAttemptsKept {
		for id := range t.counts { // any one; the journal keeps the rest honest
			delete(t.counts, id)
			break
		}
	}
	t.counts[authenticatorID]++
	n := t.counts[authenticatorID]
	t.mu.Unlock()
	t.journal.put(keyAttempts+authenticatorID, n)
	return n
}

// clear forgets the failures of an authenticator.
func (t *attempts) clear(authenticatorID string) {
	t.mu.Lock()
	_, had := t.counts[authenticatorID]
	delete(t.counts, authenticatorID)
	t.mu.Unlock()
	if had {
		t.journal.remove(keyAttempts + authenticatorID)
	}
}

func (t *attempts) restore(authenticatorID string, raw json.RawMessage) error {
	var n int64
	if err := json.Unmarshal(raw, &n); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts[authenticatorID] = n
	return nil
}

// failed counts a wrong password and disables the identity when its policy's
// number of attempts is reached.
func (a *Auth) failed(ctx context.Context, auth *model.Authenticator, policy *model.AuthPolicy) {
	updb := policy.Primary.Updb
	if updb.MaxAttempts <= 0 {
		return
	}
	if a.attempts.fail(auth.ID) < updb.MaxAttempts {
		return
	}
	now := a.now().Truncate(time.Millisecond)
	fields := map[string]any{"disabledAt": now, "disabledUntil": nil}
	if updb.LockoutDurationMinutes > 0 {
		fields["disabledUntil"] = now.Add(time.Duration(min(updb.LockoutDurationMinutes, maxLockout)) * time.Minute)
	}
	c := a.command()
	c.RevokeFor = token.RevocationLife
	c.Patch(model.KindIdentity, auth.IdentityID, fields)
	if err := a.write(ctx, c); err != nil {
		// The count stays: the next failure tries again.
		a.log.Error("identity could not be locked out", "identityId", auth.IdentityID, "error", err)
		return
	}
	a.attempts.clear(auth.ID)
	a.log.Warn("identity locked out after failed logins", "identityId", auth.IdentityID,
		"authenticatorId", auth.ID, "attempts", updb.MaxAttempts, "minutes", updb.LockoutDurationMinutes)
}
