package auth

import (
	"crypto/subtle"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"

	"github.com/weftnet/weft/model"
)

// Purposes of a code. A code of one time step may serve each purpose once, and
// only in the session that used it first: clients send it again when they list,
// renew and remove in a row.
const (
	forLogin   = "login"
	forVerify  = "verify"
	forListing = "list"
	forRenewal = "renew"
	forRemoval = "remove"
)

const (
	codePeriod = 30 // seconds of a time step
	codeSkew   = 2  // time steps before and after the current one whose codes count
	codeDigits = 6

	freeMistakes = 5                // wrong codes of an identity in a row that cost nothing
	firstWait    = 30 * time.Second // after the next one; it doubles with each
	longestWait  = 15 * time.Minute

	maxMistakesKept = 100000 // identities whose wrong codes are remembered
)

// codes remembers which codes were used and how many were wrong. Both are
// journalled, so a restart gives neither back.
type codes struct {
	journal *journal
	mu      sync.Mutex
	used    map[string]usedStep // by id of the MFA enrolment
	wrong   map[string]mistakes // by identity id
}

// usedStep is the latest time step whose code was accepted.
type usedStep struct {
	Step     int64    `json:"step"`
	Session  string   `json:"session"`
	Purposes []string `json:"purposes"`
}

// mistakes are the wrong codes of an identity since the last good one.
type mistakes struct {
	Count int       `json:"count"`
	Until time.Time `json:"until"` // no code is looked at before
}

func newCodes(j *journal) *codes {
	return &codes{journal: j, used: make(map[string]usedStep), wrong: make(map[string]mistakes)}
}

// attempt is one use of a code.
type attempt struct {
	mfa      *model.MFA
	session  string
	purpose  string
	steps    []int64 // time steps whose code it is, latest first
	recovery bool    // it is a recovery code
	at       time.Time
}

// judge accepts or refuses an attempt and remembers it. A positive wait says
// that the attempt was not looked at, for so long. Judging and remembering is
// one step, so that many attempts at once count like as many in a row.
func (t *codes) judge(a attempt) (ok bool, wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	identity := a.mfa.IdentityID
	m := t.wrong[identity]
	if wait = m.Until.Sub(a.at); m.Count > 0 && wait > 0 {
		return false, wait
	}
	if a.recovery || t.fresh(a) {
		if m.Count > 0 {
			delete(t.wrong, identity)
			t.journal.remove(keyMistakes + identity)
		}
		return true, 0
	}
	t.mistake(identity, m, a.at)
	return false, 0
}

func (t *codes) mistake(identity string, m mistakes, at time.Time) {
	if m.Count == 0 && len(t.wrong) >= maxMistakesKept {
		for other := range t.wrong { // any one; the journal keeps the rest honest
			delete(t.wrong, other)
			break
		}
	}
	if m.Count++; m.Count > freeMistakes {
		m.Until = at.Add(min(firstWait<<min(m.Count-freeMistakes-1, 10), longestWait))
	}
	t.wrong[identity] = m
	t.journal.put(keyMistakes+identity, m)
}

// fresh reports whether the code may be used, and notes that it is.
func (t *codes) fresh(a attempt) bool {
	last, any := t.used[a.mfa.ID]
	for _, step := range a.steps {
		switch {
		case !any || step > last.Step:
			t.use(a.mfa.ID, usedStep{Step: step, Session: a.session, Purposes: []string{a.purpose}})
			return true
		case step == last.Step && last.Session == a.session && !slices.Contains(last.Purposes, a.purpose):
			last.Purposes = append(slices.Clone(last.Purposes), a.purpose)
			t.use(a.mfa.ID, last)
			return true
		}
	}
	return false
}

func (t *codes) use(mfaID string, u usedStep) {
	t.used[mfaID] = u
	t.journal.put(keyUsedCode+mfaID, u)
}

// giveBack undoes the acceptance of a code whose work could not be written.
func (t *codes) giveBack(a attempt) {
	t.mu.Lock()
	defer t.mu.Unlock()
	u, ok := t.used[a.mfa.ID]
	if !ok || u.Session != a.session || a.recovery {
		return
	}
	u.Purposes = slices.DeleteFunc(slices.Clone(u.Purposes), func(p string) bool { return p == a.purpose })
	t.use(a.mfa.ID, u)
}

// forget drops what is known of an enrolment that is gone.
func (t *codes) forget(m *model.MFA) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.used, m.ID)
	delete(t.wrong, m.IdentityID)
	t.journal.remove(keyUsedCode + m.ID)
	t.journal.remove(keyMistakes + m.IdentityID)
}

// sweep drops what cannot matter any more: time steps whose codes are refused
// for their age, and mistakes of the day before.
func (t *codes) sweep(now time.Time) {
	const keepMistakes = 24 * time.Hour
	t.mu.Lock()
	defer t.mu.Unlock()
	oldest := stepOf(now) - codeSkew
	for id, u := range t.used {
		if u.Step < oldest {
			delete(t.used, id)
			t.journal.remove(keyUsedCode + id)
		}
	}
	for id, m := range t.wrong {
		if m.Until.IsZero() && m.Count > 0 { // counts from the first sweep that sees it
			m.Until = now
			t.wrong[id] = m
		} else if now.Sub(m.Until) > keepMistakes {
			delete(t.wrong, id)
			t.journal.remove(keyMistakes + id)
		}
	}
}

func (t *codes) restore(prefix, key string, raw json.RawMessage) error {
	if prefix == keyUsedCode {
		var u usedStep
		if err := json.Unmarshal(raw, &u); err != nil {
			return err
		}
		t.used[key] = u
		return nil
	}
	var m mistakes
	if err := json.Unmarshal(raw, &m); err != nil {
		return err
	}
	t.wrong[key] = m
	return nil
}

func stepOf(t time.Time) int64 { return t.Unix() / codePeriod }

// stepsOf returns the time steps around now whose code this is, latest first.
func stepsOf(secret, code string, now time.Time) []int64 {
	code = strings.TrimSpace(code)
	if len(code) != codeDigits {
		return nil
	}
	opts := totp.ValidateOpts{Period: codePeriod, Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1}
	var out []int64
	for step := stepOf(now) + codeSkew; step >= stepOf(now)-codeSkew; step-- {
		want, err := totp.GenerateCodeCustom(secret, time.Unix(step*codePeriod, 0), opts)
		if err == nil && subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 {
			out = append(out, step)
		}
	}
	return out
}
