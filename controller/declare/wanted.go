package declare

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

// wanted reads an item into an entity as it is stored, names being replaced by
// ids. Mentions of entities that are still to come are left out and noted.
func (p *planner) wanted(it *item) (model.Entity, error) {
	s, e := it.section, it.section.new()
	for i := 0; i+1 < len(it.node.Content); i += 2 {
		key, value := it.node.Content[i], it.node.Content[i+1]
		if slices.Contains(s.actions, key.Value) {
			continue
		}
		at := it.place.in(key.Value).at(key)
		m := s.byName[key.Value]
		if m == nil {
			return nil, s.unknown(at, key.Value)
		}
		value, err := s.all(m.field.Name, value, func(k model.Kind, n *yaml.Node) (string, error) { return p.idOf(it, at, m, k, n) })
		if err != nil {
			return nil, err
		}
		if follow(value).ShortTag() == "!!null" {
			continue // the default
		}
		v, err := decode(at, value, m.field.Go)
		if err != nil {
			return nil, err
		}
		m.of(e).Set(v)
	}
	for i := range s.members {
		m := &s.members[i]
		if key, _ := it.member(m.name); key == nil && m.mandatory(e) {
			return nil, it.place.refuse("add it", "the member %s is missing", m.name)
		}
	}
	model.Settle(e)
	return e, p.overridesFit(it, e)
}

// mandatory reports whether the member must be given: the API demands it and it
// has no default.
func (m *member) mandatory(e model.Entity) bool {
	switch m.name {
	case "service", "router", "configType":
		return true
	}
	v := m.of(e)
	if !m.required || !v.IsZero() {
		return false
	}
	return v.Kind() == reflect.String || v.Kind() == reflect.Slice && v.Type() == reflect.TypeFor[json.RawMessage]()
}

// unknown refuses a member that does not exist or does not belong there.
func (s *Section) unknown(at place, name string) error {
	if f := model.Describe(s.Kind).Field(name); f != nil {
		if f.Secret {
			return at.refuse("leave it out and set it by itself", "a secret does not belong into a declaration")
		}
		for _, m := range s.members {
			if m.field == f {
				return at.refuse("did you mean "+m.name+"?", "unknown member")
			}
		}
		return at.refuse("leave it out", "it is set by the controller")
	}
	names := slices.Clone(s.actions)
	for _, m := range s.members {
		names = append(names, m.name)
	}
	return at.refuse(didYouMean(name, names, "the members are "+strings.Join(names, ", ")), "unknown member")
}

// idOf finds the entity that a text mentions by name, or else by id.
func (p *planner) idOf(it *item, at place, m *member, k model.Kind, n *yaml.Node) (string, error) {
	id := p.find(k, n.Value)
	if id != "" {
		p.used[id] = it
		return id, nil
	}
	for _, r := range it.section.refs {
		if r.later && r.kind == k && p.declared(k, n.Value) {
			p.later[it] = len(p.plan.Changes)
			return "", nil
		}
	}
	what := strings.ReplaceAll(strings.TrimSuffix(model.Describe(k).Plural, "s"), "-", " ")
	if strings.HasSuffix(what, "ie") {
		what = strings.TrimSuffix(what, "ie") + "y"
	}
	return "", at.at(n).refuse(didYouMean(n.Value, p.names(k), "declare it too, or create it first"), "there is no %s %q", what, n.Value)
}

// names returns the names of a kind that the caller may know.
func (p *planner) names(k model.Kind) []string {
	var out []string
	for _, s := range Sections() {
		if s.Kind != k || p.rules.Permit(s, Show) != nil {
			continue
		}
		for e := range p.now.All(k) {
			out = append(out, nameOf(e))
		}
		break
	}
	return out
}

func (p *planner) find(k model.Kind, name string) string {
	if e := p.now.FirstBy(k, state.ByName, name); e != nil {
		return e.Meta().ID
	}
	if e := p.now.Get(k, name); e != nil {
		return name
	}
	return ""
}

func (p *planner) declared(k model.Kind, name string) bool {
	for _, s := range Sections() {
		if s.Kind == k && p.doc.byName[s][name] != nil {
			return true
		}
	}
	return false
}

// overridesFit refuses configs that are not of the type they override.
func (p *planner) overridesFit(it *item, e model.Entity) error {
	i, ok := e.(*model.Identity)
	if !ok {
		return nil
	}
	for _, byType := range i.ServiceConfigs {
		for typ, id := range byType {
			c, ok := p.now.Get(model.KindConfig, id).(*model.Config)
			if !ok {
				return it.place.in(fieldOverrides).refuse("name the config", "there is no config %q", id)
			}
			if c.ConfigTypeID != typ {
				return it.place.in(fieldOverrides).refuse("write it below its own type", "the config %s is not of the type %s but %s", c.Name,
					nameIn(p.now, model.KindConfigType, typ), nameIn(p.now, model.KindConfigType, c.ConfigTypeID))
			}
		}
	}
	return nil
}

// enrollment is the member of an identity that makes an enrollment with it.
type enrollment struct {
	Ott   bool   `json:"ott,omitempty"`
	Ottca string `json:"ottca,omitempty"` // name of the CA
	Updb  string `json:"updb,omitempty"`  // user name
}

// actions reads the members that count at creation only, and returns the method
// of the enrollment that is asked for.
func (p *planner) actions(it *item) (map[string]any, string, error) {
	key, value := it.member("enrollment")
	if key == nil || !slices.Contains(it.section.actions, "enrollment") {
		return nil, "", nil
	}
	at := it.place.in("enrollment").at(key)
	v, err := decode(at, value, reflect.TypeFor[enrollment]())
	if err != nil {
		return nil, "", err
	}
	ask := v.Interface().(enrollment)
	switch {
	case ask.Ott && ask.Ottca == "" && ask.Updb == "":
		return map[string]any{"enrollment": ask}, model.MethodOtt, nil
	case ask.Updb != "" && ask.Ottca == "" && !ask.Ott:
		return map[string]any{"enrollment": ask}, model.MethodUpdb, nil
	case ask.Ottca != "" && ask.Updb == "" && !ask.Ott:
		if ask.Ottca, err = p.idOf(it, at, nil, model.KindCA, textNode(ask.Ottca)); err != nil {
			return nil, "", err
		}
		return map[string]any{"enrollment": ask}, model.MethodOttCa, nil
	case ask == enrollment{}:
		return nil, "", nil
	}
	return nil, "", at.refuse("write ott: true, updb: USERNAME or ottca: CA", "an identity enrolls in one way")
}

// explicit returns a value whose JSON is never null for lists and maps, so that
// emptying one is told from leaving it alone.
func explicit(v reflect.Value) any {
	switch {
	case v.Type() == reflect.TypeFor[json.RawMessage]() && v.Len() == 0:
		return json.RawMessage("{}")
	case v.Kind() == reflect.Slice && v.IsNil():
		return reflect.MakeSlice(v.Type(), 0, 0).Interface()
	case v.Kind() == reflect.Map && v.IsNil():
		return reflect.MakeMap(v.Type()).Interface()
	}
	return v.Interface()
}
