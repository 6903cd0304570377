package audit

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/weftnet/weft/model"
)

// TestSplit cuts objects as a decoder would.
func TestSplit(t *testing.T) {
	when := "x"
	for _, e := range []any{
		struct{}{},
		map[string]any{"a": 1},
		&model.Identity{Name: `"quo\ted, {[:]} \\`, RoleAttributes: []string{"a,b", `c"]}`, "\\"}, ExternalID: &when, AppData: map[string]any{"x": map[string]any{"y": []int{1, 2}}}},
		&model.Config{Name: "<&>\u2028", Data: json.RawMessage(`{"a":{"b":["}"]},"c":"\\\""}`)},
		&model.Enrollment{Token: "t", JWT: "a.b.c"},
	} {
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		got := map[string]json.RawMessage{}
		var whole bytes.Buffer
		whole.WriteByte('{')
		for i, m := range split(text) {
			if i > 0 {
				whole.WriteByte(',')
			}
			got[m.Name] = m.Value
			name, _ := json.Marshal(m.Name)
			whole.Write(append(append(name, ':'), m.Value...))
		}
		whole.WriteByte('}')
		if !reflect.DeepEqual(got, want) || whole.String() != string(text) {
			t.Errorf("%s is cut into %s", text, whole.String())
		}
	}
}
