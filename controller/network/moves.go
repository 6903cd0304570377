package network

import (
	"context"
	"sync"
)

// maxMovers bounds the circuits that get another path at once; the others wait
// in a queue that holds each circuit at most once.
const maxMovers = 256

// moves is the circuits whose path somebody has to look at.
type moves struct {
	mu      sync.Mutex
	queue   []string
	queued  map[string]bool
	workers int
}

func newMoves() *moves { return &moves{queued: make(map[string]bool)} }

// look has a worker look at the path of a circuit. It does not wait.
func (n *Network) look(id string) {
	q := n.moves
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.queued[id] {
		return
	}
	q.queued[id] = true
	q.queue = append(q.queue, id)
	if q.workers < maxMovers && q.workers < len(q.queue) && n.work.start(n.mover) {
		q.workers++
	}
}

// next returns a circuit; false if there is none, and the worker ends.
func (q *moves) next() (string, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.queue) == 0 {
		q.workers--
		q.queue = nil
		return "", false
	}
	id := q.queue[0]
	q.queue = q.queue[1:]
	delete(q.queued, id)
	return id, true
}

func (n *Network) mover(ctx context.Context) {
	for {
		id, ok := n.moves.next()
		if !ok {
			return
		}
		if ctx.Err() == nil {
			n.move(ctx, id)
		}
	}
}
