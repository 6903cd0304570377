package app

import (
	"context"
	"log/slog"
	"time"

	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/router/forward"
)

// Times between two looks for idle circuits.
const (
	idleLook      = 5 * time.Second // a new circuit is first seen after so long
	shortIdleLook = 100 * time.Millisecond
)

// endIdle ends circuits that are silent for longer than their service allows,
// until ctx ends. It looks when the next one may be due, and at least every
// interval.
func endIdle(ctx context.Context, table *forward.Table, view func() *policy.View, interval time.Duration, log *slog.Logger) {
	timer := time.NewTimer(min(idleLook, interval))
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		v := view()
		ended, due := table.EndIdle(time.Now(), func(serviceID string) time.Duration {
			if s := v.Service(serviceID); s != nil {
				return s.MaxIdle
			}
			return 0
		})
		for _, c := range ended {
			log.Info("circuit ended: idle for longer than its service allows", "circuit", c.ID, "identity", c.IdentityID, "service", c.ServiceID)
		}
		next := min(idleLook, interval)
		if due > 0 {
			next = min(next, max(due, shortIdleLook))
		}
		timer.Reset(next)
	}
}
