package edge

import (
	"encoding/json"
	"testing"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/wire/edge"
)

func TestInspectClients(t *testing.T) {
	t.Parallel() // a silent client takes its time
	b := newBed(t)
	b.connect("silent")
	s := b.connect("talkative")
	s.handle(0, func(f *channel.Frame) {
		defer f.Release()
		q, err := edge.ParseInspectRequest(&f.Message)
		if err != nil || q.HasConn {
			return
		}
		r, err := (&edge.InspectResponse{Success: true, Values: map[string]json.RawMessage{q.Values[0]: json.RawMessage(`{"a":1}`)}}).Encode()
		if err != nil {
			t.Error(err)
			return
		}
		s.ch.TryReply(&f.Message, r)
	})
	eventually(t, "both clients", func() bool { return len(b.srv.Sessions()) == 2 })
	got := b.srv.InspectClients(t.Context(), "circuits")
	if len(got) != 1 || got[0].IdentityID != "talkative" || got[0].SessionID != "s-talkative" || string(got[0].Value) != `{"a":1}` {
		t.Fatalf("%+v", got)
	}
}
