// Package health checks a router again and again and shows the results: how
// many links it has and whether a controller answers.
package health

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Check is one check.
type Check struct {
	ID string
	// Run returns what the check has seen, nil for nothing, and why it fails.
	Run          func(ctx context.Context) (details any, err error) // ctx ends after Timeout
	Interval     time.Duration
	Timeout      time.Duration
	InitialDelay time.Duration // before the first run
	// Pending is why the check fails before its first run; nil if it passes then.
	Pending error
}

// Checks runs checks at their intervals and shows what they found. It is safe
// for concurrent use, and an http.Handler: it answers to any method and path.
type Checks struct {
	checks []Check
	now    func() time.Time
	log    *slog.Logger

	mu      sync.Mutex
	results []result
}

// result is the last result of a check, in the form in which it is shown.
type result struct {
	ConsecutiveFailures int      `json:"consecutiveFailures,omitempty"`
	Details             *any     `json:"details,omitempty"` // nil before the first run
	Err                 *failure `json:"err,omitempty"`
	FailingSince        string   `json:"failingSince,omitempty"`
	Healthy             bool     `json:"healthy"`
	ID                  string   `json:"id"`
	LastCheckDuration   string   `json:"lastCheckDuration,omitempty"`
	LastCheckTime       string   `json:"lastCheckTime,omitempty"`
}

type failure struct {
	Message string `json:"message"`
}

// document is the answer.
type document struct {
	Data struct {
		Checks  []result `json:"checks"`
		Healthy bool     `json:"healthy"`
	} `json:"data"`
	Meta struct{} `json:"meta"`
}

// New returns checks; Run starts them. A nil now is time.Now.
func New(checks []Check, now func() time.Time, log *slog.Logger) *Checks {
	if now == nil {
		now = time.Now
	}
	c := &Checks{checks: checks, now: now, log: log, results: make([]result, len(checks))}
	for i, check := range checks {
		c.results[i] = result{ID: check.ID, Healthy: check.Pending == nil}
		if check.Pending != nil {
			c.results[i].Err = &failure{Message: check.Pending.Error()}
		}
	}
	return c
}

// Run runs the checks, each in a goroutine of its own, until ctx ends.
func (c *Checks) Run(ctx context.Context) {
	var work sync.WaitGroup
	defer work.Wait()
	for i := range c.checks {
		work.Go(func() { c.repeat(ctx, i) })
	}
}

func (c *Checks) repeat(ctx context.Context, i int) {
	check := c.checks[i]
	timer := time.NewTimer(check.InitialDelay)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		limited, cancel := context.WithTimeout(ctx, check.Timeout)
		start := time.Now()
		details, err := check.Run(limited)
		cancel()
		if ctx.Err() != nil {
			return
		}
		c.note(i, time.Since(start), details, err)
		timer.Reset(check.Interval)
	}
}

func (c *Checks) note(i int, took time.Duration, details any, err error) {
	now := c.now().UTC().Format(time.RFC3339)
	c.mu.Lock()
	r := &c.results[i]
	first, was := r.LastCheckTime == "", r.Healthy
	r.Healthy, r.Details, r.LastCheckDuration, r.LastCheckTime = err == nil, &details, took.String(), now
	if err == nil {
		r.Err, r.ConsecutiveFailures, r.FailingSince = nil, 0, ""
	} else {
		r.Err = &failure{Message: err.Error()}
		if r.ConsecutiveFailures++; r.ConsecutiveFailures == 1 {
			r.FailingSince = now
		}
	}
	c.mu.Unlock()
	switch {
	case err != nil && (was || first):
		c.log.Error("health check fails", "check", c.checks[i].ID, "error", err)
	case err == nil && !was && !first:
		c.log.Info("health check passes again", "check", c.checks[i].ID)
	}
}

// ServeHTTP answers 200 when all checks pass and 503 when one fails. With
// ?type=short it leaves out everything but that.
func (c *Checks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var doc document
	doc.Data.Healthy = true
	c.mu.Lock()
	doc.Data.Checks = append([]result{}, c.results...)
	c.mu.Unlock()
	short := r.URL.Query().Get("type") == "short"
	for i, res := range doc.Data.Checks {
		doc.Data.Healthy = doc.Data.Healthy && res.Healthy
		if short {
			doc.Data.Checks[i] = result{ID: res.ID, Healthy: res.Healthy}
		}
	}
	status := http.StatusOK
	if !doc.Data.Healthy {
		status = http.StatusServiceUnavailable
	}
	body, err := json.MarshalIndent(doc, "", "    ")
	if err != nil {
		c.log.Error("health checks cannot be shown", "error", err)
		status = http.StatusInternalServerError
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if _, err := w.Write(body); err != nil {
		c.log.Debug("client went away", "error", err)
	}
}
