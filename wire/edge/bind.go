package edge

import (
	"encoding/binary"

	"github.com/weftnet/weft/wire/message"
)

// Values of HeaderPrecedence.
const (
	PrecedenceDefault  byte = 0
	PrecedenceRequired byte = 1
	PrecedenceFailed   byte = 2
)

// Bind offers to host a service.
type Bind struct {
	ConnID              uint32
	Token               []byte // service session token, the body
	ListenerID          []byte // names one logical listener of an identity over all routers
	PublicKey           []byte // the host's, if the service needs encryption
	CryptoMethod        []byte // verbatim
	Cost                uint16
	Precedence          byte
	Instance            string // terminator identity
	InstanceSecret      []byte
	RouterConnID        bool // the router chooses the ids of accepted connections
	SupportsInspect     bool
	SupportsBindSuccess bool
	UseXgress           bool // asks for client-side flow control
}

// Encode makes the message.
func (b *Bind) Encode() *message.Message {
	m := connMessage(TypeBind, b.ConnID, b.Token)
	h := &m.Headers
	putRaw(h, HeaderListenerID, b.ListenerID)
	putRaw(h, HeaderPublicKey, b.PublicKey)
	putRaw(h, HeaderCryptoMethod, b.CryptoMethod)
	if b.Cost > 0 {
		h.PutUint16(HeaderCost, b.Cost)
	}
	if b.Precedence != PrecedenceDefault {
		h.PutByte(HeaderPrecedence, b.Precedence)
	}
	putText(h, HeaderTerminatorIdentity, b.Instance)
	putRaw(h, HeaderTerminatorIdentitySecret, b.InstanceSecret)
	putTrue(h, HeaderRouterProvidedConnID, b.RouterConnID)
	putTrue(h, HeaderSupportsInspect, b.SupportsInspect)
	putTrue(h, HeaderSupportsBindSuccess, b.SupportsBindSuccess)
	h.PutBool(HeaderUseXgressToSdk, b.UseXgress)
	return m
}

// ParseBind decodes a bind request.
func ParseBind(m *message.Message) (*Bind, error) {
	if err := check(m, TypeBind); err != nil {
		return nil, err
	}
	b := &Bind{Token: m.Body}
	err := fields(m.Headers, &b.ConnID, func(id int32, v []byte) {
		switch id {
		case HeaderListenerID:
			b.ListenerID = v
		case HeaderPublicKey:
			b.PublicKey = v
		case HeaderCryptoMethod:
			b.CryptoMethod = v
		case HeaderCost:
			if len(v) == 2 {
				b.Cost = binary.LittleEndian.Uint16(v)
			}
		case HeaderPrecedence:
			if len(v) > 0 {
				b.Precedence = v[0]
			}
		case HeaderTerminatorIdentity:
			b.Instance = string(v)
		case HeaderTerminatorIdentitySecret:
			b.InstanceSecret = v
		case HeaderRouterProvidedConnID:
			b.RouterConnID = isTrue(v)
		case HeaderSupportsInspect:
			b.SupportsInspect = isTrue(v)
		case HeaderSupportsBindSuccess:
			b.SupportsBindSuccess = isTrue(v)
		case HeaderUseXgressToSdk:
			b.UseXgress = isTrue(v)
		}
	})
	return b, err
}

// BindSuccess says that the terminator of a Bind exists at the controller. It is not a reply.
type BindSuccess struct{ ConnID uint32 }

// Encode makes the message.
func (b *BindSuccess) Encode() *message.Message { return connMessage(TypeBindSuccess, b.ConnID, nil) }

// ParseBindSuccess decodes the report of an established terminator.
func ParseBindSuccess(m *message.Message) (*BindSuccess, error) {
	if err := check(m, TypeBindSuccess); err != nil {
		return nil, err
	}
	b := &BindSuccess{}
	return b, fields(m.Headers, &b.ConnID, nil)
}

// UpdateBind changes the cost or precedence of a hosted terminator. There is no reply on success.
type UpdateBind struct {
	ConnID     uint32
	Token      []byte  // service session token, the body
	Cost       *uint16 // nil: unchanged
	Precedence *byte   // nil: unchanged
}

// Encode makes the message.
func (u *UpdateBind) Encode() *message.Message {
	m := connMessage(TypeUpdateBind, u.ConnID, u.Token)
	if u.Cost != nil {
		m.Headers.PutUint16(HeaderCost, *u.Cost)
	}
	if u.Precedence != nil {
		m.Headers.PutByte(HeaderPrecedence, *u.Precedence)
	}
	return m
}

// ParseUpdateBind decodes a change of cost or precedence.
func ParseUpdateBind(m *message.Message) (*UpdateBind, error) {
	if err := check(m, TypeUpdateBind); err != nil {
		return nil, err
	}
	u := &UpdateBind{Token: m.Body}
	err := fields(m.Headers, &u.ConnID, func(id int32, v []byte) {
		switch {
		case id == HeaderCost && len(v) == 2:
			c := binary.LittleEndian.Uint16(v)
			u.Cost = &c
		case id == HeaderPrecedence && len(v) > 0:
			p := v[0]
			u.Precedence = &p
		}
	})
	return u, err
}

// Unbind ends a listener. Connections that it accepted go on.
type Unbind struct {
	ConnID     uint32
	Token      []byte // service session token, the body
	ListenerID []byte // sent by some clients
}

// Encode makes the message.
func (u *Unbind) Encode() *message.Message {
	m := connMessage(TypeUnbind, u.ConnID, u.Token)
	putRaw(&m.Headers, HeaderListenerID, u.ListenerID)
	return m
}

// ParseUnbind decodes the end of a listener.
func ParseUnbind(m *message.Message) (*Unbind, error) {
	if err := check(m, TypeUnbind); err != nil {
		return nil, err
	}
	u := &Unbind{Token: m.Body}
	err := fields(m.Headers, &u.ConnID, func(id int32, v []byte) {
		if id == HeaderListenerID {
			u.ListenerID = v
		}
	})
	return u, err
}

// HealthEvent reports the result of a health check of what a listener serves. There is no reply on success.
type HealthEvent struct {
	ConnID uint32
	Token  []byte // service session token, the body
	Passed bool
}

// Encode makes the message.
func (e *HealthEvent) Encode() *message.Message {
	m := connMessage(TypeHealthEvent, e.ConnID, e.Token)
	m.Headers.PutBool(HeaderHealthStatus, e.Passed)
	return m
}

// ParseHealthEvent decodes the result of a health check.
func ParseHealthEvent(m *message.Message) (*HealthEvent, error) {
	if err := check(m, TypeHealthEvent); err != nil {
		return nil, err
	}
	e := &HealthEvent{Token: m.Body}
	err := fields(m.Headers, &e.ConnID, func(id int32, v []byte) {
		if id == HeaderHealthStatus {
			e.Passed = isTrue(v)
		}
	})
	return e, err
}
