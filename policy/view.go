package policy

import (
	"iter"
	"time"
)

// Relation is one of the four relations that policies span.
type Relation uint8

// The relations with their left and right side.
const (
	MayDial    Relation = iota // identity × service
	MayBind                    // identity × service
	MayUse                     // identity × router
	MayServeBy                 // service × router
	relations
)

// View is an immutable state of the policies. Its methods take no lock.
type View struct {
	classes [classes]class
	rules   [relations]list[*rule]
	byID    [3]table[*rule] // service, edge router, service edge router policies

	asking, demanding [actions]ordinals // service policies that name posture checks, and that select some
}

// Identity returns an identity, nil if it is unknown.
func (v *View) Identity(id string) *Identity { e, _ := v.entity(identities, id).(*Identity); return e }

// Service returns a service, nil if it is unknown.
func (v *View) Service(id string) *Service { e, _ := v.entity(services, id).(*Service); return e }

// Router returns a router, nil if it is unknown.
func (v *View) Router(id string) *Router { e, _ := v.entity(routers, id).(*Router); return e }

func (v *View) entity(class int, id string) Entity {
	if s := v.classes[class].find(id); s != nil {
		return s.entity
	}
	return nil
}

// Policy returns a policy of one of the three kinds, nil if it is unknown.
func (v *View) Policy(kind Kind, id string) Entity {
	if i, ok := ruleTable(kind); ok {
		if r, ok := v.byID[i].get(id); ok {
			return r.entity
		}
	}
	return nil
}

// Related reports whether a policy relates left and right, both of which must
// exist. Whether they are disabled does not matter, nor whether the policy
// demands posture.
func (v *View) Related(r Relation, leftID, rightID string) bool {
	left, okLeft := v.holding(r, 0, leftID)
	right, okRight := v.holding(r, 1, rightID)
	return okLeft && okRight && common(&left, &right) >= 0
}

// Granting returns the policies that relate left and right; those of them that
// demand posture grant nothing, see Posture.
func (v *View) Granting(r Relation, leftID, rightID string) []Entity {
	left, okLeft := v.holding(r, 0, leftID)
	right, okRight := v.holding(r, 1, rightID)
	if !okLeft || !okRight {
		return nil
	}
	return v.policies(r, &left, &right)
}

// PoliciesOf returns the policies of a relation that contain an entity, given
// by its kind and id, on the side where its kind stands.
func (v *View) PoliciesOf(r Relation, kind Kind, id string) []Entity {
	if class, ok := classOf(kind); ok && r < relations {
		for side, p := range sides[r] {
			if p.class == class {
				if h, ok := v.holding(r, side, id); ok {
					return v.policies(r, &h, nil)
				}
			}
		}
	}
	return nil
}

// Rights returns the entities on the right that are related to left, in no
// order.
func (v *View) Rights(r Relation, leftID string) iter.Seq[Entity] { return v.related(r, 0, leftID) }

// Lefts returns the entities on the left that are related to right, in no
// order.
func (v *View) Lefts(r Relation, rightID string) iter.Seq[Entity] { return v.related(r, 1, rightID) }

// Contains reports whether a policy contains a known entity of a kind.
func (v *View) Contains(policy Kind, policyID string, kind Kind, id string) bool {
	if r, side, ok := v.sideOf(policy, policyID, kind); ok {
		h, known := v.holding(r.relation, side, id)
		return known && h.has(r.ordinal)
	}
	return false
}

// Members returns the entities of a kind that a policy contains, in no order.
func (v *View) Members(policy Kind, policyID string, kind Kind) iter.Seq[Entity] {
	return func(yield func(Entity) bool) {
		if r, side, ok := v.sideOf(policy, policyID, kind); ok {
			v.each(r.relation, side, func(h *holding) bool { return h.has(r.ordinal) }, yield)
		}
	}
}

// CommonRouters returns the routers that the identity may use, that the
// service may be used through and that are not disabled, in no order.
func (v *View) CommonRouters(identityID, serviceID string) iter.Seq[*Router] {
	return func(yield func(*Router) bool) {
		use, okUse := v.holding(MayUse, 0, identityID)
		serve, okServe := v.holding(MayServeBy, 0, serviceID)
		if !okUse || !okServe {
			return
		}
		v.eachRouter(&use, &serve, yield)
	}
}

// ChangedAt returns the time of the last change that concerned the services of
// an identity: its own changes, those of service policies that contain it, and
// of services in them. It is the zero time for an unknown identity.
func (v *View) ChangedAt(identityID string) time.Time {
	c := &v.classes[identities]
	s := c.find(identityID)
	if s == nil {
		return time.Time{}
	}
	at := max(s.at, c.allAt, c.groups.at(s.group).at)
	for _, r := range []Relation{MayDial, MayBind} {
		h := c.holding(s, sides[r][0].slot)
		eachCommon(&h, nil, func(n int32) { at = max(at, v.rules[r].at(n).at) })
	}
	return time.Unix(0, at).UTC()
}
