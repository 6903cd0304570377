package policy

import (
	"bytes"
	"slices"
)

func (t *transaction) putSubject(class int, id string, e Entity) {
	c := &t.view.classes[class]
	next := subject{group: noGroup}
	var old Entity
	if s, ok := c.subjects.get(id); ok {
		next, old = *s, s.entity
	}
	if old != nil && equal(old, e) {
		return
	}
	t.checks = t.checks || class == checks
	if class == services && old != nil {
		t.touchHolders(c, &next)
	}
	attributes := attributesOf(e)
	if next.group == noGroup || !slices.Equal(c.groups.at(next.group).attributes, attributes) {
		t.leaveGroup(class, next.group)
		next.group = t.joinGroup(class, attributes)
	}
	next.entity = e
	if t.effects.subject(class, id, old, e) {
		next.at = t.at
	}
	c.subjects.set(t.edit, id, &next)
	if class == services {
		t.touchHolders(c, &next)
	}
}

// equal reports whether two entities with the same id are the same in all that
// this package knows of.
func equal(a, b Entity) bool {
	x, errX := a.AppendBinary(nil)
	y, errY := b.AppendBinary(nil)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

func (t *transaction) removeSubject(class int, id string) {
	c := &t.view.classes[class]
	s := c.find(id)
	if s == nil {
		return
	}
	t.checks = t.checks || class == checks
	if class == services {
		t.touchHolders(c, s)
	}
	t.leaveGroup(class, s.group)
	t.keep(c, id, subject{group: noGroup, direct: s.direct, at: t.at})
	t.effects.subject(class, id, s.entity, nil)
}

// keep stores a subject, or forgets it if it is unknown and nobody names it.
func (t *transaction) keep(c *class, id string, s subject) {
	named := slices.ContainsFunc(s.direct[:], func(o ordinals) bool { return o != nil })
	if s.entity == nil && !named {
		c.subjects.remove(t.edit, id)
		return
	}
	c.subjects.set(t.edit, id, &s)
}

func (t *transaction) leaveGroup(class int, n int32) {
	if n == noGroup {
		return
	}
	c := &t.view.classes[class]
	if t.engine.groups[class].leave(t.edit, n, c.groups.at(n).attributes) {
		c.groups.set(t.edit, n, nil)
	}
}

func (t *transaction) joinGroup(class int, attributes []string) int32 {
	n, fresh := t.engine.groups[class].join(t.edit, attributes)
	if !fresh {
		return n
	}
	g := &group{attributes: attributes}
	for r := range relations {
		for side, p := range sides[r] {
			if p.class == class {
				g.policies[p.slot] = t.containing(r, side, attributes)
			}
		}
	}
	t.view.classes[class].groups.set(t.edit, n, g)
	return n
}

// containing returns the policies that select these attributes by attribute.
func (t *transaction) containing(r Relation, side int, attributes []string) ordinals {
	var out ordinals
	byAttr := &t.engine.rules[r].byAttr[side]
	for _, a := range attributes {
		byAttr.of(a).each(func(n int32) {
			if rule := t.view.rules[r].at(n); rule.sets[side].MatchAttributes(rule.semantic, attributes) {
				out = out.with(n)
			}
		})
	}
	return out
}

func (t *transaction) touchService(id string) {
	c := &t.view.classes[services]
	if s := c.find(id); s != nil {
		t.touchHolders(c, s)
	}
}

// touchHolders marks the service policies that contain a service, so that the
// identities they contain see a change.
func (t *transaction) touchHolders(c *class, s *subject) {
	for _, r := range []Relation{MayDial, MayBind} {
		h := c.holding(s, sides[r][1].slot)
		eachCommon(&h, nil, func(n int32) {
			if old := t.view.rules[r].at(n); old.at != t.at {
				rule := *old
				rule.at = t.at
				t.storeRule(&rule)
			}
		})
	}
}
