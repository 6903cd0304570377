package edge

import "github.com/weftnet/weft/wire/message"

// TraceRoute asks the hop that is Hops away to identify itself.
type TraceRoute struct {
	ConnID          uint32
	Hops            uint32
	Timestamp       uint64 // milliseconds since the epoch
	SourceRequestID uint32 // towards a host: the sequence of the original request
	HasSource       bool
}

// Encode makes the message.
func (t *TraceRoute) Encode() *message.Message {
	m := connMessage(TypeTraceRoute, t.ConnID, nil)
	m.Headers.PutUint64(HeaderTimestamp, t.Timestamp)
	m.Headers.PutUint32(HeaderTraceHopCount, t.Hops)
	if t.HasSource {
		m.Headers.PutUint32(HeaderTraceSourceRequestID, t.SourceRequestID)
	}
	return m
}

// ParseTraceRoute decodes the question.
func ParseTraceRoute(m *message.Message) (*TraceRoute, error) {
	if err := check(m, TypeTraceRoute); err != nil {
		return nil, err
	}
	t := &TraceRoute{}
	err := fields(m.Headers, &t.ConnID, func(id int32, v []byte) {
		switch id {
		case HeaderTimestamp:
			setUint64(&t.Timestamp, v)
		case HeaderTraceHopCount:
			setUint32(&t.Hops, v)
		case HeaderTraceSourceRequestID:
			t.HasSource = len(v) == 4
			setUint32(&t.SourceRequestID, v)
		}
	})
	return t, err
}

// TraceRouteResponse identifies a hop. A host's response is not a channel
// reply; it carries SourceRequestID instead.
type TraceRouteResponse struct {
	ConnID          uint32
	Hops            uint32 // left over
	Timestamp       uint64 // of the request
	HopType         string
	HopID           string
	Error           string
	SourceRequestID uint32
	HasSource       bool
}

// Encode makes the message; the channel adds ReplyFor where it is a reply.
func (t *TraceRouteResponse) Encode() *message.Message {
	m := connMessage(TypeTraceRouteResponse, t.ConnID, nil)
	h := &m.Headers
	h.PutUint64(HeaderTimestamp, t.Timestamp)
	h.PutUint32(HeaderTraceHopCount, t.Hops)
	h.PutString(HeaderTraceHopType, t.HopType)
	h.PutString(HeaderTraceHopID, t.HopID)
	putText(h, HeaderTraceError, t.Error)
	if t.HasSource {
		h.PutUint32(HeaderTraceSourceRequestID, t.SourceRequestID)
	}
	return m
}

// ParseTraceRouteResponse decodes the answer of a hop.
func ParseTraceRouteResponse(m *message.Message) (*TraceRouteResponse, error) {
	if err := check(m, TypeTraceRouteResponse); err != nil {
		return nil, err
	}
	t := &TraceRouteResponse{}
	err := fields(m.Headers, &t.ConnID, func(id int32, v []byte) {
		switch id {
		case HeaderTimestamp:
			setUint64(&t.Timestamp, v)
		case HeaderTraceHopCount:
			setUint32(&t.Hops, v)
		case HeaderTraceHopType:
			t.HopType = string(v)
		case HeaderTraceHopID:
			t.HopID = string(v)
		case HeaderTraceError:
			t.Error = string(v)
		case HeaderTraceSourceRequestID:
			t.HasSource = len(v) == 4
			setUint32(&t.SourceRequestID, v)
		}
	})
	return t, err
}
