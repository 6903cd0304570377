package declare

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// decode reads a value of a Go type from a tree. A refusal names the place and
// what is expected there.
func decode(at place, n *yaml.Node, t reflect.Type) (reflect.Value, error) {
	n = follow(n)
	at = at.at(n)
	v := reflect.New(t).Elem()
	if t == reflect.TypeFor[json.RawMessage]() {
		budget := maxNodes
		text, err := appendJSON(nil, n, &budget)
		if err != nil {
			return v, at.refuse("write what JSON can say", "%s", err)
		}
		v.SetBytes(text)
		return v, nil
	}
	if n.ShortTag() == "!!null" {
		return v, nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		inner, err := decode(at, n, t.Elem())
		if err != nil {
			return v, err
		}
		v.Set(reflect.New(t.Elem()))
		v.Elem().Set(inner)
		return v, nil
	case reflect.Slice:
		return decodeList(at, n, t)
	case reflect.Map:
		return decodeMap(at, n, t)
	case reflect.Struct:
		if t != reflect.TypeFor[time.Time]() {
			return decodeStruct(at, n, t)
		}
	}
	return v, decodeScalar(at, n, v)
}

func decodeScalar(at place, n *yaml.Node, v reflect.Value) error {
	tag := n.ShortTag()
	if n.Kind != yaml.ScalarNode {
		tag = ""
	}
	switch v.Kind() {
	case reflect.String:
		if tag == "!!str" || tag == "!!timestamp" {
			v.SetString(n.Value)
			return nil
		}
		return at.refuse("put the value in quotes", "a text is expected, not %s", kindOf(n))
	case reflect.Bool:
		if tag == "!!bool" {
			return n.Decode(v.Addr().Interface())
		}
		return at.refuse("write true or false", "true or false is expected, not %s", kindOf(n))
	case reflect.Int, reflect.Int64, reflect.Int32, reflect.Uint16, reflect.Uint32:
		if tag == "!!int" && n.Decode(v.Addr().Interface()) == nil {
			return nil
		}
		return at.refuse("write a number without a fraction", "a whole number is expected, not %s", kindOf(n))
	case reflect.Interface:
		return decodeTag(at, n, tag, v)
	}
	if err := n.Decode(v.Addr().Interface()); err != nil {
		return at.refuse("write a time such as 2026-01-31T12:00:00Z", "a time is expected, not %s", kindOf(n))
	}
	return nil
}

// decodeTag reads the value of a tag as encoding/json would.
func decodeTag(at place, n *yaml.Node, tag string, v reflect.Value) error {
	switch tag {
	case "!!str", "!!timestamp":
		v.Set(reflect.ValueOf(n.Value))
		return nil
	case "!!bool":
		var b bool
		err := n.Decode(&b)
		v.Set(reflect.ValueOf(b))
		return err
	case "!!int", "!!float":
		var f float64
		if err := n.Decode(&f); err == nil && !math.IsNaN(f) && !math.IsInf(f, 0) {
			v.Set(reflect.ValueOf(f))
			return nil
		}
	}
	return at.refuse("write a plain value", "a text, a number, true or false is expected, not %s", kindOf(n))
}

func decodeList(at place, n *yaml.Node, t reflect.Type) (reflect.Value, error) {
	v := reflect.New(t).Elem()
	if n.Kind != yaml.SequenceNode {
		return v, at.refuse("write a list: entries that begin with a dash, or [a, b]", "a list is expected, not %s", kindOf(n))
	}
	v = reflect.MakeSlice(t, 0, len(n.Content))
	for _, c := range n.Content {
		e, err := decode(at, c, t.Elem())
		if err != nil {
			return v, err
		}
		v = reflect.Append(v, e)
	}
	return v, nil
}

func decodeMap(at place, n *yaml.Node, t reflect.Type) (reflect.Value, error) {
	v := reflect.New(t).Elem()
	if n.Kind != yaml.MappingNode {
		return v, at.refuse("write members, such as key: value", "a map is expected, not %s", kindOf(n))
	}
	v.Set(reflect.MakeMap(t))
	for i := 0; i+1 < len(n.Content); i += 2 {
		e, err := decode(at.in(n.Content[i].Value), n.Content[i+1], t.Elem())
		if err != nil {
			return v, err
		}
		if follow(n.Content[i+1]).ShortTag() == "!!null" && t.Elem().Kind() != reflect.Interface {
			continue
		}
		v.SetMapIndex(reflect.ValueOf(n.Content[i].Value).Convert(t.Key()), e)
	}
	return v, nil
}

func decodeStruct(at place, n *yaml.Node, t reflect.Type) (reflect.Value, error) {
	v := reflect.New(t).Elem()
	if n.Kind != yaml.MappingNode {
		return v, at.refuse("write members, such as key: value", "a map is expected, not %s", kindOf(n))
	}
	byName := map[string][]int{}
	var names []string
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		byName[name], names = f.Index, append(names, name)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		index, ok := byName[key.Value]
		if !ok {
			return v, at.in(key.Value).at(key).refuse(didYouMean(key.Value, names, "the members are "+strings.Join(names, ", ")), "unknown member")
		}
		e, err := decode(at.in(key.Value), n.Content[i+1], v.FieldByIndex(index).Type())
		if err != nil {
			return v, err
		}
		v.FieldByIndex(index).Set(e)
	}
	return v, nil
}
