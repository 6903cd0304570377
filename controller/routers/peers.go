package routers

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
	"github.com/weftnet/weft/wire/ctrl"
)

// Messaging bounds the messages in which routers are told of each other.
type Messaging struct {
	QueueSize  int // routers that wait for a worker; beyond it changes gather
	MaxWorkers int // messages made at once, 100 by default
	// Took, if not nil, is told how long every message took. It must not block.
	Took func(time.Duration)
}

// gather is how long changes of routers gather before others are told.
const gather = 50 * time.Millisecond

// peerSink is a router that is told of others: control.ControllerEnd.
type peerSink interface {
	PushPeers(*ctrl.Peers)
	PushEndpoints(*ctrl.Endpoints)
}

// peers is what routers are told of each other. Every change has a number, and
// for every connected router it is known which it has seen, so that what it is
// sent depends on nothing but how things are.
type peers struct {
	cfg     Messaging
	kick    chan struct{}
	queue   chan *sink   // that wait for a worker; when it is full, run waits and changes gather
	telling atomic.Int64 // workers that are at it
	mu      sync.Mutex
	number  uint64
	byID    map[string]*peerNews
	sinks   map[peerSink]*sink
}

// peerNews is a router as it is, nil for one that is no peer any more.
type peerNews struct {
	id     string
	peer   *ctrl.Peer
	number uint64 // of the last change
}

// sink is a connected router.
type sink struct {
	to       peerSink
	routerID string
	seen     uint64
	busy     bool // a worker is at it, or it waits for one
}

func newPeers(cfg Messaging) *peers {
	cfg.MaxWorkers = cmp.Or(cfg.MaxWorkers, 100)
	return &peers{
		cfg: cfg, kick: make(chan struct{}, 1), queue: make(chan *sink, cfg.QueueSize), byID: make(map[string]*peerNews), sinks: make(map[peerSink]*sink),
	}
}

// set notes how a router is; nil for one that is no peer of anybody.
func (p *peers) set(id string, peer *ctrl.Peer) {
	p.mu.Lock()
	old := p.byID[id]
	changed := old == nil && peer != nil || old != nil && !samePeer(old.peer, peer)
	if changed {
		p.number++
		p.byID[id] = &peerNews{id, peer, p.number}
	}
	p.mu.Unlock()
	if changed {
		p.signal()
	}
}

// samePeer reports whether others need not be told of the difference.
func samePeer(a, b *ctrl.Peer) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Name == b.Name && a.Version == b.Version && a.Online == b.Online &&
		slices.EqualFunc(a.Listeners, b.Listeners, func(x, y *ctrl.LinkListener) bool {
			return x.Protocol == y.Protocol && x.Address == y.Address && x.Name == y.Name &&
				slices.Equal(x.Groups, y.Groups) && slices.Equal(x.CostTags, y.CostTags)
		})
}

func (p *peers) signal() {
	select {
	case p.kick <- struct{}{}:
	default:
	}
}

// all returns what a router is told first, and up to which change it is.
func (p *peers) all(routerID string, whole bool) (*ctrl.Peers, uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.since(routerID, 0)
	if out.Whole = whole; whole {
		out.Removed = nil
	}
	return out, p.number
}

// since returns what has changed for a router, with the lock held.
func (p *peers) since(routerID string, number uint64) *ctrl.Peers {
	out := &ctrl.Peers{}
	for id, n := range p.byID {
		switch {
		case n.number <= number || id == routerID:
		case n.peer == nil:
			out.Removed = append(out.Removed, id)
		default:
			out.Put = append(out.Put, n.peer)
		}
	}
	return out
}

// add has a router told of changes after the given one; drop stops that.
func (p *peers) add(to peerSink, routerID string, seen uint64) {
	p.mu.Lock()
	p.sinks[to] = &sink{to: to, routerID: routerID, seen: seen}
	p.mu.Unlock()
	p.signal()
}

func (p *peers) drop(to peerSink) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.sinks, to)
}

// due returns the routers that have not seen everything, and marks them.
func (p *peers) due() []*sink {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []*sink
	for _, s := range p.sinks {
		if !s.busy && s.seen < p.number {
			s.busy = true
			out = append(out, s)
		}
	}
	return out
}

