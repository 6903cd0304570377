package events

import "time"

// Trace is a message between this controller and a router, without its body. The
// type is Weft's own.
type Trace struct {
	At        time.Time
	RouterID  string
	Direction string // sent or received
	Type      int32
	Name      string // empty for a type that is not known
	Bytes     int    // of the body
}

// TraceJSON is the form of a Trace.
type TraceJSON struct {
	Namespace   string `json:"namespace"`
	Source      string `json:"event_src_id"`
	Timestamp   string `json:"timestamp"`
	Direction   string `json:"direction"`
	Router      string `json:"router_id"`
	ContentType int32  `json:"content_type"`
	Name        string `json:"name"`
	Bytes       int    `json:"bytes"`
}

func (e *Trace) about() (kind, of string) { return "trace", e.Direction }

func (e *Trace) forms(h head, _ *subscription) []any {
	return one(TraceJSON{h.Namespace, h.Source, at(e.At), e.Direction, e.RouterID, e.Type, e.Name, e.Bytes})
}
