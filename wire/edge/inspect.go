package edge

import (
	"encoding/json"
	"fmt"

	"github.com/weftnet/weft/wire/message"
)

// ConnType is what a client says a connection id stands for.
type ConnType byte

// Connection types.
const (
	ConnInvalid ConnType = 0
	ConnDial    ConnType = 1
	ConnBind    ConnType = 2
	ConnUnknown ConnType = 3
)

// ConnInspectRequest asks a client what a connection id is.
type ConnInspectRequest struct{ ConnID uint32 }

// Encode makes the message.
func (r *ConnInspectRequest) Encode() *message.Message {
	return connMessage(TypeConnInspectRequest, r.ConnID, nil)
}

// ParseConnInspectRequest decodes the question.
func ParseConnInspectRequest(m *message.Message) (*ConnInspectRequest, error) {
	if err := check(m, TypeConnInspectRequest); err != nil {
		return nil, err
	}
	r := &ConnInspectRequest{}
	return r, fields(m.Headers, &r.ConnID, nil)
}

// ConnInspectResponse answers a ConnInspectRequest. Correlate it by ReplyFor
// alone: some clients answer with connection id 0 or content type InspectResponse.
type ConnInspectResponse struct {
	ConnID uint32
	Type   ConnType
	Detail string // body, free text
}

// Encode makes the message; the channel adds ReplyFor.
func (r *ConnInspectResponse) Encode() *message.Message {
	m := connMessage(TypeConnInspectResponse, r.ConnID, []byte(r.Detail))
	m.Headers.PutByte(HeaderConnType, byte(r.Type))
	return m
}

// ParseConnInspectResponse decodes the answer, also under the content type that
// old clients use. A missing connection id is no error.
func ParseConnInspectResponse(m *message.Message) (*ConnInspectResponse, error) {
	if m.Type != TypeInspectResponse {
		if err := check(m, TypeConnInspectResponse); err != nil {
			return nil, err
		}
	}
	r := &ConnInspectResponse{Detail: string(m.Body)}
	_ = fields(m.Headers, &r.ConnID, func(id int32, v []byte) {
		if id == HeaderConnType && len(v) > 0 {
			r.Type = ConnType(v[0])
		}
	})
	return r, nil
}

// InspectRequest asks a client, or one of its connections, for diagnostics.
type InspectRequest struct {
	ConnID  uint32
	HasConn bool // false: the client as a whole
	Values  []string
}

// Encode makes the message.
func (r *InspectRequest) Encode() *message.Message {
	m := newMessage(TypeInspectRequest, nil)
	if r.HasConn {
		m.Headers.PutUint32(HeaderConnID, r.ConnID)
	}
	m.Headers.PutBytes(HeaderInspectRequestedValues, AppendStringList(nil, r.Values))
	return m
}

// ParseInspectRequest decodes the question.
func ParseInspectRequest(m *message.Message) (*InspectRequest, error) {
	if err := check(m, TypeInspectRequest); err != nil {
		return nil, err
	}
	r := &InspectRequest{}
	var bad error
	missing := fields(m.Headers, &r.ConnID, func(id int32, v []byte) {
		if id == HeaderInspectRequestedValues {
			r.Values, bad = ParseStringList(v)
		}
	})
	r.HasConn = missing == nil
	return r, bad
}

// InspectResponse answers an InspectRequest.
type InspectResponse struct {
	ConnID  uint32                     `json:"-"` // 0: the client as a whole
	Errors  []string                   `json:"errors"`
	Success bool                       `json:"success"`
	Values  map[string]json.RawMessage `json:"values"`
}

// Encode makes the message; the channel adds ReplyFor. It fails if a value is not JSON.
func (r *InspectResponse) Encode() (*message.Message, error) {
	c := *r
	if c.Values == nil {
		c.Values = map[string]json.RawMessage{}
	}
	body, err := json.Marshal(&c)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrValue, err)
	}
	return connMessage(TypeInspectResponse, r.ConnID, body), nil
}

// ParseInspectResponse decodes the answer. A missing connection id is no error.
func ParseInspectResponse(m *message.Message) (*InspectResponse, error) {
	if err := check(m, TypeInspectResponse); err != nil {
		return nil, err
	}
	r := &InspectResponse{}
	if err := json.Unmarshal(m.Body, r); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrValue, err)
	}
	_ = fields(m.Headers, &r.ConnID, nil)
	return r, nil
}
