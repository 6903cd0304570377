package declare

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

// planner makes one plan.
type planner struct {
	doc     *Document
	opt     Options
	rules   Rules
	first   *state.View // what the plan began with
	now     *state.View // with the operations so far
	plan    *Plan
	stage   *state.Command
	owners  []*item            // of the operations of the stage
	places  map[int]*item      // declared, by change
	later   map[*item]int      // change of items that need a second step
	kept    map[string]bool    // ids of declared entities
	used    map[string]*item   // ids that declared entities mention
	allowed map[[2]string]bool // permissions that were asked for already
}

// Make plans what makes the state as it is declared. It tries every operation on
// the view, so that what it returns is refused later only if the state has
// changed in between; then the caller plans anew. Nothing is written.
func Make(v *state.View, d *Document, o Options, r Rules) (*Plan, error) {
	p := &planner{doc: d, opt: o, rules: r, first: v, now: v, plan: &Plan{Command: o.Command}, places: map[int]*item{},
		later: map[*item]int{}, kept: map[string]bool{}, used: map[string]*item{}, allowed: map[[2]string]bool{}}
	p.begin()
	for _, s := range Sections() {
		for _, it := range d.items[s] {
			if err := p.item(it); err != nil {
				return nil, err
			}
		}
		if err := p.try(); err != nil {
			return nil, err
		}
	}
	if err := p.second(); err != nil {
		return nil, err
	}
	if err := p.prune(); err != nil {
		return nil, err
	}
	return p.plan, p.members()
}

// begin starts a stage: operations that are tried together.
func (p *planner) begin() {
	stage := *p.opt.Command
	stage.Ops = nil
	p.stage, p.owners = &stage, nil
}

// add takes operations into the stage on behalf of an item.
func (p *planner) add(it *item, ops ...state.Op) {
	p.stage.Ops = append(p.stage.Ops, ops...)
	for range ops {
		p.owners = append(p.owners, it)
	}
}

// try ends a stage.
func (p *planner) try() error {
	if len(p.stage.Ops) == 0 {
		return nil
	}
	next, err := p.now.Try(p.stage)
	var refused *state.OpError
	if errors.As(err, &refused) {
		return p.owners[refused.Op].wrap(refused.Err)
	}
	if err != nil {
		return err
	}
	p.now = next
	p.plan.Command.Ops = append(p.plan.Command.Ops, p.stage.Ops...)
	p.begin()
	return nil
}

// item plans one declared entity.
func (p *planner) item(it *item) error {
	want, err := p.wanted(it)
	if err != nil {
		return err
	}
	old, err := p.existing(it, want)
	if err != nil {
		return err
	}
	if len(p.opt.Selector) > 0 && (!p.opt.Selector.matches(want) || old != nil && !p.opt.Selector.matches(old)) {
		if !p.opt.Selector.matches(want) {
			return it.place.refuse("give it the tag in the declaration, or leave the selector away", "it does not carry the tag %s of the selector", p.opt.Selector)
		}
		return it.place.refuse("choose another name, or give it the tag first if it is yours", "an entity of this name exists and does not carry the tag %s: it belongs to somebody else", p.opt.Selector)
	}
	c := Change{Action: None, Section: it.section, Name: it.name}
	if it.place.file != "" {
		c.File, c.Line = it.place.file, it.place.line
	}
	if old == nil {
		c.Action = Create
		err = p.create(it, want, &c)
	} else {
		c.ID = old.Meta().ID
		err = p.update(it, want, old, &c)
	}
	if err != nil {
		return err
	}
	p.kept[c.ID] = true
	p.places[len(p.plan.Changes)] = it
	if _, ok := p.later[it]; ok {
		p.later[it] = len(p.plan.Changes)
	}
	p.plan.Changes = append(p.plan.Changes, c)
	return nil
}

// existing returns the entity that the item is about, nil if there is none yet.
func (p *planner) existing(it *item, want model.Entity) (model.Entity, error) {
	s := it.section
	if s.key == nil {
		old := p.now.FirstBy(s.Kind, state.ByName, it.name)
		if old != nil && !s.has(old) {
			return nil, it.place.refuse("choose another name", "the name is taken by another kind of router")
		}
		return old, nil
	}
	t := want.(*model.Terminator)
	it.name = s.key(p.now, t)
	it.place.entity = it.name
	if other := p.doc.byName[s][it.name]; other != nil && other != it {
		return nil, it.place.refuse("leave one of the two", "the same terminator is declared a second time, first at %s:%d", other.place.file, other.place.line)
	}
	if p.doc.byName[s] == nil {
		p.doc.byName[s] = map[string]*item{}
	}
	p.doc.byName[s][it.name] = it
	var found model.Entity
	for e := range p.now.ByIndex(s.Kind, state.ByService, t.ServiceID) {
		if s.has(e) && e.(*model.Terminator).RouterID == t.RouterID && s.key(p.now, e) == it.name {
			if found == nil {
				found = e
			}
			p.kept[e.Meta().ID] = true
		}
	}
	return found, nil
}

