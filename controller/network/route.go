package network

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/wire/ctrl"
)

// transitTime is how long a router may take that has nothing to dial.
const transitTime = 3 * time.Second

// routeOf returns the part of a circuit's path that is the router's at place i.
func routeOf(c *Circuit, i int) *ctrl.Route {
	r := &ctrl.Route{
		CircuitId: c.ID, ServiceId: c.ServiceID, DownstreamLink: c.Path[i].Link, Path: c.PathNumber,
		IdentityId: c.IdentityID, SessionId: c.SessionID, TerminatorId: c.TerminatorID, HostId: c.HostID,
		CreatedMillis: c.CreatedAt.UnixMilli(), InitiatorRouter: c.first(), TerminatorRouter: c.last(),
	}
	if i > 0 {
		r.UpstreamLink = c.Path[i-1].Link
	}
	return r
}

// egressOf returns what the last router of a path dials.
func egressOf(t *model.Terminator) *ctrl.Egress {
	return &ctrl.Egress{
		TerminatorId: t.ID, Binding: t.Binding, Address: t.Address, InstanceId: t.InstanceID, HostId: t.HostID,
	}
}

// misfire is why a router is not a node of a path.
type misfire struct {
	place   int // on the path
	failure *ctrl.Failure
	silent  bool // it did not answer in time
	away    bool // it is not connected
}

func (m *misfire) Error() string { return m.failure.GetMessage() }

// laid is the answer of a router.
type laid struct {
	place int
	peer  map[uint32][]byte
	bad   *misfire
}

// lay gives the routers at the given places of a path their parts of it, all
// at once, and waits for their answers. It returns the data of the last router
// and the failure that matters most, which is that of the last router.
func (n *Network) lay(ctx context.Context, c *Circuit, places []int, edit func(place int, r *ctrl.Route)) (map[uint32][]byte, *misfire) {
	answers := make(chan laid, len(places))
	ask := func(place int) {
		r := routeOf(c, place)
		edit(place, r)
		peer, bad := n.layOne(ctx, c.Path[place].RouterID, r)
		if bad != nil {
			bad.place = place
		}
		answers <- laid{place, peer, bad}
	}
	for _, place := range places[:len(places)-1] {
		go ask(place)
	}
	ask(places[len(places)-1])
	var peer map[uint32][]byte
	var worst *misfire
	for range places {
		a := <-answers
		if a.place == len(c.Path)-1 {
			peer = a.peer
		}
		if a.bad != nil && (worst == nil || a.place > worst.place) {
			worst = a.bad
		}
	}
	return peer, worst
}

// layOne gives one router its part of a path.
func (n *Network) layOne(ctx context.Context, routerID string, r *ctrl.Route) (map[uint32][]byte, *misfire) {
	node := n.node(routerID)
	if node == nil {
		return nil, &misfire{away: true, failure: failure(r, ctrl.Cause_GENERIC, "router %s is not connected", routerID)}
	}
	if r.Egress == nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, transitTime)
		defer cancel()
	}
	if at, ok := ctx.Deadline(); ok {
		r.TimeoutMillis = uint32(max(time.Until(at).Milliseconds(), 1))
	}
	result, err := node.Route(ctx, r)
	switch {
	case errors.Is(err, context.DeadlineExceeded) || err != nil && ctx.Err() != nil:
		return nil, &misfire{silent: true, failure: failure(r, ctrl.Cause_DIAL_TIMED_OUT, "router %s has not answered in time", routerID)}
	case err != nil:
		return nil, &misfire{away: true, failure: failure(r, ctrl.Cause_GENERIC, "router %s: %v", routerID, err)}
	case result.GetFailure() != nil:
		return nil, &misfire{failure: shortened(result.Failure)}
	}
	return result.GetPeerData(), nil
}

func failure(r *ctrl.Route, cause ctrl.Cause, format string, args ...any) *ctrl.Failure {
	return &ctrl.Failure{TerminatorId: r.TerminatorId, Cause: cause, Message: fmt.Sprintf(format, args...)}
}

// longestReason bounds what a router may say of a failure, which logs, events
// and clients are told, in bytes.
const longestReason = 2000

func shortened(f *ctrl.Failure) *ctrl.Failure {
	if len(f.Message) <= longestReason && len(f.TerminatorId) <= maxIDLength {
		return f
	}
	return &ctrl.Failure{
		TerminatorId: f.TerminatorId[:min(len(f.TerminatorId), maxIDLength)], Cause: f.Cause,
		Message: strings.ToValidUTF8(f.Message[:min(len(f.Message), longestReason)], ""),
	}
}
