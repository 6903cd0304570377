package database

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/state"
)

// maxResults is the largest number of findings that are kept.
const maxResults = 1000

// mendAtOnce is the number of damages that one command mends.
const mendAtOnce = 100

// mendTime bounds the wait for one such command.
const mendTime = 10 * time.Second

// Results are the findings of the last check.
type Results struct {
	InProgress, Fixing, TooMany bool
	Start, End                  time.Time
	Err                         error
	Findings                    []Finding
}

// Finding is one thing that is wrong.
type Finding struct {
	Description string
	Fixed       bool
}

// Check starts a check of the whole state, one at a time: fault.RateLimited
// while one runs. With fix set, what it finds is mended by commands in the name
// of the author.
func (d *Database) Check(fix bool, author state.Author, source state.Source) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return fault.Unhandled.Errorf("the controller is stopping")
	}
	if d.results.InProgress {
		return fault.RateLimited.Errorf("a check of the data integrity is running").WithRemedy("wait until it has ended; data-integrity-results shows when")
	}
	d.results = Results{InProgress: true, Fixing: fix, Start: d.cfg.Now()}
	d.work.Go(func() {
		err := d.check(fix, author, source)
		d.mu.Lock()
		defer d.mu.Unlock()
		d.results.InProgress, d.results.End, d.results.Err = false, d.cfg.Now(), err
		d.cfg.Log.Info("data integrity checked", "findings", len(d.results.Findings), "more", d.results.TooMany, "fixing", fix, "error", err)
	})
	return nil
}

// Results returns the findings so far.
func (d *Database) Results() Results {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := d.results
	out.Findings = append([]Finding(nil), out.Findings...)
	return out
}

// check goes through the state as it is at the start.
func (d *Database) check(fix bool, author state.Author, source state.Source) error {
	var batch []*state.Damage
	for damage := range d.cfg.View().Damages() {
		if d.ctx.Err() != nil {
			return errors.New("the controller stopped")
		}
		batch = append(batch, damage)
		if len(batch) == mendAtOnce {
			if err := d.handle(batch, fix, author, source); err != nil {
				return err
			}
			batch = nil
		}
	}
	return d.handle(batch, fix, author, source)
}

// handle mends some damages, if that is wanted, and notes them.
func (d *Database) handle(batch []*state.Damage, fix bool, author state.Author, source state.Source) error {
	fixed := make([]bool, len(batch))
	var failed error
	if fix && len(batch) > 0 {
		failed = d.mend(batch, fixed, author, source)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, damage := range batch {
		for _, text := range damage.Descriptions {
			if len(d.results.Findings) == maxResults {
				d.results.TooMany = true
				return failed
			}
			d.results.Findings = append(d.results.Findings, Finding{text, fixed[i]})
		}
	}
	return failed
}

// mend proposes what mends the damages, each for itself: one that is refused
// does not keep the others from being mended.
func (d *Database) mend(batch []*state.Damage, fixed []bool, author state.Author, source state.Source) error {
	cmd := state.NewCommand(d.cfg.Now(), author, source).AsSystem().Each()
	ops := map[int]int{} // op of each damage that can be mended
	for i, damage := range batch {
		op := len(cmd.Ops)
		if damage.Mend(cmd) {
			ops[i] = op
		}
	}
	if len(ops) == 0 {
		return nil
	}
	text, err := cmd.Encode()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(d.ctx, mendTime)
	defer cancel()
	_, result, err := d.cfg.Write(ctx, text)
	if err != nil {
		return fmt.Errorf("not mended: %w", err)
	}
	refused, _ := result.(state.Errors)
	for i, op := range ops {
		fixed[i] = op >= len(refused) || refused[op] == nil
	}
	return nil
}
