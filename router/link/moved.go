package link

import "github.com/weftnet/weft/channel"

// Moved is what has moved on the connections of a link in a while, probes and
// what TLS adds included.
type Moved struct {
	BytesIn, BytesOut       uint64
	MessagesIn, MessagesOut uint64
}

func (m *Moved) add(was, is channel.Traffic) {
	m.BytesIn += is.In - was.In
	m.BytesOut += is.Out - was.Out
	m.MessagesIn += is.MessagesIn - was.MessagesIn
	m.MessagesOut += is.MessagesOut - was.MessagesOut
}

// DialPool returns how many dials wait, and how many are under way.
func (m *Manager) DialPool() (waiting, busy int) {
	m.pool.mu.Lock()
	defer m.pool.mu.Unlock()
	return len(m.pool.queue), m.pool.running
}
