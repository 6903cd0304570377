package network

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// witness is a circuit as it should fare: what the model says.
type witness struct {
	id, from, to string
	ended        bool          // an end has left, or was started anew
	pathless     time.Duration // longest time without a path between its ends, or without a controller to find one
	since        time.Duration // of that, until now
}

// trial drives a sim at random and knows what has to come of it.
type trial struct {
	*sim
	r    *rand.Rand
	wmu  sync.Mutex
	seen []*witness
	work sync.WaitGroup
	ops  []string
}

func (m *trial) log(format string, args ...any) { m.ops = append(m.ops, fmt.Sprintf(format, args...)) }

func (m *trial) any() *simRouter { return m.routers[fmt.Sprint("r", 1+m.r.IntN(len(m.routers)))] }

// connected reports whether the links, and the routers that are connected, lead
// from a router to another.
func (m *trial) connected(from, to string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.routers[from].session == nil || m.routers[to].session == nil {
		return false
	}
	reached, queue := map[string]bool{from: true}, []string{from}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, l := range m.links {
			next := ""
			switch at {
			case l.a:
				next = l.b
			case l.b:
				next = l.a
			}
			if next != "" && !reached[next] && m.routers[next].session != nil {
				reached[next] = true
				queue = append(queue, next)
			}
		}
	}
	return reached[to]
}

// pass lets time go by and notes which circuits have no path meanwhile.
func (m *trial) pass(d time.Duration) {
	for ; d > 0; d -= time.Second {
		time.Sleep(time.Second)
		m.wmu.Lock()
		for _, w := range m.seen {
			if m.connected(w.from, w.to) {
				w.since = 0
			} else {
				w.since += time.Second
				w.pathless = max(w.pathless, w.since)
			}
		}
		m.wmu.Unlock()
	}
}

func (m *trial) dial() {
	r := m.any()
	m.mu.Lock()
	online := r.session != nil
	m.mu.Unlock()
	if !online {
		return
	}
	m.log("dial from %s", r.id)
	m.work.Go(func() {
		id, a := r.dial()
		if id == "" {
			return
		}
		m.wmu.Lock()
		defer m.wmu.Unlock()
		host := a.Route.TerminatorId[1:]
		m.mu.Lock()
		ended := r.circuits[id] == nil || m.routers[host].circuits[id] == nil // an end was started anew already
		m.mu.Unlock()
		m.seen = append(m.seen, &witness{id: id, from: r.id, to: host, ended: ended})
	})
}

// over notes that circuits have ended for a reason of their own.
func (m *trial) over(f func(*witness) bool) *witness {
	m.wmu.Lock()
	defer m.wmu.Unlock()
	var last *witness
	for _, w := range m.seen {
		if f(w) {
			w.ended = true
			last = w
		}
	}
	return last
}

func (m *trial) cutAny() {
	m.mu.Lock()
	var ids []string
	for id := range m.links {
		ids = append(ids, id)
	}
	m.mu.Unlock()
	slices.Sort(ids)
	if len(ids) > 0 {
		id := ids[m.r.IntN(len(ids))]
		m.log("cut %s", id)
		m.cut(id)
	}
}

func (m *trial) hangAny() {
	m.wmu.Lock()
	if len(m.seen) == 0 {
		m.wmu.Unlock()
		return
	}
	w := m.seen[m.r.IntN(len(m.seen))]
	w.ended = true
	m.wmu.Unlock()
	at := w.from
	if m.r.IntN(2) == 0 {
		at = w.to
	}
	m.log("hang %s at %s", w.id, at)
	m.routers[at].hang(w.id)
}

// step does one thing.
func (m *trial) step() {
	switch r := m.any(); m.r.IntN(14) {
	case 0, 1, 2:
		m.dial()
	case 3, 4, 5:
		if o := m.any(); o != r {
			m.log("join %s %s", r.id, o.id)
			m.join(r.id, o.id)
		}
	case 6, 7:
		m.cutAny()
	case 8:
		m.hangAny()
	case 9:
		m.log("crash %s", r.id)
		ended := func(w *witness) bool { return w.from == r.id || w.to == r.id }
		m.over(ended)
		r.crash()
		m.over(ended) // what came to be meanwhile
		m.pass(time.Duration(m.r.IntN(4)) * time.Second)
		r.connect()
	case 10:
		m.log("disconnect %s", r.id)
		r.disconnect()
	case 11:
		m.log("connect %s", r.id)
		m.work.Go(r.connect)
	case 12:
		if m.r.IntN(3) > 0 {
			return
		}
		m.log("restart of the controller")
		m.restartController()
		order := m.r.Perm(len(m.routers))
		for _, i := range order[:m.r.IntN(len(order)+1)] {
			m.pass(time.Duration(m.r.IntN(3)) * time.Second)
			m.log("connect r%d", i+1)
			m.routers[fmt.Sprint("r", i+1)].connect()
		}
	default:
		m.pass(time.Duration(1+m.r.IntN(8)) * time.Second)
	}
}

// verify brings everything to rest and compares.
func (m *trial) verify() {
	m.work.Wait()
	m.connectAll()
	m.pass(5 * time.Second)
	for _, d := range m.compare() {
		if c := m.net.Circuit(strings.Fields(d)[0]); c != nil && c.State != Waiting {
			m.t.Error("soon after everybody is connected:", d)
		}
	}
	m.pass(PathWait + adoptWait + 10*time.Second)
	for _, d := range m.compare() {
		m.t.Error(d)
	}
	for _, w := range m.seen {
		c := m.net.Circuit(w.id)
		switch {
		case w.ended && c != nil:
			m.t.Errorf("%s is kept: %+v", w.id, c)
		case !w.ended && c == nil && w.pathless < PathWait-2*time.Second:
			m.t.Errorf("%s from %s to %s is lost, although it was without a path for %v only", w.id, w.from, w.to, w.pathless)
		}
	}
	if n := len(m.net.requests) + len(m.net.unwell); n > 0 {
		m.t.Error(n, "requests or circuits without a path are left")
	}
	m.wmu.Lock()
	m.seen = slices.DeleteFunc(m.seen, func(w *witness) bool { return m.net.Circuit(w.id) == nil })
	m.wmu.Unlock()
	if m.t.Failed() {
		m.t.Log(m.ops)
	}
	m.ops = nil
}

var seeds = flag.Int("seeds", 40, "how many runs of TestModel")

// TestModel does random things to a mesh. When it is at rest, the tables of the
// controller and of the routers agree, no circuit is lost that had a path, and
// none is kept that has ended.
func TestModel(t *testing.T) {
	for seed := range uint64(*seeds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &trial{sim: newSim(t, seed, 6), r: rand.New(rand.NewPCG(seed, 3))}
				defer m.close()
				m.connectAll()
				for i := range 3 {
					m.bed.terminator(fmt.Sprint("tr", 2*i+1), fmt.Sprint("r", 2*i+1), nil)
				}
				for range 8 {
					m.step()
				}
				for range 4 {
					for range 25 {
						m.step()
					}
					if m.verify(); t.Failed() {
						return
					}
				}
			})
		})
	}
}
