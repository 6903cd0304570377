package app

import (
	"context"
	"time"

	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/controller/routers"
)

// statuses knows which identities are connected to routers: by the sessions that
// routers report as active, by their reports of connected identities, or both.
type statuses struct {
	cfg      conf.IdentityStatus
	active   func(identityID string) bool
	reported func(identityID string) routers.IdentityStatus
	forget   func(awayFor time.Duration)
}

// of returns whether an identity counts as connected, and its status.
func (s *statuses) of(identityID string) (connected bool, status routers.IdentityStatus) {
	status = s.reported(identityID)
	switch s.cfg.Source {
	case "connect-events":
		return status == routers.IdentityOnline, status
	case "heartbeats":
		connected = s.active(identityID)
	default:
		connected = status == routers.IdentityOnline || s.active(identityID)
	}
	if connected {
		status = routers.IdentityOnline
	}
	return connected, status
}

// run forgets, every scan interval, what routers have reported that are away for
// longer than the time-out: their identities are no longer unknown but offline.
func (s *statuses) run(ctx context.Context) {
	t := time.NewTicker(s.cfg.ScanInterval)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			s.forget(s.cfg.UnknownTimeout)
		}
	}
}
