package declare

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
)

// Selector are tags that entities carry; the empty one selects every entity.
type Selector map[string]string

// ParseSelector reads key=value, several with commas.
func ParseSelector(text string) (Selector, error) {
	if text == "" {
		return nil, nil
	}
	s := Selector{}
	for part := range strings.SplitSeq(text, ",") {
		key, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok || key == "" {
			return nil, fault.CouldNotValidate.Field("selector", "selector must be key=value, several with commas", text)
		}
		s[key] = value
	}
	return s, nil
}

// String writes the selector as ParseSelector reads it.
func (s Selector) String() string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(s)) {
		parts = append(parts, k+"="+s[k])
	}
	return strings.Join(parts, ",")
}

func (s Selector) matches(e model.Entity) bool {
	for key, want := range s {
		value, ok := e.Meta().Tags[key]
		if !ok || fmt.Sprint(value) != want {
			return false
		}
	}
	return true
}

// builtinTypes are the config types that a network begins with, by id.
var builtinTypes = sync.OnceValue(func() map[string]*model.ConfigType {
	out := map[string]*model.ConfigType{}
	all, err := model.BuiltinConfigTypes()
	if err != nil {
		return out // tested in model
	}
	for _, t := range all {
		model.Settle(t)
		out[t.ID] = t
	}
	return out
})

func jsonIndent(out *bytes.Buffer, text []byte) error { return json.Indent(out, text, "", "  ") }
