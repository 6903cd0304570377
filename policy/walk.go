package policy

import "iter"

// holding returns the policies of a relation that contain an entity on a side.
func (v *View) holding(r Relation, side int, id string) (holding, bool) {
	if r >= relations {
		return holding{}, false
	}
	p := sides[r][side]
	c := &v.classes[p.class]
	s := c.find(id)
	if s == nil {
		return holding{}, false
	}
	return c.holding(s, p.slot), true
}

// policies returns the policies in both; with b nil, in a.
func (v *View) policies(r Relation, a, b *holding) []Entity {
	var out []Entity
	eachCommon(a, b, func(n int32) { out = append(out, v.rules[r].at(n).entity) })
	return out
}

// related returns what is related to the entity on a side.
func (v *View) related(r Relation, side int, id string) iter.Seq[Entity] {
	return func(yield func(Entity) bool) {
		if near, ok := v.holding(r, side, id); ok {
			v.each(r, 1-side, func(far *holding) bool { return common(&near, far) >= 0 }, yield)
		}
	}
}

// each yields the known entities on a side of a relation whose policies pass.
// The answer for those that no policy names by id is found once per group.
func (v *View) each(r Relation, side int, pass func(*holding) bool, yield func(Entity) bool) {
	p := sides[r][side]
	c := &v.classes[p.class]
	byGroup := map[int32]bool{}
	c.subjects.each(func(_ string, s *subject) bool {
		if s.entity == nil {
			return true
		}
		h := c.holding(s, p.slot)
		ok, known := byGroup[s.group]
		if !known || s.direct[p.slot] != nil {
			if ok = pass(&h); s.direct[p.slot] == nil {
				byGroup[s.group] = ok
			}
		}
		return !ok || yield(s.entity)
	})
}

func (v *View) eachRouter(use, serve *holding, yield func(*Router) bool) {
	c := &v.classes[routers]
	c.subjects.each(func(_ string, s *subject) bool {
		router, ok := s.entity.(*Router)
		if !ok || router.Disabled {
			return true
		}
		byIdentity := c.holding(s, sides[MayUse][1].slot)
		byService := c.holding(s, sides[MayServeBy][1].slot)
		if common(use, &byIdentity) < 0 || common(serve, &byService) < 0 {
			return true
		}
		return yield(router)
	})
}

// sideOf returns a policy and the side on which entities of a kind stand in it.
func (v *View) sideOf(policy Kind, policyID string, kind Kind) (*rule, int, bool) {
	table, okPolicy := ruleTable(policy)
	class, okKind := classOf(kind)
	if !okPolicy || !okKind {
		return nil, 0, false
	}
	r, ok := v.byID[table].get(policyID)
	if !ok {
		return nil, 0, false
	}
	for side, p := range sides[r.relation] {
		if p.class == class {
			return r, side, true
		}
	}
	return nil, 0, false
}
