package edge

import (
	"math/bits"
	"strings"

	"github.com/weftnet/weft/wire/message"
)

// Hello is the first message of a client.
type Hello struct {
	Token           string // API session token
	Grouped         bool   // asks for a channel of several connections
	First           bool   // first connection of a group
	UnderlayType    string // UnderlayDefault or UnderlayControl, with Grouped
	ConnectionID    string // further connections of a group
	GroupSecret     []byte // further connections of a group
	SupportsInspect bool
	Body            []byte // free identification of the client
}

// Encode makes the message. Clients of the field use sequence -1 or 1.
func (h *Hello) Encode() *message.Message {
	m := newMessage(TypeHello, h.Body)
	putText(&m.Headers, HeaderConnectionID, h.ConnectionID)
	putText(&m.Headers, HeaderUnderlayType, h.UnderlayType)
	putTrue(&m.Headers, HeaderIsGrouped, h.Grouped)
	putRaw(&m.Headers, HeaderGroupSecret, h.GroupSecret)
	putTrue(&m.Headers, HeaderIsFirstGroupConnection, h.First)
	putText(&m.Headers, HeaderSessionToken, h.Token)
	putTrue(&m.Headers, HeaderSupportsInspect, h.SupportsInspect)
	return m
}

// ParseHello decodes a hello; every header is optional.
func ParseHello(m *message.Message) (*Hello, error) {
	h := &Hello{Body: m.Body}
	m.Headers.Each(func(id int32, v []byte) bool {
		switch id {
		case HeaderConnectionID:
			h.ConnectionID = string(v)
		case HeaderUnderlayType:
			h.UnderlayType = string(v)
		case HeaderIsGrouped:
			h.Grouped = isTrue(v)
		case HeaderGroupSecret:
			h.GroupSecret = v
		case HeaderIsFirstGroupConnection:
			h.First = isTrue(v)
		case HeaderSessionToken:
			h.Token = string(v)
		case HeaderSupportsInspect:
			h.SupportsInspect = isTrue(v)
		}
		return true
	})
	return h, check(m, TypeHello)
}

// HelloResult is the router's answer to a hello.
type HelloResult struct {
	Success             bool
	Message             string // body, the reason of a failure
	RouterID            string
	Version             Version
	ConnectionID        string
	Grouped             bool
	UnderlayType        string
	GroupSecret         []byte
	SupportsBindSuccess bool
	SupportsPosture     bool
	Capabilities        Capabilities // 0: not sent
	Error               *StructuredError
}

// Encode makes the message; the channel adds ReplyFor.
func (r *HelloResult) Encode() *message.Message {
	m := newMessage(TypeResult, []byte(r.Message))
	h := &m.Headers
	h.PutBool(HeaderResultSuccess, r.Success)
	putText(h, HeaderConnectionID, r.ConnectionID)
	putText(h, HeaderHelloVersion, r.Version.String())
	putText(h, HeaderUnderlayType, r.UnderlayType)
	putText(h, HeaderID, r.RouterID)
	putTrue(h, HeaderIsGrouped, r.Grouped)
	putRaw(h, HeaderGroupSecret, r.GroupSecret)
	putTrue(h, HeaderSupportsBindSuccess, r.SupportsBindSuccess)
	putTrue(h, HeaderSupportsPostureChecks, r.SupportsPosture)
	putRaw(h, HeaderRouterCapabilities, r.Capabilities.Append(nil))
	r.Error.put(h)
	return m
}

// ParseHelloResult decodes the answer to a hello.
func ParseHelloResult(m *message.Message) (*HelloResult, error) {
	r := &HelloResult{Message: string(m.Body), Error: ParseStructuredError(m)}
	m.Headers.Each(func(id int32, v []byte) bool {
		switch id {
		case HeaderResultSuccess:
			r.Success = isTrue(v)
		case HeaderConnectionID:
			r.ConnectionID = string(v)
		case HeaderHelloVersion:
			r.Version = ParseVersion(string(v))
		case HeaderUnderlayType:
			r.UnderlayType = string(v)
		case HeaderID:
			r.RouterID = string(v)
		case HeaderIsGrouped:
			r.Grouped = isTrue(v)
		case HeaderGroupSecret:
			r.GroupSecret = v
		case HeaderSupportsBindSuccess:
			r.SupportsBindSuccess = isTrue(v)
		case HeaderSupportsPostureChecks:
			r.SupportsPosture = isTrue(v)
		case HeaderRouterCapabilities:
			r.Capabilities = ParseCapabilities(v)
		}
		return true
	})
	return r, check(m, TypeResult)
}

// Version is what a router says of its build: five texts joined by a vertical bar.
type Version struct {
	Version, Revision, BuildDate, OS, Arch string
}

// String joins the parts; a zero Version is the empty text.
func (v Version) String() string {
	if v == (Version{}) {
		return ""
	}
	return strings.Join([]string{v.Version, v.Revision, v.BuildDate, v.OS, v.Arch}, "|")
}

// ParseVersion splits a version text; a text of fewer parts leaves the last ones empty.
func ParseVersion(s string) Version {
	p := append(strings.SplitN(s, "|", 5), "", "", "", "")
	return Version{p[0], p[1], p[2], p[3], p[4]}
}

// Capabilities is the set of things a router can do.
type Capabilities uint64

// Capabilities of a router.
const (
	CapMultiChannel         Capabilities = 1 << 1
	CapConnectV2            Capabilities = 1 << 2
	CapServiceSubscriptions Capabilities = 1 << 4
	CapPostureChecks        Capabilities = 1 << 5
	CapBindSuccess          Capabilities = 1 << 6
)

// Append appends the big-endian form without leading zero bytes.
func (c Capabilities) Append(b []byte) []byte {
	for n := (bits.Len64(uint64(c)) + 7) / 8; n > 0; n-- {
		b = append(b, byte(c>>(8*(n-1))))
	}
	return b
}

// ParseCapabilities reads the big-endian form; bits beyond the 64th are dropped.
func ParseCapabilities(b []byte) Capabilities {
	var c Capabilities
	for _, x := range b {
		c = c<<8 | Capabilities(x)
	}
	return c
}
