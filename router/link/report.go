package link

import (
	"cmp"
	"context"
	"net"
	"slices"
	"sync"

	"github.com/weftnet/weft/wire/ctrl"
)

// reports collects what the controller has to know and tells it in order, from
// one goroutine. It holds no more than there are links.
type reports struct {
	m    *Manager
	wake chan struct{}

	mu    sync.Mutex
	dirty map[*Link]struct{}
	gone  map[string]*ctrl.LinkGone
}

func newReports(m *Manager) *reports {
	return &reports{m: m, wake: make(chan struct{}, 1), dirty: make(map[*Link]struct{}), gone: make(map[string]*ctrl.LinkGone)}
}

func (r *reports) signal() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// touch reports a link as it is.
func (r *reports) touch(l *Link) {
	r.mu.Lock()
	r.dirty[l] = struct{}{}
	r.mu.Unlock()
	r.signal()
}

// lost reports that a link is gone.
func (r *reports) lost(l *Link, reason string) {
	r.mu.Lock()
	delete(r.dirty, l)
	r.gone[l.id] = &ctrl.LinkGone{Id: l.id, Iteration: l.iteration, Reason: reason}
	r.mu.Unlock()
	r.signal()
}

func (r *reports) take() *ctrl.LinkChanges {
	r.mu.Lock()
	dirty, gone := r.dirty, r.gone
	r.dirty, r.gone = make(map[*Link]struct{}), make(map[string]*ctrl.LinkGone)
	r.mu.Unlock()
	out := new(ctrl.LinkChanges)
	for _, g := range gone {
		out.Gone = append(out.Gone, g)
	}
	for l := range dirty {
		l.mu.Lock()
		ended := l.ended || !l.health.announced
		l.health.told, l.health.toldAt = l.health.latency, r.m.clock.Now()
		l.mu.Unlock()
		if !ended {
			out.Put = append(out.Put, l.report())
		}
	}
	slices.SortFunc(out.Gone, func(a, b *ctrl.LinkGone) int { return cmp.Compare(a.Id, b.Id) })
	slices.SortFunc(out.Put, func(a, b *ctrl.Link) int { return cmp.Compare(a.Id, b.Id) })
	return out
}

func (r *reports) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.wake:
		}
		if c := r.take(); len(c.Put)+len(c.Gone) > 0 && r.m.cfg.Changed != nil {
			r.m.cfg.Changed(c)
		}
	}
}

// Report describes all links, for a controller that knows none.
func (m *Manager) Report() []*ctrl.Link {
	var out []*ctrl.Link
	for _, l := range m.all() {
		out = append(out, l.report())
	}
	return out
}

// Listeners describes the listeners that other routers can use.
func (m *Manager) Listeners() []*ctrl.LinkListener {
	var out []*ctrl.LinkListener
	for _, l := range m.cfg.Listeners {
		out = append(out, &ctrl.LinkListener{
			Protocol: "tls", Address: "tls:" + l.Advertise, Name: l.Name,
			Groups: slices.Clone(l.Groups), CostTags: slices.Clone(l.CostTags),
		})
	}
	return out
}

// Dialers describes the dialers.
func (m *Manager) Dialers() []*ctrl.LinkDialer {
	var out []*ctrl.LinkDialer
	for _, d := range m.cfg.Dialers {
		out = append(out, &ctrl.LinkDialer{Name: d.Name, Groups: slices.Clone(d.Groups)})
	}
	return out
}

func addressText(a net.Addr) string {
	if a == nil {
		return ""
	}
	return "tcp:" + a.String()
}
