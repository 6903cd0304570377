package link

import "testing"

// TestQueuesOfKinds: connections for payloads and for acknowledgements have
// bounds of their own, unless the options of a listener or dialer set one.
func TestQueuesOfKinds(t *testing.T) {
	m := &Manager{cfg: Config{PayloadQueue: 11, AckQueue: 7}}
	for _, tt := range []struct {
		kind       string
		own, bound int
	}{{KindPayload, 0, 11}, {KindAck, 0, 7}, {KindPayload, 5, 5}, {KindAck, 5, 5}} {
		if got := m.channelOptions(Options{Queue: tt.own}, tt.kind).QueueMessages; got != tt.bound {
			t.Errorf("%s with %d of its own: %d", tt.kind, tt.own, got)
		}
	}
}
