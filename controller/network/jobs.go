package network

import (
	"context"
	"sync"

	"github.com/weftnet/weft/wire/ctrl"
)

// job is a wish to change terminators.
type job struct {
	routerID string                  // empty for the controller's own
	changes  *ctrl.TerminatorChanges // of a router
	remove   []string                // of the controller
	fail     string                  // terminator whose precedence becomes failed
	reply    func(*ctrl.TerminatorResults)
}

func (j *job) size() int {
	n := len(j.remove) + 1
	if j.changes != nil {
		n += len(j.changes.Put) + len(j.changes.Remove)
	}
	return n
}

// jobs is the queue of what has to be written. One goroutine takes all there
// is into one command, so that the log is written once for many routers. The
// queue is bounded for every router.
type jobs struct {
	mu       sync.Mutex
	list     []*job
	byRouter map[string]int // that wait
	wake     chan struct{}
}

func newJobs() *jobs { return &jobs{byRouter: make(map[string]int), wake: make(chan struct{}, 1)} }

// add returns false if the router of the job has too many that wait.
func (q *jobs) add(j *job) bool {
	q.mu.Lock()
	if j.routerID != "" && q.byRouter[j.routerID] >= maxJobs {
		q.mu.Unlock()
		return false
	}
	q.byRouter[j.routerID]++
	q.list = append(q.list, j)
	q.mu.Unlock()
	select {
	case q.wake <- struct{}{}:
	default:
	}
	return true
}

func (q *jobs) remove(ids []string) {
	if len(ids) > 0 {
		q.add(&job{remove: ids})
	}
}

func (q *jobs) fail(id string) { q.add(&job{fail: id}) }

// take returns jobs for one command.
func (q *jobs) take() []*job {
	q.mu.Lock()
	defer q.mu.Unlock()
	n, ops := 0, 0
	for n < len(q.list) && (n == 0 || ops+q.list[n].size() <= maxOps) {
		ops += q.list[n].size()
		n++
	}
	out := q.list[:n:n]
	q.list = q.list[n:]
	for _, j := range out {
		if q.byRouter[j.routerID]--; q.byRouter[j.routerID] <= 0 {
			delete(q.byRouter, j.routerID)
		}
	}
	return out
}

func (q *jobs) run(ctx context.Context, n *Network) {
	for {
		batch := q.take()
		if len(batch) > 0 {
			n.write(ctx, batch)
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-q.wake:
		}
	}
}
