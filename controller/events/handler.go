package events

import (
	"errors"
	"io"
	"log/slog"

	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/controller/rotate"
)

// open opens the handler of a configuration.
func open(c conf.EventHandler, stdout io.Writer, log *slog.Logger) (handler, error) {
	switch c.Type {
	case "stdout":
		return lines{unclosed{stdout}}, nil
	case "webhook":
		return newWebhook(c, log)
	case "file":
		f, err := rotate.Open(c.Path, int64(c.MaxSizeMB)<<20, c.MaxBackups)
		if err != nil {
			return nil, err
		}
		return lines{f}, nil
	}
	return nil, errors.New("type: there is no handler " + c.Type)
}

// unclosed is a writer that belongs to somebody else.
type unclosed struct{ io.Writer }

// Close does nothing.
func (unclosed) Close() error { return nil }

// lines writes a line per event.
type lines struct{ io.WriteCloser }

func (lines) most() int { return 1 }

func (l lines) take(_ <-chan struct{}, events []rendered) (n int, err error) {
	for _, e := range events {
		if _, err := l.Write(append(e.text, '\n')); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
