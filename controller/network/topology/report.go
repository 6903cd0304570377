package topology

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/weftnet/weft/wire/ctrl"
)

// link is a link with what either end says of it.
type link struct {
	shown   *Link
	ends    [2]end // of the dialer and of the acceptor
	since   time.Time
	by      string    // router that reported it first
	ranked  int       // its cost among the links of its routers
	touched time.Time // last change of what the ends say
}

// end is what a router says of its end of a link.
type end struct {
	known   bool // it has said something
	has     bool // that it has the link
	latency time.Duration
	queued  time.Duration
	mute    bool
}

// Kind is what happened to a link.
type Kind int

// What happens to links.
const (
	Appeared    Kind = iota
	Known            // reported by its other end too, or again in a report of everything
	Replaced         // made anew: what was under way on it is lost
	Lost             // gone or no longer to be used
	Measured         // it may cost something else now
	Mute             // unresponsive, not to be used for now
	Heard            // responsive again
	Connections      // it consists of other connections
)

// Change is something that happened to a link.
type Change struct {
	Kind Kind
	Link *Link // afterwards, or as it was if it is gone
}

const (
	maxLinks    = 1 << 20   // of all routers
	maxReported = 10_000    // that are known by one router's word
	maxJoint    = 64        // usable ones of two routers; more are no part of paths
	maxText     = 512       // bytes of every text of a report
	maxLatency  = time.Hour // more is not told apart
)

// Report takes what a router tells of its links. What it may not tell, because
// it is not at either end or the link is another one's, is left out.
//
// A link is there as soon as one end has it, and until one end says that it is
// gone, or leaves it out of a report of everything although it has told of it
// before. An end that has not told of it may not have had it yet when it made
// the report: such a link is a Half until it does.
func (t *Topology) Report(routerID string, m *ctrl.LinkChanges) []Change {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []Change
	if m.Whole {
		kept := make(map[string]bool, len(m.Put))
		for _, p := range m.Put {
			kept[p.Id] = true
		}
		for _, id := range slices.Sorted(maps.Keys(t.of[routerID])) {
			if l := t.links[id]; !kept[id] && l.told(routerID) {
				out = t.gone(out, l, routerID, l.shown.Iteration, "")
			}
		}
	}
	for _, g := range m.Gone {
		if l := t.links[g.Id]; l != nil {
			out = t.gone(out, l, routerID, g.Iteration, g.Reason)
		}
	}
	for _, p := range m.Put {
		out = t.put(out, routerID, p, m.Whole)
	}
	return out
}

// told reports whether a router has told of this iteration of the link.
func (l *link) told(routerID string) bool {
	at := slices.Index([]string{l.shown.DialerID, l.shown.AcceptorID}, routerID)
	return at >= 0 && l.ends[at].known
}

func (t *Topology) put(out []Change, routerID string, p *ctrl.Link, whole bool) []Change {
	at := slices.Index([]string{p.DialerId, p.AcceptorId}, routerID)
	if at < 0 || p.Id == "" || p.DialerId == p.AcceptorId || tooLong(p) {
		return out
	}
	l := t.links[p.Id]
	kind := Measured
	switch {
	case l == nil:
		if len(t.links) >= maxLinks || t.reported[routerID] >= maxReported {
			return out
		}
		l = t.add(p, routerID)
		kind = Appeared
	case l.shown.DialerID != p.DialerId || l.shown.AcceptorID != p.AcceptorId || p.Iteration < l.shown.Iteration:
		return out
	case p.Iteration > l.shown.Iteration:
		l.ends, l.since = [2]end{}, t.cfg.Now()
		kind = Replaced
	case !l.ends[at].known || whole:
		kind = Known
	}
	was := l.ends[at]
	if !was.has {
		l.touched = t.cfg.Now()
	}
	l.ends[at] = end{
		known: true, has: true, mute: p.Unresponsive,
		latency: duration(p.LatencyNanos), queued: duration(p.QueueNanos),
	}
	next := *l.shown
	next.Iteration, next.Key, next.Protocol, next.Address = p.Iteration, p.Key, p.Protocol, p.Address
	rewired := false
	if c := connections(p); at == 0 || len(next.Connections) == 0 {
		rewired = !slices.Equal(c, next.Connections)
		next.Connections = c
	}
	usable := l.shown.Usable()
	t.show(l, &next)
	out = append(out, Change{kind, l.shown})
	if rewired && kind == Measured {
		out[len(out)-1].Kind = Connections
	}
	switch {
	case kind == Appeared || kind == Replaced:
	case usable && !l.shown.Usable():
		out = append(out, Change{Mute, l.shown})
	case was.mute && l.shown.Usable():
		out = append(out, Change{Heard, l.shown})
	}
	return out
}

