package declare

import (
	"encoding/json"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
)

// prune deletes what is not declared, dependants first.
func (p *planner) prune() error {
	if !p.opt.Prune {
		return nil
	}
	for _, s := range slices.Backward(Sections()) {
		if !p.inScope(s) {
			continue
		}
		var gone []model.Entity
		for e := range p.now.All(s.Kind) {
			if s.has(e) && !p.kept[e.Meta().ID] && p.opt.Selector.matches(e) && !p.protected(s, e) {
				gone = append(gone, e)
			}
		}
		slices.SortFunc(gone, func(a, b model.Entity) int { return strings.Compare(s.nameOf(p.now, a), s.nameOf(p.now, b)) })
		for _, e := range gone {
			if err := p.remove(s, e); err != nil {
				return err
			}
		}
		if err := p.try(); err != nil {
			return err
		}
	}
	return nil
}

func (p *planner) inScope(s *Section) bool {
	switch {
	case len(p.opt.Scope) > 0:
		return slices.Contains(p.opt.Scope, s)
	case len(p.opt.Selector) > 0:
		return true
	}
	return p.doc.named[s]
}

// protected reports whether an entity is never pruned.
func (p *planner) protected(s *Section, e model.Entity) bool {
	id := e.Meta().ID
	if e.Meta().IsSystem || id == p.opt.Caller {
		return true
	}
	switch e := e.(type) {
	case *model.Identity:
		return e.IsDefaultAdmin || e.Type == model.IdentityRouter
	case *model.AuthPolicy:
		return id == model.DefaultAuthPolicyID
	case *model.ConfigType:
		return builtinTypes()[id] != nil
	}
	return false
}

// remove plans the deletion of one entity, unless something declared needs it.
func (p *planner) remove(s *Section, e model.Entity) error {
	id, name := e.Meta().ID, s.nameOf(p.now, e)
	it := &item{section: s, name: name, place: place{file: "prune", section: s.Name, entity: name}, node: &yaml.Node{}}
	if user := p.used[id]; user != nil {
		return user.place.refuse("declare it too, or take the mention away", "it mentions %s of %s, which is not declared and would be deleted", name, s.Name)
	}
	if err := p.permit(it, Delete); err != nil {
		return err
	}
	ops, err := p.rules.Delete(p.now, s, e)
	if err != nil {
		return it.wrap(err)
	}
	p.add(it, p.empty().Expect(s.Kind, id, map[string]any{"updatedAt": e.Meta().UpdatedAt}).Ops...)
	p.add(it, ops...)
	p.plan.Changes = append(p.plan.Changes, Change{Action: Delete, Section: s, Name: name, ID: id})
	return nil
}

// members fills in what changes of every entity, by comparing the view that the
// plan began with with the one that it leads to.
func (p *planner) members() error {
	for i := range p.plan.Changes {
		c := &p.plan.Changes[i]
		if c.Action != Create && c.Action != Update {
			continue
		}
		after := p.now.Get(c.Section.Kind, c.ID)
		before := p.first.Get(c.Section.Kind, c.ID)
		if after == nil {
			continue // made and deleted by the same command: cannot be
		}
		fresh := c.Section.new()
		model.Settle(fresh)
		for j := range c.Section.members {
			m := &c.Section.members[j]
			if before != nil && same(m.of(before), m.of(after)) {
				continue
			}
			to, err := p.json(c.Section, m, after, fresh)
			if err != nil {
				return err
			}
			from := json.RawMessage("null")
			if before != nil {
				if from, err = p.json(c.Section, m, before, fresh); err != nil {
					return err
				}
			}
			if string(from) != string(to) {
				c.Members = append(c.Members, Member{m.name, from, to})
			}
		}
	}
	return nil
}

// json returns a member as declarations have it. Names are those of the end of
// the plan, or of its beginning for what is deleted.
func (p *planner) json(s *Section, m *member, e, fresh model.Entity) (json.RawMessage, error) {
	view := p.now
	if before := p.first.Get(e.Kind(), e.Meta().ID); before == e {
		view = p.first
	}
	n, err := s.exported(view, m, e, fresh)
	if err != nil || n == nil {
		return json.RawMessage("null"), err
	}
	budget := maxNodes
	return appendJSON(nil, n, &budget)
}

// shown is a member for a sentence.
func (p *planner) shown(s *Section, m *member, e model.Entity) string {
	text, err := p.json(s, m, e, s.new())
	if err != nil {
		return fault.Unhandled.Message
	}
	return string(text)
}
