package forward

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/flow"
	"github.com/weftnet/weft/wire/ctrl"
)

// mesh is a network of tables in memory, with links that die.
type mesh struct {
	t      *testing.T
	tables []*Table
	nodes  []*meshNode
	ctx    context.Context

	mu    sync.Mutex
	links map[string]*meshLink
	next  int
	work  sync.WaitGroup
}

// meshNode is a router: the links it knows.
type meshNode struct {
	m     *mesh
	i     int
	mu    sync.RWMutex
	links map[string]Link
}

func (n *meshNode) Link(id string) Link {
	n.mu.RLock()
	defer n.mu.RUnlock()
	if l, ok := n.links[id]; ok {
		return l
	}
	return nil
}

func newMesh(t *testing.T, routers int) *mesh {
	ctx, cancel := context.WithCancel(context.Background())
	m := &mesh{t: t, ctx: ctx, links: make(map[string]*meshLink)}
	for i := range routers {
		n := &meshNode{m: m, i: i, links: make(map[string]Link)}
		table := NewTable(nil)
		table.SetRouterID(fmt.Sprint("router-", i))
		table.SetLinks(n)
		table.SetCloseCheck(50 * time.Millisecond)
		table.Register("echo", echoDialer{m})
		m.nodes, m.tables = append(m.nodes, n), append(m.tables, table)
	}
	t.Cleanup(func() {
		m.mu.Lock()
		all := m.links
		m.links = nil
		m.mu.Unlock()
		for _, l := range all {
			l.die()
		}
		for _, table := range m.tables { // what a failed test has left
			for _, c := range table.All() {
				c.Abandon("the test is over")
			}
		}
		cancel()
		m.work.Wait()
	})
	return m
}

// meshLink is a link between two routers: a queue in each direction.
type meshLink struct {
	m    *mesh
	id   string
	ends [2]int
	way  [2]*wire
	dead chan struct{}
	once sync.Once
}

// wire is one direction. It carries frames in order, with a little delay.
type wire struct {
	l     *meshLink
	queue chan *channel.Frame
	out   *Outlet
}

func (w *wire) TrySendFrame(f *channel.Frame) bool {
	select {
	case <-w.l.dead:
		return false
	default:
	}
	select {
	case w.queue <- f:
		return true
	default:
		return false
	}
}

func (w *wire) SendFrame(ctx context.Context, f *channel.Frame) error {
	select {
	case w.queue <- f:
		return nil
	case <-w.l.dead:
		f.Release()
		return io.ErrClosedPipe
	case <-ctx.Done():
		f.Release()
		return ctx.Err()
	}
}

type linkView struct {
	id string
	w  *wire
}

func (v linkView) ID() string                        { return v.id }
func (v linkView) Outlets(string) (*Outlet, *Outlet) { return v.w.out, v.w.out }

// connect makes a link and returns its id.
func (m *mesh) connect(a, b int) string {
	m.mu.Lock()
	m.next++
	l := &meshLink{m: m, id: fmt.Sprintf("%d-%d#%d", a, b, m.next), ends: [2]int{a, b}, dead: make(chan struct{})}
	m.links[l.id] = l
	m.mu.Unlock()
	for i := range l.way {
		w := &wire{l: l, queue: make(chan *channel.Frame, 64)}
		w.out = NewOutlet(m.ctx, w, NewBudget(DefaultBudget))
		l.way[i] = w
		to := l.ends[1-i]
		m.work.Go(func() {
			for {
				select {
				case <-l.dead:
					for {
						select {
						case f := <-w.queue:
							f.Release()
						default:
							return
						}
					}
				case f := <-w.queue:
					m.tables[to].Receive(l.id, f)
				}
			}
		})
	}
	for i, end := range l.ends {
		n := m.nodes[end]
		n.mu.Lock()
		n.links[l.id] = linkView{l.id, l.way[i]}
		n.mu.Unlock()
	}
	return l.id
}

func (l *meshLink) die() {
	l.once.Do(func() {
		close(l.dead)
		for _, end := range l.ends {
			n := l.m.nodes[end]
			n.mu.Lock()
			delete(n.links, l.id)
			n.mu.Unlock()
			l.m.tables[end].LinkLost(l.id)
		}
		l.m.mu.Lock()
		delete(l.m.links, l.id)
		l.m.mu.Unlock()
	})
}

