package cluster

import (
	"bytes"
	"context"
	"fmt"

	"github.com/hashicorp/raft"
)

// Restore replaces the state of the whole cluster by a snapshot that the state
// machine has written, and returns when it is on disk and in force here. index
// is that of the state in it, and must be higher than that of the present
// state. The node must lead.
func (n *Node) Restore(ctx context.Context, index uint64, snapshot []byte) error {
	if err := n.enter(); err != nil {
		return err
	}
	defer n.leave()
	meta := &raft.SnapshotMeta{Version: raft.SnapshotVersionMax, Index: index, Size: int64(len(snapshot))}
	done := make(chan error, 1)
	go func() { done <- n.raft.Restore(meta, bytes.NewReader(snapshot), 0) }()
	select {
	case err := <-done:
		if err != nil {
			return fmt.Errorf("restore: %w", refusal(err))
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-n.done:
		return refusal(raft.ErrRaftShutdown)
	}
}
