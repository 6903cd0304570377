package events

import "github.com/weftnet/weft/controller/audit"

// Audit is a record of a change. The type is Weft's own.
type Audit struct{ Record *audit.Record }

type auditEvent struct {
	head
	Type string `json:"event_type"`
	*audit.Record
}

func (e *Audit) about() (kind, of string) { return "audit", e.Record.Action }

func (e *Audit) forms(h head, _ *subscription) []any {
	return one(auditEvent{h.when(e.Record.At), e.Record.Action, e.Record})
}
