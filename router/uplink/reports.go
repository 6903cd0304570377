package uplink

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"google.golang.org/protobuf/proto"

	"github.com/weftnet/weft/control"
	"github.com/weftnet/weft/wire/ctrl"
)

// reports keeps what goes to the controller in order and without waiting: news
// of links and of the router's state. It is bounded by the number of links.
type reports struct {
	mu    sync.Mutex
	state *ctrl.RouterState
	told  bool // the state is reported
	put   map[string]*ctrl.Link
	gone  map[string]*ctrl.LinkGone
	wake  chan struct{}
}

func newReports() *reports {
	return &reports{
		state: &ctrl.RouterState{}, told: true,
		put: make(map[string]*ctrl.Link), gone: make(map[string]*ctrl.LinkGone), wake: make(chan struct{}, 1),
	}
}

func (r *reports) routerState() *ctrl.RouterState {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

func (r *reports) signal() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// ReportLinks tells the controller of links that appeared, changed or went. It
// does not wait. While no controller is connected nothing is kept: a session
// begins with all that Config.Links tells.
func (u *Uplink) ReportLinks(m *ctrl.LinkChanges) {
	r := u.reports
	r.mu.Lock()
	for _, l := range m.GetPut() {
		r.put[l.Id] = l
		delete(r.gone, l.Id)
	}
	for _, g := range m.GetGone() {
		delete(r.put, g.Id)
		r.gone[g.Id] = g
	}
	r.mu.Unlock()
	r.signal()
}

// SetState changes what the router tells of itself, now and after every
// reconnect. It does not wait.
func (u *Uplink) SetState(m *ctrl.RouterState) {
	r := u.reports
	r.mu.Lock()
	r.state, r.told = proto.Clone(m).(*ctrl.RouterState), false
	r.mu.Unlock()
	r.signal()
}

// take returns what is to be said now.
func (r *reports) take() (links *ctrl.LinkChanges, state *ctrl.RouterState) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.put)+len(r.gone) > 0 {
		links = &ctrl.LinkChanges{}
		for _, l := range r.put {
			links.Put = append(links.Put, l)
		}
		for _, g := range r.gone {
			links.Gone = append(links.Gone, g)
		}
		slices.SortFunc(links.Put, func(a, b *ctrl.Link) int { return cmp.Compare(a.Id, b.Id) })
		clear(r.put)
		clear(r.gone)
	}
	if !r.told {
		state, r.told = r.state, true
	}
	return links, state
}

// run sends reports while a controller is connected. A session that begins
// while something waits is told it again, in full.
func (r *reports) run(ctx context.Context, u *Uplink) {
	var served *control.RouterEnd
	for ctx.Err() == nil {
		s, changed := u.current()
		if s != nil && s != served {
			// The registration was made before the session was known here: what
			// happened between the two is said now.
			served = s
			r.take()
			m := &ctrl.LinkChanges{Whole: true}
			if u.cfg.Links != nil {
				m.Put = u.cfg.Links.Report()
			}
			_ = s.LinkChanges(ctx, m)
			_ = s.State(ctx, r.routerState())
			continue
		}
		if s != nil {
			links, state := r.take()
			if links != nil {
				_ = s.LinkChanges(ctx, links)
			}
			if state != nil {
				_ = s.State(ctx, state)
			}
		}
		select {
		case <-ctx.Done():
		case <-changed:
		case <-r.wake:
		}
	}
}

// ConfirmCircuits asks which of these silent circuits have to end. Errors:
// ErrNoController, those of ctx and of the session.
func (u *Uplink) ConfirmCircuits(ctx context.Context, m *ctrl.ConfirmCircuits) (*ctrl.ConfirmedCircuits, error) {
	s, err := u.connected()
	if err != nil {
		return nil, err
	}
	return s.ConfirmCircuits(ctx, m)
}

// Extend asks for certificates. Errors as ConfirmCircuits.
func (u *Uplink) Extend(ctx context.Context, m *ctrl.Extend) (*ctrl.Extended, error) {
	s, err := u.connected()
	if err != nil {
		return nil, err
	}
	return s.Extend(ctx, m)
}

// ConfirmExtend says that new certificates are stored. Errors as ConfirmCircuits.
func (u *Uplink) ConfirmExtend(ctx context.Context, m *ctrl.ConfirmExtend) (*ctrl.ExtendConfirmed, error) {
	s, err := u.connected()
	if err != nil {
		return nil, err
	}
	return s.ConfirmExtend(ctx, m)
}

// Metrics reports measurements. Errors as ConfirmCircuits.
func (u *Uplink) Metrics(ctx context.Context, m *ctrl.MetricsReport) error {
	s, err := u.connected()
	if err != nil {
		return err
	}
	return s.Metrics(ctx, m)
}

// Identities reports which identities are connected. Errors as ConfirmCircuits.
func (u *Uplink) Identities(ctx context.Context, m *ctrl.ConnectedIdentities) error {
	s, err := u.connected()
	if err != nil {
		return err
	}
	return s.Identities(ctx, m)
}

// Interfaces reports network interfaces. Errors as ConfirmCircuits.
func (u *Uplink) Interfaces(ctx context.Context, m *ctrl.Interfaces) error {
	s, err := u.connected()
	if err != nil {
		return err
	}
	return s.Interfaces(ctx, m)
}

// connected returns the session, or ErrNoController.
func (u *Uplink) connected() (*control.RouterEnd, error) {
	if s, _ := u.current(); s != nil {
		return s, nil
	}
	return nil, ErrNoController
}

// Connected waits until a controller is connected. The error is that of ctx.
func (u *Uplink) Connected(ctx context.Context) error {
	for {
		s, changed := u.current()
		if s != nil {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Ping asks the controller for a sign of life. Errors: ErrNoController, those of
// ctx and of the session.
func (u *Uplink) Ping(ctx context.Context) error {
	s, err := u.connected()
	if err != nil {
		return err
	}
	return s.Ping(ctx)
}

// ControllerSession names the present session with a controller: another value is another
// session. It is nil while no controller is connected.
func (u *Uplink) ControllerSession() any {
	if s, _ := u.current(); s != nil {
		return s
	}
	return nil
}
