package app

import "fmt"

// Problem is an error that a person can do something about. The command line
// prints its remedy.
type Problem struct {
	Cause  error
	Remedy string
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
