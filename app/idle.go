package app

import (
	"context"
	"log/slog"
	"time"

	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/router/uplink"
	"github.com/weftnet/weft/wire/ctrl"
)

// Times between two looks for idle circuits.
const (
	idleLook      = 5 * time.Second // a new circuit is first seen after so long
	shortIdleLook = 100 * time.Millisecond
)

// idleWatch looks for silent circuits. It ends those that are silent for longer
// than their service allows, and asks a controller about the others now and
// then, for one that nobody knows any more makes no sound either.
type idleWatch struct {
	table   *forward.Table
	uplink  *uplink.Uplink
	every   time.Duration // between two questions, and longest between two looks
	timeout time.Duration // silence from which on to ask
	log     *slog.Logger
}

// run looks until ctx ends: when the next circuit may be due, and at least every
// interval.
func (w *idleWatch) run(ctx context.Context) {
	timer := time.NewTimer(min(idleLook, w.every))
	defer timer.Stop()
	asked := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		next := min(idleLook, w.every)
		if due := w.look(); due > 0 {
			next = min(next, max(due, shortIdleLook))
		}
		if time.Since(asked) >= w.every {
			asked = time.Now()
			w.ask(ctx)
		}
		timer.Reset(next)
	}
}

// look ends what its service does not allow and returns when more may be due, 0
// for never.
func (w *idleWatch) look() time.Duration {
	v := w.uplink.View()
	ended, due := w.table.EndIdle(time.Now(), func(serviceID string) time.Duration {
		if s := v.Service(serviceID); s != nil {
			return s.MaxIdle
		}
		return 0
	})
	for _, c := range ended {
		w.log.Info("circuit ended: idle for longer than its service allows", "circuit", c.ID, "identity", c.IdentityID, "service", c.Service())
	}
	return due
}

// idleAnswer is how long a controller may think about silent circuits.
const idleAnswer = 30 * time.Second

// ask has a controller confirm the silent circuits and ends those that it does
// not know. Without a controller it is asked the next time.
func (w *idleWatch) ask(ctx context.Context) {
	silent := w.table.Idle(time.Now(), w.timeout)
	if len(silent) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, idleAnswer)
	defer cancel()
	answer, err := w.uplink.ConfirmCircuits(ctx, &ctrl.ConfirmCircuits{Circuits: silent})
	if err != nil {
		w.log.Debug("silent circuits not confirmed", "circuits", len(silent), "error", err)
		return
	}
	if len(answer.Drop) > 0 {
		w.log.Info("silent circuits ended: the controller does not know them", "circuits", len(answer.Drop))
		w.table.EndCircuits(&ctrl.Unroute{CircuitIds: answer.Drop, Reason: "the controller does not know the circuit"})
	}
}
