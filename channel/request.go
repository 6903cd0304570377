package channel

import (
	"context"
	"encoding/binary"

	"github.com/weftnet/weft/wire/message"
)

// Request sends m and waits for the message that answers it. The memory of the
// answer is the caller's. The error is that of ctx or of the channel. A
// Handler must not call it on the goroutine of its own channel.
func (c *Channel) Request(ctx context.Context, m *message.Message) (*message.Message, error) {
	if err := ctx.Err(); err != nil { // nobody waits for an answer
		return nil, err
	}
	f := encode(m)
	seq := c.seq.Add(1)
	f.setSeq(seq)
	answer := make(chan reply, 1)
	if err := c.expect(seq, answer); err != nil {
		f.Release()
		return nil, err
	}
	if err := c.put(ctx, f); err != nil {
		c.forget(seq)
		return nil, err
	}
	select {
	case r := <-answer:
		return r.m, r.err
	case <-ctx.Done():
		c.forget(seq)
		return nil, ctx.Err()
	}
}

func (c *Channel) expect(seq int32, answer chan reply) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return c.err
	}
	c.waiters[seq] = answer
	c.waiting.Add(1)
	return nil
}

func (c *Channel) forget(seq int32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.waiters[seq]; ok {
		delete(c.waiters, seq)
		c.waiting.Add(-1)
	}
}

// Reply sends m as the answer to req: it adds ReplyFor and the headers of req
// that are to be reflected to m. It waits for queue room like Send.
func (c *Channel) Reply(ctx context.Context, req, m *message.Message) error {
	Answer(req, m)
	return c.Send(ctx, m)
}

// TryReply is Reply without waiting; false if the queue is full.
func (c *Channel) TryReply(req, m *message.Message) bool {
	Answer(req, m)
	return c.TrySend(m)
}

// Answer adds to m the headers that make it the answer to req.
func Answer(req, m *message.Message) {
	m.Headers.PutBytes(HeaderReplyFor, binary.LittleEndian.AppendUint32(nil, uint32(req.Seq)))
	req.Headers.Each(func(id int32, v []byte) bool {
		if id >= HeaderReflectFirst && id <= HeaderReflectLast && !m.Headers.Has(id) {
			m.Headers.PutBytes(id, v)
		}
		return true
	})
}

// Result returns a message of type TypeResult with a verdict and a text.
func Result(success bool, text string) *message.Message {
	m := message.New(TypeResult, []byte(text))
	m.Headers.PutBool(HeaderResultSuccess, success)
	return m
}

// receive handles one message on the reading goroutine of a connection.
func (c *Channel) receive(f *Frame) {
	if c.waiting.Load() > 0 {
		if seq, ok := f.Headers.Int32(HeaderReplyFor); ok && (c.deliver(seq, f) || c.probed(seq, f)) {
			return
		}
	}
	switch f.Type {
	case TypePing, TypeLatency:
		c.answerProbe(f)
		return
	}
	if c.handler == nil {
		f.Release()
		return
	}
	c.handleMu.Lock()
	defer c.handleMu.Unlock()
	c.handler.HandleFrame(c, f)
}

func (c *Channel) deliver(seq int32, f *Frame) bool {
	c.mu.Lock()
	answer, ok := c.waiters[seq]
	if ok {
		delete(c.waiters, seq)
		c.waiting.Add(-1)
	}
	c.mu.Unlock()
	if ok {
		answer <- reply{m: f.Clone()}
		f.Release()
	}
	return ok
}

// answerProbe answers a probe unless the queue is full: then messages flow, and
// that is answer enough.
func (c *Channel) answerProbe(f *Frame) {
	c.TryReply(&f.Message, Result(true, ""))
	f.Release()
}
