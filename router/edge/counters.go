package edge

import (
	"sync/atomic"

	"github.com/weftnet/weft/wire/edge"
)

// Counters count what happens to the connections of clients since the start.
type Counters struct {
	Connected    uint64 // hellos that became a connection
	Refused      uint64 // hellos with a token that were refused
	Disconnected uint64
	// Messages of flow control for which a client had no room, and which of them
	// were payloads and acknowledgements.
	Drops, DroppedPayloads, DroppedAcks uint64
}

type counters struct {
	connected, refused, disconnected    atomic.Uint64
	drops, droppedPayloads, droppedAcks atomic.Uint64
}

// Counters returns the counts.
func (s *Server) Counters() Counters {
	n := &s.counts
	return Counters{
		Connected: n.connected.Load(), Refused: n.refused.Load(), Disconnected: n.disconnected.Load(),
		Drops: n.drops.Load(), DroppedPayloads: n.droppedPayloads.Load(), DroppedAcks: n.droppedAcks.Load(),
	}
}

// dropped notes a message that a client had no room for.
func (s *Server) dropped(contentType int32) {
	s.counts.drops.Add(1)
	switch contentType {
	case edge.TypeXgPayload:
		s.counts.droppedPayloads.Add(1)
	case edge.TypeXgAcknowledgement:
		s.counts.droppedAcks.Add(1)
	}
}
