package forward

import (
	"context"
	"sync/atomic"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/flow"
	"github.com/weftnet/weft/wire/ctrl"
	"github.com/weftnet/weft/wire/xgress"
)

// Link is an established link to another router.
type Link interface {
	ID() string
	// Outlets returns the ways by which payloads, and acknowledgements and
	// control messages, of a circuit leave. They may be the same. While nothing
	// waits in that for payloads, acknowledgements take it, too.
	Outlets(circuitID string) (payload, other *Outlet)
}

// Links finds links.
type Links interface {
	// Link returns an established link, nil if there is none of that id.
	Link(id string) Link
}

// SetLinks says where links are found. It must come before the first circuit.
func (t *Table) SetLinks(l Links) { t.links = l }

// link0 returns an established link, nil if there is none.
func (t *Table) link0(id string) Link {
	if t.links == nil {
		return nil
	}
	return t.links.Link(id)
}

// link returns an established link or why there is none.
func (t *Table) link(id string) (Link, error) {
	if l := t.link0(id); l != nil {
		return l, nil
	}
	return nil, &DialError{Cause: ctrl.Cause_INVALID_LINK_DESTINATION, Message: "this router has no link " + id}
}

// linkEnd is the destination of a side of a circuit that lies beyond a link.
// Its messages wait in lanes of the circuit's own.
type linkEnd struct {
	c       *Circuit
	side    Side // of the circuit to which it leads
	id      string
	payload *Lane
	other   *Lane
	lost    atomic.Bool // the link is gone
}

func newLinkEnd(c *Circuit, side Side, l Link) *linkEnd {
	payload, other := l.Outlets(c.ID)
	return &linkEnd{c: c, side: side, id: l.ID(), payload: payload.Lane(nil, false), other: other.Lane(nil, false)}
}

// Forward implements Destination.
func (e *linkEnd) Forward(f *channel.Frame) {
	if e.lost.Load() {
		e.miss(f)
		return
	}
	lane := e.other
	if f.Type == xgress.TypePayload || f.Type == xgress.TypeAcknowledgement && e.payload.o.quiet() {
		lane = e.payload
	}
	if !lane.Push(f) {
		e.c.dropped()
		e.tellDrop()
	}
}

// miss drops what comes for a link that is gone.
func (e *linkEnd) miss(f *channel.Frame) {
	payload := f.Type == xgress.TypePayload
	f.Release()
	e.c.table.drops.Add(1) // the ends send it again on the next path
	if payload {
		e.c.table.fault(e.c.ID)
	}
}

// Unrouted implements Destination.
func (e *linkEnd) Unrouted(_ string, drop bool) {
	if drop {
		e.close()
	}
}

// close drops what waits for the link.
func (e *linkEnd) close() {
	e.payload.Close()
	e.other.Close()
}

// pathOf returns who hears of the path of the circuit at a side: a destination
// that wants to, else flow control that ends here. It returns nil for none.
func (c *Circuit) pathOf(s Side) flow.Path {
	if p, ok := c.Destination(s).(flow.Path); ok {
		return p
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.paths[s]
}

// LinkLost tells that a link is gone. Its circuits wait for another path.
func (t *Table) LinkLost(linkID string) {
	for _, c := range t.All() {
		for s := range c.ends {
			e, ok := c.Destination(Side(s)).(*linkEnd)
			if !ok || e.id != linkID || e.lost.Swap(true) {
				continue
			}
			e.close()
			t.fault(c.ID)
			if p := c.pathOf(Side(s).Other()); p != nil {
				p.PathLost()
				if c.Destination(Side(s)) != Destination(e) {
					p.Rerouted() // and has been meanwhile
				}
			}
		}
	}
}

// Receive takes a message of a circuit that has come by a link, and its
// ownership. It never blocks. The link has to be part of the circuit's path, or
// of a former one; where the message goes is told by its flags, so that what was
// under way on an old path still arrives.
func (t *Table) Receive(linkID string, f *channel.Frame) {
	a := xgress.AddressOf(&f.Message)
	c := t.Get(a.Circuit)
	if c == nil {
		t.stray(a.Circuit, f)
		return
	}
	to := Terminator
	if a.Flags&xgress.FlagOriginator != 0 {
		to = Initiator
	}
	if !c.admits(linkID, to, f) {
		return
	}
	switch f.Type {
	case xgress.TypeClose:
		c.left(f, to)
		return
	case xgress.TypeControl:
		c.trace(to, f)
		return
	}
	c.arrive()
	c.passed[to].count(f)
	if f.Type == xgress.TypeAcknowledgement {
		c.brake(to, f)
	}
	p := c.ends[to].Load()
	if p == nil {
		c.dropped()
		f.Release()
		return
	}
	if e, ok := (*p).(*linkEnd); ok && e.id == linkID {
		// Two routers that know different paths would send it to and fro.
		c.dropped()
		f.Release()
		return
	}
	(*p).Forward(f)
}

// maxID is the length of the longest id that a controller is told of, in bytes.
const maxID = 64

// stray drops a message of a circuit that this router does not carry.
func (t *Table) stray(circuit []byte, f *channel.Frame) {
	t.strays.Add(1)
	if f.Type == xgress.TypePayload && len(circuit) > 0 && len(circuit) <= maxID {
		t.fault(string(circuit))
	}
	f.Release()
}

// Route makes this router a node of a path, or moves a circuit to another path.
// It returns when that is done, which for the last node takes a dial.
func (t *Table) Route(ctx context.Context, m *ctrl.Route) *ctrl.RouteResult {
	peer, err := t.route(ctx, m)
	if err != nil {
		return &ctrl.RouteResult{Failure: failureOf(m, err)}
	}
	return &ctrl.RouteResult{PeerData: peer}
}
