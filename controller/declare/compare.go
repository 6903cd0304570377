package declare

import (
	"bytes"
	"encoding/json"
	"math/big"
	"reflect"
)

// same reports whether two values of a field mean the same: nothing and an empty
// list or map do, and JSON texts do however they are written.
func same(a, b reflect.Value) bool {
	x, y := a.Interface(), b.Interface()
	if reflect.DeepEqual(x, y) {
		return true
	}
	switch x := x.(type) {
	case json.RawMessage:
		return sameJSON(x, y.(json.RawMessage), false)
	case string, bool, int, int64:
		return false
	case []string:
		return len(x) == 0 && len(y.([]string)) == 0
	}
	p, err := json.Marshal(x)
	if err != nil {
		return false
	}
	q, err := json.Marshal(y)
	return err == nil && sameJSON(p, q, true)
}

func sameJSON(a, b []byte, loose bool) bool {
	p, ok := plain(a, loose)
	q, fine := plain(b, loose)
	return ok && fine && reflect.DeepEqual(p, q)
}

// plain reads a JSON text for a comparison. With loose, members that say nothing
// are left out.
func plain(text []byte, loose bool) (any, bool) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, true
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil, false
	}
	return canonical(v, loose), true
}

func canonical(v any, loose bool) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			if v[k] = canonical(e, loose); loose && v[k] == nil {
				delete(v, k)
			}
		}
		if loose && len(v) == 0 {
			return nil
		}
		return v
	case []any:
		for i := range v {
			v[i] = canonical(v[i], loose)
		}
		if loose && len(v) == 0 {
			return nil
		}
		return v
	case json.Number:
		if len(v) > 64 {
			return v
		}
		if f, _, err := big.ParseFloat(v.String(), 10, 512, big.ToNearestEven); err == nil {
			return f.Text('g', -1)
		}
	}
	return v
}
