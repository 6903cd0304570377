package forward

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weftnet/weft/wire/ctrl"
)

// route does what Route says.
func (t *Table) route(ctx context.Context, m *ctrl.Route) (map[uint32][]byte, error) {
	ctx, cancel := within(ctx, m)
	defer cancel()
	c, made, err := t.routed(m)
	if err != nil {
		return nil, err
	}
	fresh, err := c.rewire(m)
	if err != nil {
		c.abandonEmpty(err.Error())
		return nil, err
	}
	var peer map[uint32][]byte
	if m.GetEgress() != nil && fresh {
		if peer, err = t.Terminate(ctx, c, m.GetEgress()); err != nil {
			c.Abandon("dial failed")
			return nil, err
		}
		made = true
	}
	if made && ctx.Err() != nil { // taken back, or the controller that asked is gone
		c.finish("the route was taken back", ending{drop: true, report: true})
		return nil, errTakenBack
	}
	return peer, nil
}

// within bounds what a route may take.
func within(ctx context.Context, m *ctrl.Route) (context.Context, context.CancelFunc) {
	if m.GetTimeoutMillis() == 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Duration(m.GetTimeoutMillis())*time.Millisecond)
}

// errTakenBack answers a route for which nobody waits any more.
var errTakenBack = &DialError{Cause: ctrl.Cause_GENERIC, Message: "the route was taken back while it was made"}

// routed returns the circuit of a route; made says that it is a new one.
func (t *Table) routed(m *ctrl.Route) (c *Circuit, made bool, err error) {
	if c := t.Get([]byte(m.GetCircuitId())); c != nil {
		return c, false, nil
	}
	switch {
	case m.GetUpstreamLink() == "":
		return nil, false, &DialError{Cause: ctrl.Cause_GENERIC, Message: "the circuit does not begin at this router"}
	case m.GetDownstreamLink() == "" && m.GetEgress() == nil:
		return nil, false, &DialError{Cause: ctrl.Cause_GENERIC, Message: "the circuit does not end at this router"}
	case t.Quiesced() && !m.GetReroute():
		return nil, false, &DialError{Cause: ctrl.Cause_RESOURCES_NOT_AVAILABLE, Message: "the router is quiesced"}
	}
	c, err = t.Add(Info{
		ID: m.GetCircuitId(), IdentityID: m.GetIdentityId(), SessionID: m.GetSessionId(), ServiceID: m.GetServiceId(),
		CreatedAt: time.UnixMilli(m.GetCreatedMillis()),
	})
	switch {
	case errors.Is(err, ErrTooMany):
		return nil, false, &DialError{Cause: ctrl.Cause_RESOURCES_NOT_AVAILABLE, Message: err.Error()}
	case err != nil: // made by another route meanwhile
		if c = t.Get([]byte(m.GetCircuitId())); c == nil {
			return nil, false, err
		}
		return c, false, nil
	}
	c.SetHost(m.GetTerminatorId(), m.GetHostId())
	return c, true, nil
}

// errOldPath answers a route that a later one has overtaken.
var errOldPath = &DialError{Cause: ctrl.Cause_GENERIC, Message: "the circuit has a newer path"}

// rewire puts the links of a route in place; ends at this router stay. It
// reports whether the terminator side has nothing yet.
func (c *Circuit) rewire(m *ctrl.Route) (open bool, err error) {
	var ends [2]*linkEnd
	for s, id := range [2]string{Initiator: m.GetUpstreamLink(), Terminator: m.GetDownstreamLink()} {
		if id == "" {
			continue
		}
		l, err := c.table.link(id)
		if err != nil {
			return false, err
		}
		ends[s] = newLinkEnd(c, Side(s), l)
	}
	c.mu.Lock()
	switch {
	case c.ended:
		c.mu.Unlock()
		return false, ErrEnded
	case m.GetPath() < c.path:
		c.mu.Unlock()
		return false, errOldPath
	}
	moved := c.path != 0 && m.GetPath() > c.path
	c.path, c.routers = m.GetPath(), [2]string{m.GetInitiatorRouter(), m.GetTerminatorRouter()}
	for s, next := range ends {
		c.relink(Side(s), next, m.GetEgress() != nil)
	}
	open = c.ends[Terminator].Load() == nil && !c.dialing
	c.dialing = c.dialing || open && m.GetEgress() != nil
	c.mu.Unlock()
	for _, e := range ends {
		if e != nil && c.table.link0(e.id) == nil {
			c.table.LinkLost(e.id) // it went while it was put in place
		}
	}
	c.welcome()
	if moved {
		c.rerouted()
	}
	return open, nil
}

// relink makes next, which may be nil, the link end of a side, unless the side
// has an end at this router. The lock is held.
func (c *Circuit) relink(s Side, next *linkEnd, egress bool) {
	var old *linkEnd
	if p := c.ends[s].Load(); p != nil {
		var isLink bool
		if old, isLink = (*p).(*linkEnd); !isLink {
			return
		}
	}
	switch {
	case next == nil && old == nil:
	case next == nil:
		if s == Terminator && egress { // the circuit ends here from now on
			c.ends[s].Store(nil)
			c.part(old.id)
			old.close()
		}
	case old != nil && old.id == next.id && !old.lost.Load():
	default:
		d := Destination(next)
		c.ends[s].Store(&d)
		if old != nil {
			c.part(old.id)
			old.close()
		}
	}
}

// rerouted tells the ends at this router of another path.
func (c *Circuit) rerouted() {
	for s := range c.ends {
		if p := c.pathOf(Side(s)); p != nil {
			p.Rerouted()
		}
	}
}

// Follow makes the part of a path that starts at this router, where the
// initiator of c is: a link, or a dial of the terminator.
func (t *Table) Follow(ctx context.Context, c *Circuit, m *ctrl.Route) (map[uint32][]byte, error) {
	if m.GetEgress() == nil && m.GetDownstreamLink() == "" {
		return nil, &DialError{Cause: ctrl.Cause_INVALID_LINK_DESTINATION, Message: "the controller named neither a link nor a terminator"}
	}
	if _, err := c.rewire(m); err != nil && !errors.Is(err, errOldPath) {
		return nil, err
	}
	if m.GetDownstreamLink() != "" {
		c.SetHost(m.GetTerminatorId(), m.GetHostId())
		return nil, nil
	}
	ctx, cancel := within(ctx, m)
	defer cancel()
	return t.Terminate(ctx, c, m.GetEgress())
}

// failureOf describes why a route was not made.
func failureOf(m *ctrl.Route, err error) *ctrl.Failure {
	f := &ctrl.Failure{TerminatorId: m.GetTerminatorId(), Message: err.Error()}
	if id := m.GetEgress().GetTerminatorId(); id != "" {
		f.TerminatorId = id
	}
	var d *DialError
	if errors.As(err, &d) {
		f.Cause = d.Cause
	}
	return f
}

// abandonEmpty ends a circuit that has no end at this router and no path.
func (c *Circuit) abandonEmpty(reason string) {
	if c.Destination(Initiator) == nil && c.Destination(Terminator) == nil {
		c.Abandon(fmt.Sprintf("no path: %s", reason))
	}
}
