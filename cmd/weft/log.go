package main

import (
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/weftnet/weft/observe"
)

// logFlags are the flags of every process.
type logFlags struct {
	level   string
	format  string
	verbose bool

	levels *observe.Levels // of the log, set by logger
}

func (f *logFlags) add(c *cobra.Command, level string) {
	c.Flags().StringVar(&f.level, "log-level", level, "trace, debug, info, warn or error")
	c.Flags().StringVar(&f.format, "log-formatter", string(observe.JSON), "json or text (pfxlog counts as text)")
	c.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "log at level debug")
}

// logger returns the log of a process; it goes to standard error.
func (f *logFlags) logger(c *cobra.Command) (*slog.Logger, error) {
	level, err := observe.ParseLevel(f.level)
	if err != nil {
		return nil, err
	}
	if f.verbose {
		level = slog.LevelDebug
	}
	format, ok := formats[f.format]
	if !ok {
		return nil, fmt.Errorf("log formatter %q: expected json or text", f.format)
	}
	f.levels = observe.NewLevels(level)
	return observe.NewLog(c.ErrOrStderr(), observe.LogConfig{Format: format, Levels: f.levels}), nil
}

// formats are the names of log formats, those of the ecosystem included.
var formats = map[string]observe.Format{"json": observe.JSON, "text": observe.Text, "pfxlog": observe.Text}
