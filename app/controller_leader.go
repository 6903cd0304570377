package app

import (
	"context"
	"log/slog"
	"time"
)

// leadership is what tells who leads the cluster: cluster.Node.
type leadership interface {
	Leader() (id, address string)
	Changed() <-chan struct{}
}

// watchLeader warns, once per time without a leader, when there has been none
// for longer than limit. It returns when ctx ends.
func watchLeader(ctx context.Context, node leadership, limit time.Duration, log *slog.Logger) {
	var since time.Time // without a leader
	warned := false
	for {
		changed := node.Changed()
		wait := 24 * time.Hour
		switch id, _ := node.Leader(); {
		case id != "":
			if warned {
				log.Info("cluster has a leader again", "leader", id, "timeSinceLeader", time.Since(since).Round(time.Millisecond))
			}
			since, warned = time.Time{}, false
		case since.IsZero():
			since, wait = time.Now(), limit
		case !warned:
			if wait = limit - time.Since(since); wait <= 0 {
				log.Warn("cluster running without leader for longer than configured threshold", "timeSinceLeader", time.Since(since).Round(time.Millisecond))
				warned, wait = true, 24*time.Hour
			}
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-changed:
		case <-timer.C:
		}
		timer.Stop()
	}
}
