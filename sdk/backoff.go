package sdk

import (
	"context"
	"math/rand/v2"
	"time"
)

// backoff spaces repeated attempts: random waits that grow from first to most.
// A restarted router is back within seconds, and its clients must not all come
// at the same instant.
type backoff struct{ step time.Duration }

const (
	backoffFirst = 100 * time.Millisecond
	backoffMost  = 8 * time.Second
)

// next returns the wait before the next attempt.
func (b *backoff) next() time.Duration {
	if b.step == 0 {
		b.step = backoffFirst
	}
	d := b.step/4 + rand.N(b.step*3/4)
	b.step = min(b.step*2, backoffMost)
	return d
}

func (b *backoff) reset() { b.step = 0 }

// pause waits for d; false if ctx ends before.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
