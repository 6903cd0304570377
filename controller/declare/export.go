package declare

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

// ExportOptions say what an export holds.
type ExportOptions struct {
	Sections []*Section // nil: all
	Selector Selector
	// Keep judges entities that the other options let through; nil keeps all.
	Keep   func(s *Section, e model.Entity) bool
	System bool // also what every network has from its beginning
	JSON   bool
}

// Export writes the entities of a view as a declaration: sections in the order
// of Sections, entities by name, members that have their default left out.
func Export(w io.Writer, v *state.View, o ExportOptions) error {
	doc := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for _, s := range Sections() {
		if o.Sections != nil && !slices.Contains(o.Sections, s) {
			continue
		}
		list, err := s.export(v, o)
		if err != nil {
			return err
		}
		if len(list.Content) > 0 {
			doc.Content = append(doc.Content, textNode(s.Name), list)
		}
	}
	if o.JSON {
		budget := int(^uint(0) >> 1)
		text, err := appendJSON(nil, doc, &budget)
		if err != nil {
			return err
		}
		return indent(w, text)
	}
	if len(doc.Content) == 0 {
		_, err := io.WriteString(w, "{}\n")
		return err
	}
	e := yaml.NewEncoder(w)
	e.SetIndent(2)
	if err := e.Encode(doc); err != nil {
		return fmt.Errorf("write declaration: %w", err)
	}
	return e.Close()
}

func (s *Section) export(v *state.View, o ExportOptions) (*yaml.Node, error) {
	type named struct {
		name string
		e    model.Entity
	}
	var all []named
	for e := range v.All(s.Kind) {
		if s.has(e) && o.Selector.matches(e) && (o.System || !s.given(v, e)) && (o.Keep == nil || o.Keep(s, e)) {
			all = append(all, named{s.nameOf(v, e), e})
		}
	}
	slices.SortFunc(all, func(a, b named) int { return strings.Compare(a.name, b.name) })
	all = slices.CompactFunc(all, func(a, b named) bool { return a.name == b.name })
	list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	fresh := s.new()
	model.Settle(fresh)
	for _, x := range all {
		n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for i := range s.members {
			m := &s.members[i]
			value, err := s.exported(v, m, x.e, fresh)
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", s.Name, x.name, err)
			}
			if value != nil {
				n.Content = append(n.Content, textNode(m.name), value)
			}
		}
		list.Content = append(list.Content, n)
	}
	return list, nil
}

// exported returns a member of an entity as declarations have it, nil if it has
// its default.
func (s *Section) exported(v *state.View, m *member, e, fresh model.Entity) (*yaml.Node, error) {
	value := m.of(e)
	if !m.required && !slices.Contains(s.always, m.name) && same(value, m.of(fresh)) {
		return nil, nil
	}
	n, err := nodeOf(value.Interface())
	if err != nil {
		return nil, err
	}
	if value.Kind() == reflect.Struct || value.Kind() == reflect.Pointer {
		dropNulls(n)
	}
	n, err = s.all(m.field.Name, n, func(k model.Kind, n *yaml.Node) (string, error) {
		if target := v.Get(k, n.Value); target != nil {
			return nameOf(target), nil
		}
		return "", nil
	})
	if err == nil && (len(s.refsOf(m.field.Name)) > 0 || m.name == fieldOverrides) {
		order(n, value.Kind() == reflect.Map)
	}
	return n, err
}

// order sorts what is stored in the order of ids by name: lists, and the keys of
// maps.
func order(n *yaml.Node, maps bool) {
	for _, c := range n.Content {
		order(c, maps)
	}
	switch {
	case n.Kind == yaml.SequenceNode:
		slices.SortFunc(n.Content, func(a, b *yaml.Node) int { return strings.Compare(a.Value, b.Value) })
	case n.Kind == yaml.MappingNode && maps:
		pairs := slices.Collect(slices.Chunk(n.Content, 2))
		slices.SortFunc(pairs, func(a, b []*yaml.Node) int { return strings.Compare(a[0].Value, b[0].Value) })
		n.Content = slices.Concat(pairs...)
	}
}

// dropNulls leaves out the members of a struct that are not set.
func dropNulls(n *yaml.Node) {
	var kept []*yaml.Node
	if n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if v := n.Content[i+1]; v.ShortTag() != "!!null" {
			dropNulls(v)
			kept = append(kept, n.Content[i], v)
		}
	}
	n.Content = kept
}

// given reports whether every network has the entity from its beginning, or the
// system keeps it: neither belongs into a file, and neither is ever pruned.
func (s *Section) given(v *state.View, e model.Entity) bool {
	if e.Meta().IsSystem || s.builtin(v, e) {
		return true
	}
	i, ok := e.(*model.Identity)
	if !ok || i.Type != model.IdentityRouter {
		return false
	}
	fresh := &model.Identity{Name: i.Name, Type: model.IdentityRouter}
	model.Settle(fresh)
	return s.equal(i, fresh)
}

// builtin reports whether the entity is one that a network begins with and that
// is as it was then; the default admin counts in any form.
func (s *Section) builtin(_ *state.View, e model.Entity) bool {
	switch e := e.(type) {
	case *model.Identity:
		return e.IsDefaultAdmin
	case *model.AuthPolicy:
		first := model.DefaultAuthPolicy()
		model.Settle(first)
		return e.ID == model.DefaultAuthPolicyID && s.equal(e, first)
	case *model.ConfigType:
		first := builtinTypes()[e.ID]
		return first != nil && s.equal(e, first)
	}
	return false
}

// equal reports whether no member of the two differs.
func (s *Section) equal(a, b model.Entity) bool {
	for i := range s.members {
		if m := &s.members[i]; !same(m.of(a), m.of(b)) {
			return false
		}
	}
	return true
}

func textNode(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s} }

func indent(w io.Writer, text []byte) error {
	var out bytes.Buffer
	if err := jsonIndent(&out, text); err != nil {
		return err
	}
	_, err := w.Write(append(out.Bytes(), '\n'))
	return err
}
