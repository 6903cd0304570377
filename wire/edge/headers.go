package edge

import (
	"encoding/binary"

	"github.com/weftnet/weft/wire/message"
)

// Header ids of the channel layer. Ids 128 to 255 of a request are copied to its reply.
const (
	HeaderConnectionID           int32 = 0  // string
	HeaderReplyFor               int32 = 1  // int32
	HeaderResultSuccess          int32 = 2  // bool
	HeaderHelloVersion           int32 = 4  // string, five parts joined by a vertical bar
	HeaderUnderlayType           int32 = 7  // string, UnderlayDefault or UnderlayControl
	HeaderID                     int32 = 8  // string
	HeaderIsGrouped              int32 = 9  // bool
	HeaderGroupSecret            int32 = 10 // bytes
	HeaderIsFirstGroupConnection int32 = 11 // bool
	HeaderUUID                   int32 = 128
	FirstReflectedHeader         int32 = 128
	LastReflectedHeader          int32 = 255
)

// Header ids of the edge protocol.
const (
	HeaderConnID                   int32 = 1000 // uint32
	HeaderSeq                      int32 = 1001 // uint32, informational
	HeaderSessionToken             int32 = 1002 // string
	HeaderPublicKey                int32 = 1003 // bytes
	HeaderCost                     int32 = 1004 // uint16
	HeaderPrecedence               int32 = 1005 // byte
	HeaderTerminatorIdentity       int32 = 1006 // string
	HeaderTerminatorIdentitySecret int32 = 1007 // bytes
	HeaderCallerID                 int32 = 1008 // string
	HeaderCryptoMethod             int32 = 1009 // byte, four bytes or text, depending on the client
	HeaderFlags                    int32 = 1010 // uint32
	HeaderAppData                  int32 = 1011 // bytes
	HeaderRouterProvidedConnID     int32 = 1012 // bool in Bind and its reply, uint32 in Dial
	HeaderHealthStatus             int32 = 1013 // bool
	HeaderErrorCode                int32 = 1014 // uint32
	HeaderTimestamp                int32 = 1015 // uint64, milliseconds
	HeaderTraceHopCount            int32 = 1016 // uint32
	HeaderTraceHopType             int32 = 1017 // string
	HeaderTraceHopID               int32 = 1018 // string
	HeaderTraceSourceRequestID     int32 = 1019 // uint32
	HeaderTraceError               int32 = 1020 // string
	HeaderListenerID               int32 = 1021 // bytes
	HeaderConnType                 int32 = 1022 // byte
	HeaderSupportsInspect          int32 = 1023 // bool
	HeaderSupportsBindSuccess      int32 = 1024 // bool
	HeaderConnectionMarker         int32 = 1025 // string
	HeaderCircuitID                int32 = 1026 // string
	HeaderStickinessToken          int32 = 1027 // bytes
	HeaderUseXgressToSdk           int32 = 1028 // bool
	HeaderXgressCtrlID             int32 = 1029 // string
	HeaderXgressAddress            int32 = 1030 // string
	HeaderInspectRequestedValues   int32 = 1031 // string list
	HeaderSupportsPostureChecks    int32 = 1032 // bool
	HeaderStructuredError          int32 = 1033 // string, JSON
	HeaderDialerIdentityID         int32 = 1034 // string
	HeaderDialerIdentityName       int32 = 1035 // string
	HeaderServiceID                int32 = 1036 // string
	HeaderServiceIdentifierType    int32 = 1037 // byte
	HeaderRouterCapabilities       int32 = 1039 // bytes, big-endian bit mask
)

// Values of HeaderUnderlayType.
const (
	UnderlayDefault = "edge.default"
	UnderlayControl = "edge.control"
)

// ConnID returns the connection id of a message; false if it has none.
func ConnID(h message.Headers) (uint32, bool) { return h.Uint32(HeaderConnID) }

// PatchConnID overwrites the connection id in place and reports whether there
// was one of the right size.
func PatchConnID(h message.Headers, id uint32) bool {
	v, ok := h.Get(HeaderConnID)
	if !ok || len(v) != 4 {
		return false
	}
	binary.LittleEndian.PutUint32(v, id)
	return true
}

// headerRoom is the room for the headers of an ordinary message, in bytes.
const headerRoom = 192

func newMessage(contentType int32, body []byte) *message.Message {
	m := message.New(contentType, body)
	m.Headers = make(message.Headers, 0, headerRoom)
	return m
}

func connMessage(contentType int32, connID uint32, body []byte) *message.Message {
	m := newMessage(contentType, body)
	m.Headers.PutUint32(HeaderConnID, connID)
	return m
}

func putText(h *message.Headers, id int32, v string) {
	if v != "" {
		h.PutString(id, v)
	}
}

func putRaw(h *message.Headers, id int32, v []byte) {
	if len(v) > 0 {
		h.PutBytes(id, v)
	}
}

func putTrue(h *message.Headers, id int32, v bool) {
	if v {
		h.PutBool(id, true)
	}
}

func isTrue(v []byte) bool { return len(v) > 0 && v[0] == 1 }

func setUint32(p *uint32, v []byte) {
	if len(v) == 4 {
		*p = binary.LittleEndian.Uint32(v)
	}
}

func setUint64(p *uint64, v []byte) {
	if len(v) == 8 {
		*p = binary.LittleEndian.Uint64(v)
	}
}

// fields calls f for every header and reports ErrConnID if the connection id is
// missing or has the wrong size.
func fields(h message.Headers, connID *uint32, f func(id int32, v []byte)) error {
	found := false
	h.Each(func(id int32, v []byte) bool {
		if id == HeaderConnID {
			if found = len(v) == 4; found {
				*connID = binary.LittleEndian.Uint32(v)
			}
		} else if f != nil {
			f(id, v)
		}
		return true
	})
	if !found {
		return ErrConnID
	}
	return nil
}
