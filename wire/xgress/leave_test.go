package xgress

import (
	"encoding/hex"
	"errors"
	"reflect"
	"testing"

	"github.com/weftnet/weft/wire/message"
)

func TestLeave(t *testing.T) {
	in := Leave{Circuit: []byte("c1"), Flags: FlagOriginator, Cause: 3, Drop: true, Code: "NO_PATH", Reason: "gone"}
	m := in.Message()
	const want = "d0080000" + "02000000" + "6331" + // circuit
		"d2080000" + "04000000" + "02000000" + // flags
		"fc080000" + "04000000" + "03000000" +
		"fd080000" + "01000000" + "01" +
		"fe080000" + "07000000" + "4e4f5f50415448" +
		"ff080000" + "04000000" + "676f6e65"
	if got := hex.EncodeToString(m.Headers); got != want || m.Type != TypeClose {
		t.Errorf("type %d, headers\n%s, want\n%s", m.Type, got, want)
	}
	out, err := ParseLeave(m)
	if err != nil || !reflect.DeepEqual(in, out) {
		t.Errorf("%+v, %v", out, err)
	}
	if _, err := ParseLeave(Close("c1")); !errors.Is(err, ErrCircuit) {
		t.Errorf("a client's close: %v", err)
	}
	if _, err := ParseLeave(message.New(TypePayload, nil)); !errors.Is(err, ErrType) {
		t.Errorf("a payload: %v", err)
	}
}

func FuzzLeave(f *testing.F) {
	f.Add([]byte((&Leave{Circuit: []byte("c"), Cause: 1, Reason: "r"}).Message().Headers))
	f.Fuzz(func(t *testing.T, h []byte) {
		m := &message.Message{Type: TypeClose, Headers: message.Headers(h)}
		if m.Headers.Validate() != nil {
			return
		}
		l, err := ParseLeave(m)
		if err != nil {
			return
		}
		again, err := ParseLeave(l.Message())
		if err != nil || !reflect.DeepEqual(l, again) {
			t.Errorf("%+v, %+v, %v", l, again, err)
		}
	})
}
