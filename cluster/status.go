package cluster

import (
	"context"
	"strconv"

	"github.com/hashicorp/raft"
)

// Member is one row of the member list.
type Member struct {
	ID      string
	Address string
	Voter   bool
	Leader  bool
}

// Stats are the figures of a node.
type Stats struct {
	State     string // Leader, Follower, Candidate, Shutdown
	Term      uint64
	LastIndex uint64 // last entry in the log
	Commit    uint64 // last entry known to be on a majority of disks
	Applied   uint64 // last entry applied here
	Snapshot  uint64 // last entry in the latest snapshot
}

// IsLeader reports whether this node leads.
func (n *Node) IsLeader() bool { return n.raft.State() == raft.Leader }

// Leader returns id and address of the leader, empty when there is none.
func (n *Node) Leader() (id, address string) {
	a, i := n.raft.LeaderWithID()
	return string(i), string(a)
}

// Changed is closed when leader, state or membership may have changed since the
// call; ask again then.
func (n *Node) Changed() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.changed
}

// Members returns the members of the cluster in the order of the log.
func (n *Node) Members() []Member {
	leader, _ := n.Leader()
	var out []Member
	for _, s := range n.servers() {
		out = append(out, Member{
			ID: string(s.ID), Address: string(s.Address),
			Voter: s.Suffrage == raft.Voter, Leader: string(s.ID) == leader,
		})
	}
	return out
}

// Stats returns the present figures.
func (n *Node) Stats() Stats {
	snapshot, err := strconv.ParseUint(n.raft.Stats()["last_snapshot_index"], 10, 64)
	if err != nil {
		snapshot = 0 // raft always writes a number
	}
	return Stats{
		State: n.raft.State().String(), Term: n.raft.CurrentTerm(), LastIndex: n.raft.LastIndex(),
		Commit: n.raft.CommitIndex(), Applied: n.raft.AppliedIndex(), Snapshot: snapshot,
	}
}

// OpenReads returns how many read transactions of the log store are open.
func (n *Node) OpenReads() int {
	s := n.db.Stats()
	return s.OpenTxN
}

// CheckStorage reads from the log store, for health checks.
func (n *Node) CheckStorage(ctx context.Context) error {
	done := make(chan error, 1)
	go func() {
		_, err := n.db.FirstIndex()
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Snapshot writes a snapshot now and shortens the log.
func (n *Node) Snapshot(ctx context.Context) error {
	return refusal(n.wait(ctx, n.raft.Snapshot()))
}

func (n *Node) servers() []raft.Server {
	return n.raft.GetConfiguration().Configuration().Servers
}
