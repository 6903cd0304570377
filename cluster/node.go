// Package cluster is the raft node of a controller. It knows commands as bytes
// and the state as a StateMachine; what an acknowledged proposal changed is on
// disk.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/hashicorp/raft"
	raftboltdb "github.com/hashicorp/raft-boltdb/v2"
	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

const (
	dbFile        = "raft.db"
	snapshotsKept = 2
	lockWait      = time.Second // how long another process may hold raft.db
)

// ErrInUse is the refusal of a directory that another process has open.
var ErrInUse = errors.New("in use by another process")

// ErrBroken is the refusal of a raft.db that cannot be read.
var ErrBroken = errors.New("not readable as the data of a controller")

// ErrOther is the refusal of data that belong to another member.
var ErrOther = errors.New("data of another member")

// HasData reports whether dir holds the data of a member of a cluster. It
// creates nothing; its error is ErrInUse while a process has the data open, and
// ErrBroken if they cannot be read.
func HasData(dir string) (_ bool, err error) {
	path := filepath.Join(dir, dbFile)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	db, err := openDB(path)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	// Every start of a member writes its first term or first entry here.
	last, err := db.LastIndex()
	if err != nil || last > 0 {
		return last > 0, err
	}
	term, err := db.GetUint64([]byte("CurrentTerm"))
	if errors.Is(err, raftboltdb.ErrKeyNotFound) {
		return false, nil
	}
	return term > 0, err
}

// Node is one member of the cluster. All methods are safe for concurrent use.
type Node struct {
	cfg       Config
	raft      *raft.Raft
	db        *raftboltdb.BoltStore
	campaigns *campaigner
	observer  *raft.Observer
	log       *slog.Logger

	mu      sync.Mutex
	changed chan struct{} // closed and replaced when the leader changes
	err     error         // why the node stopped for good
	failed  chan struct{}
	pending int           // proposals that wait for their result
	closing bool          // no new ones
	idle    chan struct{} // closed when closing and none pending

	wg     sync.WaitGroup
	done   chan struct{}
	closed sync.Once
	result error // of the first Close
}

// Open starts a node on its directory, which it creates if need be. A node with
// a single voter stands for election at once. The caller closes it.
func Open(cfg Config, machine StateMachine) (*Node, error) {
	cfg = cfg.withDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	db, err := openDB(filepath.Join(cfg.Dir, dbFile))
	if err != nil {
		return nil, err
	}
	n := &Node{
		cfg: cfg, db: db, log: cfg.Log,
		changed: make(chan struct{}), failed: make(chan struct{}), idle: make(chan struct{}), done: make(chan struct{}),
	}
	if err := n.start(machine); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return n, nil
}

func openDB(path string) (*raftboltdb.BoltStore, error) {
	db, err := raftboltdb.New(raftboltdb.Options{
		Path: path,
		BoltOptions: &bbolt.Options{
			Timeout: lockWait, NoFreelistSync: true, FreelistType: bbolt.FreelistMapType,
		},
	})
	if errors.Is(err, berrors.ErrTimeout) {
		return nil, fmt.Errorf("cluster: %s is %w", path, ErrInUse)
	}
	if err != nil {
		return nil, fmt.Errorf("cluster: open %s: %w: %w", path, ErrBroken, err)
	}
	return db, nil
}

// lockSnapshots keeps other users from the snapshots, which hold keys and
// password hashes; the library would leave that to the directory above.
func lockSnapshots(dir string) error {
	path := filepath.Join(dir, "snapshots") // the library's name for it
	if err := os.MkdirAll(path, 0o700); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	if err := os.Chmod(path, 0o700); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	return nil
}

