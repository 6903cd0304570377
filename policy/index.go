package policy

import (
	"slices"
	"strings"

	"github.com/weftnet/weft/model/role"
)

// groupIndex finds groups of a class by their attributes. It belongs to the
// engine and is guarded by its lock; views do not need it. What a fork of the
// engine shares of it is copied before it is written.
type groupIndex struct {
	byKey   table[int32]
	byAttr  attributeIndex
	members list[int32] // number of entities by group
	size    int32       // of members
	free    []int32
}

// attributeIndex maps an attribute to the numbers of groups or policies.
type attributeIndex struct{ table[*numbers] }

// numbers is a set of numbers that the edit that copied it changes in place.
type numbers struct {
	owner *edit
	set   ordinals
}

func newAttributeIndex() attributeIndex { return attributeIndex{newTable[*numbers]()} }

func (x *attributeIndex) of(attribute string) ordinals {
	if n, ok := x.get(attribute); ok {
		return n.set
	}
	return nil
}

func (x *attributeIndex) add(e *edit, attributes []string, n int32) {
	for _, a := range attributes {
		x.own(e, a).put(n)
	}
}

func (x *attributeIndex) drop(e *edit, attributes []string, n int32) {
	for _, a := range attributes {
		if !x.of(a).has(n) {
			continue
		}
		s := x.own(e, a)
		if s.set = s.set.without(n); s.set == nil {
			x.remove(e, a)
		}
	}
}

// own returns the set of an attribute for writing.
func (x *attributeIndex) own(e *edit, attribute string) *numbers {
	s, _ := x.get(attribute)
	if s == nil || s.owner != e {
		next := &numbers{owner: e}
		if s != nil {
			next.set = slices.Clone(s.set)
		}
		s = next
		x.set(e, attribute, s)
	}
	return s
}

func (s *numbers) put(n int32) { s.set = put(s.set, n) }

// candidates returns numbers among which all those are that a role list with
// these attributes can select.
func (x *attributeIndex) candidates(sem role.Semantic, attributes []string) ordinals {
	var out ordinals
	for i, a := range attributes {
		s := x.of(a)
		switch {
		case i == 0:
			out = s
			continue
		case i == 1:
			out = slices.Clone(out)
		}
		if sem == role.AllOf {
			out = out.and(s)
		} else {
			out = out.or(s)
		}
	}
	return out
}

func newGroupIndex() *groupIndex {
	return &groupIndex{byKey: newTable[int32](), byAttr: newAttributeIndex()}
}

func groupKey(attributes []string) string { return strings.Join(attributes, "\x00") }

// join enters an entity into the group of its attributes; fresh says that the
// group is new.
func (g *groupIndex) join(e *edit, attributes []string) (n int32, fresh bool) {
	key := groupKey(attributes)
	n, known := g.byKey.get(key)
	if known {
		g.members.set(e, n, g.members.at(n)+1)
		return n, false
	}
	if last := len(g.free) - 1; last >= 0 {
		n, g.free = g.free[last], g.free[:last]
	} else {
		n = g.size
		g.size++
	}
	g.members.set(e, n, 1)
	g.byKey.set(e, key, n)
	g.byAttr.add(e, attributes, n)
	return n, true
}

// leave takes an entity out of its group; gone says that the group is empty
// and its number free.
func (g *groupIndex) leave(e *edit, n int32, attributes []string) (gone bool) {
	left := g.members.at(n) - 1
	g.members.set(e, n, left)
	if left > 0 {
		return false
	}
	g.byKey.remove(e, groupKey(attributes))
	g.byAttr.drop(e, attributes, n)
	g.free = append(g.free, n)
	return true
}

func (g *groupIndex) fork() *groupIndex {
	next := *g
	next.free = slices.Clone(g.free)
	return &next
}

// ruleIndex finds the policies of a relation by the attributes they name.
type ruleIndex struct {
	byAttr [2]attributeIndex
	next   int32
	free   []int32
}

func newRuleIndex() *ruleIndex {
	return &ruleIndex{byAttr: [2]attributeIndex{newAttributeIndex(), newAttributeIndex()}}
}

func (x *ruleIndex) take() int32 {
	if last := len(x.free) - 1; last >= 0 {
		n := x.free[last]
		x.free = x.free[:last]
		return n
	}
	x.next++
	return x.next - 1
}

func (x *ruleIndex) fork() *ruleIndex {
	next := *x
	next.free = slices.Clone(x.free)
	return &next
}
