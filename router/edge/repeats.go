package edge

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftnet/weft/wire/message"
	"github.com/weftnet/weft/wire/xgress"
)

// patience is how long a circuit may stand still before retransmissions are
// believed to be needed.
const patience = 250 * time.Millisecond

const (
	nearFull    = 3 << 20 // bytes stored at a receiver of which it may drop more
	missingMost = 1 << 14 // payloads of which is known that the receiver lacks them
)

// repeats says which retransmissions of a client are passed on. Clients of the
// field repeat payloads after a round trip of any length. Nothing gets lost
// here, so that most of it is a waste; but receivers of the field drop what they
// have no room for, and then all depends on the repetition. What a receiver
// lacks shows in its acknowledgements, which come in the order in which it got
// the payloads:
//
//   - it has acknowledged later payloads;
//   - its store was nearly full, and now has room;
//   - it acknowledges nothing any more, for longer than patience.
//
// Whatever is believed to be missing may be repeated once for each such sign.
type repeats struct {
	highest  atomic.Int32 // payload passed on
	rerouted atomic.Bool  // the circuit has another path since the last message
	acks     atomic.Uint64

	mu      sync.Mutex
	suspect int32              // payloads up to this one went by a path that is gone, -1 for none
	acked   int32              // highest one that was acknowledged, -1 for none
	missing map[int32]struct{} // may be repeated once; nil when empty
	full    bool               // the receiver's store was nearly full

	// How far the circuit was when a retransmission was dropped.
	then struct {
		highest int32
		acks    uint64
		at      time.Time
	}
}

func (r *repeats) init() { r.suspect, r.acked = -1, -1 }

// acknowledged takes an acknowledgement of the receiver.
func (r *repeats) acknowledged(m *message.Message) {
	r.acks.Add(1)
	a, err := xgress.ParseAck(m)
	if err != nil {
		return
	}
	highest := r.highest.Load()
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range a.Len() {
		seq := a.Seq(i)
		switch {
		case seq > highest: // never sent
		case seq <= r.acked:
			r.found(seq)
		default:
			r.lacks(seq - 1)
			r.found(seq)
			r.acked = seq
		}
	}
	switch {
	case a.RecvBuffer == xgress.UnknownRecvBuffer:
	case a.RecvBuffer >= nearFull:
		r.full = true
	case r.full && a.RecvBuffer < nearFull/2:
		r.full = false
		r.lacks(highest)
	}
}

// lacks notes that the receiver has nothing from behind the highest payload that
// it has acknowledged up to another one, with the lock held.
func (r *repeats) lacks(last int32) {
	count := int64(last) - int64(r.acked)
	if count <= 0 {
		return
	}
	if count+int64(len(r.missing)) > missingMost {
		r.suspect = max(r.suspect, last)
		return
	}
	if r.missing == nil {
		r.missing = make(map[int32]struct{})
	}
	for seq := r.acked + 1; seq <= last; seq++ {
		r.missing[seq] = struct{}{}
	}
}

// found forgets that a payload is missing, with the lock held.
func (r *repeats) found(seq int32) bool {
	if _, is := r.missing[seq]; !is {
		return false
	}
	if delete(r.missing, seq); len(r.missing) == 0 {
		r.missing = nil
	}
	return true
}

// needless reports a retransmission of what was passed on already and is not
// missing. It is for the reading goroutine of the client.
func (r *repeats) needless(a xgress.Address, lossy bool) bool {
	highest := r.highest.Load()
	if r.rerouted.Load() && r.rerouted.Swap(false) {
		r.mu.Lock()
		r.suspect = highest
		r.mu.Unlock()
	}
	if a.Flags&xgress.FlagRetransmit == 0 || a.Seq > highest {
		if a.Seq > highest {
			r.highest.Store(a.Seq)
		}
		return false
	}
	if lossy {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if a.Seq <= r.suspect || r.found(a.Seq) {
		return false
	}
	now, acks := time.Now(), r.acks.Load()
	if r.then.at.IsZero() || r.then.highest != highest || r.then.acks != acks {
		r.then.highest, r.then.acks, r.then.at = highest, acks, now
		return true
	}
	if now.Sub(r.then.at) < patience {
		return true
	}
	r.then.at = now
	r.lacks(highest)
	r.found(a.Seq)
	return false
}