// start brings raft up on n.db.
func (n *Node) start(machine StateMachine) error {
	rc := n.cfg.raft()
	if err := lockSnapshots(n.cfg.Dir); err != nil {
		return err
	}
	snaps, err := raft.NewFileSnapshotStoreWithLogger(n.cfg.Dir, snapshotsKept, rc.Logger)
	if err != nil {
		return fmt.Errorf("cluster: snapshots: %w", err)
	}
	logs, err := raft.NewLogCache(512, n.db)
	if err != nil {
		return err
	}
	transport := n.cfg.Transport
	if transport == nil {
		transport = newAlone(n.cfg.Address)
	}
	exists, err := raft.HasExistingState(logs, n.db, snaps)
	if err != nil {
		return fmt.Errorf("cluster: read %s: %w: %w", n.cfg.Dir, ErrBroken, err)
	}
	if !exists && n.cfg.Bootstrap {
		self := raft.Server{ID: rc.LocalID, Address: transport.LocalAddr()}
		if err := raft.BootstrapCluster(rc, logs, n.db, snaps, transport, raft.Configuration{Servers: []raft.Server{self}}); err != nil {
			return fmt.Errorf("cluster: bootstrap: %w", err)
		}
		n.log.Info("raft cluster bootstrap complete", "id", n.cfg.ID, "address", n.cfg.Address)
	}
	n.campaigns = newCampaigner(transport)
	n.raft, err = raft.NewRaft(rc, &fsm{machine: machine, fail: n.fail, log: n.log, describe: n.cfg.Describe}, logs, n.db, snaps, n.campaigns)
	if err != nil {
		n.campaigns.close()
		return fmt.Errorf("cluster: start raft: %s: %w: %w", n.cfg.Dir, ErrBroken, err)
	}
	n.observe()
	servers := n.raft.GetConfiguration().Configuration().Servers
	if len(servers) != 1 {
		return nil
	}
	if servers[0].ID != rc.LocalID {
		err := fmt.Errorf("cluster: %w: the data in %s belong to member %s, this node is %s", ErrOther, n.cfg.Dir, servers[0].ID, n.cfg.ID)
		return errors.Join(err, n.stop())
	}
	n.campaigns.campaign(n.cfg.ID)
	return nil
}

// observe turns raft's observations into Changed.
func (n *Node) observe() {
	events := make(chan raft.Observation, 16) // raft drops observations when full: each one means "look again"
	n.observer = raft.NewObserver(events, false, func(o *raft.Observation) bool {
		switch o.Data.(type) {
		case raft.LeaderObservation, raft.RaftState, raft.PeerObservation:
			return true
		}
		return false
	})
	n.raft.RegisterObserver(n.observer)
	n.wg.Add(1)
	go func() {
		defer n.wg.Done()
		for {
			select {
			case <-events:
				n.notify()
			case <-n.done:
				return
			}
		}
	}()
}

func (n *Node) notify() {
	n.mu.Lock()
	defer n.mu.Unlock()
	close(n.changed)
	n.changed = make(chan struct{})
}

// fail stops the node for good: this member can no longer be like the others.
func (n *Node) fail(err error) {
	n.log.Error("a command could not be applied: this controller stops, because it would differ from the others; "+
		"run the version that wrote the command", "error", err)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.err == nil {
		n.err = err
		close(n.failed)
	}
}

// Failed is closed when the node has stopped for good because its state machine
// did not understand a command; Err then says why. The process should end.
func (n *Node) Failed() <-chan struct{} { return n.failed }

// Err returns why the node has stopped for good, nil while it has not.
func (n *Node) Err() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.err
}

// Ready waits until this node leads and has applied its whole log, or until it
// has a leader elsewhere. It returns the error of ctx or why the node stopped.
func (n *Node) Ready(ctx context.Context) error {
	for {
		changed := n.Changed()
		if n.IsLeader() {
			if err := n.Barrier(ctx); err == nil {
				return n.Err()
			}
		} else if id, _ := n.Leader(); id != "" && id != n.cfg.ID {
			return nil
		}
		select {
		case <-changed:
		case <-n.failed:
			return n.Err()
		case <-n.done:
			return refusal(raft.ErrRaftShutdown)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Close stops raft, waits for its goroutines and closes raft.db. Further calls
// return the result of the first.
func (n *Node) Close() error {
	n.closed.Do(func() { n.result = errors.Join(n.stop(), n.db.Close()) })
	return n.result
}

func (n *Node) stop() error {
	n.drain()
	err := n.raft.Shutdown().Error()
	n.raft.DeregisterObserver(n.observer)
	close(n.done)
	n.campaigns.close()
	n.wg.Wait()
	return err
}
