package control

import (
	"context"
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/wire/message"
)

// frame returns a frame that holds body, answering req if that is not nil.
func frame(contentType int32, req *message.Message, body proto.Message) (*channel.Frame, error) {
	m := message.New(contentType, nil)
	if req != nil {
		channel.Answer(req, m)
	}
	size := proto.Size(body)
	f := channel.NewFrame(m, size)
	b, err := proto.MarshalOptions{UseCachedSize: true}.MarshalAppend(f.Body[:0], body)
	if err != nil || len(b) != size {
		f.Release()
		return nil, fmt.Errorf("control: encode content type %d: %w", contentType, err)
	}
	return f, nil
}

// send queues a message, waiting for room.
func send(ctx context.Context, c line, contentType int32, body proto.Message) error {
	f, err := frame(contentType, nil, body)
	if err != nil {
		return err
	}
	c.sees(Sent, contentType, f.Body)
	return c.SendFrame(ctx, f)
}

// trySend queues a message or answer without waiting.
func trySend(c line, contentType int32, req *message.Message, body proto.Message) bool {
	f, err := frame(contentType, req, body)
	if err != nil {
		return false
	}
	c.sees(Sent, contentType, f.Body)
	if !c.TrySendFrame(f) {
		f.Release()
		return false
	}
	return true
}

// request sends body and decodes the answer, which must have the given type.
func request[T any, P interface {
	*T
	proto.Message
}](ctx context.Context, c line, contentType int32, body proto.Message, answerType int32) (*T, error) {
	b, err := proto.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("control: encode content type %d: %w", contentType, err)
	}
	c.sees(Sent, contentType, b)
	m, err := c.Request(ctx, message.New(contentType, b))
	if err != nil {
		return nil, err
	}
	c.sees(Received, m.Type, m.Body)
	if m.Type != answerType {
		return nil, fmt.Errorf("control: content type %d answered by %d: %s", contentType, m.Type, m.Body)
	}
	out := new(T)
	if err := proto.Unmarshal(m.Body, P(out)); err != nil {
		return nil, fmt.Errorf("control: decode content type %d: %w", m.Type, err)
	}
	return out, nil
}

// decode reads a body, copying what it keeps.
func decode[T any, P interface {
	*T
	proto.Message
}](f *channel.Frame) (*T, error) {
	out := new(T)
	if err := proto.Unmarshal(f.Body, P(out)); err != nil {
		return nil, fmt.Errorf("control: decode content type %d: %w", f.Type, err)
	}
	return out, nil
}
