// Package flow is the end-to-end flow control of a circuit. Each direction is a
// sequence of numbered payloads that the receiver acknowledges one by one; a
// sender keeps a payload until it is acknowledged.
//
// Credit, not loss, limits a sender:
//
//	credit = window - unacknowledged bytes - bytes the peer holds undelivered
//
// The window never exceeds what a receiver stores, so nothing ever overflows and
// nothing is repaired that was not lost by a broken path. Retransmission exists
// to survive a reroute; its timer runs only while something is unacknowledged.
//
// The state machine (machine, sender, receiver) is pure: it is fed payloads,
// acknowledgements and the time, and yields messages. Conn drives it: a blocking
// net.Conn, or by callbacks for a relay. An idle Conn has no goroutine, no
// running timer and no buffer.
package flow
