package edge

import "github.com/weftnet/weft/wire/message"

// Connect asks the router to dial a service. With ServiceID set it is the form
// without a service session (content type ConnectV2).
type Connect struct {
	ConnID          uint32
	Token           []byte // service session token, the body
	ServiceID       string // ConnectV2: id or name of the service
	ServiceByName   bool   // ConnectV2: ServiceID is a name
	PublicKey       []byte // the dialer's, if the service needs encryption
	CryptoMethod    []byte // verbatim; clients encode it differently
	Instance        string // addresses the terminators of one instance
	CallerID        string // what the dialer says of itself; proves nothing
	AppData         []byte
	Marker          string // correlates logs, 8 characters
	StickinessToken []byte
	UseXgress       bool // asks for client-side flow control
}

// Encode makes the message.
func (c *Connect) Encode() *message.Message {
	t := TypeConnect
	if c.ServiceID != "" {
		t = TypeConnectV2
	}
	m := connMessage(t, c.ConnID, c.Token)
	h := &m.Headers
	putRaw(h, HeaderPublicKey, c.PublicKey)
	putRaw(h, HeaderCryptoMethod, c.CryptoMethod)
	putText(h, HeaderTerminatorIdentity, c.Instance)
	putText(h, HeaderCallerID, c.CallerID)
	putRaw(h, HeaderAppData, c.AppData)
	putText(h, HeaderConnectionMarker, c.Marker)
	putRaw(h, HeaderStickinessToken, c.StickinessToken)
	h.PutBool(HeaderUseXgressToSdk, c.UseXgress)
	if c.ServiceID != "" {
		h.PutString(HeaderServiceID, c.ServiceID)
		by := byte(0)
		if c.ServiceByName {
			by = 1
		}
		h.PutByte(HeaderServiceIdentifierType, by)
	}
	return m
}

// ParseConnect decodes Connect and ConnectV2.
func ParseConnect(m *message.Message) (*Connect, error) {
	c := &Connect{Token: m.Body}
	if m.Type != TypeConnectV2 {
		if err := check(m, TypeConnect); err != nil {
			return nil, err
		}
	}
	err := fields(m.Headers, &c.ConnID, func(id int32, v []byte) {
		switch id {
		case HeaderServiceID:
			c.ServiceID = string(v)
		case HeaderServiceIdentifierType:
			c.ServiceByName = isTrue(v)
		case HeaderPublicKey:
			c.PublicKey = v
		case HeaderCryptoMethod:
			c.CryptoMethod = v
		case HeaderTerminatorIdentity:
			c.Instance = string(v)
		case HeaderCallerID:
			c.CallerID = string(v)
		case HeaderAppData:
			c.AppData = v
		case HeaderConnectionMarker:
			c.Marker = string(v)
		case HeaderStickinessToken:
			c.StickinessToken = v
		case HeaderUseXgressToSdk:
			c.UseXgress = isTrue(v)
		}
	})
	return c, err
}

// StateConnected accepts a Connect or a Bind.
type StateConnected struct {
	ConnID          uint32
	CircuitID       string // answers to Connect
	PublicKey       []byte // the host's
	StickinessToken []byte
	UseXgress       bool // client-side flow control granted
	XgressCtrlID    string
	XgressAddress   string
	RouterConnID    bool // answers to Bind: the router chooses the ids of accepted connections
}

// Encode makes the message; the channel adds ReplyFor.
func (s *StateConnected) Encode() *message.Message {
	m := connMessage(TypeStateConnected, s.ConnID, nil)
	h := &m.Headers
	putText(h, HeaderCircuitID, s.CircuitID)
	putRaw(h, HeaderPublicKey, s.PublicKey)
	putRaw(h, HeaderStickinessToken, s.StickinessToken)
	putTrue(h, HeaderRouterProvidedConnID, s.RouterConnID)
	if s.UseXgress {
		h.PutBool(HeaderUseXgressToSdk, true)
		h.PutString(HeaderXgressCtrlID, s.XgressCtrlID)
		h.PutString(HeaderXgressAddress, s.XgressAddress)
	}
	return m
}

// ParseStateConnected decodes the acceptance of a Connect or Bind.
func ParseStateConnected(m *message.Message) (*StateConnected, error) {
	if err := check(m, TypeStateConnected); err != nil {
		return nil, err
	}
	s := &StateConnected{}
	err := fields(m.Headers, &s.ConnID, func(id int32, v []byte) {
		switch id {
		case HeaderCircuitID:
			s.CircuitID = string(v)
		case HeaderPublicKey:
			s.PublicKey = v
		case HeaderStickinessToken:
			s.StickinessToken = v
		case HeaderUseXgressToSdk:
			s.UseXgress = isTrue(v)
		case HeaderXgressCtrlID:
			s.XgressCtrlID = string(v)
		case HeaderXgressAddress:
			s.XgressAddress = string(v)
		case HeaderRouterProvidedConnID:
			s.RouterConnID = len(v) == 1 && v[0] == 1
		}
	})
	return s, err
}

// StateClosed refuses a Connect or Bind (as a reply) or ends a connection.
type StateClosed struct {
	ConnID    uint32
	Reason    string           // body; never empty in a refusal, some clients read that as "session invalid"
	CircuitID string           // refusals, if a circuit id was allocated
	Error     *StructuredError // may be nil
}

// Encode makes the message; the channel adds ReplyFor to a refusal.
func (s *StateClosed) Encode() *message.Message {
	m := connMessage(TypeStateClosed, s.ConnID, []byte(s.Reason))
	putText(&m.Headers, HeaderCircuitID, s.CircuitID)
	s.Error.put(&m.Headers)
	return m
}

// ParseStateClosed decodes the end of a connection. Error is made from header
// 1014 alone if there is no readable structured error.
func ParseStateClosed(m *message.Message) (*StateClosed, error) {
	if err := check(m, TypeStateClosed); err != nil {
		return nil, err
	}
	s := &StateClosed{Reason: string(m.Body), Error: ParseStructuredError(m)}
	err := fields(m.Headers, &s.ConnID, func(id int32, v []byte) {
		if id == HeaderCircuitID {
			s.CircuitID = string(v)
		}
	})
	return s, err
}
