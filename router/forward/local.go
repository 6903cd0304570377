package forward

import (
	"context"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/flow"
	"github.com/weftnet/weft/wire/message"
	"github.com/weftnet/weft/wire/xgress"
)

// Output returns the way of an end of flow control in this process into its
// circuit: what the end at the given side sends goes to the other side. It
// always has room, since destinations queue what flow control allows.
func (c *Circuit) Output(from Side) CircuitOutput { return CircuitOutput{c, from.Other()} }

// SetPath says who hears of the circuit's path: the flow control at this end.
func (o CircuitOutput) SetPath(p flow.Path) {
	o.c.mu.Lock()
	defer o.c.mu.Unlock()
	o.c.paths[o.to.Other()] = p
}

// CircuitOutput implements flow.Output.
type CircuitOutput struct {
	c  *Circuit
	to Side
}

// TrySend passes a copy of m on.
func (o CircuitOutput) TrySend(m *message.Message) bool {
	f := channel.NewFrame(m, len(m.Body))
	copy(f.Body, m.Body)
	o.c.Send(o.to, f)
	return true
}

// TrySendShared passes m on in the memory of the window that its sender keeps.
func (o CircuitOutput) TrySendShared(m *message.Message, room []byte, owner interface{ Release() }) bool {
	f := channel.ShareFrame(m, room, owner)
	if f == nil {
		return false
	}
	o.c.Send(o.to, f)
	return true
}

// Send is TrySend.
func (o CircuitOutput) Send(_ context.Context, m *message.Message) error {
	o.TrySend(m)
	return nil
}

// Deliver hands a message of a circuit to an end of flow control in this
// process. It takes ownership of f.
func Deliver(c *flow.Conn, f *channel.Frame) {
	switch f.Type {
	case xgress.TypePayload:
		c.HandlePayload(&f.Message, f)
	case xgress.TypeAcknowledgement:
		c.HandleAck(&f.Message)
		f.Release()
	default:
		f.Release()
	}
}
