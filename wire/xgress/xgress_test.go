package xgress

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"testing"

	"github.com/weftnet/weft/wire/message"
)

type golden struct {
	name string
	m    *message.Message
}

// goldens are messages of live peers and hand-chosen ones.
func goldens(tb testing.TB) []golden {
	tb.Helper()
	b, err := os.ReadFile("testdata/messages.json")
	if err != nil {
		tb.Fatal(err)
	}
	var list []struct{ Name, Hex string }
	if err := json.Unmarshal(b, &list); err != nil {
		tb.Fatal(err)
	}
	var out []golden
	for _, v := range list {
		raw, err := hex.DecodeString(v.Hex)
		if err != nil {
			tb.Fatal(err)
		}
		m, _, err := message.Parse(raw, message.Limits{Headers: 1 << 16, Body: 1 << 20})
		if err != nil {
			tb.Fatalf("%s: %v", v.Name, err)
		}
		out = append(out, golden{v.Name, m})
	}
	return out
}

func find(t *testing.T, name string) *message.Message {
	t.Helper()
	for _, g := range goldens(t) {
		if g.name == name {
			return g.m
		}
	}
	t.Fatalf("no golden message %q", name)
	return nil
}

// same compares messages up to the order of their headers.
func same(t *testing.T, got, want *message.Message) {
	t.Helper()
	want.Headers.Delete(1) // one client echoes a payload as a reply to nothing
	if got.Type != want.Type || !bytes.Equal(got.Body, want.Body) || len(got.Headers) != len(want.Headers) {
		t.Fatalf("got %+v, want %+v", got, want)
	}
	want.Headers.Each(func(id int32, v []byte) bool {
		if g, ok := got.Headers.Get(id); !ok || !bytes.Equal(g, v) {
			t.Errorf("header %d is %x, want %x", id, g, v)
		}
		return true
	})
}

func TestGoldenRoundTrip(t *testing.T) {
	for _, g := range goldens(t) {
		t.Run(g.name, func(t *testing.T) {
			switch g.m.Type {
			case TypePayload:
				p, err := ParsePayload(g.m)
				if err != nil {
					t.Fatal(err)
				}
				m := p.Message(nil)
				same(t, &m, g.m)
			case TypeAcknowledgement:
				a, err := ParseAck(g.m)
				if err != nil {
					t.Fatal(err)
				}
				m := a.Message(nil)
				same(t, &m, g.m)
			case TypeControl:
				c, err := ParseControl(g.m)
				if err != nil {
					t.Fatal(err)
				}
				same(t, c.Message(), g.m)
			case TypeClose:
				id, err := ParseClose(g.m)
				if err != nil {
					t.Fatal(err)
				}
				same(t, Close(id), g.m)
			}
		})
	}
}

func TestGoldenValues(t *testing.T) {
	const circuit = "3RKXaP80Gm5AK5KGuDLtZj"
	start, _ := ParsePayload(find(t, "payload-circuit-start"))
	if string(start.Circuit) != circuit || start.Seq != 0 || start.Flags != FlagCircuitStart ||
		start.Capabilities != CapEOF || start.ConnID != 1 {
		t.Errorf("circuit start: %+v", start)
	}
	caps, _ := ParsePayload(find(t, "payload-capabilities-terminator"))
	if caps.Flags != FlagOriginator || caps.Capabilities != CapEOF || caps.ConnID != 1<<31 {
		t.Errorf("capabilities: %+v", caps)
	}
	again, _ := ParsePayload(find(t, "payload-retransmit"))
	if again.Flags != FlagRetransmit || again.HasConnID || again.Seq != 1 {
		t.Errorf("retransmission: %+v", again)
	}
	eof, _ := ParsePayload(find(t, "payload-eof"))
	if eof.Flags != FlagEOF || len(eof.Data) != 0 {
		t.Errorf("eof: %+v", eof)
	}
	fin, _ := ParsePayload(find(t, "payload-edge-fin"))
	if !fin.HasEdgeFlags || fin.EdgeFlags != EdgeFIN {
		t.Errorf("edge fin: %+v", fin)
	}
	multi, _ := ParseAck(find(t, "ack-initiator-multi"))
	if multi.Len() != 3 || multi.RecvBuffer != 24 || !multi.HasConnID {
		t.Errorf("ack: %+v", multi)
	}
	empty, _ := ParseAck(find(t, "ack-empty"))
	if empty.Len() != 0 || empty.RecvBuffer != 16384 || empty.RTT != 0 {
		t.Errorf("empty ack: %+v", empty)
	}
	if c, err := ParseControl(find(t, "xg-control-trace")); err != nil || c.Type != ControlTrace || c.HopCount != 3 || c.Circuit != circuit {
		t.Errorf("control: %+v, %v", c, err)
	}
}