// duration is what a router claims to have measured.
func duration(nanos int64) time.Duration {
	return min(max(time.Duration(nanos), 0), maxLatency)
}

func tooLong(p *ctrl.Link) bool {
	for _, s := range []string{p.Id, p.Key, p.DialerId, p.AcceptorId, p.Protocol, p.Address} {
		if len(s) > maxText {
			return true
		}
	}
	for _, c := range p.Connections {
		if len(c.Kind)+len(c.Local)+len(c.Remote) > maxText {
			return true
		}
	}
	return len(p.Connections) > 64
}

func connections(p *ctrl.Link) []Connection {
	var out []Connection
	for _, c := range p.Connections {
		out = append(out, Connection{Kind: c.Kind, Local: c.Local, Remote: c.Remote})
	}
	return out
}

// add puts a link into the tables that a router has reported.
func (t *Topology) add(p *ctrl.Link, by string) *link {
	t.reported[by]++
	l := &link{by: by, since: t.cfg.Now(), shown: &Link{ID: p.Id, DialerID: p.DialerId, AcceptorID: p.AcceptorId, State: Failed}}
	t.links[p.Id] = l
	for _, r := range []string{p.DialerId, p.AcceptorId} {
		if t.of[r] == nil {
			t.of[r] = make(map[string]*link)
		}
		t.of[r][p.Id] = l
	}
	return l
}

// drop takes a link out of the tables.
func (t *Topology) drop(l *link) {
	delete(t.links, l.shown.ID)
	if t.reported[l.by]--; t.reported[l.by] <= 0 {
		delete(t.reported, l.by)
	}
	for _, r := range []string{l.shown.DialerID, l.shown.AcceptorID} {
		if delete(t.of[r], l.shown.ID); len(t.of[r]) == 0 {
			delete(t.of, r)
		}
	}
	t.pair(l, false)
}

// gone takes a router's word that a link is gone.
func (t *Topology) gone(out []Change, l *link, routerID string, iteration uint32, reason string) []Change {
	at := slices.Index([]string{l.shown.DialerID, l.shown.AcceptorID}, routerID)
	if at < 0 || iteration < l.shown.Iteration {
		return out
	}
	had := l.shown.State == Connected
	l.ends[at], l.touched = end{known: true}, t.cfg.Now()
	next := *l.shown
	if strings.Contains(strings.ToLower(reason), "duplicate") {
		next.State = Duplicate
	}
	t.show(l, &next)
	if had {
		out = append(out, Change{Lost, l.shown})
	}
	if !l.ends[0].has && !l.ends[1].has {
		t.drop(l)
	}
	return out
}

// show makes next, with what the ends say, what is known of a link.
func (t *Topology) show(l *link, next *Link) {
	next.Since = l.since
	next.StaticCost, next.Down = DefaultStaticCost, false
	if s, ok := t.settings[settingKey(next)]; ok {
		next.StaticCost, next.Down = s.static, s.down
	}
	a, b := &l.ends[0], &l.ends[1]
	next.DialerLatency, next.AcceptorLatency = t.latency(a), t.latency(b)
	next.Unresponsive = a.mute || b.mute
	has, denied := a.has || b.has, a.known && !a.has || b.known && !b.has
	switch {
	case has && !denied:
		next.State = Connected
	case next.State == Connected:
		next.State = Failed
	}
	l.shown = next
	t.pair(l, next.Usable())
}

func (t *Topology) latency(e *end) time.Duration {
	if !e.has || e.latency == 0 {
		return t.cfg.InitialLatency
	}
	return e.latency + e.queued
}

// settingKey is what an operator's settings of a link stick to.
func settingKey(l *Link) string { return cmp.Or(l.Key, l.ID) }

// pair keeps the usable links of two routers in order and notes whether that
// changes a path.
func (t *Topology) pair(l *link, usable bool) {
	key := pairOf(l.shown.DialerID, l.shown.AcceptorID)
	ls := t.pairs[key]
	at := slices.Index(ls, l)
	if at < 0 && (!usable || len(ls) >= maxJoint) {
		return
	}
	if usable && at >= 0 && l.ranked == l.shown.Cost() {
		return
	}
	l.ranked = l.shown.Cost()
	ls = slices.DeleteFunc(slices.Clone(ls), func(o *link) bool { return o == l })
	if usable {
		ls = append(ls, l)
		slices.SortFunc(ls, func(x, y *link) int {
			return cmp.Or(cmp.Compare(x.ranked, y.ranked), cmp.Compare(x.shown.ID, y.shown.ID))
		})
	}
	if len(ls) == 0 {
		delete(t.pairs, key)
	} else {
		t.pairs[key] = ls
	}
	t.changed()
}
