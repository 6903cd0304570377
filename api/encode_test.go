package api

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"
)

func encode[T any](v T) string { return string(NewEncoder(typeOf[T]()).Append(nil, &v)) }

func TestEncode(t *testing.T) {
	type inner struct {
		A string `json:"a"`
		B *int   `json:"b,omitempty"`
	}
	type outer struct {
		inner
		List  []string          `json:"list"`
		None  []string          `json:"none" api:"null"`
		Map   map[string]string `json:"map"`
		Raw   Raw               `json:"raw"`
		When  time.Time         `json:"when"`
		Never *time.Time        `json:"never"`
		Deep  []inner           `json:"deep,omitempty"`
		Any   any               `json:"any"`
		N     int64             `json:"n"`
		U     uint8             `json:"u"`
		Skip  string            `json:"-"`
		Plain bool
	}
	when := time.Date(2026, 11, 20, 12, 20, 54, 109_966_801, time.FixedZone("", 3600))
	one := 1
	for _, tt := range []struct{ name, got, want string }{
		{"zero", encode(outer{}), `{"a":"","list":[],"none":null,"map":{},"raw":null,"when":"0001-01-01T00:00:00.000Z","never":null,"any":null,"n":0,"u":0,"Plain":false}`},
		{"full", encode(outer{inner{"x", &one}, []string{"p", "q"}, []string{"r"}, map[string]string{"b": "2", "a": "1"}, Raw(`{"z":[1]}`), when, &when, []inner{{"y", nil}}, 1.5, -7, 8, "s", true}),
			`{"a":"x","b":1,"list":["p","q"],"none":["r"],"map":{"a":"1","b":"2"},"raw":{"z":[1]},"when":"2026-11-20T11:20:54.109Z","never":"2026-11-20T11:20:54.109Z","deep":[{"a":"y"}],"any":1.5,"n":-7,"u":8,"Plain":true}`},
		{"tags", encode(Tags{"b": 1.0, "a": "x", "c": true, "d": nil}), `{"a":"x","b":1,"c":true,"d":null}`},
		{"no tags", encode(Tags(nil)), `{}`},
		{"links", encode(Links{Set: &LinkSet{Plural: "things", Subs: []string{"parts"}, Fixed: []Relation{{"owner", "./owners/", true}}}, ID: "1", Other: "2"}),
			`{"self":{"href":"./things/1"},"parts":{"href":"./things/1/parts"},"owner":{"href":"./owners/2"}}`},
		{"links without id", encode(Links{Set: &LinkSet{Plural: "current-identity", Subs: []string{"mfa"}}}),
			`{"self":{"href":"./current-identity"},"mfa":{"href":"./current-identity/mfa"}}`},
		{"no links", encode(Links{}), `null`},
		{"reference without a name", encode(Ref{Entity: "api-sessions", ID: "c1"}), `{"_links":null,"entity":"api-sessions","id":"c1"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.got != tt.want {
				t.Errorf("\n got %s\nwant %s", tt.got, tt.want)
			}
		})
	}
}

func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "plain", "a\"b\\c", "tab\tnew\nret\r\x00\x1f", "ünïcode ☂ 𝛑", "bad \xff utf8 \xc3", "</script>&", "\u2028", "\x7f"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var got, want string
		if err := json.Unmarshal(AppendString(nil, s), &got); err != nil {
			t.Fatalf("%q gives invalid JSON: %v", s, err)
		}
		ref, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(ref, &want); err != nil || got != want {
			t.Fatalf("%q reads back as %q, want %q", s, got, want)
		}
	})
}

func TestTagsDropNested(t *testing.T) {
	var tags Tags
	if err := json.Unmarshal([]byte(`{"a":1,"b":{"x":1},"c":[1],"d":null,"e":"f"}`), &tags); err != nil {
		t.Fatal(err)
	}
	if want := (Tags{"a": 1.0, "d": nil, "e": "f"}); !reflect.DeepEqual(tags, want) {
		t.Errorf("%v, want %v", tags, want)
	}
}

func TestObject(t *testing.T) {
	for text, ok := range map[string]bool{`{"a":1}`: true, `null`: true, `5`: false, `[]`: false, `"x"`: false} {
		var o Object
		if err := json.Unmarshal([]byte(text), &o); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
		if text == "null" && o != nil {
			t.Error("null is no object")
		}
	}
}
