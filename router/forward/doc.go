// Package forward carries circuits through a router. A circuit has an initiator
// and a terminator side; what arrives from one side goes to the destination of
// the other: an SDK's channel, an end of flow control in this process (a
// client that keeps no window of its own, a dialed server), and later a link.
//
// A message is passed on in the memory it was received in. Destinations never
// block: what waits for a slow receiver waits in a queue of its circuit, which
// the windows of flow control bound, so that nobody else waits with it.
package forward
