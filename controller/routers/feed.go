package routers

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/weftnet/weft/control"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/state"
	"github.com/weftnet/weft/wire/ctrl"
)

// Feed turns changes of the state into changes of the policies and of the
// slice, for this controller and for connected routers. All methods are safe
// for concurrent use.
type Feed struct {
	store  *state.Store
	engine *policy.Engine
	log    *slog.Logger
	now    func() time.Time

	mu          sync.Mutex
	slice       *control.Slice
	seen        uint64 // index of the state that slice and engine show
	reached     chan struct{}
	subscribers map[*control.ControllerEnd]bool
	trust       string
	wake        time.Time // when a disabled identity becomes enabled again
	kick        chan struct{}

	onChange []func(*policy.Effects, []state.Change)

	ignorePosture bool
}

// NewFeed returns a feed that shows the state as it is. trust is the PEM text
// of the network's authorities. Run keeps it in step.
func NewFeed(store *state.Store, trust string, log *slog.Logger, now func() time.Time) *Feed {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	if now == nil {
		now = time.Now
	}
	f := &Feed{
		store: store, engine: policy.New(), log: log, now: now,
		slice: control.NewSlice(), reached: make(chan struct{}),
		subscribers: make(map[*control.ControllerEnd]bool), trust: trust,
		kick: make(chan struct{}, 1),
	}
	v := store.View()
	f.advance(v, everything(v), nil)
	return f
}

// IgnorePosture has policies grant as if there were no posture checks. It must be
// called before Run and before anybody subscribes.
func (f *Feed) IgnorePosture() {
	f.ignorePosture = true
	v := f.store.View()
	f.advance(v, everything(v), nil)
}

// OnChange has fn called after every change of the state, with what it means
// for access (never nil) and what changed (nil if unknown: then it may be
// anything). It must be called before Run; fn must not wait.
func (f *Feed) OnChange(fn func(*policy.Effects, []state.Change)) {
	f.onChange = append(f.onChange, fn)
}

// Policy returns the policies as they are now.
func (f *Feed) Policy() *policy.View { return f.engine.View() }

// Engine returns the engine that the feed keeps in step. Others only read it.
func (f *Feed) Engine() *policy.Engine { return f.engine }

// SetTrust replaces the PEM text of the network's authorities.
func (f *Feed) SetTrust(pem string) {
	f.mu.Lock()
	f.trust = pem
	f.mu.Unlock()
	f.signal()
}

func (f *Feed) signal() {
	select {
	case f.kick <- struct{}{}:
	default:
	}
}

