package observe

import (
	"context"
	"log/slog"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Levels are the log levels of a process: one for the whole, and others for
// parts of it. A part is a package of the program, such as router/edge, or a
// room with all its packages, such as router; the closest name counts. Levels
// may be changed while the process runs, by concurrent callers.
type Levels struct {
	mu     sync.Mutex
	whole  atomic.Int64
	lowest atomic.Int64
	parts  atomic.Pointer[map[string]slog.Level] // nil without any
}

// NewLevels returns levels with one for everything.
func NewLevels(whole slog.Level) *Levels {
	l := new(Levels)
	l.SetAll(whole)
	return l
}

// Level returns the lowest level of all parts; it makes Levels a slog.Leveler.
func (l *Levels) Level() slog.Level { return slog.Level(l.lowest.Load()) }

// Whole returns the level of what has none of its own.
func (l *Levels) Whole() slog.Level { return slog.Level(l.whole.Load()) }

// SetAll sets the level of what has none of its own.
func (l *Levels) SetAll(level slog.Level) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.whole.Store(int64(level))
	l.reckon()
}

// SetPart gives a part a level of its own.
func (l *Levels) SetPart(part string, level slog.Level) {
	l.change(func(m map[string]slog.Level) { m[part] = level })
}

// ClearPart takes the own level of a part away; none means that of all parts.
func (l *Levels) ClearPart(part string) {
	l.change(func(m map[string]slog.Level) {
		if part == "" {
			clear(m)
		}
		delete(m, part)
	})
}

// Parts returns the levels of parts that have one of their own.
func (l *Levels) Parts() map[string]slog.Level {
	if p := l.parts.Load(); p != nil {
		return maps.Clone(*p)
	}
	return map[string]slog.Level{}
}

func (l *Levels) change(f func(map[string]slog.Level)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.Parts()
	f(m)
	if len(m) == 0 {
		l.parts.Store(nil)
	} else {
		l.parts.Store(&m)
	}
	l.reckon()
}

// reckon finds the lowest level, with the lock held.
func (l *Levels) reckon() {
	lowest := l.whole.Load()
	for _, level := range l.Parts() {
		lowest = min(lowest, int64(level))
	}
	l.lowest.Store(lowest)
}

// wants reports whether a line at level from the code at pc is to be written.
func (l *Levels) wants(level slog.Level, pc uintptr) bool {
	parts := l.parts.Load()
	if parts == nil {
		return level >= l.Whole()
	}
	for name := partOf(pc); name != ""; {
		if own, ok := (*parts)[name]; ok {
			return level >= own
		}
		cut := strings.LastIndexByte(name, '/')
		name = name[:max(cut, 0)]
	}
	return level >= l.Whole()
}

// partOf names the package of the code at pc without the module.
func partOf(pc uintptr) string {
	frame, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	name := frame.Function // github.com/weftnet/weft/router/edge.(*Server).accept
	slash := strings.LastIndexByte(name, '/') + 1
	if dot := strings.IndexByte(name[slash:], '.'); dot >= 0 {
		name = name[:slash+dot]
	}
	return strings.TrimPrefix(name, module)
}

const module = "github.com/weftnet/weft/"

// PartNames returns the names of the levels of parts, in order.
func (l *Levels) PartNames() []string { return slices.Sorted(maps.Keys(l.Parts())) }

// partHandler applies the levels of parts.
type partHandler struct {
	slog.Handler
	levels *Levels
}

// Handle writes a line that the level of its part lets through.
func (h partHandler) Handle(ctx context.Context, r slog.Record) error {
	if !h.levels.wants(r.Level, r.PC) {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h partHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return partHandler{h.Handler.WithAttrs(attrs), h.levels}
}

// WithGroup implements slog.Handler.
func (h partHandler) WithGroup(name string) slog.Handler {
	return partHandler{h.Handler.WithGroup(name), h.levels}
}
