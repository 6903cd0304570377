package forward

import (
	"encoding/binary"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/wire/xgress"
)

// braking is a destination before which payloads wait.
type braking interface {
	// Brake is that of the payloads' Lane.
	Brake() int
}

// brake slows down the source of payloads that wait in this router, if room is
// scarce: the acknowledgement f, which passes on its way to that source, is made
// to say that the receiver has more stored than it has. The acknowledgement of
// the last payload that has waited passes when nothing waits any more, so that a
// source is never left behind with an old word.
func (c *Circuit) brake(to Side, f *channel.Frame) {
	p := c.ends[to.Other()].Load()
	if p == nil {
		return
	}
	d, ok := (*p).(braking)
	if !ok {
		return
	}
	more := d.Brake()
	if more <= 0 {
		return
	}
	v, ok := f.Headers.Get(xgress.HeaderRecvBufferSize)
	if !ok || len(v) != 4 {
		return
	}
	stored := uint64(binary.LittleEndian.Uint32(v))
	if stored == uint64(xgress.UnknownRecvBuffer) {
		stored = 0
	}
	binary.LittleEndian.PutUint32(v, uint32(min(stored+uint64(more), uint64(xgress.UnknownRecvBuffer-1))))
	c.table.brakes.Add(1)
}

// Brake implements braking.
func (e *linkEnd) Brake() int { return e.payload.Brake() }
