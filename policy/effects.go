package policy

import (
	"slices"

	"github.com/weftnet/weft/model/role"
)

// Effects says whom a batch of changes concerns, without listing pairs. It may
// name somebody whose access did not really change; it never misses one. It is
// immutable and safe for concurrent use.
type Effects struct {
	view  *View
	areas []area
	loss  bool
}

// area is what one change concerns: entities on the left and on the right of a
// relation.
type area struct {
	relation Relation
	sides    [2]selector
}

// selector selects everything, one id, or what a role list selects.
type selector struct {
	all      bool
	id       string
	set      role.Set
	semantic role.Semantic
}

// Empty reports whether nobody's access is concerned.
func (f *Effects) Empty() bool { return len(f.areas) == 0 }

// Loss reports whether somebody may have lost access.
func (f *Effects) Loss() bool { return f.loss }

// Pair reports whether the access of an identity to a service, through any
// router, is concerned. Either may have been removed.
func (f *Effects) Pair(identityID, serviceID string) bool {
	return slices.ContainsFunc(f.areas, func(a area) bool {
		switch a.relation {
		case MayUse:
			return f.selects(a.sides[0], identities, identityID)
		case MayServeBy:
			return f.selects(a.sides[0], services, serviceID)
		}
		return f.selects(a.sides[0], identities, identityID) && f.selects(a.sides[1], services, serviceID)
	})
}

// Identity reports whether any access of the identity is concerned.
func (f *Effects) Identity(id string) bool {
	return slices.ContainsFunc(f.areas, func(a area) bool {
		return a.relation == MayServeBy || f.selects(a.sides[0], identities, id)
	})
}

// Service reports whether anybody's access to the service is concerned.
func (f *Effects) Service(id string) bool {
	return slices.ContainsFunc(f.areas, func(a area) bool {
		switch a.relation {
		case MayUse:
			return true
		case MayServeBy:
			return f.selects(a.sides[0], services, id)
		}
		return f.selects(a.sides[1], services, id)
	})
}

func (f *Effects) selects(s selector, class int, id string) bool {
	if s.all || s.id == id {
		return true
	}
	if s.id != "" {
		return false
	}
	if s.set.All || s.set.MatchID(id) {
		return true
	}
	c := &f.view.classes[class]
	known := c.find(id)
	return known != nil && s.set.MatchAttributes(s.semantic, c.groups.at(known.group).attributes)
}

// rule adds a policy that came or went.
func (f *Effects) rule(r *rule, gone bool) {
	if r.sets[0].Empty() || r.sets[1].Empty() {
		return
	}
	f.loss = f.loss || gone
	f.areas = append(f.areas, area{r.relation, [2]selector{
		{set: r.sets[0], semantic: r.semantic}, {set: r.sets[1], semantic: r.semantic}}})
}

// subject adds an entity that came, went or changed; either may be nil. It
// reports whether the change concerns access.
func (f *Effects) subject(class int, id string, old, now Entity) bool {
	if old != nil && now != nil && slices.Equal(attributesOf(old), attributesOf(now)) && disabled(old) == disabled(now) {
		return false
	}
	if class == checks { // what it means is found at the end of the batch
		return true
	}
	f.loss = f.loss || old != nil
	one, all := selector{id: id}, selector{all: true}
	switch class {
	case identities:
		f.areas = append(f.areas, area{MayDial, [2]selector{one, all}})
	case services:
		f.areas = append(f.areas, area{MayDial, [2]selector{all, one}})
	case routers:
		f.areas = append(f.areas, area{MayUse, [2]selector{all, one}})
	}
	return true
}

func disabled(e Entity) bool {
	switch e := e.(type) {
	case *Identity:
		return e.Disabled
	case *Router:
		return e.Disabled
	}
	return false
}
