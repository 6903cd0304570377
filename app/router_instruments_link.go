package app

import (
	"strings"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/router/link"
	"github.com/weftnet/weft/wire/ctrl"
)

// linkMeasured takes a measurement of a link.
func (r *Router) linkMeasured(linkID string, m channel.Round) {
	r.instruments.Histogram("link." + linkID + ".latency").Update(float64(m.Trip))
	r.instruments.Histogram("link." + linkID + ".queue_time").Update(float64(m.Queue))
}

// linkMoved takes what has moved on a link. The size of a message is the mean of
// those that moved together.
func (r *Router) linkMoved(linkID string, m link.Moved) {
	mark := func(direction string, bytes, messages uint64) {
		name := "link." + linkID + "." + direction
		r.instruments.Meter(name + ".bytesrate").Mark(int(bytes))
		r.instruments.Meter(name + ".msgrate").Mark(int(messages))
		if messages > 0 {
			r.instruments.Histogram(name + ".msgsize").Update(float64(bytes) / float64(messages))
		}
	}
	mark("tx", m.BytesOut, m.MessagesOut)
	mark("rx", m.BytesIn, m.MessagesIn)
}

// Kinds of messages that a link had no room for: all, those that begin or end at
// this router, and those in transit.
const (
	droppedAll     = "link.dropped_msgs:"
	droppedOwn     = "link.dropped_xg_msgs:"
	droppedTransit = "link.dropped_fwd_msgs:"
)

// linkDropped notes a message that a link had no room for.
func (r *Router) linkDropped(linkID string, transit bool) {
	kind := droppedOwn
	if transit {
		kind = droppedTransit
	}
	r.instruments.Meter(droppedAll + linkID).Mark(1)
	r.instruments.Meter(kind + linkID).Mark(1)
}

// linksChanged tells the controller of links.
func (r *Router) linksChanged(m *ctrl.LinkChanges) {
	r.uplink.ReportLinks(m)
	for _, l := range m.Put {
		for _, kind := range []string{droppedAll, droppedOwn, droppedTransit} {
			r.instruments.Meter(kind + l.Id)
		}
	}
	if n := len(m.Gone); n > 0 {
		r.linkFaults.Mark(n)
		r.sweepLinks()
	}
}

// sweepLinks forgets what was measured of links that are gone.
func (r *Router) sweepLinks() {
	if r.links == nil {
		return
	}
	r.instruments.RemoveIf(func(name string) bool {
		id := linkOfInstrument(name)
		return id != "" && r.links.Link(id) == nil
	})
}

// linkOfInstrument returns the link that an instrument measures, empty for none.
func linkOfInstrument(name string) string {
	rest, ok := strings.CutPrefix(name, "link.")
	if !ok {
		return ""
	}
	if strings.HasPrefix(rest, "dropped_") {
		_, id, _ := strings.Cut(rest, ":")
		return id
	}
	id, _, _ := strings.Cut(rest, ".")
	return id
}
