package edge

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/weftnet/weft/wire/ctrl"
	"github.com/weftnet/weft/wire/edge"
)

// ErrNotConnected is in the error of a Controller that is not connected: nobody
// was asked.
var ErrNotConnected = errors.New("no controller is connected")

// Encrypter is a Directory that knows which services require encryption.
// Without one, all do in circuits that no controller has made.
type Encrypter interface {
	EncryptionRequired(serviceID string) bool
}

// alone asks the controller for circuits and, while none is connected, chooses
// among the terminators that clients of this router host. That both ends may is
// known from the router's copy of the policies; a controller that comes back
// finds the circuit in the router's report and adopts it.
type alone struct{ s *Server }

// CreateCircuit implements forward.Creator.
func (a alone) CreateCircuit(ctx context.Context, m *ctrl.CreateCircuit) (*ctrl.CircuitCreated, error) {
	made, err := a.s.cfg.Controller.CreateCircuit(ctx, m)
	if !errors.Is(err, ErrNotConnected) || ctx.Err() != nil {
		return made, err
	}
	t, refusal := a.choose(m)
	switch {
	case refusal != nil:
		return &ctrl.CircuitCreated{Refusal: refusal}, nil
	case t == nil:
		return nil, err
	}
	a.s.log.Info("circuit made without a controller", "circuit", m.CircuitId, "identity", m.IdentityId, "service", m.ServiceId, "terminator", t.Id)
	return &ctrl.CircuitCreated{
		PeerData: t.PeerData,
		Route: &ctrl.Route{
			CircuitId: m.CircuitId, ServiceId: m.ServiceId, IdentityId: m.IdentityId, SessionId: m.SessionId,
			TerminatorId: t.Id, HostId: t.HostId, Path: m.Attempt,
			Egress: &ctrl.Egress{TerminatorId: t.Id, HostId: t.HostId, Binding: t.Binding, Address: t.Address, InstanceId: t.InstanceId},
		},
	}, nil
}

// choose returns the best hosted terminator of a service: by precedence, then by
// cost, any of those that are equal. It returns nil if there is none, or the last
// one has failed.
func (a alone) choose(m *ctrl.CreateCircuit) (*ctrl.Terminator, *ctrl.Refusal) {
	var best []*ctrl.Terminator
	keyless := false
	encrypt := true
	if e, ok := a.s.cfg.Directory.(Encrypter); ok {
		encrypt = e.EncryptionRequired(m.ServiceId)
	}
	const key = uint32(edge.HeaderPublicKey)
	for _, h := range a.s.allTerminators() {
		t := h.report()
		if t.ServiceId != m.ServiceId || t.InstanceId != m.InstanceId || t.Id == m.GetFailure().GetTerminatorId() {
			continue
		}
		if encrypt && (len(t.PeerData[key]) == 0 || len(m.PeerData[key]) == 0) {
			keyless = true
			continue
		}
		if len(best) > 0 {
			switch d := rank(t) - rank(best[0]); {
			case d > 0:
				continue
			case d < 0:
				best = best[:0]
			}
		}
		best = append(best, t)
	}
	switch {
	case len(best) > 0:
		return best[rand.IntN(len(best))], nil
	case keyless:
		return nil, &ctrl.Refusal{
			Code: "ENCRYPTION_DATA_MISSING", Message: fmt.Sprintf("service %s requires encryption, and an end has no key", m.ServiceId),
			Remedy: "let both ends encrypt",
		}
	}
	return nil, nil
}

// rank orders terminators: precedence first, then cost.
func rank(t *ctrl.Terminator) int {
	const step = 1 << 20 // above every cost
	switch t.Precedence {
	case "required":
		return int(t.Cost)
	case "failed":
		return 2*step + int(t.Cost)
	}
	return step + int(t.Cost)
}
