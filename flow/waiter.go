package flow

import (
	"os"
	"sync"
	"time"
)

// waiter lets one goroutine wait for news until a deadline. Its channel and
// timer exist only while somebody waits.
type waiter struct {
	mu       sync.Mutex
	news     chan struct{} // one token; nil until somebody waited
	deadline time.Time
}

func (w *waiter) wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.news == nil {
		return
	}
	select {
	case w.news <- struct{}{}:
	default:
	}
}

func (w *waiter) set(t time.Time) {
	w.mu.Lock()
	w.deadline = t
	w.mu.Unlock()
	w.wake()
}

func (w *waiter) limit() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.deadline
}

// prepare makes sure that news after this call are not missed by wait.
func (w *waiter) prepare() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.news == nil {
		w.news = make(chan struct{}, 1)
	}
}

func (w *waiter) expired() bool {
	d := w.limit()
	return !d.IsZero() && !time.Now().Before(d)
}

// wait returns nil after any news, also a new deadline, and
// os.ErrDeadlineExceeded when the deadline has passed.
func (w *waiter) wait() error {
	d := w.limit()
	if d.IsZero() {
		<-w.news
		return nil
	}
	left := time.Until(d)
	if left <= 0 {
		return os.ErrDeadlineExceeded
	}
	t := time.NewTimer(left)
	defer t.Stop()
	select {
	case <-w.news:
		return nil
	case <-t.C:
		return os.ErrDeadlineExceeded
	}
}