func (m *mesh) kill(id string) {
	m.mu.Lock()
	l := m.links[id]
	m.mu.Unlock()
	if l != nil {
		l.die()
	}
}

// localEnd is an end of flow control at a router.
type localEnd struct {
	conn *flow.Conn
	over atomic.Pointer[string]
	c    *Circuit
}

func newLocalEnd(c *Circuit, side Side) *localEnd {
	e := &localEnd{c: c}
	e.conn = flow.New(flow.Config{
		Circuit: c.ID, Role: flow.Role(side == Terminator), Output: c.Output(side), Linger: 5 * time.Second,
		Closed: func(error) { c.End("close called", false) },
	})
	return e
}

func (e *localEnd) Forward(f *channel.Frame) { Deliver(e.conn, f) }
func (e *localEnd) Unrouted(reason string, drop bool) {
	e.over.Store(&reason)
	if drop {
		e.conn.Abort(io.ErrClosedPipe)
	} else {
		e.conn.PeerClosed(nil)
	}
}

// echoDialer ends circuits at something that sends back what it gets.
type echoDialer struct{ m *mesh }

func (d echoDialer) Dial(_ context.Context, c *Circuit, _ *ctrl.Egress) (map[uint32][]byte, error) {
	e := newLocalEnd(c, Terminator)
	if !c.Attach(Terminator, e) {
		return nil, ErrEnded
	}
	e.conn.Start()
	d.m.work.Go(func() {
		_, _ = io.Copy(e.conn, e.conn)
		_ = e.conn.CloseWrite()
		_ = e.conn.Close()
	})
	return map[uint32][]byte{1: []byte("key")}, nil
}

// path is what a controller knows of a circuit.
type path struct {
	m      *mesh
	id     string
	number uint32
	nodes  []int
	links  []string
	c      *Circuit
	end    *localEnd
}

// open makes a circuit along nodes, whose links it makes.
func (m *mesh) open(id string, nodes ...int) *path {
	m.t.Helper()
	var links []string
	for i := range nodes[1:] {
		links = append(links, m.connect(nodes[i], nodes[i+1]))
	}
	return m.openOver(id, links, nodes...)
}

// openOver is open with links that are there.
func (m *mesh) openOver(id string, links []string, nodes ...int) *path {
	m.t.Helper()
	p := &path{m: m, id: id, number: 1, nodes: nodes, links: links}
	var err error
	if p.c, err = m.tables[nodes[0]].Add(Info{ID: id}); err != nil {
		m.t.Fatal(err)
	}
	p.end = newLocalEnd(p.c, Initiator)
	p.c.Attach(Initiator, p.end)
	for i := len(nodes) - 1; i > 0; i-- {
		r := p.route(i)
		if i == len(nodes)-1 {
			r.Egress = &ctrl.Egress{Binding: "echo", TerminatorId: "t"}
		}
		if res := m.tables[nodes[i]].Route(m.ctx, r); res.Failure != nil {
			m.t.Fatalf("node %d: %v", nodes[i], res.Failure)
		}
	}
	if _, err := m.tables[nodes[0]].Follow(m.ctx, p.c, p.route(0)); err != nil {
		m.t.Fatal(err)
	}
	p.end.conn.Start()
	return p
}

func (p *path) route(i int) *ctrl.Route {
	r := &ctrl.Route{CircuitId: p.id, Path: p.number, IdentityId: "me", ServiceId: "s", TerminatorId: "t", HostId: "h", CreatedMillis: 5,
		InitiatorRouter: "ri", TerminatorRouter: "rt"}
	if i > 0 {
		r.UpstreamLink = p.links[i-1]
	}
	if i < len(p.links) {
		r.DownstreamLink = p.links[i]
	}
	return r
}

// move gives the circuit another path, telling the routers in any order, and
// then unroutes those that it has left.
func (p *path) move(rng *rand.Rand, nodes ...int) {
	old := p.nodes
	p.nodes, p.links = nodes, nil
	p.number++
	for i := range nodes[1:] {
		p.links = append(p.links, p.m.connect(nodes[i], nodes[i+1]))
	}
	for _, i := range rng.Perm(len(nodes)) {
		r := p.route(i)
		r.Reroute = true
		if res := p.m.tables[nodes[i]].Route(p.m.ctx, r); res.Failure != nil {
			// It has ended meanwhile, as a controller would hear: nothing of it may
			// stay, but what has arrived may still be read.
			if !p.c.Ended() && p.m.tables[4].Get([]byte(p.id)) != nil {
				p.m.t.Errorf("node %d: %v", nodes[i], res.Failure)
			}
			defer p.ended()
		}
		time.Sleep(time.Duration(rng.Int64N(int64(2 * time.Millisecond))))
	}
	for _, n := range old {
		gone := true
		for _, now := range nodes {
			gone = gone && now != n
		}
		if gone {
			p.m.tables[n].Unroute("moved", p.id)
		}
	}
}

