package policy

import "github.com/weftnet/weft/model/role"

func (t *transaction) putRule(table int, id string, r *rule) {
	old, known := t.view.byID[table].get(id)
	if known && r.same(old) {
		r.ordinal, r.at = old.ordinal, old.at
		t.storeRule(r)
		return
	}
	if known {
		t.unlink(old)
		t.effects.rule(old, true)
	}
	if known && old.relation == r.relation {
		r.ordinal = old.ordinal
	} else {
		if known {
			t.release(old)
		}
		r.ordinal = t.engine.rules[r.relation].take()
	}
	r.at = t.at
	t.storeRule(r)
	t.link(r)
	t.ask(r)
	t.effects.rule(r, false)
}

func (t *transaction) removeRule(table int, id string) {
	old, known := t.view.byID[table].get(id)
	if !known {
		return
	}
	t.unlink(old)
	t.release(old)
	t.view.byID[table].remove(t.edit, id)
	t.effects.rule(old, true)
}

func (t *transaction) storeRule(r *rule) {
	table, _ := ruleTable(r.entity.Kind())
	t.view.rules[r.relation].set(t.edit, r.ordinal, r)
	t.view.byID[table].set(t.edit, r.entity.Key(), r)
}

func (t *transaction) release(r *rule) {
	t.view.rules[r.relation].set(t.edit, r.ordinal, nil)
	x := t.engine.rules[r.relation]
	x.free = append(x.free, r.ordinal)
}

// link enters a policy into everything it contains; unlink takes it out. Both
// mark the identities of service policies as changed.
func (t *transaction) link(r *rule) {
	for side, set := range r.sets {
		t.engine.rules[r.relation].byAttr[side].add(t.edit, set.Attributes, r.ordinal)
		t.mark(r, side, func(o ordinals) ordinals { return o.with(r.ordinal) })
	}
}

func (t *transaction) unlink(r *rule) {
	t.forgetPosture(r)
	for side, set := range r.sets {
		t.engine.rules[r.relation].byAttr[side].drop(t.edit, set.Attributes, r.ordinal)
		t.mark(r, side, func(o ordinals) ordinals { return o.without(r.ordinal) })
	}
}

// mark changes the policies of one slot for all that a side of r contains.
func (t *transaction) mark(r *rule, side int, f func(ordinals) ordinals) {
	p, set := sides[r.relation][side], r.sets[side]
	c := &t.view.classes[p.class]
	dated := p.class == identities && r.relation != MayUse
	if set.All {
		c.all[p.slot] = f(c.all[p.slot])
		if dated {
			c.allAt = t.at
		}
	}
	for _, id := range set.IDs {
		next := subject{group: noGroup}
		if s, ok := c.subjects.get(id); ok {
			next = *s
		}
		next.direct[p.slot] = f(next.direct[p.slot])
		if dated {
			next.at = t.at
		}
		t.keep(c, id, next)
	}
	for _, n := range t.matching(p.class, r.semantic, set) {
		g := *c.groups.at(n)
		g.policies[p.slot] = f(g.policies[p.slot])
		if dated {
			g.at = t.at
		}
		c.groups.set(t.edit, n, &g)
	}
}

// matching returns the groups that a role list selects by attribute.
func (t *transaction) matching(class int, sem role.Semantic, set role.Set) []int32 {
	var out []int32
	groups := &t.view.classes[class].groups
	t.engine.groups[class].byAttr.candidates(sem, set.Attributes).each(func(n int32) {
		if byAttribute := (role.Set{Attributes: set.Attributes}); byAttribute.MatchAttributes(sem, groups.at(n).attributes) {
			out = append(out, n)
		}
	})
	return out
}
