package policy

import (
	"iter"
	"slices"
)

// WhoCan returns the identities that Check allows an action on a service through
// any router, in no order.
func (v *View) WhoCan(a Action, serviceID string) iter.Seq[*Identity] {
	return func(yield func(*Identity) bool) {
		service, ok := v.holdings(services, serviceID)
		if !ok || a >= actions {
			return
		}
		v.passing(identities, func(h *[slots]holding) bool { return v.allowed(a, h, &service) },
			func(e Entity) bool { return disabled(e) || yield(e.(*Identity)) })
	}
}

// WhatCan returns the services on which Check allows an identity an action
// through any router, in no order.
func (v *View) WhatCan(a Action, identityID string) iter.Seq[*Service] {
	return func(yield func(*Service) bool) {
		identity, ok := v.holdings(identities, identityID)
		if !ok || a >= actions || disabled(v.entity(identities, identityID)) {
			return
		}
		v.passing(services, func(h *[slots]holding) bool { return v.allowed(a, &identity, h) },
			func(e Entity) bool { return yield(e.(*Service)) })
	}
}

// Usable returns the ids of the services that policies relate to an identity in
// any way, sorted. Whether it is disabled does not matter, nor whether the
// policies demand posture.
func (v *View) Usable(identityID string) []string {
	identity, ok := v.holdings(identities, identityID)
	if !ok {
		return nil
	}
	var ids []string
	c := &v.classes[services]
	groups := make([]int8, len(c.groups.pages)*pageSize) // 0 not known, 1 related, -1 not
	c.subjects.each(func(id string, s *subject) bool {
		if s.entity == nil {
			return true
		}
		plain := s.plain()
		if !plain || groups[s.group] == 0 {
			answer := int8(-1)
			for _, r := range []Relation{MayDial, MayBind} {
				if h := c.holding(s, sides[r][1].slot); common(&identity[sides[r][0].slot], &h) >= 0 {
					answer = 1
					break
				}
			}
			if !plain {
				if answer > 0 {
					ids = append(ids, id)
				}
				return true
			}
			groups[s.group] = answer
		}
		if groups[s.group] > 0 {
			ids = append(ids, id)
		}
		return true
	})
	slices.Sort(ids)
	return ids
}

// allowed is Check for an enabled identity and a service, given by the policies
// that contain them, through any router.
func (v *View) allowed(a Action, identity, service *[slots]holding) bool {
	r := relationOf(a)
	if granting(&identity[sides[r][0].slot], &service[sides[r][1].slot], v.demanding[a]) < 0 {
		return false
	}
	found := false
	v.eachRouter(&identity[sides[MayUse][0].slot], &service[sides[MayServeBy][0].slot], func(*Router) bool { found = true; return false })
	return found
}

// holdings returns the policies that contain a known entity, by slot.
func (v *View) holdings(class int, id string) ([slots]holding, bool) {
	c := &v.classes[class]
	s := c.find(id)
	if s == nil {
		return [slots]holding{}, false
	}
	return c.holdings(s), true
}

func (c *class) holdings(s *subject) (out [slots]holding) {
	for slot := range out {
		out[slot] = c.holding(s, slot)
	}
	return out
}

// plain reports whether no policy names the subject by its id: then all of its
// group are in the same policies.
func (s *subject) plain() bool {
	for _, o := range s.direct {
		if o != nil {
			return false
		}
	}
	return true
}

// passing yields the known entities of a class whose policies pass; the answer
// for those that no policy names is found once per group.
func (v *View) passing(class int, pass func(*[slots]holding) bool, yield func(Entity) bool) {
	c := &v.classes[class]
	byGroup := map[int32]bool{}
	c.subjects.each(func(_ string, s *subject) bool {
		if s.entity == nil {
			return true
		}
		plain := s.plain()
		ok, known := byGroup[s.group]
		if !plain || !known {
			h := c.holdings(s)
			ok = pass(&h)
			if plain {
				byGroup[s.group] = ok
			}
		}
		return !ok || yield(s.entity)
	})
}
