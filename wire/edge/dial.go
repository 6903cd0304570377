package edge

import (
	"encoding/binary"

	"github.com/weftnet/weft/wire/message"
)

// Dial offers a circuit to a host.
type Dial struct {
	ConnID        uint32 // the listener's
	NewConnID     uint32 // id of the new connection, if RouterConnID
	RouterConnID  bool   // the router has chosen NewConnID
	Token         []byte // token of the Bind, the body
	CallerID      string // what the dialer says of itself; proves nothing
	CircuitID     string
	PublicKey     []byte // the dialer's
	CryptoMethod  []byte // verbatim
	AppData       []byte
	Marker        string
	DialerID      string // identity id, from the router
	DialerName    string // identity name, from the router
	UseXgress     bool   // client-side flow control granted
	XgressCtrlID  string
	XgressAddress string
}

// Encode makes the message.
func (d *Dial) Encode() *message.Message {
	m := connMessage(TypeDial, d.ConnID, d.Token)
	h := &m.Headers
	if d.RouterConnID {
		h.PutUint32(HeaderRouterProvidedConnID, d.NewConnID)
	}
	h.PutString(HeaderCallerID, d.CallerID)
	putText(h, HeaderCircuitID, d.CircuitID)
	putRaw(h, HeaderPublicKey, d.PublicKey)
	putRaw(h, HeaderCryptoMethod, d.CryptoMethod)
	putRaw(h, HeaderAppData, d.AppData)
	putText(h, HeaderConnectionMarker, d.Marker)
	putText(h, HeaderDialerIdentityID, d.DialerID)
	putText(h, HeaderDialerIdentityName, d.DialerName)
	if d.UseXgress {
		h.PutBool(HeaderUseXgressToSdk, true)
		h.PutString(HeaderXgressCtrlID, d.XgressCtrlID)
		h.PutString(HeaderXgressAddress, d.XgressAddress)
	}
	return m
}

// ParseDial decodes the offer of a circuit.
func ParseDial(m *message.Message) (*Dial, error) {
	if err := check(m, TypeDial); err != nil {
		return nil, err
	}
	d := &Dial{Token: m.Body}
	err := fields(m.Headers, &d.ConnID, func(id int32, v []byte) {
		switch id {
		case HeaderRouterProvidedConnID:
			d.RouterConnID = len(v) == 4
			setUint32(&d.NewConnID, v)
		case HeaderCallerID:
			d.CallerID = string(v)
		case HeaderCircuitID:
			d.CircuitID = string(v)
		case HeaderPublicKey:
			d.PublicKey = v
		case HeaderCryptoMethod:
			d.CryptoMethod = v
		case HeaderAppData:
			d.AppData = v
		case HeaderConnectionMarker:
			d.Marker = string(v)
		case HeaderDialerIdentityID:
			d.DialerID = string(v)
		case HeaderDialerIdentityName:
			d.DialerName = string(v)
		case HeaderUseXgressToSdk:
			d.UseXgress = isTrue(v)
		case HeaderXgressCtrlID:
			d.XgressCtrlID = string(v)
		case HeaderXgressAddress:
			d.XgressAddress = string(v)
		}
	})
	return d, err
}

// DialSuccess accepts a Dial.
type DialSuccess struct {
	ConnID    uint32 // the listener's
	NewConnID uint32 // body; some hosts send an id of their own: ignore it if the router chose the id
	PublicKey []byte // replaces the key of the Bind for this connection
}

// Encode makes the message; the channel adds ReplyFor.
func (d *DialSuccess) Encode() *message.Message {
	m := connMessage(TypeDialSuccess, d.ConnID, binary.LittleEndian.AppendUint32(nil, d.NewConnID))
	putRaw(&m.Headers, HeaderPublicKey, d.PublicKey)
	return m
}

// ParseDialSuccess decodes the acceptance of a circuit. A body of another size
// than four bytes leaves NewConnID zero.
func ParseDialSuccess(m *message.Message) (*DialSuccess, error) {
	if err := check(m, TypeDialSuccess); err != nil {
		return nil, err
	}
	d := &DialSuccess{}
	setUint32(&d.NewConnID, m.Body)
	err := fields(m.Headers, &d.ConnID, func(id int32, v []byte) {
		if id == HeaderPublicKey {
			d.PublicKey = v
		}
	})
	return d, err
}

// DialFailed rejects a Dial.
type DialFailed struct {
	ConnID uint32 // the listener's
	Reason string // body
}

// Encode makes the message; the channel adds ReplyFor.
func (d *DialFailed) Encode() *message.Message {
	return connMessage(TypeDialFailed, d.ConnID, []byte(d.Reason))
}

// ParseDialFailed decodes the rejection of a circuit.
func ParseDialFailed(m *message.Message) (*DialFailed, error) {
	if err := check(m, TypeDialFailed); err != nil {
		return nil, err
	}
	d := &DialFailed{Reason: string(m.Body)}
	return d, fields(m.Headers, &d.ConnID, nil)
}
