package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/weftnet/weft/cluster"
	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/limit"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/observe"
	"github.com/weftnet/weft/state"
)

// store is the replicated state of a controller with the raft node that
// drives it.
type store struct {
	*state.Store
	node   *cluster.Node
	window *limit.Window // bounds changes in flight, nil for no bound
	// replayed holds what the log made of the state at the start, for the audit:
	// it may lack the last changes before a crash.
	replayed *state.Hold
	times    storeTimes
	parts
}

// dataDir returns where a controller keeps its data, and whether an empty
// directory is to become a network of this one controller.
func dataDir(c *conf.Controller) (dir string, bootstrap bool) {
	if c.Cluster != nil {
		return c.Cluster.DataDir, false
	}
	base := strings.TrimSuffix(filepath.Base(c.DB), filepath.Ext(c.DB))
	return filepath.Join(filepath.Dir(c.DB), base+".weft"), true
}

// dataKey returns where a controller keeps its data, and the key that says so.
func dataKey(c *conf.Controller) (dir, key string) {
	dir, alone := dataDir(c)
	if alone {
		return dir, "db"
	}
	return dir, "cluster.dataDir"
}

// dataPoll is how often a controller without data looks for it.
const dataPoll = 250 * time.Millisecond

// awaitData returns when a controller with a cluster section has data, which
// another process makes, or with the error of ctx.
func awaitData(ctx context.Context, c *conf.Controller, log *slog.Logger) error {
	dir, bootstrap := dataDir(c)
	if bootstrap {
		return nil
	}
	tick := time.NewTicker(dataPoll)
	defer tick.Stop()
	for waiting := false; ; {
		has, err := cluster.HasData(dir)
		if has || err != nil && !(waiting && errors.Is(err, cluster.ErrInUse)) {
			return inUse("cluster.dataDir", err)
		}
		if !waiting {
			waiting = true
			log.Warn("not initialized: waiting for data in the data directory", "directory", dir,
				"remedy", "run `weft controller edge init` with this configuration to make a new network; this process then goes on")
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// inUse adds key and remedy to the refusal of data that another process has
// open, that are not those of this controller, or that are no data.
func inUse(key string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, cluster.ErrInUse):
		return wrong(key, "stop the controller that runs on this data first", "%w", err)
	case errors.Is(err, cluster.ErrOther):
		return wrong(key, "use the certificate of that member in identity.cert, or name another data directory", "%w", err)
	case errors.Is(err, cluster.ErrBroken):
		return wrong(key, "check the disk and who owns the file; if it is damaged, put the data directory of a backup in its place", "%w", err)
	}
	return wrong(key, dirRemedy, "%w", err)
}

// openStore opens the data of a controller and waits until it is whole. id is
// that of the controller.
func openStore(ctx context.Context, c *conf.Controller, id string, bootstrap bool, log *slog.Logger) (_ *store, err error) {
	if err := checkForeignDB(c.DB); err != nil {
		return nil, err
	}
	machine, err := state.New()
	if err != nil {
		return nil, err
	}
	machine.Keep(c.RouterDataModel.LogSize)
	s := &store{Store: machine, window: window(c), replayed: machine.Hold(0)}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	nodeConfig, err := s.nodeConfig(c, id, bootstrap, log)
	if err != nil {
		return nil, err
	}
	s.node, err = cluster.Open(nodeConfig, timedMachine{machine, &s.times})
	if err != nil {
		_, key := dataKey(c)
		return nil, inUse(key, err)
	}
	s.add(s.node.Close)
	if err := s.node.Ready(ctx); err != nil {
		return nil, fmt.Errorf("data in %s: %w", nodeConfig.Dir, err)
	}
	return s, nil
}

func (s *store) nodeConfig(c *conf.Controller, id string, bootstrap bool, log *slog.Logger) (cluster.Config, error) {
	dir, alone := dataDir(c)
	out := cluster.Config{ID: id, Address: c.Ctrl.Options.AdvertiseAddress.String(), Dir: dir, Bootstrap: alone || bootstrap, Log: log, Describe: state.Describe}
	if c.Cluster == nil {
		return out, nil
	}
	cl := c.Cluster
	out.SnapshotInterval, out.SnapshotThreshold, out.TrailingLogs = cl.SnapshotInterval, uint64(cl.SnapshotThreshold), uint64(cl.TrailingLogs)
	out.MaxAppendEntries, out.CommitTimeout, out.ApplyTimeout = cl.MaxAppendEntries, cl.CommitTimeout, cl.ApplyTimeout
	out.ElectionTimeout, out.HeartbeatTimeout, out.LeaderLeaseTimeout = cl.ElectionTimeout, cl.HeartbeatTimeout, cl.LeaderLeaseTimeout
	var err error
	out.Log, err = s.raftLog(cl, log)
	return out, err
}

// raftLog returns the logger of raft: that of the process, or one with the
// level and file of the configuration.
func (s *store) raftLog(cl *conf.Cluster, log *slog.Logger) (*slog.Logger, error) {
	if cl.LogLevel == "off" {
		return observe.Discard(), nil
	}
	if cl.LogLevel == "" && cl.LogFile == "" {
		return log, nil
	}
	var out io.Writer = os.Stderr
	if cl.LogFile != "" {
		f, err := os.OpenFile(cl.LogFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, wrong("cluster.logFile", fileRemedy, "%w", err)
		}
		s.add(f.Close)
		out = f
	}
	level := new(slog.LevelVar)
	if cl.LogLevel != "" {
		parsed, err := observe.ParseLevel(cl.LogLevel)
		if err != nil {
			return nil, fmt.Errorf("cluster.logLevel: %w", err)
		}
		level.Set(parsed)
	}
	return observe.NewLog(out, observe.LogConfig{Level: level}), nil
}

// window returns the bound on changes in flight.
func window(c *conf.Controller) *limit.Window {
	if c.Cluster == nil {
		if l := c.Command.RateLimiter; l.Enabled {
			return limit.NewWindow(limit.WindowConfig{Min: l.MaxQueued, Max: l.MaxQueued}, nil)
		}
		return nil
	}
	w := c.Cluster.RateLimiter
	if !w.Enabled {
		return nil
	}
	return limit.NewWindow(limit.WindowConfig{
		Min: w.MinSize, Max: w.MaxSize, Success: w.SuccessThreshold, Increase: w.IncreaseFactor, Decrease: w.DecreaseFactor,
		IncreaseEvery: w.IncreaseCheckInterval, DecreaseEvery: w.DecreaseCheckInterval, Timeout: min(w.Timeout, c.Cluster.ApplyTimeout),
	}, nil)
}

// Propose puts an encoded command into the log and waits until it is applied.
// Its refusals are those of cluster.Node.Propose and fault.TooManyRequests
// when too many are in flight.
func (s *store) Propose(ctx context.Context, command []byte) (index uint64, result any, err error) {
	start := time.Now()
	defer func() { s.times.proposed(time.Since(start)) }()
	if s.window == nil {
		return s.node.Propose(ctx, command)
	}
	done, ok := s.window.Acquire()
	if !ok {
		return 0, nil, fault.TooManyRequests.New(nil)
	}
	index, result, err = s.node.Propose(ctx, command)
	switch {
	case err == nil:
		done(limit.Success)
	case errors.Is(err, fault.TooManyRequests):
		done(limit.Backoff)
	default:
		done(limit.Failed)
	}
	return index, result, err
}

// Write proposes a command and returns its refusal.
func (s *store) Write(ctx context.Context, c *state.Command) error {
	encoded, err := c.Encode()
	if err != nil {
		return err
	}
	_, _, err = s.Propose(ctx, encoded)
	return err
}

// ensureInitial gives an empty state what every network has.
func (s *store) ensureInitial(ctx context.Context, now time.Time) error {
	if state.Get[model.AuthPolicy](s.View(), model.DefaultAuthPolicyID) != nil {
		return nil
	}
	c, err := state.Initial(now)
	if err != nil {
		return err
	}
	return s.Write(ctx, c)
}

// checkForeignDB refuses the database file of an OpenZiti controller, so that
// nobody believes that it was taken over.
func checkForeignDB(path string) error {
	if path == "" {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil // the usual case: Weft's data is beside it
	}
	defer f.Close()
	head := make([]byte, 20)
	if _, err := io.ReadFull(f, head); err != nil {
		return nil
	}
	const bboltMagic = "\xed\xda\x0c\xed"
	if string(head[16:20]) == bboltMagic {
		return wrong("db", "name another path and create the entities anew through the management API",
			"%s is the database of an OpenZiti controller, which Weft does not read", path)
	}
	return nil
}
