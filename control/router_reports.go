package control

import (
	"context"

	"github.com/weftnet/weft/wire/ctrl"
)

// Activity reports the API sessions that have a live connection.
func (r *RouterEnd) Activity(ctx context.Context, sessionIDs []string) error {
	return send(ctx, r.line(), ctrl.TypeActivity, &ctrl.Activity{SessionIds: sessionIDs})
}

// CircuitFaults reports circuits whose messages cannot be passed on.
func (r *RouterEnd) CircuitFaults(ctx context.Context, ids []string) error {
	return send(ctx, r.line(), ctrl.TypeCircuitFaults, &ctrl.CircuitFaults{CircuitIds: ids})
}

// ConfirmCircuits asks which of these silent circuits have to end.
func (r *RouterEnd) ConfirmCircuits(ctx context.Context, m *ctrl.ConfirmCircuits) (*ctrl.ConfirmedCircuits, error) {
	return request[ctrl.ConfirmedCircuits](ctx, r.line(), ctrl.TypeConfirmCircuits, m, ctrl.TypeConfirmedCircuits)
}

// LinkChanges reports links.
func (r *RouterEnd) LinkChanges(ctx context.Context, m *ctrl.LinkChanges) error {
	return send(ctx, r.line(), ctrl.TypeLinkChanges, m)
}

// State reports what the router tells of itself.
func (r *RouterEnd) State(ctx context.Context, m *ctrl.RouterState) error {
	return send(ctx, r.line(), ctrl.TypeRouterState, m)
}

// Metrics reports measurements.
func (r *RouterEnd) Metrics(ctx context.Context, m *ctrl.MetricsReport) error {
	return send(ctx, r.line(), ctrl.TypeMetricsReport, m)
}

// Identities reports which identities are connected.
func (r *RouterEnd) Identities(ctx context.Context, m *ctrl.ConnectedIdentities) error {
	return send(ctx, r.line(), ctrl.TypeIdentities, m)
}

// Interfaces reports network interfaces.
func (r *RouterEnd) Interfaces(ctx context.Context, m *ctrl.Interfaces) error {
	return send(ctx, r.line(), ctrl.TypeInterfaces, m)
}

// Extend asks for certificates.
func (r *RouterEnd) Extend(ctx context.Context, m *ctrl.Extend) (*ctrl.Extended, error) {
	return request[ctrl.Extended](ctx, r.line(), ctrl.TypeExtend, m, ctrl.TypeExtended)
}

// ConfirmExtend says that new certificates are stored: they count from now on.
func (r *RouterEnd) ConfirmExtend(ctx context.Context, m *ctrl.ConfirmExtend) (*ctrl.ExtendConfirmed, error) {
	return request[ctrl.ExtendConfirmed](ctx, r.line(), ctrl.TypeConfirmExtend, m, ctrl.TypeExtendConfirmed)
}

// Resync asks for the whole slice. It does not wait and may be called by a
// RouterHandler.
func (r *RouterEnd) Resync() bool {
	return trySend(r.line(), ctrl.TypeSliceResync, nil, &ctrl.SliceResync{})
}
