package limit

import (
	"sync"
	"time"
)

// WindowConfig sets an adaptive window. Zero fields get the defaults.
type WindowConfig struct {
	Min           int     // smallest window, default 5
	Max           int     // largest window and the start, default 250
	Success       float64 // success rate above which the window grows, default 0.9
	Increase      float64 // factor of growth, default 1.02
	Decrease      float64 // factor of shrinking, default 0.9
	IncreaseEvery int     // successes between two growths, default 10
	DecreaseEvery int     // backoffs between two shrinkings, default 10
	// Timeout after which work counts as a backoff, default 30 s.
	Timeout time.Duration
	// Took, if not nil, is told how long every piece of work took. It must not
	// block.
	Took func(time.Duration)
}

func (c WindowConfig) withDefaults() WindowConfig {
	set(&c.Min, 5)
	set(&c.Max, 250)
	set(&c.Success, 0.9)
	set(&c.Increase, 1.02)
	set(&c.Decrease, 0.9)
	set(&c.IncreaseEvery, 10)
	set(&c.DecreaseEvery, 10)
	set(&c.Timeout, 30*time.Second)
	c.Max = max(c.Max, c.Min)
	return c
}

func set[T comparable](v *T, def T) {
	var zero T
	if *v == zero {
		*v = def
	}
}

// Outcome is how a piece of work ended.
type Outcome int

// Outcomes of work.
const (
	Success Outcome = iota // done in time
	Backoff                // the other side was too slow
	Failed                 // failed for a reason that says nothing about speed
)

// Window admits work while less than the window is in flight; the window
// grows with successes and shrinks with backoffs. It is safe for concurrent
// use.
type Window struct {
	cfg WindowConfig
	now func() time.Time

	mu        sync.Mutex
	size      int
	inFlight  int
	rate      float64 // decaying share of successes
	successes int
	backoffs  int
}

// NewWindow returns a window at its largest size. A nil now is time.Now.
func NewWindow(cfg WindowConfig, now func() time.Time) *Window {
	if now == nil {
		now = time.Now
	}
	cfg = cfg.withDefaults()
	return &Window{cfg: cfg, now: now, size: cfg.Max, rate: 1}
}

// Size returns the present window and how much of it is in flight.
func (w *Window) Size() (window, inFlight int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.size, w.inFlight
}

// Acquire admits one piece of work. When ok, done has to be called exactly
// once with the outcome; a success that took longer than the time-out counts
// as a backoff.
func (w *Window) Acquire() (done func(Outcome), ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.inFlight >= w.size {
		return nil, false
	}
	w.inFlight++
	start := w.now()
	return func(o Outcome) {
		took := w.now().Sub(start)
		if o == Success && took > w.cfg.Timeout {
			o = Backoff
		}
		if w.cfg.Took != nil {
			w.cfg.Took(took)
		}
		w.finish(o)
	}, true
}

// decay weighs the newest outcome about as a sample of 128 values would that
// prefers recent ones.
const decay = 1.0 / 32

func (w *Window) finish(o Outcome) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.inFlight--
	switch o {
	case Success:
		w.rate += (1 - w.rate) * decay
		w.grow()
	case Backoff:
		w.rate -= w.rate * decay
		w.shrink()
	}
}

func (w *Window) grow() {
	if w.size >= w.cfg.Max {
		return
	}
	w.successes++
	if w.successes%w.cfg.IncreaseEvery == 0 && w.rate > w.cfg.Success {
		w.size = min(w.cfg.Max, max(w.size+1, int(float64(w.size)*w.cfg.Increase)))
	}
}

func (w *Window) shrink() {
	if w.size <= w.cfg.Min {
		return
	}
	w.backoffs++
	if w.backoffs%w.cfg.DecreaseEvery == 0 && w.rate < w.cfg.Success {
		w.size = max(w.cfg.Min, min(w.size-1, int(float64(w.size)*w.cfg.Decrease)))
	}
}
