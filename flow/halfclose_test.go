package flow

import (
	"io"
	"testing"

	"github.com/weftnet/weft/wire/xgress"
)

// TestCircuitEndIsHalfClose: a peer that has not yet seen our capabilities ends
// its data with CircuitEnd, and still expects the answer.
func TestCircuitEndIsHalfClose(t *testing.T) {
	out := newCable(16)
	h := New(Config{Circuit: "c1", Role: Terminator, Output: out})
	h.Start()
	defer h.Abort(nil)
	for _, p := range []xgress.Payload{
		{Circuit: []byte("c1"), Seq: 0, Flags: xgress.FlagCircuitStart, HasCapabilities: true, Capabilities: xgress.CapEOF},
		{Circuit: []byte("c1"), Seq: 1, Data: []byte("question")},
		{Circuit: []byte("c1"), Seq: 2, Flags: xgress.FlagCircuitEnd},
	} {
		m := p.Message(nil)
		h.HandlePayload(clone(&m), nil)
	}
	if got, err := io.ReadAll(h); string(got) != "question" || err != nil {
		t.Fatalf("read %q, %v", got, err)
	}
	if _, err := h.Write([]byte("answer")); err != nil {
		t.Fatalf("the answer is refused: %v", err)
	}
	for m := range out.queue {
		if p, err := xgress.ParsePayload(m); err == nil && string(p.Data) == "answer" {
			return
		}
	}
}
