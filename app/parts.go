package app

import "errors"

// parts are what an assembly has opened so far. Close takes them down in
// reverse order and waits for each.
type parts struct{ closers []func() error }

// add registers how to close what was just opened.
func (p *parts) add(closer func() error) { p.closers = append(p.closers, closer) }

// Close closes everything, the newest first, and joins the errors. Further
// calls do nothing.
func (p *parts) Close() error {
	var errs []error
	for i := len(p.closers) - 1; i >= 0; i-- {
		errs = append(errs, p.closers[i]())
	}
	p.closers = nil
	return errors.Join(errs...)
}
