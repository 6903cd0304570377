package app

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"time"

	"github.com/weftnet/weft/agent"
	"github.com/weftnet/weft/observe"
)

// operations returns what the agent of the process can do.
func (s *supervisor) operations() []agent.Operation {
	ops := []agent.Operation{
		{Name: "status", Doc: "what the process is and how it is", Do: s.status},
		{Name: "inspect", Doc: "values of the process", Do: s.inspect,
			Params: []agent.Param{{Name: "keys", Doc: "names of values, separated by blanks", Required: true}}},
		{Name: "stack", Doc: "stacks of all goroutines", Do: func(context.Context, agent.Args) (any, error) { return agent.Text(stacks()), nil }},
		{Name: "goroutines", Doc: "number of goroutines by what they do", Do: goroutines},
		{Name: "memory", Doc: "memory of the process", Do: memory},
		{Name: "gc", Doc: "collect garbage and give memory back", Do: collect},
		{Name: "heap", Doc: "heap profile", Do: heapProfile},
		{Name: "bundle", Doc: "everything that tells how the process is, as a tar.gz without secrets", Do: s.bundle},
		{Name: "profile", Doc: "CPU profile", Do: cpuProfile,
			Params: []agent.Param{{Name: "within", Doc: "how long, default 30s"}}},
		{Name: "log-level", Doc: "log levels, shown or changed", Do: s.logLevel,
			Params: []agent.Param{
				{Name: "level", Doc: "trace, debug, info, warn or error; clear takes the own level of a part away"},
				{Name: "part", Doc: "package such as router/edge, or room such as router; without it the whole process"},
			}},
		{Name: "stop", Doc: "stop in order: no new circuits, then wait for the existing ones", Do: s.stopInOrder,
			Params: []agent.Param{{Name: "within", Doc: "time for circuits to finish, default 30s"}}},
	}
	if s.controller != nil {
		ops = append(ops, s.controller.operationsOfAgent()...)
	}
	if s.router != nil {
		ops = append(ops, s.router.operationsOfAgent()...)
	}
	return ops
}

// defaultDrain is how long an orderly stop waits for circuits.
const defaultDrain = 30 * time.Second

// stopping is the answer of stop.
type stopping struct {
	Within   string `json:"within"`
	Circuits int    `json:"circuits"` // that have to finish
}

func (s *supervisor) stopInOrder(_ context.Context, args agent.Args) (any, error) {
	within, err := args.Duration("within", defaultDrain)
	if err != nil {
		return nil, err
	}
	answer := stopping{Within: within.String()}
	if s.router != nil {
		s.router.quiesce(true)
		answer.Circuits = s.router.table.Len()
	}
	select {
	case s.stop <- within:
		s.o.Log.Info("stopping at the wish of the operator", "within", within, "circuits", answer.Circuits)
		return answer, nil
	default:
		return nil, &agent.Error{Code: "AGENT_STOPPING", Message: "the process is stopping already"}
	}
}

// logLevels is the answer of log-level.
type logLevels struct {
	Level string            `json:"level"`
	Parts map[string]string `json:"parts"`
}

func (s *supervisor) logLevel(_ context.Context, args agent.Args) (any, error) {
	levels, part := s.o.Levels, args["part"]
	if levels == nil {
		return nil, &agent.Error{Code: agent.CodeFailed, Message: "the log of this process has a fixed level"}
	}
	if part != "" && !knownPart(part) {
		return nil, &agent.Error{Code: agent.CodeBadArgument, Message: "the program has no part " + part, Remedy: "name a package such as router/edge, or a room such as router"}
	}
	switch text := args["level"]; text {
	case "":
	case "clear":
		levels.ClearPart(part)
	default:
		level, err := observe.ParseLevel(text)
		if err != nil {
			return nil, &agent.Error{Code: agent.CodeBadArgument, Message: err.Error()}
		}
		if part == "" {
			levels.SetAll(level)
		} else {
			levels.SetPart(part, level)
		}
	}
	if args["level"] != "" {
		s.o.Log.Warn("log level changed at the wish of the operator", "part", part, "level", args["level"])
	}
	answer := logLevels{Level: observe.LevelName(levels.Whole()), Parts: make(map[string]string)}
	for name, level := range levels.Parts() {
		answer.Parts[name] = observe.LevelName(level)
	}
	return answer, nil
}

// memoryUse is the answer of memory and gc, in bytes.
type memoryUse struct {
	Heap        uint64 `json:"heap"`        // live and not yet collected objects
	HeapIdle    uint64 `json:"heapIdle"`    // held for reuse
	Released    uint64 `json:"released"`    // given back to the system
	Stacks      uint64 `json:"stacks"`      // of goroutines
	FromSystem  uint64 `json:"fromSystem"`  // asked of the system in all
	Resident    uint64 `json:"resident"`    // in physical memory, 0 if unknown
	Limit       int64  `json:"limit"`       // GOMEMLIMIT, 0 for none
	Objects     uint64 `json:"objects"`     //
	Collections uint32 `json:"collections"` // of garbage so far
	Goroutines  int    `json:"goroutines"`
}

func memory(context.Context, agent.Args) (any, error) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	limit := debug.SetMemoryLimit(-1)
	if limit == math.MaxInt64 {
		limit = 0
	}
	return memoryUse{
		Heap: m.HeapAlloc, HeapIdle: m.HeapIdle - m.HeapReleased, Released: m.HeapReleased, Stacks: m.StackInuse, FromSystem: m.Sys,
		Resident: resident(), Limit: limit, Objects: m.HeapObjects, Collections: m.NumGC, Goroutines: runtime.NumGoroutine(),
	}, nil
}

// resident reads the resident memory of this process, 0 where the system does
// not tell.
func resident() uint64 {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, pages uint64
	if _, err := fmt.Sscan(string(b), &size, &pages); err != nil {
		return 0
	}
	return pages * uint64(os.Getpagesize())
}

func collect(ctx context.Context, args agent.Args) (any, error) {
	debug.FreeOSMemory()
	return memory(ctx, args)
}

func goroutines(context.Context, agent.Args) (any, error) {
	var b strings.Builder
	err := pprof.Lookup("goroutine").WriteTo(&b, 1)
	return agent.Text(b.String()), err
}

func heapProfile(context.Context, agent.Args) (any, error) {
	return agent.File(func(w io.Writer) error { return pprof.Lookup("heap").WriteTo(w, 0) }), nil
}

// maxProfile bounds a CPU profile.
const maxProfile = 10 * time.Minute

func cpuProfile(ctx context.Context, args agent.Args) (any, error) {
	d, err := args.Duration("within", 30*time.Second)
	if err != nil {
		return nil, err
	}
	return agent.File(func(w io.Writer) error {
		if err := pprof.StartCPUProfile(w); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
		timer := time.NewTimer(min(d, maxProfile))
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		return nil
	}), nil
}
