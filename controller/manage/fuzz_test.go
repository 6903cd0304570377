package manage

import (
	"encoding/json"
	"testing"

	"github.com/weftnet/weft/wire/message"
	"github.com/weftnet/weft/wire/mgmt"
)

// FuzzRequest reads any request of a management channel as far as it is read
// before anything is asked of the network.
func FuzzRequest(f *testing.F) {
	f.Add(int32(mgmt.StreamEvents), []byte(`{"type":"sdk","options":{"include":["created"],"interval":"5m","version":3}}`))
	f.Add(int32(mgmt.StreamEvents), []byte(`{"type":"metrics","options":{"metricFilter":"((a*)*)*","sourceFilter":"["}}`))
	f.Add(int32(mgmt.StreamEvents), []byte(`{"type":5,"options":[]}`))
	f.Add(int32(mgmt.StreamTraces), []byte("\x0a\x01x"))
	f.Add(int32(mgmt.Inspect), []byte("\x0a\x02.*\x12\x05stack"))
	f.Fuzz(func(t *testing.T, kind int32, body []byte) {
		if kind == int32(mgmt.StreamEvents) {
			var in subscriptionJSON
			if json.Unmarshal(body, &in) == nil {
				if sub, err := in.subscription(); err == nil && sub.Type != in.Type {
					t.Fatalf("%q became %q", in.Type, sub.Type)
				}
			}
			return
		}
		m := message.Message{Type: kind, Body: body}
		if fields, err := mgmt.Parse(m.Body); err == nil {
			_ = fields
		}
	})
}
