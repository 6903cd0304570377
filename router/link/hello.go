package link

import (
	"errors"
	"fmt"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/wire/message"
)

// Headers of the hello of a connection. The version is in the one of the
// channel layer.
const (
	headerLinkID    int32 = 3000 // text, chosen by the dialer
	headerIteration int32 = 3001 // uint32, of the dialer's attempts at this link
	headerStarted   int32 = 3002 // uint64, when the dialer's process began, Unix nanoseconds
	headerRouterID  int32 = 3003 // text, of the dialer
	headerTarget    int32 = 3004 // text, id of the router that is meant
	headerDialer    int32 = 3005 // text, name of the dialer's interface
	headerListener  int32 = 3006 // text, name of the listener's interface as announced
	headerKind      int32 = 3007 // text, kind of the connection
	headerJoins     int32 = 3008 // bool, a further connection of a link that exists
	headerSplit     int32 = 3009 // bool, there will be connections for acknowledgements
	headerAddress   int32 = 3010 // text, host:port that was dialed
)

// hello is the first message of a connection.
type hello struct {
	linkID    string
	iteration uint32
	started   uint64
	routerID  string
	target    string
	dialer    string
	listener  string
	kind      string
	joins     bool
	split     bool
	address   string
	version   string
}

func (h *hello) message() message.Message {
	var m message.Message
	put := &m.Headers
	put.PutString(channel.HeaderHelloVersion, h.version)
	put.PutString(headerLinkID, h.linkID)
	put.PutUint32(headerIteration, h.iteration)
	put.PutUint64(headerStarted, h.started)
	put.PutString(headerRouterID, h.routerID)
	put.PutString(headerTarget, h.target)
	put.PutString(headerDialer, h.dialer)
	put.PutString(headerListener, h.listener)
	put.PutString(headerKind, h.kind)
	put.PutBool(headerJoins, h.joins)
	put.PutBool(headerSplit, h.split)
	put.PutString(headerAddress, h.address)
	return m
}

// maxText bounds every text of a hello in bytes.
const maxText = 256

// parseHello reads a hello. Whatever it says is a claim.
func parseHello(from message.Headers) (*hello, error) {
	h := &hello{
		linkID:   from.String(headerLinkID),
		routerID: from.String(headerRouterID),
		target:   from.String(headerTarget),
		dialer:   from.String(headerDialer),
		listener: from.String(headerListener),
		kind:     from.String(headerKind),
		joins:    from.Bool(headerJoins),
		split:    from.Bool(headerSplit),
		address:  from.String(headerAddress),
		version:  from.String(channel.HeaderHelloVersion),
	}
	var ok1, ok2 bool
	h.iteration, ok1 = from.Uint32(headerIteration)
	h.started, ok2 = from.Uint64(headerStarted)
	if !ok1 || !ok2 {
		return nil, errors.New("the hello is not that of a link")
	}
	for _, s := range []string{h.linkID, h.routerID, h.target, h.dialer, h.listener} {
		if s == "" || len(s) > maxText {
			return nil, fmt.Errorf("a text of the hello is empty or longer than %d bytes", maxText)
		}
	}
	if len(h.address) > maxText || len(h.version) > maxText {
		return nil, fmt.Errorf("a text of the hello is longer than %d bytes", maxText)
	}
	if h.kind != KindPayload && (h.kind != KindAck || !h.joins) {
		return nil, fmt.Errorf("%.40q is no kind of connection that may come now", h.kind)
	}
	return h, nil
}

// newer reports whether h is a later attempt of the same process than the one
// that made l, or of a later process; known tells whether that can be said.
func (h *hello) newer(l *Link) (newer, known bool) {
	if h.started != l.started {
		return h.started > l.started, h.started > l.started
	}
	if h.linkID != l.id {
		return false, false
	}
	return h.iteration > l.iteration, true
}

// keyOf names the link between two interfaces, whoever dials.
func keyOf(routerA, nameA, routerB, nameB string) string {
	a, b := routerA+"/"+nameA, routerB+"/"+nameB
	if a > b {
		a, b = b, a
	}
	return a + "~" + b
}