// Wait returns when policies and slice show at least the given log index, which
// a write returned. The error is that of ctx.
func (f *Feed) Wait(ctx context.Context, index uint64) error {
	for {
		f.mu.Lock()
		seen, reached := f.seen, f.reached
		f.mu.Unlock()
		if seen >= index {
			return nil
		}
		select {
		case <-reached:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Run follows the state until ctx ends.
func (f *Feed) Run(ctx context.Context) {
	for ctx.Err() == nil {
		f.mu.Lock()
		seen, wake := f.seen, f.wake
		f.mu.Unlock()
		v := f.store.View()
		if v.Index() > seen {
			f.follow(seen, v)
			continue
		}
		pause := 24 * time.Hour
		if !wake.IsZero() {
			pause = max(wake.Sub(f.now()), time.Millisecond)
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
		case <-v.Changed():
		case <-f.kick:
			f.advance(v, []control.ItemKey{trustKey}, []state.Change{})
		case <-timer.C:
			f.advance(v, identities(v), []state.Change{})
		}
		timer.Stop()
	}
}

// follow brings everything to a newer view.
func (f *Feed) follow(seen uint64, v *state.View) {
	changes, ok := f.store.Changes(seen, v)
	if !ok { // too long ago, or the state was replaced
		f.mu.Lock()
		keys := everything(v)
		for _, it := range f.slice.Items() {
			keys = append(keys, control.ItemKey{Kind: it.Kind, ID: it.Id})
		}
		f.mu.Unlock()
		f.advance(v, keys, nil)
		return
	}
	f.advance(v, touched(changes, v), changes)
}

// advance sets the items with the given keys to what the view says, tells the
// routers, and then those who asked for changes.
func (f *Feed) advance(v *state.View, keys []control.ItemKey, changes []state.Change) {
	now := f.now()
	f.mu.Lock()
	from := f.slice.Index
	items := make([]*ctrl.Item, 0, len(keys))
	var batch []policy.Change
	for _, key := range keys {
		data, entity := f.item(v, key, now)
		var changed bool
		it := &ctrl.Item{Kind: key.Kind, Id: key.ID, Data: data, Removed: data == nil}
		if it.Removed {
			changed = f.slice.Remove(key)
		} else {
			changed = f.slice.Put(key, data)
		}
		if changed {
			items = append(items, it)
		}
		batch = appendChange(batch, key, entity, changed)
	}
	batch = append(batch, touches(changes, v)...)
	f.wake = f.nextWake(v, now, changes)
	effects := f.engine.Apply(now, batch...)
	f.seen = v.Index()
	f.slice.Index = v.Index()
	if len(items) > 0 {
		f.push(from, items)
	} else {
		f.slice.Index = from // routers need not know
	}
	close(f.reached)
	f.reached = make(chan struct{})
	f.mu.Unlock()
	for _, fn := range f.onChange {
		fn(effects, changes)
	}
}

// push sends changed items to the routers, with the lock held: the order of
// queueing is the order of changes, and queueing does not wait.
func (f *Feed) push(from uint64, items []*ctrl.Item) {
	if len(f.subscribers) == 0 {
		return
	}
	updates := control.ChangedSlice(from, f.slice.Index, items, f.slice.Digest())
	for s := range f.subscribers {
		s.PushSlice(updates)
	}
}

// Subscribe brings a router up to date and keeps it so until Unsubscribe. index
// and digest are those of the slice that it has.
func (f *Feed) Subscribe(s *control.ControllerEnd, index uint64, digest []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.subscribers[s] = true
	s.PushSlice(f.difference(index, digest))
}

// Resync sends a router the whole slice.
func (f *Feed) Resync(s *control.ControllerEnd) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.subscribers[s] {
		s.PushSlice(control.WholeSlice(f.slice))
	}
}

// Unsubscribe stops sending to a router.
func (f *Feed) Unsubscribe(s *control.ControllerEnd) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.subscribers, s)
}

// difference returns what leads a slice to the current one: nothing but the
// index if it is equal, what changed since if that is known, else everything.
// A router notices by the digest if the guess was wrong.
func (f *Feed) difference(index uint64, digest []byte) []*ctrl.SliceUpdate {
	if index == 0 || len(digest) == 0 {
		return control.WholeSlice(f.slice)
	}
	now := f.slice.Digest()
	if string(digest) == string(now) {
		return control.ChangedSlice(index, f.slice.Index, nil, now)
	}
	v := f.store.View()
	changes, ok := f.store.Changes(index, v)
	if !ok || index > f.slice.Index {
		return control.WholeSlice(f.slice)
	}
	var items []*ctrl.Item
	for _, key := range append(touched(changes, v), trustKey) {
		data, ok := f.slice.Get(key)
		items = append(items, &ctrl.Item{Kind: key.Kind, Id: key.ID, Data: data, Removed: !ok})
	}
	return control.ChangedSlice(index, f.slice.Index, items, now)
}

// nextWake returns when the next disabled identity becomes enabled by itself,
// or something earlier.
func (f *Feed) nextWake(v *state.View, now time.Time, changes []state.Change) time.Time {
	next := f.wake
	sooner := func(i *model.Identity) {
		if u := i.DisabledUntil; i.DisabledAt != nil && u != nil && u.After(now) && (next.IsZero() || u.Before(next)) {
			next = *u
		}
	}
	for i := range changes {
		if e, ok := changes[i].New.(*model.Identity); ok {
			sooner(e)
		}
	}
	if len(changes) == 0 {
		next = time.Time{}
		for i := range state.All[model.Identity](v) {
			sooner(i)
		}
	}
	return next
}
