package auth

import (
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

// entry is a live session: its record and its activity.
type entry struct {
	record   atomic.Pointer[record]
	last     atomic.Int64              // activity, Unix milliseconds
	saved    atomic.Int64              // activity as of the last ActivityInterval
	text     atomic.Pointer[string]    // token, once it was needed
	wrong    atomic.Int32              // one-time codes in a row
	mu       sync.Mutex                // one change of the record at a time
	services map[string]*serviceRecord // by service session id; guarded by table.mu
}

func (e *entry) active() time.Time        { return time.UnixMilli(e.last.Load()).UTC() }
func (e *entry) savedActivity() time.Time { return time.UnixMilli(e.saved.Load()).UTC() }

// touch moves the activity forward, never back.
func (e *entry) touch(now time.Time) {
	ms := now.UnixMilli()
	for {
		old := e.last.Load()
		if ms <= old || e.last.CompareAndSwap(old, ms) {
			return
		}
	}
}

// table holds the live sessions and the ids of those that have ended here.
type table struct {
	journal *journal

	mu       sync.RWMutex
	live     map[string]*entry
	identity map[string]map[string]*entry // by identity id and session id
	ended    map[string]time.Time         // session id: until when it is remembered
	pending  map[string]struct{}          // session ids: ends that the state does not know yet
	service  map[string]*serviceRecord    // by service session id
}

func newTable(j *journal) *table {
	return &table{
		journal: j, live: make(map[string]*entry), identity: make(map[string]map[string]*entry),
		ended: make(map[string]time.Time), pending: make(map[string]struct{}), service: make(map[string]*serviceRecord),
	}
}

// add makes a session live and journals it. It returns the entry that is live
// now, which is another when one of that id was already there, and nil when the
// session has ended.
func (t *table) add(r *record, active time.Time) *entry {
	e := t.insert(r, active)
	if e != nil && e.record.Load() == r {
		t.journal.put(keySession+r.ID, r)
	}
	return e
}

func (t *table) insert(r *record, active time.Time) *entry {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, over := t.ended[r.ID]; over {
		return nil
	}
	if e := t.live[r.ID]; e != nil {
		return e
	}
	e := &entry{services: make(map[string]*serviceRecord)}
	e.record.Store(r)
	e.last.Store(active.UnixMilli())
	e.saved.Store(active.UnixMilli())
	t.live[r.ID] = e
	of := t.identity[r.IdentityID]
	if of == nil {
		of = make(map[string]*entry)
		t.identity[r.IdentityID] = of
	}
	of[r.ID] = e
	return e
}

// countOf returns the number of live sessions of an identity.
func (t *table) countOf(identityID string) int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.identity[identityID])
}

func (t *table) get(id string) *entry {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.live[id]
}

func (t *table) hasEnded(id string) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	_, over := t.ended[id]
	return over
}

// remove ends a session; its id stays known until the given time. It reports
// whether the session was live and returns the ids of its service sessions.
func (t *table) remove(id string, until time.Time) (services []string, was bool) {
	services, was = t.take(id, until)
	if was {
		t.journal.remove(keySession + id)
		for _, s := range services {
			t.journal.remove(keyService + s)
		}
	}
	return services, was
}

func (t *table) take(id string, until time.Time) (services []string, was bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended[id] = until
	e := t.live[id]
	if e == nil {
		return nil, false
	}
	delete(t.live, id)
	owner := e.record.Load().IdentityID
	if of := t.identity[owner]; of != nil {
		if delete(of, id); len(of) == 0 {
			delete(t.identity, owner)
		}
	}
	for s := range e.services {
		services = append(services, s)
		delete(t.service, s)
	}
	return services, true
}

// forget drops ended ids whose tokens are too old by now.
func (t *table) forget(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, until := range t.ended {
		if now.After(until) {
			delete(t.ended, id)
		}
	}
}

// all returns the live sessions in the order of their ids.
func (t *table) all() []*entry {
	t.mu.RLock()
	out := make([]*entry, 0, len(t.live))
	for _, e := range t.live {
		out = append(out, e)
	}
	t.mu.RUnlock()
	sort.Slice(out, func(i, j int) bool { return out[i].record.Load().ID < out[j].record.Load().ID })
	return out
}

// ofIdentity returns the live sessions of an identity.
func (t *table) ofIdentity(id string) []*entry {
	t.mu.RLock()
	defer t.mu.RUnlock()
	out := make([]*entry, 0, len(t.identity[id]))
	for _, e := range t.identity[id] {
		out = append(out, e)
	}
	return out
}
