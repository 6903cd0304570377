package cluster

import (
	"context"
	"log/slog"

	"github.com/hashicorp/go-hclog"
)

// raftLog passes the messages of the raft library to a slog.Logger. What the
// library calls information is detail for an operator and logged as debug.
type raftLog struct {
	hclog.Logger // a null logger: what is not overridden does nothing
	log          *slog.Logger
}

func newRaftLog(l *slog.Logger) hclog.Logger {
	return &raftLog{Logger: hclog.NewNullLogger(), log: l.With("part", "raft")}
}

func (r *raftLog) Log(level hclog.Level, msg string, args ...any) {
	to := slog.LevelDebug
	switch level {
	case hclog.Warn:
		to = slog.LevelWarn
	case hclog.Error:
		to = slog.LevelError
	}
	r.log.Log(context.Background(), to, msg, args...)
}

func (r *raftLog) Trace(string, ...any)           {}
func (r *raftLog) Debug(msg string, args ...any)  { r.Log(hclog.Debug, msg, args...) }
func (r *raftLog) Info(msg string, args ...any)   { r.Log(hclog.Info, msg, args...) }
func (r *raftLog) Warn(msg string, args ...any)   { r.Log(hclog.Warn, msg, args...) }
func (r *raftLog) Error(msg string, args ...any)  { r.Log(hclog.Error, msg, args...) }
func (r *raftLog) Named(string) hclog.Logger      { return r }
func (r *raftLog) ResetNamed(string) hclog.Logger { return r }

func (r *raftLog) With(args ...any) hclog.Logger {
	return &raftLog{Logger: r.Logger, log: r.log.With(args...)}
}
