package control

import (
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/wire/ctrl"
)

// Direction says which way a message went, from the router's view.
type Direction string

// The directions.
const (
	Sent     Direction = "sent"
	Received Direction = "received"
)

// Trace sees every message of a session, for debugging. It must not keep body
// and must not block.
type Trace func(d Direction, contentType int32, body []byte)

// line is a channel whose messages somebody may watch.
type line struct {
	*channel.Channel
	trace Trace // nil if nobody does
}

func (l line) sees(d Direction, contentType int32, body []byte) {
	if l.trace != nil {
		l.trace(d, contentType, body)
	}
}

// line is the channel of the session.
func (r *RouterEnd) line() line { return line{r.ch, r.trace} }

// Describe returns the name of a body and the body as JSON, without secrets;
// nothing for a content type that is not known and for a malformed body.
func Describe(contentType int32, body []byte) (name string, asJSON []byte) {
	m := ctrl.Decode(contentType, body)
	if m == nil {
		return "", nil
	}
	if c, ok := m.(*ctrl.TerminatorChanges); ok {
		for _, t := range c.Put {
			t.InstanceSecret = nil
		}
	}
	asJSON, _ = protojson.Marshal(m) // fails on invalid UTF-8 only, which no decoded body has
	return string(m.ProtoReflect().Descriptor().Name()), asJSON
}
