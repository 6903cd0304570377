package cluster

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/hashicorp/raft"
)

// fsm drives the state machine from committed log entries. After the state
// machine has failed it applies nothing any more.
type fsm struct {
	machine  StateMachine
	fail     func(error)
	log      *slog.Logger
	describe func([]byte) string
	err      error // used by raft's apply goroutine only
}

// Apply implements raft.FSM.
func (f *fsm) Apply(l *raft.Log) any { return f.ApplyBatch([]*raft.Log{l})[0] }

// ApplyBatch implements raft.BatchingFSM.
func (f *fsm) ApplyBatch(logs []*raft.Log) []any {
	out := make([]any, len(logs))
	positions := make([]int, 0, len(logs))
	indexes := make([]uint64, 0, len(logs))
	commands := make([][]byte, 0, len(logs))
	for i, l := range logs {
		if l.Type == raft.LogCommand {
			positions, indexes, commands = append(positions, i), append(indexes, l.Index), append(commands, l.Data)
		}
	}
	if len(commands) == 0 {
		return out
	}
	f.tell(indexes, commands)
	var results []any
	if f.err == nil {
		results, f.err = f.machine.Apply(indexes, commands)
		if f.err != nil {
			f.fail(f.err)
		}
	}
	for n, i := range positions {
		if f.err != nil {
			out[i] = stopped{f.err}
		} else {
			out[i] = results[n]
		}
	}
	return out
}

// tell says at level debug which commands are applied.
func (f *fsm) tell(indexes []uint64, commands [][]byte) {
	if f.log == nil || !f.log.Enabled(context.Background(), slog.LevelDebug) {
		return
	}
	for i, c := range commands {
		what := ""
		if f.describe != nil {
			what = f.describe(c)
		}
		f.log.Debug("applying log", "index", indexes[i], "cmdType", what)
	}
}

// Snapshot implements raft.FSM.
func (f *fsm) Snapshot() (raft.FSMSnapshot, error) {
	if f.err != nil {
		return nil, f.err
	}
	w, err := f.machine.Snapshot()
	if err != nil {
		return nil, err
	}
	return snapshot{w}, nil
}

// Restore implements raft.FSM.
func (f *fsm) Restore(r io.ReadCloser) error {
	defer r.Close()
	return f.machine.Restore(r)
}

type snapshot struct{ w io.WriterTo }

// Persist implements raft.FSMSnapshot.
func (s snapshot) Persist(sink raft.SnapshotSink) error {
	if _, err := s.w.WriteTo(sink); err != nil {
		return fmt.Errorf("write snapshot: %w", firstError(err, sink.Cancel()))
	}
	return sink.Close()
}

// Release implements raft.FSMSnapshot.
func (snapshot) Release() {}

// stopped is the result of commands after the state machine has failed.
type stopped struct{ err error }

func (s stopped) Error() string { return "the state machine has stopped: " + s.err.Error() }
func (s stopped) Unwrap() error { return s.err }

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
