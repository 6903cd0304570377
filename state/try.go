package state

import (
	"maps"

	"github.com/weftnet/weft/fault"
)

// OpError is the refusal of one op of a trial.
type OpError struct {
	Op  int // its place in the command
	Err *fault.Error
}

// Error returns the text of the refusal.
func (e *OpError) Error() string { return e.Err.Error() }

// Unwrap returns the refusal.
func (e *OpError) Unwrap() error { return e.Err }

// Try returns the view as it would be after the command, with all that follows
// from it, and changes nothing. The first op that is refused is an *OpError. The
// result has the index of v and never becomes older; it serves to look at, and
// for further trials.
func (v *View) Try(c *Command) (*View, error) {
	text, err := c.Encode()
	if err != nil {
		return nil, err
	}
	if c, err = Decode(text); err != nil {
		return nil, err
	}
	t := &tx{data: v.data.begin(), by: new(edit), cmd: c, index: v.index, counts: maps.Clone(v.counts)}
	for i := range c.Ops {
		if err := t.op(&c.Ops[i]); err != nil {
			return nil, &OpError{i, fault.From(err)}
		}
	}
	next := &View{data: t.data, index: v.index, counts: t.counts, touched: maps.Clone(v.touched), changed: make(chan struct{})}
	return next, nil
}