func (p *path) unroute() {
	for _, t := range p.m.tables {
		t.Unroute("ended", p.id)
	}
}

// ended is the word of a controller that has heard from an end.
func (p *path) ended() {
	for _, t := range p.m.tables {
		t.EndCircuits(&ctrl.Unroute{CircuitIds: []string{p.id}, Reason: "ended", Deliver: true})
	}
}

// TestMeshCarriesAndEnds: a circuit over three routers carries both ways, is
// reported by all, and its end reaches all without a controller.
func TestMeshCarriesAndEnds(t *testing.T) {
	m := newMesh(t, 3)
	p := m.open("c", 0, 1, 2)
	r := m.tables[1].Reports()
	if len(r) != 1 || r[0].UpstreamLink != p.links[0] || r[0].DownstreamLink != p.links[1] || r[0].Path != 1 ||
		r[0].IdentityId != "me" || r[0].ServiceId != "s" || r[0].TerminatorId != "t" || r[0].HostId != "h" || r[0].CreatedMillis != 5 ||
		r[0].InitiatorRouter != "ri" || r[0].TerminatorRouter != "rt" {
		t.Errorf("transit reports %v", r)
	}
	echo(t, p, 1<<20, func(int) {})
	m.eventuallyEmpty()
}

// echo sends so many bytes and checks what comes back.
func echo(t *testing.T, p *path, size int, progress func(done int)) {
	t.Helper()
	sent, got := sha256.New(), sha256.New()
	done := make(chan struct{})
	go func() {
		defer close(done)
		rng := rand.NewChaCha8([32]byte{7})
		b := make([]byte, 40_000)
		for left := size; left > 0; {
			n := min(left, len(b))
			rng.Read(b[:n])
			sent.Write(b[:n])
			if _, err := p.end.conn.Write(b[:n]); err != nil {
				t.Error("write:", err)
				return
			}
			left -= n
		}
		_ = p.end.conn.CloseWrite()
	}()
	b := make([]byte, 32<<10)
	total := 0
	for {
		n, err := p.end.conn.Read(b)
		got.Write(b[:n])
		total += n
		if err != nil {
			if err != io.EOF {
				t.Error("read:", err)
			}
			break
		}
		progress(total)
	}
	<-done
	if total != size || string(sent.Sum(nil)) != string(got.Sum(nil)) {
		t.Errorf("%d bytes came back of %d, or others than were sent", total, size)
	}
	_ = p.end.conn.Close()
}

// eventuallyEmpty waits until no table has a circuit.
func (m *mesh) eventuallyEmpty() {
	m.t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for i := 0; i < len(m.tables); {
		if m.tables[i].Len() == 0 {
			i++
			continue
		}
		if time.Now().After(deadline) {
			m.t.Fatalf("router %d still has %v", i, m.tables[i].Reports())
		}
		time.Sleep(time.Millisecond)
	}
}

// TestMeshReroutes: links die under a transfer, again and again, and not one
// byte is lost, doubled or out of order.
func TestMeshReroutes(t *testing.T) {
	for seed := range uint64(16) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 1))
			m := newMesh(t, 5)
			p := m.open("c", 0, 1, 4)
			paths := [][]int{{0, 2, 4}, {0, 1, 2, 4}, {0, 3, 4}, {0, 4}, {0, 2, 1, 3, 4}, {0, 1, 4}}
			size := 16 << 20
			moves := 0
			echo(t, p, size, func(done int) {
				if moves < 12 && done > size*(moves+1)/14 {
					moves++
					if rng.IntN(4) > 0 {
						m.kill(p.links[rng.IntN(len(p.links))])
					}
					time.Sleep(time.Duration(rng.Int64N(int64(5 * time.Millisecond))))
					p.move(rng, paths[rng.IntN(len(paths))]...)
				}
			})
			p.unroute() // the word of the end may be lost with a link; a controller has it
			m.eventuallyEmpty()
		})
	}
}