func (p *planner) create(it *item, want model.Entity, c *Change) error {
	if err := p.permit(it, Create); err != nil {
		return err
	}
	if i, ok := want.(*model.Identity); ok && i.Type == model.IdentityRouter {
		return it.place.in("type").refuse("declare an edge router of this name with isTunnelerEnabled: true", "identities of type Router are made together with their router")
	}
	actions, method, err := p.actions(it)
	if err != nil {
		return err
	}
	c.Enrollment = method
	switch it.section.Op {
	case "EdgeRouter":
		c.Enrollment = model.MethodErott
	case "TransitRouter":
		c.Enrollment = model.MethodTrott
	}
	ops, err := p.rules.Create(p.now, it.section, want, actions)
	if err != nil {
		return it.wrap(err)
	}
	c.ID = want.Meta().ID
	p.add(it, ops...)
	for _, name := range it.section.extra { // the API sets these by operations of their own
		if m := it.section.byName[name]; !m.of(want).IsZero() {
			cmd := p.empty().PatchFrom(want, m.field.Name)
			p.add(it, cmd.Ops...)
		}
	}
	return nil
}

// empty returns a command to make operations with.
func (p *planner) empty() *state.Command {
	c := *p.opt.Command
	c.Ops = nil
	return &c
}

// update plans the change of the members that differ. What it saw has to be
// still so when the command is applied.
func (p *planner) update(it *item, want, old model.Entity, c *Change) error {
	fields, seen := map[string]any{}, map[string]any{}
	for i := range it.section.members {
		m := &it.section.members[i]
		if same(m.of(want), m.of(old)) {
			continue
		}
		if key, _ := it.member(m.name); m.immutable || m.name == "type" && it.section.Kind == model.KindIdentity {
			return it.place.in(m.name).at(key).refuse("delete the entity and declare it anew, or under another name", "it cannot be changed after the creation; it is %s", p.shown(it.section, m, old))
		}
		fields[m.field.Name] = explicit(m.of(want))
		seen[m.field.Name] = m.of(old).Interface()
	}
	if len(fields) == 0 {
		return nil
	}
	for _, action := range []string{Show, Update} { // the report shows what it was before
		if err := p.permit(it, action); err != nil {
			return err
		}
	}
	ops, err := p.rules.Change(p.now, it.section, old, fields)
	if err != nil {
		return it.wrap(err)
	}
	if c.Action != Create {
		c.Action = Update
	}
	p.add(it, p.empty().Expect(it.section.Kind, old.Meta().ID, seen).Ops...)
	p.add(it, ops...)
	return nil
}

// second sets the mentions of entities that did not exist yet.
func (p *planner) second() error {
	for _, it := range slices.SortedFunc(maps.Keys(p.later), func(a, b *item) int { return p.later[a] - p.later[b] }) {
		want, err := p.wanted(it)
		if err != nil {
			return err
		}
		c := &p.plan.Changes[p.later[it]]
		if err := p.update(it, want, p.now.Get(it.section.Kind, c.ID), c); err != nil {
			return err
		}
	}
	return p.try()
}

// permit asks once for every kind and action.
func (p *planner) permit(it *item, action string) error {
	key := [2]string{it.section.Op, action}
	if p.allowed[key] {
		return nil
	}
	if err := p.rules.Permit(it.section, action); err != nil {
		return it.wrap(err)
	}
	p.allowed[key] = true
	return nil
}

// wrap gives a refusal the place of the item.
func (it *item) wrap(err error) error { return it.place.wrap(err, it.locate) }

// locate finds the member that a refusal of a single operation is about. Those
// of configs tell of members of the data, with (root) for the whole of it.
func (it *item) locate(field string) (member string, n *yaml.Node) {
	path := strings.Split(field, ".")
	if other := it.section.rename[path[0]]; other != "" {
		path[0] = other
	}
	if it.section.Kind == model.KindConfig && it.section.byName[path[0]] == nil && path[0] != "type" {
		path = append([]string{"data"}, path...)
		if path[1] == "(root)" {
			path = path[:1]
		}
	}
	n = it.node
	for i, name := range path {
		key, value := memberOf(follow(n), name)
		if key == nil {
			if i == 0 {
				n = nil
			}
			break
		}
		n = key
		if i < len(path)-1 {
			if n = value; follow(value).Kind != yaml.MappingNode {
				break
			}
		}
	}
	return strings.Join(path, "."), n
}
