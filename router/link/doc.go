// Package link connects routers with each other. A Manager accepts and dials
// links, keeps one for each pair of router interfaces, measures them, notices
// when they die, and makes them anew.
//
// A link is one or more TLS connections of package channel. Messages of circuits
// cross it in the very bytes they came in; a circuit stays on one connection for
// payloads, so that they keep their order. The dialing side says hello with the
// id that it chose for the link; both sides know each other by the verified leaf
// of the handshake alone, without asking a controller.
package link

// ALPN is the protocol name of links.
const ALPN = "weft-link"

// Kinds of connections.
const (
	KindPayload = "link.default" // payloads, and all else where there is no other
	KindAck     = "link.ack"     // acknowledgements and control messages
)