// work tells a router of changes, and how long that took.
func (p *peers) work(s *sink) {
	p.telling.Add(1)
	defer p.telling.Add(-1)
	start := time.Now()
	p.tell(s)
	if p.cfg.Took != nil {
		p.cfg.Took(time.Since(start))
	}
}

// run tells routers of changes until ctx ends.
func (p *peers) run(ctx context.Context) {
	queue := p.queue
	var workers sync.WaitGroup
	defer workers.Wait()
	defer close(queue)
	running := 0
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.kick:
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(gather):
		}
		for _, s := range p.due() {
			select {
			case queue <- s:
				continue
			default:
			}
			if running < p.cfg.MaxWorkers {
				running++
				workers.Go(func() {
					for s := range queue {
						p.work(s)
					}
				})
			}
			select {
			case queue <- s:
			case <-ctx.Done():
				return
			}
		}
		if running == 0 && len(queue) > 0 {
			running++
			workers.Go(func() {
				for s := range queue {
					p.work(s)
				}
			})
		}
	}
}

// tell sends a router what it has not seen.
func (p *peers) tell(s *sink) {
	p.mu.Lock()
	m, number := p.since(s.routerID, s.seen), p.number
	gone := p.sinks[s.to] != s
	p.mu.Unlock()
	if !gone && len(m.Put)+len(m.Removed) > 0 {
		s.to.PushPeers(m)
	}
	p.mu.Lock()
	s.seen, s.busy = number, false
	more := p.number > number
	p.mu.Unlock()
	if more {
		p.signal()
	}
}

// publish brings what others are told of a router up to date.
func (r *Registry) publish(routerID string) {
	router := state.Get[model.EdgeRouter](r.cfg.Store.View(), routerID)
	s := r.Status(routerID)
	if router == nil || router.Disabled || len(s.Links) == 0 && len(s.Dialers) == 0 {
		if router == nil || router.Disabled || !s.Since.IsZero() {
			r.peers.set(routerID, nil)
		}
		return
	}
	r.peers.set(routerID, &ctrl.Peer{
		RouterId: routerID, Name: router.Name, Version: versionOf(s.Version), Online: s.Online, Listeners: s.Links,
	})
}

// complete reports whether it is known of all routers that may be peers how
// they are: only then may a router forget those that it is not told of. After
// a start of this controller that takes until all have connected.
func (r *Registry) complete() bool {
	for router := range state.All[model.EdgeRouter](r.cfg.Store.View()) {
		if router.IsVerified && !router.Disabled && r.Status(router.ID).Since.IsZero() {
			return false
		}
	}
	return true
}

// endpoints returns where controllers are, nil if that is not known: a router
// leaves a controller that is none of them.
func (r *Registry) endpoints() *ctrl.Endpoints {
	view := r.cfg.Store.View()
	out := &ctrl.Endpoints{Index: view.Index(), Leader: r.cfg.Leader == nil || r.cfg.Leader()}
	for c := range state.All[model.Controller](view) {
		address := c.CtrlAddress
		if c.ID == r.cfg.ControllerID && r.cfg.NewListener != "" {
			address = r.cfg.NewListener
		}
		if address != "" {
			out.Controllers = append(out.Controllers, &ctrl.Controller{Id: c.ID, Addresses: []string{address}})
		}
	}
	if len(out.Controllers) == 0 {
		return nil
	}
	slices.SortFunc(out.Controllers, func(a, b *ctrl.Controller) int { return cmp.Compare(a.Id, b.Id) })
	return out
}

// pushEndpoints tells all connected routers where controllers are.
func (r *Registry) pushEndpoints() {
	m := r.endpoints()
	if m == nil {
		return
	}
	r.peers.mu.Lock()
	sinks := make([]peerSink, 0, len(r.peers.sinks))
	for s := range r.peers.sinks {
		sinks = append(sinks, s)
	}
	r.peers.mu.Unlock()
	for _, s := range sinks {
		s.PushEndpoints(m)
	}
}
