package policy

import (
	"sync"
	"sync/atomic"
	"time"
)

// Change puts, removes or touches one entity; see Put, Remove and Touch.
type Change struct {
	Kind   Kind
	ID     string
	Entity Entity // nil removes or touches
	touch  bool
}

// Put returns the change that creates or replaces an entity.
func Put(e Entity) Change { return Change{Kind: e.Kind(), ID: e.Key(), Entity: e} }

// Remove returns the change that removes an entity; an unknown one is no error.
func Remove(kind Kind, id string) Change { return Change{Kind: kind, ID: id} }

// Touch returns the change of a service that clients see although nothing that
// policies know of has changed, such as one of its configs.
func Touch(serviceID string) Change { return Change{Kind: KindService, ID: serviceID, touch: true} }

// Engine evaluates policies incrementally. Apply is serialised inside; View
// never waits. Safe for concurrent use.
type Engine struct {
	mu     sync.Mutex // guards the indexes and the order of Apply
	groups [classes]*groupIndex
	rules  [relations]*ruleIndex
	last   int64 // time of the last Apply, Unix nanoseconds
	view   atomic.Pointer[View]
}

// New returns an empty engine.
func New() *Engine {
	e := &Engine{}
	v := &View{}
	for i := range e.groups {
		e.groups[i], v.classes[i] = newGroupIndex(), newClass()
	}
	for i := range e.rules {
		e.rules[i] = newRuleIndex()
	}
	for i := range v.byID {
		v.byID[i] = newTable[*rule]()
	}
	e.view.Store(v)
	return e
}

// Fork returns an engine that begins with the policies as they are now and goes
// its own way, to try changes. It costs some microseconds: both share what
// neither changes.
func (e *Engine) Fork() *Engine {
	e.mu.Lock()
	defer e.mu.Unlock()
	next := &Engine{last: e.last}
	for i, g := range e.groups {
		next.groups[i] = g.fork()
	}
	for i, r := range e.rules {
		next.rules[i] = r.fork()
	}
	next.view.Store(e.view.Load())
	return next
}

// View returns the current immutable view.
func (e *Engine) View() *View { return e.view.Load() }

// Apply makes a batch of changes visible at once and returns whom they
// concern. at becomes the time of the last change of the identities concerned;
// if the clock stands still or goes back, the last time and a millisecond. The entities belong to the engine from then on and may not be changed.
func (e *Engine) Apply(at time.Time, changes ...Change) *Effects {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := at.UnixNano()
	if now <= e.last {
		now = e.last + int64(time.Millisecond)
	}
	e.last = now
	next := *e.view.Load()
	t := &transaction{engine: e, view: &next, edit: new(edit), at: now, effects: &Effects{view: &next}}
	for _, c := range changes {
		t.apply(c)
	}
	t.settlePosture()
	e.view.Store(&next)
	return t.effects
}

// transaction is one Apply at work on the next view.
type transaction struct {
	engine  *Engine
	view    *View
	edit    *edit
	at      int64
	effects *Effects
	asked   []*rule // policies put that name posture checks
	checks  bool    // posture checks came, went or changed
}

func (t *transaction) apply(c Change) {
	if class, ok := classOf(c.Kind); ok {
		switch {
		case c.touch:
			t.touchService(c.ID)
		case c.Entity == nil:
			t.removeSubject(class, c.ID)
		default:
			t.putSubject(class, c.ID, c.Entity)
		}
		return
	}
	if i, ok := ruleTable(c.Kind); ok {
		if c.Entity == nil {
			t.removeRule(i, c.ID)
		} else if r, ok := newRule(c.Entity); ok {
			t.putRule(i, c.ID, r)
		}
	}
}

// ruleTable returns the number of the table of a kind of policy.
func ruleTable(k Kind) (int, bool) {
	return int(k) - int(KindServicePolicy), k >= KindServicePolicy && k <= KindServiceEdgeRouterPolicy
}
