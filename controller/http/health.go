package http

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// HealthBase is the base path of the health checks; they answer to any method
// and any path below it, without authentication.
const HealthBase = "/health-checks"

// Check is one health check.
type Check struct {
	ID           string                          // such as bolt.read
	Run          func(ctx context.Context) error // ctx ends after Timeout
	Interval     time.Duration                   // default 30 s
	Timeout      time.Duration                   // default 20 s
	InitialDelay time.Duration                   // before the first run
}

const (
	defaultCheckInterval = 30 * time.Second
	defaultCheckTimeout  = 20 * time.Second
)

// Health runs checks at their intervals and tells what they found. It is safe
// for concurrent use.
type Health struct {
	checks []Check
	leader func() bool
	now    func() time.Time
	log    *slog.Logger

	mu      sync.Mutex
	results []checkResult

	cancel context.CancelFunc
	done   sync.WaitGroup
}

// checkResult is the last result of a check, in the form in which it is shown.
type checkResult struct {
	ID                  string `json:"id"`
	Healthy             bool   `json:"healthy"`
	LastCheckDuration   string `json:"lastCheckDuration,omitempty"`
	LastCheckTime       string `json:"lastCheckTime,omitempty"`
	Err                 string `json:"err,omitempty"`
	ConsecutiveFailures int    `json:"consecutiveFailures,omitempty"`
	FailingSince        string `json:"failingSince,omitempty"`
}

// healthDocument is the answer.
type healthDocument struct {
	Data struct {
		Checks  []checkResult `json:"checks"`
		Healthy bool          `json:"healthy"`
	} `json:"data"`
	Meta struct{}   `json:"meta"`
	Raft *raftState `json:"raft,omitempty"`
}

type raftState struct {
	IsRaftEnabled bool `json:"isRaftEnabled"`
	IsLeader      bool `json:"isLeader"`
}

// NewHealth starts the checks, each in a goroutine of its own; Close ends them.
// Until its first run a check counts as healthy. leader reports whether this
// controller leads its cluster.
func NewHealth(checks []Check, leader func() bool, now func() time.Time, log *slog.Logger) *Health {
	h := &Health{checks: checks, leader: leader, now: now, log: log, results: make([]checkResult, len(checks))}
	ctx, cancel := context.WithCancel(context.Background())
	h.cancel = cancel
	for i := range checks {
		h.results[i] = checkResult{ID: checks[i].ID, Healthy: true}
		h.done.Go(func() { h.run(ctx, i) })
	}
	return h
}

// Close ends the checks and waits for them.
func (h *Health) Close() {
	h.cancel()
	h.done.Wait()
}

// Binding returns the binding of the health checks.
func (h *Health) Binding() Binding {
	return Binding{Name: "health-checks", Prefix: HealthBase, Handler: h}
}

func (h *Health) run(ctx context.Context, i int) {
	c := h.checks[i]
	if c.Interval <= 0 {
		c.Interval = defaultCheckInterval
	}
	if c.Timeout <= 0 {
		c.Timeout = defaultCheckTimeout
	}
	timer := time.NewTimer(c.InitialDelay)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		limited, cancel := context.WithTimeout(ctx, c.Timeout)
		start := time.Now()
		err := c.Run(limited)
		cancel()
		if ctx.Err() != nil {
			return
		}
		h.note(i, time.Since(start), err)
		timer.Reset(c.Interval)
	}
}

func (h *Health) note(i int, took time.Duration, err error) {
	now := h.now().UTC().Format(time.RFC3339)
	h.mu.Lock()
	r := &h.results[i]
	was := r.Healthy
	r.LastCheckDuration, r.LastCheckTime, r.Healthy = took.Truncate(time.Microsecond).String(), now, err == nil
	if err == nil {
		r.Err, r.ConsecutiveFailures, r.FailingSince = "", 0, ""
	} else {
		r.Err = err.Error()
		if r.ConsecutiveFailures++; r.ConsecutiveFailures == 1 {
			r.FailingSince = now
		}
	}
	h.mu.Unlock()
	switch {
	case err != nil && was:
		h.log.Error("health check fails", "check", h.checks[i].ID, "error", err)
	case err == nil && !was:
		h.log.Info("health check passes again", "check", h.checks[i].ID)
	}
}

// ServeHTTP answers 200 when all checks pass and 503 when one fails; below
// controller/raft it answers 429 unless this controller leads.
func (h *Health) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var doc healthDocument
	doc.Data.Healthy = true
	h.mu.Lock()
	doc.Data.Checks = append([]checkResult{}, h.results...)
	h.mu.Unlock()
	short := r.URL.Query().Get("type") == "short"
	for i, c := range doc.Data.Checks {
		doc.Data.Healthy = doc.Data.Healthy && c.Healthy
		if short {
			doc.Data.Checks[i] = checkResult{ID: c.ID, Healthy: c.Healthy}
		}
	}
	status := http.StatusOK
	if !doc.Data.Healthy {
		status = http.StatusServiceUnavailable
	}
	if strings.HasSuffix(strings.TrimSuffix(r.URL.Path, "/"), "/controller/raft") {
		doc.Raft = &raftState{IsRaftEnabled: true, IsLeader: h.leader()}
		if !doc.Raft.IsLeader {
			status = http.StatusTooManyRequests
		}
	}
	body, err := json.MarshalIndent(doc, "", "    ")
	if err != nil {
		h.log.Error("health checks cannot be shown", "error", err)
		status = http.StatusInternalServerError
	}
	w.Header().Set("Content-Type", jsonType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if _, err := w.Write(body); err != nil {
		h.log.Debug("client went away", "error", err)
	}
}
