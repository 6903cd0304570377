package cluster

import (
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/hashicorp/raft"
)

// StateMachine is what the log drives. Apply and Restore are called by the
// node, one at a time and in log order.
type StateMachine interface {
	// Apply applies commands at their log indexes and returns a result for
	// each; a result that is an error becomes the error of its proposal. An
	// error of Apply itself stops the node for good.
	Apply(indexes []uint64, commands [][]byte) ([]any, error)
	// Snapshot returns the present state, which must not change any more.
	Snapshot() (io.WriterTo, error)
	// Restore replaces the state by a snapshot.
	Restore(io.Reader) error
}

// Config says who a node is and how its raft behaves. Zero durations and numbers
// take the defaults of the reference configuration.
type Config struct {
	ID      string // unique in the cluster, never changes
	Address string // where other members reach this one
	Dir     string // holds raft.db and snapshots/
	// Bootstrap makes an empty directory a cluster of this one voter.
	Bootstrap bool
	// Transport connects to other members; nil for a node without any.
	Transport raft.Transport
	Log       *slog.Logger
	// Describe says in a few words what a command does, for the log at level debug;
	// nil for nothing.
	Describe func(command []byte) string

	SnapshotInterval   time.Duration // how often a snapshot may be due, 2m
	SnapshotThreshold  uint64        // log entries that make one due, 500
	TrailingLogs       uint64        // entries kept behind a snapshot, 500
	MaxAppendEntries   int           // entries in one write of the log, 64
	CommitTimeout      time.Duration // 50ms
	ElectionTimeout    time.Duration // 5s
	HeartbeatTimeout   time.Duration // 3s
	LeaderLeaseTimeout time.Duration // 3s
	ApplyTimeout       time.Duration // time a command may wait to be queued, 5s
}

func (c Config) withDefaults() Config {
	setDefault(&c.SnapshotInterval, 2*time.Minute)
	setDefault(&c.SnapshotThreshold, 500)
	setDefault(&c.TrailingLogs, 500)
	setDefault(&c.MaxAppendEntries, 64)
	setDefault(&c.CommitTimeout, 50*time.Millisecond)
	setDefault(&c.ElectionTimeout, 5*time.Second)
	setDefault(&c.HeartbeatTimeout, 3*time.Second)
	setDefault(&c.LeaderLeaseTimeout, 3*time.Second)
	setDefault(&c.ApplyTimeout, 5*time.Second)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Address == "" {
		c.Address = c.ID
	}
	return c
}

func (c Config) check() error {
	switch {
	case c.ID == "":
		return errors.New("cluster: a node needs an id")
	case c.Dir == "":
		return errors.New("cluster: a node needs a data directory")
	case c.LeaderLeaseTimeout > c.HeartbeatTimeout:
		return errors.New("cluster: leaderLeaseTimeout must not be longer than heartbeatTimeout")
	case c.ElectionTimeout < c.HeartbeatTimeout:
		return errors.New("cluster: electionTimeout must not be shorter than heartbeatTimeout")
	}
	return nil
}

func (c Config) raft() *raft.Config {
	r := raft.DefaultConfig()
	r.LocalID = raft.ServerID(c.ID)
	r.SnapshotInterval, r.SnapshotThreshold, r.TrailingLogs = c.SnapshotInterval, c.SnapshotThreshold, c.TrailingLogs
	r.MaxAppendEntries, r.CommitTimeout = c.MaxAppendEntries, c.CommitTimeout
	r.ElectionTimeout, r.HeartbeatTimeout, r.LeaderLeaseTimeout = c.ElectionTimeout, c.HeartbeatTimeout, c.LeaderLeaseTimeout
	r.BatchApplyCh = true    // proposals that wait share one write of the log
	r.PreVoteDisabled = true // a single voter needs none, and the transport has none
	r.Logger = newRaftLog(c.Log)
	return r
}

func setDefault[T comparable](v *T, d T) {
	var zero T
	if *v == zero {
		*v = d
	}
}
