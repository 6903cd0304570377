package flow

import (
	"testing"
	"time"
)

// someRoom is a Room with a fixed share.
type someRoom struct{ share, held int }

func (r *someRoom) Hold(n int) { r.held = n }
func (r *someRoom) Share() int { return r.share }

func TestShareBoundsWhatIsSent(t *testing.T) {
	room := &someRoom{share: 100 << 10}
	c := Config{Circuit: "c", Window: 1 << 20, Room: room}
	c = c.withDefaults()
	m := newMachine(&c)
	send := func() (n int) {
		for m.ready() {
			m.push(time.Second, sent{buf: newBuffer(10 << 10)})
			n++
		}
		m.book()
		return n
	}
	if n := send(); n != 10 {
		t.Errorf("%d payloads of 10 KiB go into 100 KiB", n)
	}
	if room.held != m.inFlight || room.held == 0 {
		t.Errorf("%d bytes are booked, not %d", room.held, m.inFlight)
	}
	room.share = 1 << 30
	if n := send(); n < 80 {
		t.Errorf("with room for all %d more go into a window of 1 MiB", n)
	}
	for i := range m.next {
		m.sender.ack(time.Second, i)
	}
	if m.book(); room.held != 0 {
		t.Errorf("%d bytes stay booked", room.held)
	}
}

// TestShareIsToldToThePeer: what is stored beyond the share makes the peer's
// window shrink.
func TestShareIsToldToThePeer(t *testing.T) {
	r := receiver{buffered: 200 << 10}
	if n := r.tells(nil); n != r.buffered {
		t.Errorf("without a bound: %d", n)
	}
	room := &someRoom{share: 300 << 10}
	if n := r.tells(room); n != r.buffered {
		t.Errorf("within the share: %d", n)
	}
	room.share = 100 << 10
	if n := r.tells(room); n <= fullPeer {
		t.Errorf("beyond the share: %d", n)
	}
	r.buffered = reopenAt
	if n := r.tells(room); n != reopenAt {
		t.Errorf("so little that nothing would be said when it is read: %d", n)
	}
}
