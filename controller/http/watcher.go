package http

import (
	"container/list"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftnet/weft/api"
)

const (
	refusalsKept   = 50   // per identity
	identitiesKept = 4096 // with refusals; the one that was refused longest ago is forgotten
	tracesKept     = 256  // identities that are traced at once
)

// Refusal is a request of an identity for a service that was refused.
type Refusal struct {
	At                               time.Time
	IdentityID, SessionID, ServiceID string
	Action                           string // Dial or Bind
	Code, Reason                     string
	Policies                         []api.PolicyFailure
}

// Watcher remembers the latest refusals of every identity, and writes what
// traced identities do into the log. It is safe for concurrent use; nothing of it
// waits or survives the process.
type Watcher struct {
	log *slog.Logger
	now func() time.Time

	active atomic.Int32 // number of traces, so that requests need no lock where there is none

	mu      sync.Mutex
	refused map[string]*list.Element // by identity, of *refusals
	recent  *list.List               // the same, refused last first
	traced  map[string]trace         // by identity
}

type refusals struct {
	identity string
	latest   []Refusal // oldest first
}

type trace struct {
	id    string
	until time.Time
}

// NewWatcher returns a watcher that has seen nothing.
func NewWatcher(log *slog.Logger, now func() time.Time) *Watcher {
	return &Watcher{log: log, now: now, refused: map[string]*list.Element{}, recent: list.New(), traced: map[string]trace{}}
}

// Refused remembers a refusal.
func (w *Watcher) Refused(r Refusal) {
	w.remember(r)
	w.Saw(r.IdentityID, "service refused", "service", r.ServiceID, "action", r.Action, "code", r.Code, "reason", r.Reason, "session", r.SessionID)
}

func (w *Watcher) remember(r Refusal) {
	w.mu.Lock()
	defer w.mu.Unlock()
	e := w.refused[r.IdentityID]
	if e == nil {
		if w.recent.Len() >= identitiesKept {
			last := w.recent.Back()
			delete(w.refused, w.recent.Remove(last).(*refusals).identity)
		}
		e = w.recent.PushFront(&refusals{identity: r.IdentityID})
		w.refused[r.IdentityID] = e
	}
	w.recent.MoveToFront(e)
	of := e.Value.(*refusals)
	if len(of.latest) >= refusalsKept {
		of.latest = slices.Delete(of.latest, 0, 1)
	}
	of.latest = append(of.latest, r)
}

// refusalsOf returns the refusals of an identity, the latest first.
func (w *Watcher) refusalsOf(identity string) []Refusal {
	w.mu.Lock()
	defer w.mu.Unlock()
	e := w.refused[identity]
	if e == nil {
		return nil
	}
	out := slices.Clone(e.Value.(*refusals).latest)
	slices.Reverse(out)
	return out
}

// Saw writes something that an identity did into the log, if it is traced.
func (w *Watcher) Saw(identity, what string, attrs ...any) {
	if w.active.Load() == 0 {
		return
	}
	w.mu.Lock()
	t, ok := w.traced[identity]
	if ok && !w.now().Before(t.until) {
		delete(w.traced, identity)
		w.active.Add(-1)
		ok = false
	}
	w.mu.Unlock()
	if ok {
		w.log.Info("trace: "+what, append([]any{"identity", identity, "traceId", t.id}, attrs...)...)
	}
}

// trace begins or, at a time that has passed, ends the trace of an identity. It
// reports whether there is room.
func (w *Watcher) trace(identity, id string, until time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer func() { w.active.Store(int32(len(w.traced))) }()
	now := w.now()
	for k, t := range w.traced {
		if !now.Before(t.until) {
			delete(w.traced, k)
		}
	}
	delete(w.traced, identity)
	if !now.Before(until) {
		return true
	}
	if len(w.traced) >= tracesKept {
		return false
	}
	w.traced[identity] = trace{id, until}
	return true
}

// request writes a request of a traced identity into the log. It does not name
// the type call, for the reason that NewBindings tells.
func (w *Watcher) request(c interface {
	seen() (identity string, attrs []any)
}, err error) {
	if w.active.Load() == 0 {
		return // attrs cost something
	}
	identity, attrs := c.seen()
	if err != nil {
		attrs = append(attrs, "error", err.Error())
	}
	w.Saw(identity, "request", attrs...)
}

// seen is what a log tells about a request.
func (c *call) seen() (identity string, attrs []any) {
	return c.caller.IdentityID, []any{"method", c.r.Method, "path", c.r.URL.Path, "operation", c.ep.op.ID, "session", c.caller.SessionID}
}
