package forward

import (
	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/wire/xgress"
)

// leaving makes the message that tells the routers beyond a link that the
// circuit has ended on this side of it.
func (e *linkEnd) leaving(reason string, drop bool) *channel.Frame {
	e.c.mu.Lock()
	l := xgress.Leave{Circuit: []byte(e.c.ID), Cause: uint32(e.c.cause), Code: e.c.code, Drop: drop, Reason: reason}
	e.c.mu.Unlock()
	if e.side == Initiator {
		l.Flags = xgress.FlagOriginator
	}
	m := l.Message()
	return channel.NewFrame(m, 0)
}

// leave tells the routers beyond the link, behind everything sent before.
func (e *linkEnd) leave(reason string, drop bool) {
	if drop {
		e.payload.Clear()
		e.other.Clear()
	}
	e.payload.Push(e.leaving(reason, drop))
}

// left ends a circuit whose other side has ended beyond a link. The news
// travels on; a controller is told where an end is.
func (c *Circuit) left(f *channel.Frame, to Side) {
	defer f.Release()
	l, err := xgress.ParseLeave(&f.Message)
	if err != nil {
		return
	}
	cause := Cause(l.Cause)
	if cause > lastCause {
		cause = Removed
	}
	c.blame(cause, l.Code, "")
	_, transit := c.Destination(to).(*linkEnd)
	how := ending{drop: l.Drop, report: !transit}
	how.tell[to] = true
	c.finish(l.Reason, how)
}
