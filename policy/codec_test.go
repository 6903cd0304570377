package policy_test

import (
	"encoding/hex"
	"reflect"
	"testing"
	"time"

	"github.com/weftnet/weft/model/role"
	"github.com/weftnet/weft/policy"
)

func items(t testing.TB) map[string]policy.Entity {
	left, right := set(t, "#a", "#b", "@x"), set(t, "#all")
	return map[string]policy.Entity{
		"0305416c6963650201610162":                                                 &policy.Identity{ID: "i", Name: "Alice", Disabled: true, Admin: true, Attributes: []string{"a", "b"}},
		"01035765620101" + "61" + "e807":                                           &policy.Service{ID: "i", Name: "Web", EncryptionRequired: true, MaxIdle: time.Second, Attributes: []string{"a"}},
		"02025231" + "00" + "02ab12" + "8002":                                      &policy.Router{ID: "i", Name: "R1", NoTraversal: true, Fingerprint: "\xab\x12", Cost: 256},
		"0b0170" + "010178" + "0201610162" + "00" + "00":                           &policy.ServicePolicy{ID: "i", Name: "p", Action: policy.Bind, Semantic: role.AnyOf, Identities: left, Services: right},
		"1b0170" + "010178" + "0201610162" + "00" + "00" + "010178" + "0201610162": &policy.ServicePolicy{ID: "i", Name: "p", Action: policy.Bind, Semantic: role.AnyOf, Identities: left, Services: right, PostureChecks: left},
		"340170" + "00" + "00" + "00" + "00" + "00" + "00":                         &policy.ServicePolicy{ID: "i", Name: "p", Identities: right, Services: role.Set{}, PostureChecks: right},
		"00014d" + "010161":                                                        &policy.PostureCheck{ID: "i", Name: "M", Attributes: []string{"a"}},
		"040170" + "00" + "00" + "010178" + "02" + "01610162":                      &policy.EdgeRouterPolicy{ID: "i", Name: "p", Identities: right, Routers: left},
		"080170" + "010178" + "02" + "01610162" + "00" + "00":                      &policy.ServiceEdgeRouterPolicy{ID: "i", Name: "p", Services: left, Routers: right},
	}
}

func TestCodec(t *testing.T) {
	for want, e := range items(t) {
		b, err := e.AppendBinary(nil)
		if err != nil || hex.EncodeToString(b) != want {
			t.Errorf("%T: got %x, %v, want %s", e, b, err, want)
		}
		got, err := policy.Decode(e.Kind(), "i", append(b, 1, 2, 3))
		if err != nil || !reflect.DeepEqual(got, e) {
			t.Errorf("got %+v, %v, want %+v", got, err, e)
		}
		for n := range b {
			if _, err := policy.Decode(e.Kind(), "i", b[:n]); err == nil {
				t.Errorf("%T: decoded %d of %d bytes", e, n, len(b))
			}
		}
	}
	if _, err := policy.Decode(99, "i", []byte{0, 0}); err == nil {
		t.Error("decoded an unknown kind")
	}
}

func FuzzDecode(f *testing.F) {
	for _, e := range items(f) {
		b, _ := e.AppendBinary(nil)
		f.Add(uint8(e.Kind()), b)
	}
	f.Add(uint8(1), []byte{0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, kind uint8, b []byte) {
		e, err := policy.Decode(policy.Kind(kind), "i", b)
		if err != nil {
			return
		}
		again, err := e.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		e2, err := policy.Decode(policy.Kind(kind), "i", again)
		if err != nil || !reflect.DeepEqual(e, e2) {
			t.Fatalf("%+v became %+v, %v", e, e2, err)
		}
		policy.New().Apply(t0, policy.Put(e), policy.Remove(e.Kind(), "i"))
	})
}
