package forward

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/flow"
	"github.com/weftnet/weft/wire/ctrl"
	"github.com/weftnet/weft/wire/xgress"
)

// Side is one side of a circuit.
type Side uint8

// The sides, as seen from the whole circuit.
const (
	Initiator Side = iota
	Terminator
)

// Other is the opposite side.
func (s Side) Other() Side { return 1 - s }

// Destination takes what travels towards one side of a circuit. Its methods
// are called concurrently and must not block.
type Destination interface {
	// Forward takes ownership of a payload, acknowledgement or control message.
	Forward(f *channel.Frame)
	// Unrouted says that the circuit is gone. With drop, what has not been
	// delivered must not be any more; else it may be.
	Unrouted(reason string, drop bool)
}

// Info is what a circuit is about. It does not change.
type Info struct {
	ID         string
	IdentityID string // who dialed
	SessionID  string // API session of the dialer
	// ServiceSessionID is the service session that the dialer showed, empty if
	// there was none.
	ServiceSessionID string
	ServiceID        string
	CreatedAt        time.Time
}

// Circuit is one circuit at this router. Its methods may be called concurrently.
type Circuit struct {
	Info
	serviceID atomic.Pointer[string] // see Service
	table     *Table
	ends      [2]atomic.Pointer[Destination]
	passed    [2]traffic // to each side
	// Lossy is set when anything of the circuit was dropped here: then a
	// retransmission may be needed.
	Lossy atomic.Bool

	used       atomic.Bool // something has passed since the last look
	arrived    atomic.Bool // something has come by a link since the last look of Unroute
	quietSince time.Time   // first look that saw nothing pass; of EndIdle
	limitSince time.Time   // the same, but not before the service set a limit

	mu           sync.Mutex
	ended        bool
	cause        Cause
	detail       string
	paths        [2]flow.Path // flow control that ends here, nil if there is none
	code         string       // of the cause Removed and the like, may be empty
	terminatorID string
	hostID       string
	path         uint32    // number of the path in force, see ctrl.Route
	routers      [2]string // at its ends, empty if no controller has said
	dialing      bool      // the terminator side is being dialed, or has been
	closing      bool      // ends when nothing arrives any more
	past         []string  // links of former paths
	early        *early    // nil for nothing
}

// Attach makes d the destination of a side, replacing an earlier one. It
// returns false if the circuit has ended.
func (c *Circuit) Attach(s Side, d Destination) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return false
	}
	c.ends[s].Store(&d)
	return true
}

// Detach removes d from a side if it is still there, after a failed dial.
func (c *Circuit) Detach(s Side, d Destination) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.ends[s].Load(); p != nil && *p == d {
		c.ends[s].Store(nil)
	}
}

// Send passes f to the destination of a side and takes ownership of it.
func (c *Circuit) Send(to Side, f *channel.Frame) {
	c.touch()
	c.passed[to].count(f)
	if f.Type == xgress.TypeAcknowledgement {
		c.brake(to, f)
	}
	if p := c.ends[to].Load(); p != nil {
		(*p).Forward(f)
		return
	}
	c.dropped()
	f.Release()
}

// dropped notes that a message was dropped.
func (c *Circuit) dropped() {
	c.table.drops.Add(1)
	c.Lossy.Store(true)
}

// SetHost notes where the circuit ends, for reports.
func (c *Circuit) SetHost(terminatorID, hostID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.terminatorID, c.hostID = terminatorID, hostID
}

// Host returns what SetHost noted.
func (c *Circuit) Host() (terminatorID, hostID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.terminatorID, c.hostID
}

// End ends the circuit, once, and reports that. With drop, data under way must
// not be delivered any more.
func (c *Circuit) End(reason string, drop bool) { c.finish(reason, byAnEnd(drop)) }

// Cause is a kind of reason for which circuits end.
type Cause uint8

// The causes. Left is that of a circuit that one of its ends has left in order.
const (
	Left         Cause = iota
	AccessLost         // the dialer may not use the service any more
	SessionEnded       // the dialer's service session has ended
	PeerGone           // one of its ends has gone away
	Removed            // the network has removed it
	NoPath             // its path is lost, and there is no other

	lastCause = NoPath
)

// EndBecause is End for a cause that both ends should know. The detail, which
// may be empty, is for the dialer alone.
func (c *Circuit) EndBecause(cause Cause, reason, detail string, drop bool) {
	c.blame(cause, "", detail)
	c.finish(reason, byAnEnd(drop))
}

// blame notes why the circuit is about to end.
func (c *Circuit) blame(cause Cause, code, detail string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		c.cause, c.code, c.detail = cause, code, detail
	}
}

// Cause returns why the circuit has ended.
func (c *Circuit) Cause() (cause Cause, detail string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cause, c.detail
}

// Code returns the stable code of the cause, which may be empty.
func (c *Circuit) Code() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.code
}

// Abandon is End for a circuit that no controller knows.
func (c *Circuit) Abandon(reason string) { c.finish(reason, ending{drop: true}) }

// ending says how a circuit ends.
type ending struct {
	drop   bool    // what has not been delivered must not be
	report bool    // tell the controller
	tell   [2]bool // tell the routers beyond a link of these sides
}

func byAnEnd(drop bool) ending { return ending{drop: drop, report: true, tell: [2]bool{true, true}} }

func (c *Circuit) finish(reason string, how ending) {
	c.mu.Lock()
	if c.ended {
		c.mu.Unlock()
		return
	}
	c.ended = true
	c.mu.Unlock()
	for _, f := range c.takeEarly(nil) {
		f.Release()
	}
	c.table.remove(c, how.report)
	for s := range c.ends {
		p := c.ends[s].Load()
		if p == nil {
			continue
		}
		if e, ok := (*p).(*linkEnd); ok && how.tell[s] {
			e.leave(reason, how.drop)
			continue
		}
		(*p).Unrouted(reason, how.drop)
	}
}

// Report describes the circuit to a controller.
func (c *Circuit) Report() *ctrl.Circuit {
	c.mu.Lock()
	defer c.mu.Unlock()
	return &ctrl.Circuit{
		CircuitId: c.ID, IdentityId: c.IdentityID, SessionId: c.SessionID, ServiceId: c.Service(),
		TerminatorId: c.terminatorID, HostId: c.hostID, CreatedMillis: c.CreatedAt.UnixMilli(),
		UpstreamLink: c.linkOf(Initiator), DownstreamLink: c.linkOf(Terminator), Path: c.path,
		InitiatorRouter: c.routers[Initiator], TerminatorRouter: c.routers[Terminator],
	}
}

// linkOf returns the id of the link to a side, empty if the side ends here.
func (c *Circuit) linkOf(s Side) string {
	if e, ok := c.Destination(s).(*linkEnd); ok {
		return e.id
	}
	return ""
}

// Destination returns what is attached to a side, nil if nothing is.
func (c *Circuit) Destination(s Side) Destination {
	if p := c.ends[s].Load(); p != nil {
		return *p
	}
	return nil
}
