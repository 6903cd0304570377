package sdk

import (
	"os"
	"sync"
	"time"
)

// gate lets goroutines wait for news until a deadline. It belongs to a mutex
// that its users hold when they call it; idle it holds nothing.
type gate struct {
	news     chan struct{} // closed by wake; nil if nobody waits
	deadline time.Time
}

// wake ends all waits.
func (g *gate) wake() {
	if g.news != nil {
		close(g.news)
		g.news = nil
	}
}

func (g *gate) set(t time.Time) {
	g.deadline = t
	g.wake()
}

// wait gives up mu until there is news. It returns os.ErrDeadlineExceeded after
// the deadline.
func (g *gate) wait(mu *sync.Mutex) error {
	left := time.Duration(0)
	if !g.deadline.IsZero() {
		if left = time.Until(g.deadline); left <= 0 {
			return os.ErrDeadlineExceeded
		}
	}
	if g.news == nil {
		g.news = make(chan struct{})
	}
	news := g.news
	mu.Unlock()
	defer mu.Lock()
	if left == 0 {
		<-news
		return nil
	}
	t := time.NewTimer(left)
	defer t.Stop()
	select {
	case <-news:
	case <-t.C:
	}
	return nil
}

// expired reports whether the deadline has passed.
func (g *gate) expired() bool { return !g.deadline.IsZero() && !time.Now().Before(g.deadline) }
