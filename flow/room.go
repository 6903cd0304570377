package flow

// Room bounds what the ends of flow control in a process hold together. Each end
// has one of its own; its methods are called one at a time and must not block.
type Room interface {
	// Hold says how many bytes the end holds from now on: what it has sent and the
	// peer has not acknowledged, and what it has received and nobody has read.
	Hold(n int)
	// Share is how many bytes the end should hold at most in each direction.
	Share() int
}

// span is the window as far as there is room.
func (s *sender) span() int {
	if s.room == nil {
		return s.window
	}
	return min(s.window, max(s.room.Share(), s.least))
}

// tells is how many bytes the peer is told to be stored: more than there are if
// that is more than the share, so that the peer sends less.
func (r *receiver) tells(room Room) int {
	n := max(0, r.buffered)
	if room == nil || n <= reopenAt {
		return n
	}
	if share := room.Share(); n > share {
		return n + int(int64(n)*(fullPeer+1)/int64(max(share, 1)))
	}
	return n
}

// book tells of what the end holds.
func (m *machine) book() {
	if m.room != nil {
		m.room.Hold(m.inFlight + max(0, m.buffered))
	}
}
