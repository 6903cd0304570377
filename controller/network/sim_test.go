package network

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/model/role"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/wire/ctrl"
)

// sim is a mesh of routers without traffic: their tables of circuits and links,
// and a controller that can be started anew. It lives in a synctest bubble.
type sim struct {
	t       *testing.T
	bed     *bed
	rand    *rand.Rand
	net     *Network
	stop    func()
	mu      sync.Mutex
	routers map[string]*simRouter
	links   map[string]*simLink
	nextID  int
	wrong   []string
	events  map[string]int
}

type simLink struct{ id, a, b string } // a dials

// simRouter is a router: what forward.Table and link.Manager hold.
type simRouter struct {
	*sim
	id       string
	session  *simSession
	circuits map[string]*simCircuit
	lastDial int
	over     []string  // circuits that have ended without a session to say so
	turn     chan bool // holds one: who connects or disconnects
	say      chan bool // holds one: who tells of links, in order
}

// simCircuit is a circuit at a router.
type simCircuit struct {
	up, down   string
	begin, end bool // an end is here
	path       uint32
	host       string
	from, to   string // routers at the ends
}

// simSession is a connection to the controller: what the controller sends
// arrives in order.
type simSession struct {
	r      *simRouter
	inbox  chan func()
	making map[string]*bool // routes under way by circuit: whether they were taken back; of the inbox's goroutine and, with the lock, of their own
	closed chan struct{}
}

var errSimClosed = errors.New("session closed")

func newSim(t *testing.T, seed uint64, routers int) *sim {
	s := &sim{
		t: t, rand: rand.New(rand.NewPCG(seed, 7)), routers: make(map[string]*simRouter), links: make(map[string]*simLink),
		events: make(map[string]int),
	}
	s.bed = newBed(t)
	s.bed.now = time.Now()
	for i := range routers {
		id := fmt.Sprint("r", i+1)
		if i > 1 {
			s.bed.apply(s.bed.command().Create(with(id, &model.EdgeRouter{Name: id})))
			s.bed.engine.Apply(s.bed.now, policy.Put(&policy.Router{ID: id}))
		}
		s.routers[id] = &simRouter{sim: s, id: id, circuits: make(map[string]*simCircuit), turn: make(chan bool, 1), say: make(chan bool, 1)}
	}
	all := role.Set{All: true}
	s.bed.engine.Apply(s.bed.now, policy.Put(&policy.EdgeRouterPolicy{ID: "e", Identities: all, Routers: all}))
	s.startController()
	return s
}

func (s *sim) startController() {
	ctx, cancel := context.WithCancel(context.Background())
	n := New(Config{
		State: s.bed.store, Policy: s.bed.engine.View, Writer: s.bed, Cycle: 20 * time.Second,
		Smart: Smart{Fraction: 0.5, Cap: 4, MinDelta: 10}, InitialLinkLatency: time.Second, MinRouterCost: 10,
		Events: func(e Event) {
			s.mu.Lock()
			defer s.mu.Unlock()
			if c, ok := e.(*CircuitEvent); ok {
				s.events[c.Type+c.Code]++
			}
		},
	})
	done := make(chan struct{})
	go func() { n.Run(ctx); close(done) }()
	s.mu.Lock()
	s.net, s.stop = n, func() { cancel(); <-done }
	s.mu.Unlock()
}

// restartController loses everything that the controller has not written.
func (s *sim) restartController() {
	for _, r := range s.routers {
		r.turn <- true
		r.leave()
	}
	s.stop()
	s.startController()
	for _, r := range s.routers {
		<-r.turn
	}
}

func (s *sim) fail(format string, args ...any) {
	s.wrong = append(s.wrong, fmt.Sprintf(format, args...))
}

// connect registers the router, with everything that it has.
func (r *simRouter) connect() {
	r.turn <- true
	defer func() { <-r.turn }()
	r.leave()
	x := &simSession{r: r, inbox: make(chan func(), 10000), making: make(map[string]*bool), closed: make(chan struct{})}
	go x.run()
	r.mu.Lock()
	r.over = nil
	m := &ctrl.Register{}
	for _, l := range r.links {
		if l.a == r.id || l.b == r.id {
			m.Links = append(m.Links, l.report())
		}
	}
	for id, c := range r.circuits {
		if c.path == 0 {
			continue // the answer to its request is lost with the session
		}
		m.Circuits = append(m.Circuits, &ctrl.Circuit{
			CircuitId: id, IdentityId: "dialer", SessionId: "s", ServiceId: "svc", TerminatorId: "t" + c.host, HostId: "host",
			UpstreamLink: c.up, DownstreamLink: c.down, Path: c.path, CreatedMillis: time.Now().UnixMilli(),
			InitiatorRouter: c.from, TerminatorRouter: c.to,
		})
	}
	net, way := r.net, time.Duration(r.rand.IntN(3))*time.Millisecond
	r.mu.Unlock()
	time.Sleep(way) // meanwhile links come and go and circuits end, which no session tells
	drop := net.Attach(r.id, x, m)
	time.Sleep(way)
	r.say <- true
	defer func() { <-r.say }()
	r.mu.Lock()
	r.session = x
	over := r.over
	r.over = nil
	for _, id := range drop {
		delete(r.circuits, id)
	}
	whole := &ctrl.LinkChanges{Whole: true}
	for _, l := range r.links {
		if l.a == r.id || l.b == r.id {
			whole.Put = append(whole.Put, l.report())
		}
	}
	r.mu.Unlock()
	net.LinkChanges(r.id, whole)
	net.CircuitsEnded(r.id, over)
}