func TestAddressOf(t *testing.T) {
	m := find(t, "payload-data-terminator")
	a := AddressOf(m)
	if a.Reply {
		t.Error("a reply that is none")
	}
	if string(a.Circuit) != "3RKXaP80Gm5AK5KGuDLtZj" || a.Flags != FlagOriginator || a.Seq != 2 {
		t.Fatalf("%+v", a)
	}
	copy(a.ConnID, []byte{7, 0, 0, 0})
	if id, _ := m.Headers.Uint32(HeaderConnID); id != 7 {
		t.Error("the connection id was not patched in place")
	}
	if n := testing.AllocsPerRun(100, func() { AddressOf(m) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestMalformed(t *testing.T) {
	head := func(f func(h *message.Headers)) *message.Message {
		m := message.New(TypePayload, nil)
		f(&m.Headers)
		return m
	}
	cases := map[string]struct {
		m    *message.Message
		want error
	}{
		"another type": {message.New(TypeClose, nil), ErrType},
		"no circuit":   {head(func(h *message.Headers) { h.PutUint64(HeaderSequence, 1) }), ErrCircuit},
		"no sequence":  {head(func(h *message.Headers) { h.PutString(HeaderCircuitID, "c") }), ErrSequence},
		"sequence beyond 31 bits": {head(func(h *message.Headers) {
			h.PutString(HeaderCircuitID, "c")
			h.PutUint64(HeaderSequence, 1<<31)
		}), ErrSequence},
		"short edge flags": {head(func(h *message.Headers) {
			h.PutString(HeaderCircuitID, "c")
			h.PutUint64(HeaderSequence, 1)
			h.PutByte(HeaderEdgeFlags, 1)
		}), ErrHeader},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if _, err := ParsePayload(c.m); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
	ack := message.New(TypeAcknowledgement, []byte{1, 2, 3})
	ack.Headers.PutString(HeaderCircuitID, "c")
	if _, err := ParseAck(ack); !errors.Is(err, ErrBody) {
		t.Errorf("ragged acknowledgement: %v", err)
	}
}

// FuzzParse feeds all decoders and checks that what they accept survives a round trip.
func FuzzParse(f *testing.F) {
	for _, g := range goldens(f) {
		f.Add(g.m.Append(nil))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, _, err := message.Parse(b, message.Limits{Headers: 1 << 16, Body: 1 << 20})
		if err != nil {
			return
		}
		AddressOf(m)
		if p, err := ParsePayload(m); err == nil {
			again := p.Message(nil)
			if q, err := ParsePayload(&again); err != nil || q.Seq != p.Seq || q.Flags != p.Flags || !bytes.Equal(q.Data, p.Data) {
				t.Errorf("payload %+v became %+v, %v", p, q, err)
			}
		}
		if a, err := ParseAck(m); err == nil {
			again := a.Message(nil)
			if q, err := ParseAck(&again); err != nil || q.RecvBuffer != a.RecvBuffer || !bytes.Equal(q.Seqs, a.Seqs) {
				t.Errorf("ack %+v became %+v, %v", a, q, err)
			}
		}
		if c, err := ParseControl(m); err == nil {
			if q, err := ParseControl(c.Message()); err != nil || q != c {
				t.Errorf("control %+v became %+v, %v", c, q, err)
			}
		}
		_, _ = ParseClose(m)
	})
}
