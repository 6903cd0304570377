package cluster

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/raft"

	"github.com/weftnet/weft/fault"
)

// drainWait is how long Close waits for pending proposals.
const drainWait = time.Second

// Propose puts a command into the log and waits until it is on disk and applied
// here. It returns its log index and the result of the state machine; a result
// that is an error is returned as err. Without a leader here it returns
// fault.ClusterNoLeader, with a full queue fault.TooManyRequests. When ctx ends
// first, the command may still take effect.
func (n *Node) Propose(ctx context.Context, command []byte) (index uint64, result any, err error) {
	if err := ctx.Err(); err != nil {
		return 0, nil, err
	}
	if err := n.enter(); err != nil {
		return 0, nil, err
	}
	defer n.leave()
	f := n.raft.Apply(command, n.cfg.ApplyTimeout)
	if err := n.wait(ctx, f); err != nil {
		return 0, nil, refusal(err)
	}
	result = f.Response()
	if err, ok := result.(error); ok {
		return f.Index(), nil, err
	}
	return f.Index(), result, nil
}

// Barrier waits until everything that was in the log before is applied here.
// Its errors are those of Propose.
func (n *Node) Barrier(ctx context.Context) error {
	if err := n.enter(); err != nil {
		return err
	}
	defer n.leave()
	return refusal(n.wait(ctx, n.raft.Barrier(n.cfg.ApplyTimeout)))
}

// enter counts a proposal, unless the node has stopped or is being closed.
func (n *Node) enter() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.err != nil {
		return n.err
	}
	if n.closing {
		return refusal(raft.ErrRaftShutdown)
	}
	n.pending++
	return nil
}

func (n *Node) leave() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.pending--; n.pending == 0 && n.closing {
		close(n.idle)
	}
}

// drain refuses new proposals and waits for the pending ones: raft forgets what
// is still queued when it shuts down. Without a quorum they do not end, so it
// does not wait for long.
func (n *Node) drain() {
	n.mu.Lock()
	n.closing = true
	if n.pending == 0 {
		close(n.idle)
	}
	n.mu.Unlock()
	timer := time.NewTimer(drainWait)
	defer timer.Stop()
	select {
	case <-n.idle:
	case <-timer.C:
	}
}

// wait waits for a future, the end of ctx or that of the node.
func (n *Node) wait(ctx context.Context, f raft.Future) error {
	done := make(chan error, 1)
	go func() { done <- f.Error() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-n.done:
		return raft.ErrRaftShutdown
	}
}

// refusal turns an error of raft into one of the catalogue.
func refusal(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, raft.ErrEnqueueTimeout):
		return fault.TooManyRequests.New(err)
	case errors.Is(err, raft.ErrNotLeader), errors.Is(err, raft.ErrLeadershipLost), errors.Is(err, raft.ErrRaftShutdown),
		errors.Is(err, raft.ErrLeadershipTransferInProgress), errors.Is(err, raft.ErrAbortedByRestore):
		return fault.ClusterNoLeader.New(err)
	}
	return err
}
