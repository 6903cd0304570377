package declare

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/weftnet/weft/model"
)

// translate replaces one mention of an entity: names by ids or ids by names. An
// empty answer drops the mention.
type translate func(k model.Kind, n *yaml.Node) (string, error)

// translated returns the value of a field with its mentions replaced; n itself
// stays as it is. What has another form than the field is left for the reader
// of values to refuse.
func (r reference) translated(field string, n *yaml.Node, f translate) (*yaml.Node, error) {
	var path []string
	if rest := strings.TrimPrefix(r.path, field); rest != "" {
		path = strings.Split(rest[1:], ".")
	}
	return r.descend(path, n, f)
}

func (r reference) descend(path []string, n *yaml.Node, f translate) (*yaml.Node, error) {
	n = follow(n)
	if len(path) == 0 {
		return r.replace(n, f)
	}
	if n.Kind != yaml.MappingNode {
		return n, nil
	}
	out := *n
	out.Content = append([]*yaml.Node(nil), n.Content...)
	for i := 0; i+1 < len(out.Content); i += 2 {
		if out.Content[i].Value != path[0] {
			continue
		}
		v, err := r.descend(path[1:], out.Content[i+1], f)
		if err != nil {
			return nil, err
		}
		out.Content[i+1] = v
	}
	return &out, nil
}

func (r reference) replace(n *yaml.Node, f translate) (*yaml.Node, error) {
	switch r.form {
	case formID:
		return mention(r.kind, n, "", f)
	case formKeys:
		return keys(r.kind, n, f, nil)
	}
	if n.Kind != yaml.SequenceNode {
		return n, nil
	}
	prefix := ""
	if r.form == formRoles {
		prefix = "@"
	}
	out := *n
	out.Content = nil
	for _, c := range n.Content {
		v, err := mention(r.kind, follow(c), prefix, f)
		if err != nil {
			return nil, err
		}
		if v.Value != "" || v.Kind != yaml.ScalarNode {
			out.Content = append(out.Content, v)
		}
	}
	return &out, nil
}

// mention replaces one text that begins with the prefix.
func mention(k model.Kind, n *yaml.Node, prefix string, f translate) (*yaml.Node, error) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" || len(n.Value) <= len(prefix) || !strings.HasPrefix(n.Value, prefix) {
		return n, nil
	}
	out := *n
	out.Value = n.Value[len(prefix):]
	text, err := f(k, &out)
	if err != nil {
		return nil, err
	}
	if out.Value = text; text != "" {
		out.Value = prefix + text
	}
	return &out, nil
}

// keys replaces the keys of a map, and its values by the function given.
func keys(k model.Kind, n *yaml.Node, f translate, value func(*yaml.Node) (*yaml.Node, error)) (*yaml.Node, error) {
	if n.Kind != yaml.MappingNode {
		return n, nil
	}
	out := *n
	out.Content = nil
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, err := mention(k, n.Content[i], "", f)
		if err != nil {
			return nil, err
		}
		v := n.Content[i+1]
		if value != nil {
			if v, err = value(follow(v)); err != nil {
				return nil, err
			}
		}
		if key.Value != "" {
			out.Content = append(out.Content, key, v)
		}
	}
	return &out, nil
}

// overrides replaces the mentions of serviceConfigs: service, config type and
// config.
func overrides(n *yaml.Node, f translate) (*yaml.Node, error) {
	return keys(model.KindService, follow(n), f, func(n *yaml.Node) (*yaml.Node, error) {
		return keys(model.KindConfigType, n, f, func(n *yaml.Node) (*yaml.Node, error) {
			return mention(model.KindConfig, n, "", f)
		})
	})
}

// fieldOverrides is the field that overrides works on.
const fieldOverrides = "serviceConfigs"

// all replaces every mention within a field.
func (s *Section) all(field string, n *yaml.Node, f translate) (*yaml.Node, error) {
	if field == fieldOverrides && s.Kind == model.KindIdentity {
		return overrides(n, f)
	}
	var err error
	for _, r := range s.refsOf(field) {
		if n, err = r.translated(field, n, f); err != nil {
			return nil, err
		}
	}
	return n, nil
}
