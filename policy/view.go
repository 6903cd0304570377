package policy

import (
	"iter"
	"time"
)

// Relation is one of the four relations that policies span.
type Relation uint8

// The relations; left and right are the kinds of their two sides.
const (
	MayDial    Relation = iota // identity × service
	MayBind                    // identity × service
	MayUse                     // identity × router
	MayServeBy                 // service × router
)

// View is an immutable state of the policies. Its methods take no lock.
type View struct{}

// Identity returns an identity, nil if it is unknown.
func (v *View) Identity(id string) *Identity { return nil }

// Service returns a service, nil if it is unknown.
func (v *View) Service(id string) *Service { return nil }

// Router returns a router, nil if it is unknown.
func (v *View) Router(id string) *Router { return nil }

// Check decides whether an identity may dial or bind a service through a
// router; with an empty router id, through any.
func (v *View) Check(action Action, identityID, serviceID, routerID string) Decision {
	return Decision{}
}

// Related reports whether a policy relates left and right, both of which exist.
// Whether they are disabled does not matter.
func (v *View) Related(r Relation, leftID, rightID string) bool { return false }

// Granting returns the policies that relate left and right.
func (v *View) Granting(r Relation, leftID, rightID string) []Entity { return nil }

// Rights returns the right sides related to left, in no order.
func (v *View) Rights(r Relation, leftID string) iter.Seq[Entity] { return nil }

// Lefts returns the left sides related to right, in no order.
func (v *View) Lefts(r Relation, rightID string) iter.Seq[Entity] { return nil }

// PoliciesOf returns the policies of a relation that contain an entity, given
// by its kind and id, on the side where entities of its kind stand.
func (v *View) PoliciesOf(r Relation, kind Kind, id string) []Entity { return nil }

// Members returns the entities of a kind that a policy contains, in no order.
func (v *View) Members(policyID string, kind Kind) iter.Seq[Entity] { return nil }

// CommonRouters returns the routers that the identity may use and the service
// may be used through and that are not disabled, in no order.
func (v *View) CommonRouters(identityID, serviceID string) iter.Seq[*Router] { return nil }

// ChangedAt returns the time of the last change that concerned the services of
// an identity; the zero time if it is unknown.
func (v *View) ChangedAt(identityID string) time.Time { return time.Time{} }

// Decision is the answer to one question, with its reason.
type Decision struct {
	Code Code
}

// Allowed reports whether access is granted.
func (d Decision) Allowed() bool { return d.Code == Granted }

// Code is the stable code of a decision.
type Code string

// Granted is the code of an allowed decision.
const Granted Code = ""
