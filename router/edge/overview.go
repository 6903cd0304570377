package edge

import (
	"cmp"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/weftnet/weft/router/forward"
)

// ClientOverview is a connected client as an operator sees it.
type ClientOverview struct {
	IdentityID   string            `json:"identityId"`
	IdentityName string            `json:"identityName"`
	SessionID    string            `json:"apiSessionId"`
	ConnectionID string            `json:"connectionId"`
	Remote       string            `json:"remote"`
	QueuedBytes  int               `json:"queuedBytes"` // wait to be written to it
	Circuits     []CircuitOverview `json:"circuits"`
	Terminators  []string          `json:"terminators"` // ids
}

// CircuitOverview is a client's end of a circuit.
type CircuitOverview struct {
	CircuitID string `json:"circuitId"`
	ConnID    uint32 `json:"connId"`
	Side      string `json:"side"`      // initiator or terminator
	OwnWindow bool   `json:"ownWindow"` // the client does the flow control itself
	// Spilled are the bytes that wait for the circuit's window, of a client
	// without one of its own.
	Spilled int `json:"spilledBytes"`
}

// Clients returns the connected clients, ordered by identity and connection.
func (s *Server) Clients() []ClientOverview {
	out := []ClientOverview{}
	for _, c := range s.allClients() {
		out = append(out, c.overview())
	}
	slices.SortFunc(out, func(a, b ClientOverview) int {
		return cmp.Or(strings.Compare(a.IdentityID, b.IdentityID), strings.Compare(a.ConnectionID, b.ConnectionID))
	})
	return out
}

func (c *client) overview() ClientOverview {
	o := ClientOverview{
		IdentityID: c.session.IdentityID, IdentityName: c.session.IdentityName, SessionID: c.session.ID,
		QueuedBytes: c.ch.Queued(), Circuits: []CircuitOverview{}, Terminators: []string{},
	}
	if p := c.ch.Peer(); p != nil {
		o.ConnectionID, o.Remote = p.ConnectionID, p.Remote.String()
	}
	c.mu.Lock()
	sinks := make([]sink, 0, len(c.sinks))
	for _, s := range c.sinks {
		sinks = append(sinks, s)
	}
	c.mu.Unlock()
	for _, s := range sinks {
		switch s := s.(type) {
		case *windowed:
			o.Circuits = append(o.Circuits, CircuitOverview{CircuitID: s.c.ID, ConnID: s.connID, Side: sideName(s.side), OwnWindow: true})
		case *relayed:
			s.mu.Lock()
			o.Circuits = append(o.Circuits, CircuitOverview{CircuitID: s.c.ID, ConnID: s.connID, Side: sideName(s.side), Spilled: s.size})
			s.mu.Unlock()
		case *terminator:
			o.Terminators = append(o.Terminators, s.report().GetId())
		}
	}
	slices.SortFunc(o.Circuits, func(a, b CircuitOverview) int { return strings.Compare(a.CircuitID, b.CircuitID) })
	slices.Sort(o.Terminators)
	return o
}

func sideName(s forward.Side) string {
	if s == forward.Initiator {
		return "initiator"
	}
	return "terminator"
}

// TerminatorOverview is a terminator that a client hosts.
type TerminatorOverview struct {
	ID         string `json:"id"`
	ServiceID  string `json:"serviceId"`
	IdentityID string `json:"identityId"` // of the host
	InstanceID string `json:"instanceId,omitempty"`
	ListenerID string `json:"listenerId,omitempty"` // by which the client knows it again
	State      string `json:"state"`                // established, establishing or closed
	Cost       uint32 `json:"cost"`
	Precedence string `json:"precedence"`
}

// Hosted returns the terminators that clients host, ordered by id.
func (s *Server) Hosted() []TerminatorOverview {
	out := []TerminatorOverview{}
	for _, t := range s.allTerminators() {
		out = append(out, t.overview())
	}
	slices.SortFunc(out, func(a, b TerminatorOverview) int { return strings.Compare(a.ID, b.ID) })
	return out
}

func (t *terminator) overview() TerminatorOverview {
	t.mu.Lock()
	defer t.mu.Unlock()
	d := t.desired
	o := TerminatorOverview{
		ID: d.GetId(), ServiceID: d.GetServiceId(), IdentityID: t.key.identity, InstanceID: d.GetInstanceId(), ListenerID: t.key.listener,
		State: "establishing", Cost: d.GetCost(), Precedence: d.GetPrecedence(),
	}
	switch {
	case t.dead:
		o.State = "closed"
	case proto.Equal(t.desired, t.confirmed):
		o.State = "established"
	}
	return o
}

// SpillUse returns how many bytes wait for circuits of clients without flow
// control of their own, and how many may.
func (s *Server) SpillUse() (used, most int64) { return s.spill.Used(), int64(s.cfg.SpillTotal) }
