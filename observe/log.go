// Package observe is what operators see of a process: its log, and the
// instruments that it measures itself with.
package observe

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"time"
)

// Format is the form of log lines.
type Format string

// Formats of log lines.
const (
	JSON Format = "json" // one object per line: time, level, msg, attributes
	Text Format = "text" // key=value
)

// TimeFormat is RFC 3339 with milliseconds.
const TimeFormat = "2006-01-02T15:04:05.000Z07:00"

// LevelTrace is one step below debug.
const LevelTrace = slog.LevelDebug - 4

// LogConfig sets up a log.
type LogConfig struct {
	Format Format // default JSON
	// Level can be changed while the process runs; nil is info for good.
	Level *slog.LevelVar
	// Levels instead of Level also knows levels of parts.
	Levels *Levels
}

// NewLog returns a logger that writes lines to w: `time` (RFC 3339 with
// milliseconds, UTC), `level` in lower case, `msg`, then the attributes. It
// is safe for concurrent use; w gets one Write per line.
func NewLog(w io.Writer, cfg LogConfig) *slog.Logger {
	var level slog.Leveler = slog.LevelInfo
	if cfg.Level != nil {
		level = cfg.Level
	}
	if cfg.Levels != nil {
		level = cfg.Levels
	}
	opts := &slog.HandlerOptions{Level: level, ReplaceAttr: houseStyle}
	var h slog.Handler = slog.NewJSONHandler(w, opts)
	if cfg.Format == Text {
		h = slog.NewTextHandler(w, opts)
	}
	if cfg.Levels != nil {
		h = partHandler{h, cfg.Levels}
	}
	return slog.New(h)
}

// houseStyle writes time and level as NewLog promises, and durations, times,
// errors and network addresses as text.
func houseStyle(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 {
		switch a.Key {
		case slog.TimeKey:
			return slog.String(a.Key, a.Value.Time().UTC().Format(TimeFormat))
		case slog.LevelKey:
			if level, ok := a.Value.Any().(slog.Level); ok {
				return slog.String(a.Key, LevelName(level))
			}
		}
	}
	if a.Value.Kind() == slog.KindDuration {
		return slog.String(a.Key, a.Value.Duration().String())
	}
	if a.Value.Kind() == slog.KindTime {
		return slog.String(a.Key, a.Value.Time().UTC().Format(time.RFC3339Nano))
	}
	if addr, ok := a.Value.Any().(net.Addr); ok {
		return slog.String(a.Key, addr.String())
	}
	return a
}

// LevelName is the name of a level: trace, debug, info, warning or error.
func LevelName(l slog.Level) string {
	switch {
	case l <= LevelTrace:
		return "trace"
	case l == slog.LevelWarn:
		return "warning"
	default:
		return strings.ToLower(l.String())
	}
}

// ParseLevel reads a level name: trace, debug, info, warn, warning or error.
func ParseLevel(s string) (slog.Level, error) {
	switch strings.ToLower(s) {
	case "trace":
		return LevelTrace, nil
	case "debug":
		return slog.LevelDebug, nil
	case "info":
		return slog.LevelInfo, nil
	case "warn", "warning":
		return slog.LevelWarn, nil
	case "error":
		return slog.LevelError, nil
	}
	return 0, fmt.Errorf("log level %q: expected trace, debug, info, warn or error", s)
}

// Discard returns a logger that writes nothing.
func Discard() *slog.Logger { return slog.New(slog.DiscardHandler) }
