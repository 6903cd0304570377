package forward

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weftnet/weft/id"
	"github.com/weftnet/weft/wire/ctrl"
)

// maxAttempts bounds the attempts at one circuit; the controller usually
// refuses before.
const maxAttempts = 4

// Creator asks a controller for a circuit or for the next attempt at one. An
// error means that no controller answered.
type Creator interface {
	CreateCircuit(ctx context.Context, m *ctrl.CreateCircuit) (*ctrl.CircuitCreated, error)
}

// ErrNoAnswer is the error of a circuit that no controller has answered for.
var ErrNoAnswer = errors.New("no controller available, cannot create circuit")

// Refused is the refusal of a circuit by a controller.
type Refused struct{ *ctrl.Refusal }

// Error returns the message.
func (r *Refused) Error() string { return r.Message }

// Exhausted is the error of a circuit whose attempts have all failed here.
type Exhausted struct {
	CircuitID string
	Attempts  uint32
	Failure   *ctrl.Failure
	Egress    *ctrl.Egress // of the last attempt
}

// Error names the last failure.
func (e *Exhausted) Error() string {
	return fmt.Sprintf("exceeded maximum [%d] retries creating circuit [c/%s] (%s)", e.Attempts, e.CircuitID, e.Failure.Reason())
}

// Established is a circuit that can be used.
type Established struct {
	PeerData map[uint32][]byte // from the host, for the dialing side
	Sticky   string            // token for the client, empty for none
}

// Establish asks for a way for c and follows it, until one works or the
// controller refuses. The initiator of c should be attached before. failed, if
// not nil, is told of every failure at this router. Errors: ErrNoAnswer,
// *Refused and *Exhausted; the caller abandons the circuit then.
func (t *Table) Establish(ctx context.Context, from Creator, c *Circuit, ask *ctrl.CreateCircuit, failed func(*ctrl.Failure, *ctrl.Route)) (*Established, error) {
	for {
		ask.Attempt++
		made, err := from.CreateCircuit(ctx, ask)
		switch {
		case err != nil:
			// An earlier attempt may have been reported to a controller that has come
			// meanwhile.
			c.End("no controller has answered", true)
			return nil, fmt.Errorf("%w: %w", ErrNoAnswer, err)
		case made.GetRefusal() != nil:
			return nil, &Refused{made.GetRefusal()}
		}
		route := made.GetRoute()
		c.named(route.GetServiceId())
		if e := route.GetEgress(); e != nil && len(e.PeerData) == 0 {
			e.PeerData = ask.PeerData
		}
		peer, err := t.Follow(ctx, c, route)
		if err == nil {
			return &Established{PeerData: merged(made.GetPeerData(), peer), Sticky: made.GetSticky()}, nil
		}
		ask.Failure = failureOf(route, err)
		if failed != nil {
			failed(ask.Failure, route)
		}
		if ctx.Err() != nil || ask.Attempt >= maxAttempts {
			c.End("dial failed", true) // the controller believes in it
			return nil, &Exhausted{CircuitID: c.ID, Attempts: ask.Attempt, Failure: ask.Failure, Egress: route.GetEgress()}
		}
	}
}

// merged returns what the controller says of the host, and above it what the
// host has said for this circuit.
func merged(known, said map[uint32][]byte) map[uint32][]byte {
	if len(said) == 0 {
		return known
	}
	out := make(map[uint32][]byte, len(known)+len(said))
	for k, v := range known {
		out[k] = v
	}
	for k, v := range said {
		if len(v) > 0 {
			out[k] = v
		}
	}
	return out
}

// Own describes a circuit that an on-ramp of this router asks for.
type Own struct {
	Service  string // id or name
	Instance string // terminator identity, empty for any without one
	PeerData map[uint32][]byte
	// Attach makes the initiator of the circuit. It is called before the
	// controller is asked, so that nothing is lost; what the circuit brings may be
	// held until Open has returned.
	Attach func(*Circuit) Destination
}

// Open makes a circuit for an on-ramp of this router, which no client has asked
// for. Errors: those of Establish, and *Refused from a quiesced router; the
// destination that Attach returned gets Unrouted then.
func (t *Table) Open(ctx context.Context, from Creator, o Own) (*Circuit, *Established, error) {
	if t.Quiesced() {
		return nil, nil, &Refused{Quiesced()}
	}
	c, err := t.Add(Info{ID: id.New(), ServiceID: o.Service, CreatedAt: time.Now()})
	if err != nil {
		return nil, nil, err
	}
	c.Attach(Initiator, o.Attach(c))
	e, err := t.Establish(ctx, from, c, &ctrl.CreateCircuit{
		CircuitId: c.ID, ServiceId: o.Service, InstanceId: o.Instance, PeerData: o.PeerData, Own: true,
	}, nil)
	if err != nil {
		c.Abandon("dial failed")
		return nil, nil, err
	}
	return c, e, nil
}

// CodeQuiesced is the code of refusals by a quiesced router.
const CodeQuiesced = "ROUTER_QUIESCED"

// Quiesced is the refusal of a new circuit by a quiesced router.
func Quiesced() *ctrl.Refusal {
	return &ctrl.Refusal{
		Code: CodeQuiesced, Message: "the router takes no new circuits: it is quiesced",
		Remedy: "connect through another router, or end the quiet on this one with weft agent dequiesce",
	}
}
