package edge

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/weftnet/weft/wire/edge/edgepb"
	"github.com/weftnet/weft/wire/message"
)

// body is a protobuf message that is the whole body of an edge message.
type body[T any] interface {
	*T
	proto.Message
}

func parseBody[T any, P body[T]](m *message.Message, want int32) (P, error) {
	if err := check(m, want); err != nil {
		return nil, err
	}
	p := P(new(T))
	if err := proto.Unmarshal(m.Body, p); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrValue, TypeName(want), err)
	}
	return p, nil
}

func encodeBody(contentType int32, p proto.Message) (*message.Message, error) {
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrValue, TypeName(contentType), err)
	}
	return message.New(contentType, b), nil
}

// EncodePosture makes the message of a client's posture data. It fails if a text is not UTF-8.
func EncodePosture(p *edgepb.PostureResponses) (*message.Message, error) {
	return encodeBody(TypePostureResponse, p)
}

// ParsePosture decodes a client's posture data.
func ParsePosture(m *message.Message) (*edgepb.PostureResponses, error) {
	return parseBody[edgepb.PostureResponses](m, TypePostureResponse)
}

// EncodeSubscribe makes the message that subscribes to service updates.
func EncodeSubscribe(p *edgepb.SubscribeToServiceUpdates) (*message.Message, error) {
	return encodeBody(TypeSubscribeToServiceUpdates, p)
}

// ParseSubscribe decodes a subscription to service updates.
func ParseSubscribe(m *message.Message) (*edgepb.SubscribeToServiceUpdates, error) {
	return parseBody[edgepb.SubscribeToServiceUpdates](m, TypeSubscribeToServiceUpdates)
}

// EncodeServiceChanges makes the message of a set of service changes.
func EncodeServiceChanges(p *edgepb.ServiceChangeSet) (*message.Message, error) {
	return encodeBody(TypeServiceChangeSet, p)
}

// ParseServiceChanges decodes a set of service changes.
func ParseServiceChanges(m *message.Message) (*edgepb.ServiceChangeSet, error) {
	return parseBody[edgepb.ServiceChangeSet](m, TypeServiceChangeSet)
}

// EncodePostureState makes the message of the state of posture checks.
func EncodePostureState(p *edgepb.PostureStateChange) (*message.Message, error) {
	return encodeBody(TypePostureStateChange, p)
}

// ParsePostureState decodes the state of posture checks.
func ParsePostureState(m *message.Message) (*edgepb.PostureStateChange, error) {
	return parseBody[edgepb.PostureStateChange](m, TypePostureStateChange)
}
