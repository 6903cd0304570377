package ctrl

import (
	"encoding/hex"
	"testing"

	"google.golang.org/protobuf/proto"
)

// The encoding is a contract between releases: routers and controllers of
// different ages talk to each other.
func TestGoldenBytes(t *testing.T) {
	tests := []struct {
		name string
		m    proto.Message
		want string
	}{
		{"create circuit", &CreateCircuit{
			CircuitId: "c", IdentityId: "i", SessionId: "s", ServiceId: "v", InstanceId: "n", Sticky: "k",
			PeerData: map[uint32][]byte{1003: {1, 2}}, Attempt: 2,
			Failure: &Failure{TerminatorId: "t", Cause: Cause_CONNECTION_REFUSED, Message: "m"},
		}, "0a01631201691a0173220176" + "2a016e32016b3a0708eb0712020102" + "40024a080a0174100" + "41a016d"},
		{"slice update", &SliceUpdate{From: 1, To: 2, Reset_: true, Last: true, Digest: []byte{9}, Items: []*Item{{Kind: 16, Id: "a", Data: []byte{7}}}},
			"08011002180120012a0109320808101201611a0107"},
		{"terminator changes", &TerminatorChanges{Whole: true, Remove: []string{"x"}, Put: []*Terminator{{Id: "t", Cost: 3}}},
			"0a050a01744003" + "120178" + "1801"},
		{"unroute", &Unroute{CircuitIds: []string{"a", "b"}, Reason: "r"}, "0a01610a0162120172"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, err := proto.MarshalOptions{Deterministic: true}.Marshal(tt.m)
			if err != nil || hex.EncodeToString(b) != tt.want {
				t.Errorf("got  %x\nwant %s (%v)", b, tt.want, err)
			}
		})
	}
}

func FuzzBodies(f *testing.F) {
	f.Add([]byte("\x0a\x01c"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, m := range []proto.Message{&Register{}, &SliceUpdate{}, &CreateCircuit{}, &CircuitCreated{}, &TerminatorChanges{}, &Snapshot{}} {
			if proto.Unmarshal(b, m) != nil {
				continue
			}
			again, err := proto.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			if err := proto.Unmarshal(again, proto.Clone(m)); err != nil {
				t.Fatal(err)
			}
		}
	})
}
