package policy

import (
	"maps"
	"strings"

	"github.com/weftnet/weft/model/role"
)

// groupIndex finds groups of a class by their attributes. It belongs to the
// engine and is guarded by its lock; views do not need it.
type groupIndex struct {
	byKey   map[string]int32
	byAttr  attributeIndex
	members []int32 // number of entities by group
	free    []int32
}

// attributeIndex maps an attribute to the numbers of groups or policies.
type attributeIndex map[string]map[int32]struct{}

func (x attributeIndex) add(attributes []string, n int32) {
	for _, a := range attributes {
		if x[a] == nil {
			x[a] = map[int32]struct{}{}
		}
		x[a][n] = struct{}{}
	}
}

func (x attributeIndex) drop(attributes []string, n int32) {
	for _, a := range attributes {
		if delete(x[a], n); len(x[a]) == 0 {
			delete(x, a)
		}
	}
}

// candidates returns numbers among which all those are that a role list with
// these attributes can select.
func (x attributeIndex) candidates(sem role.Semantic, attributes []string) map[int32]struct{} {
	if len(attributes) == 0 {
		return nil
	}
	if sem == role.AllOf {
		best := x[attributes[0]]
		for _, a := range attributes[1:] {
			if len(x[a]) < len(best) {
				best = x[a]
			}
		}
		return best
	}
	if len(attributes) == 1 {
		return x[attributes[0]]
	}
	all := map[int32]struct{}{}
	for _, a := range attributes {
		maps.Copy(all, x[a])
	}
	return all
}

func newGroupIndex() *groupIndex {
	return &groupIndex{byKey: map[string]int32{}, byAttr: attributeIndex{}}
}

func groupKey(attributes []string) string { return strings.Join(attributes, "\x00") }

// join enters an entity into the group of its attributes; fresh says that the
// group is new.
func (g *groupIndex) join(attributes []string) (n int32, fresh bool) {
	key := groupKey(attributes)
	n, known := g.byKey[key]
	if !known {
		if last := len(g.free) - 1; last >= 0 {
			n, g.free = g.free[last], g.free[:last]
		} else {
			n = int32(len(g.members))
			g.members = append(g.members, 0)
		}
		g.byKey[key] = n
		g.byAttr.add(attributes, n)
	}
	g.members[n]++
	return n, !known
}

// leave takes an entity out of its group; gone says that the group is empty
// and its number free.
func (g *groupIndex) leave(n int32, attributes []string) (gone bool) {
	if g.members[n]--; g.members[n] > 0 {
		return false
	}
	delete(g.byKey, groupKey(attributes))
	g.byAttr.drop(attributes, n)
	g.free = append(g.free, n)
	return true
}

// ruleIndex finds the policies of a relation by the attributes they name.
type ruleIndex struct {
	byAttr [2]attributeIndex
	next   int32
	free   []int32
}

func newRuleIndex() *ruleIndex {
	return &ruleIndex{byAttr: [2]attributeIndex{{}, {}}}
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
