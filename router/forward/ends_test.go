package forward

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/weftnet/weft/wire/ctrl"
)

// TestEveryEnd: circuits over three routers, ended in every possible way, leave
// nothing in any table and no goroutine.
func TestEveryEnd(t *testing.T) {
	m := newMesh(t, 3)
	for i := range m.tables {
		m.tables[i].SetCloseCheck(1) // the least
	}
	var told atomic.Int64
	for _, table := range m.tables {
		table.ended = func(string) { told.Add(1) }
	}
	unroute := func(p *path, u *ctrl.Unroute) {
		u.CircuitIds = []string{p.id}
		for _, table := range m.tables {
			table.EndCircuits(u)
		}
	}
	ways := []func(p *path){
		func(p *path) { _ = p.end.conn.Close() },
		func(p *path) { p.c.End("the dialer leaves", false) },
		func(p *path) { p.c.EndBecause(AccessLost, "gone", "detail", true) },
		func(p *path) { m.tables[2].Get([]byte(p.id)).EndBecause(PeerGone, "gone", "", false) },
		func(p *path) { unroute(p, &ctrl.Unroute{Reason: "removed"}) },
		func(p *path) { unroute(p, &ctrl.Unroute{Reason: "ended", Deliver: true}) },
		func(p *path) { unroute(p, &ctrl.Unroute{Reason: "no path", Code: ctrl.CodeNoPath, Deliver: true}) },
		func(p *path) { // in the middle of data, on a path that is gone
			_, _ = p.end.conn.Write(make([]byte, 30_000))
			m.kill(p.links[1])
			_, _ = p.end.conn.Write(make([]byte, 30_000))
			p.c.End("the dialer leaves", false)
			unroute(p, &ctrl.Unroute{Reason: "ended", Deliver: true})
		},
		func(p *path) { // an exchange before
			_, _ = p.end.conn.Write([]byte("x"))
			_, _ = p.end.conn.Read(make([]byte, 1))
			_ = p.end.conn.Close()
		},
	}
	for i := range 1000 {
		p := m.open(fmt.Sprint("c", i), 0, 1, 2)
		ways[i%len(ways)](p)
		defer p.end.conn.Abort(ErrEnded)
	}
	m.eventuallyEmpty()
	if told.Load() == 0 {
		t.Error("no controller was told of any end")
	}
}

// TestCauseTravels: both ends hear why a circuit has ended.
func TestCauseTravels(t *testing.T) {
	m := newMesh(t, 2)
	p := m.open("c", 0, 1)
	far := m.tables[1].Get([]byte("c"))
	p.c.EndBecause(PeerGone, "the other end has lost its connection", "", false)
	m.eventuallyEmpty()
	if cause, _ := far.Cause(); cause != PeerGone {
		t.Errorf("the far end hears %d", cause)
	}
	p = m.open("d", 0, 1)
	far = m.tables[1].Get([]byte("d"))
	for _, table := range m.tables {
		table.EndCircuits(&ctrl.Unroute{CircuitIds: []string{"d"}, Code: ctrl.CodeNoPath, Reason: "no path is left", Deliver: true})
	}
	for _, c := range []*Circuit{p.c, far} {
		if cause, _ := c.Cause(); cause != NoPath || c.Code() != ctrl.CodeNoPath {
			t.Errorf("without a path, an end hears %d, %q", cause, c.Code())
		}
	}
	p.end.conn.Abort(ErrEnded)
}
