package edge

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/weftnet/weft/wire/xgress"
)

// repeatsAfter is the state after first transmissions of the payloads 0 to 99.
func repeatsAfter(t *testing.T) (r *repeats, repeat func(seq int32) bool, ack func(stored uint32, seqs ...int32)) {
	t.Helper()
	r = &repeats{}
	r.init()
	for seq := range int32(100) {
		if r.needless(xgress.Address{Seq: seq}, false) {
			t.Fatal("a first transmission is dropped")
		}
	}
	repeat = func(seq int32) bool {
		return !r.needless(xgress.Address{Seq: seq, Flags: xgress.FlagRetransmit}, false)
	}
	ack = func(stored uint32, seqs ...int32) {
		a := xgress.Ack{Circuit: []byte("c"), RecvBuffer: stored}
		for _, seq := range seqs {
			a.Seqs = xgress.AppendSeq(a.Seqs, seq)
		}
		m := a.Message(nil)
		r.acknowledged(&m)
	}
	return r, repeat, ack
}

// TestRepeatsOfHoles: what the receiver has not acknowledged although it has
// later payloads is repeated, once, and nothing else.
func TestRepeatsOfHoles(t *testing.T) {
	_, repeat, ack := repeatsAfter(t)
	ack(0, 0, 1, 2, 7, 8)
	ack(0, 4)
	for seq := range int32(20) {
		missing := seq == 3 || seq == 5 || seq == 6
		if got := repeat(seq); got != missing {
			t.Errorf("payload %d: passed on %v", seq, got)
		}
		if repeat(seq) {
			t.Errorf("payload %d is passed on twice", seq)
		}
	}
}

// TestRepeatsForFullReceiver: a receiver that had no room and has some now may
// have dropped everything that it has not acknowledged.
func TestRepeatsForFullReceiver(t *testing.T) {
	_, repeat, ack := repeatsAfter(t)
	ack(2<<20, 9)
	ack(1000)
	if repeat(50) {
		t.Error("the receiver always had room")
	}
	ack(4<<20, 10)
	if repeat(50) {
		t.Error("the receiver has no room yet")
	}
	ack(1000)
	if repeat(10) || !repeat(11) || !repeat(99) || repeat(11) {
		t.Error("what was not acknowledged is missing once")
	}
}

// TestRepeatsOfAStandstill: without a sign of the receiver everything is
// repeated, once in a while.
func TestRepeatsOfAStandstill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, repeat, ack := repeatsAfter(t)
		ack(0, 0, 1, 2)
		for range 3 {
			for _, seq := range []int32{3, 4, 99} {
				if repeat(seq) {
					t.Errorf("payload %d is passed on before its time", seq)
				}
			}
			time.Sleep(patience)
			for _, seq := range []int32{3, 4, 99} {
				if !repeat(seq) {
					t.Errorf("payload %d is dropped", seq)
				}
			}
		}
		if repeat(2) {
			t.Error("what was acknowledged is repeated")
		}
	})
}

// TestRepeatsOfLies: acknowledgements of what was never sent cost nothing, and
// very many holes are not counted one by one.
func TestRepeatsOfLies(t *testing.T) {
	r, repeat, ack := repeatsAfter(t)
	ack(0, 1<<30, -5)
	if len(r.missing) != 0 || repeat(50) {
		t.Error("a lie counts")
	}
	if r.needless(xgress.Address{Seq: 1 << 30}, false) {
		t.Error("a first transmission is dropped")
	}
	ack(0, 1<<30)
	if len(r.missing) > missingMost || !repeat(1<<29) {
		t.Error("many holes")
	}
}

// TestPausesInTheLog: a client that is paused again and again is worth a line a
// minute.
func TestPausesInTheLog(t *testing.T) {
	c, now := &client{}, time.Now()
	if !c.tell(now) || c.tell(now.Add(pausesLogged-1)) || !c.tell(now.Add(pausesLogged)) || c.tell(now.Add(pausesLogged)) {
		t.Error("not once a minute")
	}
}
