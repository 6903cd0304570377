package forward

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftnet/weft/flow"
	"github.com/weftnet/weft/wire/ctrl"
)

// Dialer makes the terminator side of circuits for one binding.
type Dialer interface {
	// Dial connects to where e says and attaches the terminator side of c. It
	// returns peer data for the dialing side, which may be nil; an error should
	// be a *DialError.
	Dial(ctx context.Context, c *Circuit, e *ctrl.Egress) (map[uint32][]byte, error)
}

// DialError is a failure to reach a terminator, in the classes that the
// controller tells apart.
type DialError struct {
	Cause   ctrl.Cause
	Message string
}

// Error returns the message.
func (e *DialError) Error() string { return e.Message }

// ErrEnded is returned for a circuit that has ended or exists already.
var ErrEnded = errors.New("forward: the circuit has ended")

// Table holds the circuits of a router and the dialers of its bindings. Its
// methods may be called concurrently.
type Table struct {
	ended   func(id string)
	dialers map[string]Dialer // fixed before the first circuit
	links   Links             // nil without links
	faulted func(id string)   // nil if nobody wants to know
	used    func(Usage)       // the same

	closeCheck time.Duration

	routerID string // in traces
	traces   traces

	quiesced atomic.Bool
	strays   atomic.Uint64 // messages of circuits that are not carried here
	drops    atomic.Uint64 // messages that were dropped
	brakes   atomic.Uint64 // acknowledgements that slowed their source down
	early    atomic.Int64  // bytes that are held for paths to come

	flow      flow.Counters
	linkDrops func(linkID string, transit bool) // nil if nobody wants to know

	circuits index

	mu         sync.Mutex
	byIdentity map[string]int // circuits that an identity dialed
}

// maxCircuits bounds the circuits of one dialing identity at a router.
const maxCircuits = 50_000

// ErrTooMany is the refusal of a further circuit of an identity.
var ErrTooMany = fmt.Errorf("the identity has %d circuits at this router, as many as one may have", maxCircuits)

// NewTable returns an empty table. ended is told the id of every circuit that
// ends here without the controller's doing; it must not block.
func NewTable(ended func(id string)) *Table {
	return &Table{ended: ended, closeCheck: DefaultCloseCheck, dialers: make(map[string]Dialer), circuits: newIndex(), byIdentity: make(map[string]int)}
}

// Register adds the dialer of a binding. It must come before the first circuit.
func (t *Table) Register(binding string, d Dialer) { t.dialers[binding] = d }

// Add makes a circuit. It returns ErrEnded if there is one of that id, and
// ErrTooMany if the identity has its most.
func (t *Table) Add(info Info) (*Circuit, error) {
	c := &Circuit{Info: info, table: t}
	t.mu.Lock()
	if info.IdentityID != "" && t.byIdentity[info.IdentityID] >= maxCircuits {
		t.mu.Unlock()
		return nil, ErrTooMany
	}
	t.byIdentity[info.IdentityID]++
	t.mu.Unlock()
	if !t.circuits.add(c) {
		t.forget(info.IdentityID)
		return nil, ErrEnded
	}
	return c, nil
}

// Get returns a circuit, nil if there is none.
func (t *Table) Get(id []byte) *Circuit { return t.circuits.get(id) }

// Len is the number of circuits.
func (t *Table) Len() int { return t.circuits.size() }

// All returns the circuits, in no order.
func (t *Table) All() []*Circuit { return t.circuits.all() }

// Reports describes all circuits to a controller.
func (t *Table) Reports() []*ctrl.Circuit {
	all := t.All()
	out := make([]*ctrl.Circuit, len(all))
	for i, c := range all {
		out[i] = c.Report()
	}
	return out
}

// SetFaults says who is told of circuits whose messages cannot be passed on,
// again for every such message. It must not block, and must be set before the
// first circuit.
func (t *Table) SetFaults(f func(circuitID string)) { t.faulted = f }

func (t *Table) fault(circuitID string) {
	if t.faulted != nil {
		t.faulted(circuitID)
	}
}

// Quiesce says whether new circuits are refused. Those that exist go on.
func (t *Table) Quiesce(on bool) { t.quiesced.Store(on) }

// Quiesced reports whether new circuits are refused.
func (t *Table) Quiesced() bool { return t.quiesced.Load() }

// Unroute ends circuits at the controller's wish, dropping what is under way.
// Unknown ids are ignored.
func (t *Table) Unroute(reason string, ids ...string) {
	t.EndCircuits(&ctrl.Unroute{Reason: reason, CircuitIds: ids})
}

// Terminate dials the terminator side of c at this router.
func (t *Table) Terminate(ctx context.Context, c *Circuit, e *ctrl.Egress) (map[uint32][]byte, error) {
	d := t.dialers[e.GetBinding()]
	if d == nil {
		return nil, &DialError{
			Cause:   ctrl.Cause_MISCONFIGURED_TERMINATOR,
			Message: fmt.Sprintf("this router has no dialer for binding %q; add it to its dialers section", e.GetBinding()),
		}
	}
	peer, err := d.Dial(ctx, c, e)
	if err == nil {
		return peer, nil
	}
	var known *DialError
	if !errors.As(err, &known) {
		err = &DialError{Cause: ctrl.Cause_GENERIC, Message: err.Error()}
	}
	return nil, err
}

func (t *Table) remove(c *Circuit, report bool) {
	if t.circuits.remove(c) {
		t.forget(c.IdentityID)
		if t.used != nil {
			t.used(c.Usage())
		}
	}
	if report && t.ended != nil {
		t.ended(c.ID)
	}
}

// forget takes a circuit off the count of an identity.
func (t *Table) forget(identityID string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byIdentity[identityID]--; t.byIdentity[identityID] <= 0 {
		delete(t.byIdentity, identityID)
	}
}