func (r *simRouter) disconnect() {
	r.turn <- true
	defer func() { <-r.turn }()
	r.leave()
}

func (r *simRouter) leave() {
	r.mu.Lock()
	x, net := r.session, r.net
	r.session = nil
	r.mu.Unlock()
	if x != nil {
		close(x.closed)
		net.Detach(r.id, x)
	}
}

func (x *simSession) run() {
	for {
		select {
		case fn := <-x.inbox:
			fn()
		case <-x.closed:
			return
		}
	}
}

func (x *simSession) push(fn func()) {
	select {
	case <-x.closed:
	case x.inbox <- fn:
	}
}

func (x *simSession) CloseLink(m *ctrl.CloseLink) { x.push(func() { go x.r.sim.cut(m.LinkId) }) }

func (x *simSession) Unroute(m *ctrl.Unroute) {
	x.push(func() {
		x.r.mu.Lock()
		defer x.r.mu.Unlock()
		for _, id := range m.CircuitIds {
			delete(x.r.circuits, id)
			if back := x.making[id]; back != nil {
				*back = true
			}
		}
	})
}

func (x *simSession) Route(ctx context.Context, m *ctrl.Route) (*ctrl.RouteResult, error) {
	answer := make(chan *ctrl.RouteResult, 1)
	x.r.mu.Lock()
	delay := time.Duration(x.r.rand.IntN(20)) * time.Millisecond
	x.r.mu.Unlock()
	x.push(func() {
		back := new(bool)
		x.r.mu.Lock()
		x.making[m.CircuitId] = back
		x.r.mu.Unlock()
		go func() {
			time.Sleep(delay)
			select {
			case <-x.closed:
			default:
				answer <- x.r.route(m, back)
			}
		}()
	})
	select {
	case a := <-answer:
		return a, nil
	case <-x.closed:
		return nil, errSimClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// route is what a router does with a node of a path.
func (r *simRouter) route(m *ctrl.Route, back *bool) *ctrl.RouteResult {
	r.mu.Lock()
	defer r.mu.Unlock()
	refuse := func(cause ctrl.Cause, format string, args ...any) *ctrl.RouteResult {
		return &ctrl.RouteResult{Failure: &ctrl.Failure{Cause: cause, Message: fmt.Sprintf(format, args...)}}
	}
	first, last := m.UpstreamLink == "", m.DownstreamLink == ""
	c := r.circuits[m.CircuitId]
	switch {
	case *back:
		return refuse(ctrl.Cause_GENERIC, "taken back")
	case m.Reroute && m.Egress != nil, !m.Reroute && last != (m.Egress != nil), first && !m.Reroute, m.TerminatorId == "", m.Path == 0:
		r.fail("route of %s at %s: %v", m.CircuitId, r.id, m)
	case first && (c == nil || !c.begin), last && m.Egress == nil && (c == nil || !c.end):
		return refuse(ctrl.Cause_GENERIC, "the circuit has no end at this router")
	case c != nil && m.Path < c.path:
		return refuse(ctrl.Cause_GENERIC, "the circuit has a newer path")
	}
	for _, id := range []string{m.UpstreamLink, m.DownstreamLink} {
		if id == "" {
			continue
		}
		if l := r.links[id]; l == nil || l.a != r.id && l.b != r.id {
			return refuse(ctrl.Cause_INVALID_LINK_DESTINATION, "this router has no link %s", id)
		}
	}
	if c == nil {
		c = &simCircuit{end: last, host: m.TerminatorId[1:]}
		r.circuits[m.CircuitId] = c
	}
	c.up, c.down, c.path, c.from, c.to = m.UpstreamLink, m.DownstreamLink, m.Path, m.InitiatorRouter, m.TerminatorRouter
	return &ctrl.RouteResult{PeerData: map[uint32][]byte{7: []byte("from " + r.id)}}
}

func (l *simLink) report() *ctrl.Link {
	return &ctrl.Link{Id: l.id, Iteration: 1, DialerId: l.a, AcceptorId: l.b, Key: l.a + "-" + l.b, LatencyNanos: 1e6}
}

// join makes a link, which both ends report.
func (s *sim) join(a, b string) {
	s.mu.Lock()
	s.nextID++
	l := &simLink{fmt.Sprint("l", s.nextID), a, b}
	s.links[l.id] = l
	s.mu.Unlock()
	s.tell(l, &ctrl.LinkChanges{Put: []*ctrl.Link{l.report()}})
}

// cut ends a link, which both ends report one after the other.
func (s *sim) cut(id string) {
	s.mu.Lock()
	l := s.links[id]
	delete(s.links, id)
	s.mu.Unlock()
	if l != nil {
		s.tell(l, &ctrl.LinkChanges{Gone: []*ctrl.LinkGone{{Id: id, Iteration: 1}}})
	}
}

func (s *sim) tell(l *simLink, m *ctrl.LinkChanges) {
	for _, id := range []string{l.a, l.b} {
		s.mu.Lock()
		r := s.routers[id]
		s.mu.Unlock()
		r.say <- true
		s.mu.Lock()
		net, online := s.net, r.session != nil
		s.mu.Unlock()
		if online {
			net.LinkChanges(id, m)
		}
		<-r.say
	}
}

// crash starts a router anew: circuits and links are gone.
func (r *simRouter) crash() {
	r.mu.Lock()
	var lost []string
	for id, l := range r.links {
		if l.a == r.id || l.b == r.id {
			lost = append(lost, id)
		}
	}
	r.mu.Unlock()
	r.disconnect()
	r.mu.Lock()
	r.circuits = make(map[string]*simCircuit)
	r.mu.Unlock()
	slices.Sort(lost)
	for _, id := range lost {
		r.cut(id)
	}
}

// dial asks for a circuit and returns its id, empty if it is refused or nobody
// answers.
func (r *simRouter) dial() (string, *ctrl.CircuitCreated) {
	r.mu.Lock()
	r.lastDial++
	id := fmt.Sprint(r.id, "-", r.lastDial)
	r.circuits[id] = &simCircuit{begin: true}
	net, x := r.net, r.session
	r.mu.Unlock()
	if x == nil {
		x = &simSession{r: r}
	}
	answer := make(chan *ctrl.CircuitCreated, 1)
	net.CreateCircuit(r.id, x, &ctrl.CreateCircuit{CircuitId: id, IdentityId: "dialer", SessionId: "s", ServiceId: "svc", Attempt: 1},
		func(a *ctrl.CircuitCreated) { answer <- a })
	var a *ctrl.CircuitCreated
	select {
	case a = <-answer:
	case <-x.closed:
	case <-time.After(20 * time.Second):
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.session != x {
		a = nil
	}
	if a == nil || a.Refusal != nil {
		delete(r.circuits, id)
		return "", a
	}
	c := r.circuits[id]
	if c == nil {
		return "", a
	}
	if c.path < a.Route.Path || c.path == 0 {
		c.down, c.path, c.host = a.Route.DownstreamLink, a.Route.Path, a.Route.TerminatorId[1:]
		c.end, c.from, c.to = a.Route.Egress != nil, a.Route.InitiatorRouter, a.Route.TerminatorRouter
	}
	return id, a
}

// hang ends a circuit at an end.
func (r *simRouter) hang(id string) {
	r.mu.Lock()
	delete(r.circuits, id)
	net, online := r.net, r.session != nil
	if !online {
		r.over = append(r.over, id)
	}
	r.mu.Unlock()
	if online {
		net.CircuitsEnded(r.id, []string{id})
	}
}

func (s *sim) connectAll() {
	for _, r := range s.sorted() {
		s.mu.Lock()
		online := r.session != nil
		s.mu.Unlock()
		if !online {
			r.connect()
		}
	}
}

func (s *sim) sorted() []*simRouter {
	var out []*simRouter
	for i := range len(s.routers) {
		out = append(out, s.routers[fmt.Sprint("r", i+1)])
	}
	return out
}

// close stops everything.
func (s *sim) close() {
	for _, r := range s.routers {
		r.disconnect()
	}
	s.stop()
	for _, w := range s.wrong {
		s.t.Error(w)
	}
}

// compare returns how the tables of the controller and of the routers differ.
func (s *sim) compare() (out []string) {
	have := make(map[string]bool)
	for _, c := range s.net.Circuits() {
		if c.State != Active {
			out = append(out, fmt.Sprintf("%s is %s", c.ID, c.State))
		}
		for i, h := range c.Path {
			up := ""
			if i > 0 {
				up = c.Path[i-1].Link
			}
			s.mu.Lock()
			x := s.routers[h.RouterID].circuits[c.ID]
			if x == nil {
				out = append(out, fmt.Sprintf("%s is not at %s: %v", c.ID, h.RouterID, c.Path))
			} else if x.up != up || x.down != h.Link || x.begin != (i == 0) || x.end != (i == len(c.Path)-1) || x.path != c.PathNumber {
				out = append(out, fmt.Sprintf("%s at %s is %+v, path %d %v", c.ID, h.RouterID, x, c.PathNumber, c.Path))
			}
			if h.Link != "" && s.links[h.Link] == nil {
				out = append(out, fmt.Sprintf("%s passes link %s, which is gone", c.ID, h.Link))
			}
			s.mu.Unlock()
			have[h.RouterID+" "+c.ID] = true
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.routers {
		for id := range r.circuits {
			if !have[r.id+" "+id] {
				out = append(out, fmt.Sprintf("%s has %s, the controller does not know", r.id, id))
			}
		}
	}
	return out
}
