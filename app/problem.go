package app

import (
	"errors"
	"fmt"

	"github.com/weftnet/weft/conf"
)

// Problem is an error that a person can do something about. The command line
// prints its remedy.
type Problem struct {
	Cause  error
	Remedy string
	key    string // of the configuration that it is about, empty for none
}

// Error returns the cause.
func (p *Problem) Error() string { return p.Cause.Error() }

// Unwrap returns the cause.
func (p *Problem) Unwrap() error { return p.Cause }

// Help returns the remedy.
func (p *Problem) Help() string { return p.Remedy }

// problem returns a Problem whose cause is the formatted text.
func problem(remedy, format string, args ...any) error {
	return &Problem{Cause: fmt.Errorf(format, args...), Remedy: remedy}
}

// wrong returns a Problem with the value of a key; its text begins with the key.
func wrong(key, remedy, format string, args ...any) error {
	return &Problem{Cause: fmt.Errorf("%s: %w", key, fmt.Errorf(format, args...)), Remedy: remedy, key: key}
}

// placed adds file and line to an error that is about a key of a configuration.
func placed(where conf.Lines, err error) error {
	var p *Problem
	if !errors.As(err, &p) || p.key == "" {
		return err
	}
	at := where.At(p.key)
	if at == "" {
		return err
	}
	return &Problem{Cause: fmt.Errorf("%s: %w", at, err), Remedy: p.Remedy}
}
