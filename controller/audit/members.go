package audit

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"

	"github.com/weftnet/weft/model"
)

// Masked stands for what is secret.
const Masked = "***"

// oneTime are members that are no secrets of the model, as the API shows them
// to those who may read the entity, but give rights to whoever has them.
var oneTime = map[model.Kind]map[string]bool{
	model.KindEnrollment: {"token": true, "jwt": true},
}

// Member is one member of an entity as JSON.
type Member struct {
	Name  string
	Value json.RawMessage
}

// Members returns the members of an entity in their order, secrets masked; nil
// for a nil entity.
func Members(e model.Entity) ([]Member, error) {
	if e == nil {
		return nil, nil
	}
	text, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	out := split(text)
	secrets := secrets()[e.Kind()]
	for i := range out {
		m := &out[i]
		if m.Value, err = masked(m.Value, m.Name, secrets); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// split cuts an object, as the encoder of the standard library writes structs,
// into its members: decoding them once more would take twice the time.
func split(text []byte) []Member {
	var out []Member
	for at := 1; at < len(text)-1; at++ {
		colon := at + bytes.IndexByte(text[at:], ':') // names of members are plain
		end := valueEnd(text, colon+1)
		out = append(out, Member{string(text[at+1 : colon-1]), json.RawMessage(text[colon+1 : end : end])})
		at = end
	}
	return out
}

// valueEnd returns where the value at a place ends.
func valueEnd(text []byte, at int) int {
	depth, quoted := 0, false
	for ; at < len(text); at++ {
		switch c := text[at]; {
		case quoted && c == '\\':
			at++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case (c == '}' || c == ']' || c == ',') && depth == 0:
			return at
		case c == '}' || c == ']':
			depth--
		}
	}
	return at
}

// secrets are the paths of what nobody may see, by kind.
var secrets = sync.OnceValue(func() map[model.Kind]map[string]bool {
	out := make(map[model.Kind]map[string]bool)
	for _, k := range model.Kinds() {
		out[k] = secretsOf(k)
	}
	return out
})

// secretsOf returns the paths of what nobody may see.
func secretsOf(k model.Kind) map[string]bool {
	out := make(map[string]bool)
	for name := range oneTime[k] {
		out[name] = true
	}
	for _, f := range model.Describe(k).Fields {
		if f.Secret {
			out[f.Name] = true
		}
	}
	return out
}

// masked replaces what is secret in the value of a path.
func masked(value json.RawMessage, path string, secrets map[string]bool) (json.RawMessage, error) {
	if secrets[path] {
		return json.RawMessage(`"` + Masked + `"`), nil
	}
	for secret := range secrets {
		if !strings.HasPrefix(secret, path+".") || len(value) == 0 || value[0] != '{' {
			continue
		}
		var inner map[string]json.RawMessage
		if err := json.Unmarshal(value, &inner); err != nil {
			return nil, err
		}
		for name := range inner {
			v, err := masked(inner[name], path+"."+name, secrets)
			if err != nil {
				return nil, err
			}
			inner[name] = v
		}
		return json.Marshal(inner)
	}
	return value, nil
}
