package audit

import (
	"bytes"
	"encoding/json"
	"strings"

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
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	var out []Member
	secrets := secretsOf(e.Kind())
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		m := Member{Name: name.(string)}
		if err := d.Decode(&m.Value); err != nil {
			return nil, err
		}
		if m.Value, err = masked(m.Value, m.Name, secrets); err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

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
