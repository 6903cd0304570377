package flow

import (
	"errors"
	"io"
	"testing"

	"github.com/weftnet/weft/wire/xgress"
)

// TestEndAfterEOF: what the network says after the end of the peer's data does
// not change that end, also if nobody has read it yet.
func TestEndAfterEOF(t *testing.T) {
	reason := errors.New("the network says so")
	for name, c := range map[string]struct {
		flags xgress.Flags
		end   func(*Conn)
		data  string
		want  error
	}{
		"removed after EOF":    {xgress.FlagEOF, func(c *Conn) { c.PeerClosed(reason) }, "all", nil},
		"removed before EOF":   {0, func(c *Conn) { c.PeerClosed(reason) }, "all", reason},
		"removed in order":     {0, func(c *Conn) { c.PeerClosed(nil) }, "all", nil},
		"aborted after EOF":    {xgress.FlagEOF, func(c *Conn) { c.Abort(reason) }, "", reason},
		"removed after an end": {xgress.FlagCircuitEnd, func(c *Conn) { c.PeerClosed(reason) }, "all", nil},
	} {
		t.Run(name, func(t *testing.T) {
			h := New(Config{Circuit: "c1", Role: Terminator, Output: newCable(16)})
			h.Start()
			for _, p := range []xgress.Payload{
				{Circuit: []byte("c1"), Seq: 0, Flags: xgress.FlagCircuitStart, HasCapabilities: true, Capabilities: xgress.CapEOF},
				{Circuit: []byte("c1"), Seq: 1, Data: []byte("all")},
				{Circuit: []byte("c1"), Seq: 2, Flags: c.flags},
			} {
				m := p.Message(nil)
				h.HandlePayload(clone(&m), nil)
			}
			c.end(h)
			if got, err := io.ReadAll(h); string(got) != c.data || !errors.Is(err, c.want) {
				t.Fatalf("read %q, %v", got, err)
			}
			if _, err := h.Write([]byte("x")); err == nil {
				t.Fatal("written after the end")
			}
		})
	}
}
