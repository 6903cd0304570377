package events

import (
	"cmp"
	"time"
)

// The forms of alerts, events of the cluster and counts of entities.

type alertEvent struct {
	head
	SourceType string            `json:"alert_source_type"`
	SourceID   string            `json:"alert_source_id"`
	Severity   string            `json:"severity"`
	Message    string            `json:"message"`
	Details    []string          `json:"details"`
	Related    map[string]string `json:"related_entities"`
}

func (e *Alert) about() (kind, of string) { return "alert", "" }

func (e *Alert) forms(h head, _ *subscription) []any {
	details, related := e.Details, e.Related
	if details == nil {
		details = []string{}
	}
	if related == nil {
		related = map[string]string{}
	}
	return one(alertEvent{h.when(e.At), e.SourceType, e.SourceID, cmp.Or(e.Severity, "error"), e.Message, details, related})
}

type clusterEvent struct {
	head
	Type      string `json:"eventType"`
	Index     uint64 `json:"index"`
	RaftIndex uint64 `json:"raftIndex"`
	Peers     []Peer `json:"peers,omitempty"`
	Leader    string `json:"leaderId,omitempty"`
}

func (e *Cluster) about() (kind, of string) { return "cluster", e.Type }

func (e *Cluster) forms(h head, _ *subscription) []any {
	return one(clusterEvent{h.when(e.At), e.Type, e.Index, e.Index, e.Peers, e.LeaderID})
}

type entityCountEvent struct {
	head
	Counts map[string]int64 `json:"counts"`
	Err    string           `json:"error,omitempty"`
}

func (e *EntityCounts) about() (kind, of string) { return "entityCount", "" }

func (e *EntityCounts) forms(h head, s *subscription) []any {
	if !e.Leads && !s.always {
		return nil
	}
	counts := e.Counts
	if counts == nil {
		counts = map[string]int64{}
	}
	return one(entityCountEvent{h.when(e.At), counts, e.Err})
}

// firstCount is when the first count of a subscription is due.
const firstCount = time.Second

// countTimer returns a timer for the next count; it never fires without a
// subscription to counts.
func (s *subscriber) countTimer() *time.Timer {
	t := time.NewTimer(firstCount)
	if !s.kinds["entityCount"] {
		t.Stop()
	}
	now := time.Now().Add(firstCount)
	for _, sub := range s.subscriptions {
		sub.due = now
	}
	return t
}

// count returns the counts of the subscriptions that are due, and sets the timer
// to the next one.
func (s *subscriber) count(now time.Time, timer *time.Timer) []rendered {
	e := &EntityCounts{At: now, Leads: s.hub.cfg.Leads()}
	if s.hub.cfg.Counts == nil {
		e.Err = "the entities cannot be counted"
	} else {
		e.Counts = s.hub.cfg.Counts()
	}
	var out []rendered
	next := time.Duration(1 << 62)
	for _, sub := range s.subscriptions {
		if sub.kind != "entityCount" {
			continue
		}
		if !now.Before(sub.due) {
			out = append(out, s.renderFor(e, sub)...)
			sub.due = now.Add(sub.every)
		}
		next = min(next, sub.due.Sub(now))
	}
	timer.Reset(next)
	return out
}
