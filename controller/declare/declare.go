// Package declare makes the network as it is declared: it reads declarations,
// YAML or JSON with names instead of ids, compares them with the state, and
// plans the one command that removes the differences. It writes declarations,
// too.
//
// The package does no input or output and keeps nothing. How a single entity is
// created, changed and deleted, and who may, is decided by Rules.
package declare

import (
	"encoding/json"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

// Actions on an entity, as reports name them.
const (
	Create = "create"
	Update = "update"
	Delete = "delete"
	None   = "none"
	Show   = "read" // asked of Rules only
)

// Rules are those of the single operations. The view is the state as the
// operations before have left it. Refusals are those of the catalogue.
type Rules interface {
	// Permit refuses unless the caller may do the action, Show among them, with
	// entities of the section.
	Permit(s *Section, action string) error
	// Create chooses the id of e and returns the operations that make it. actions
	// are the members that count at creation only, as the API has them.
	Create(v *state.View, s *Section, e model.Entity, actions map[string]any) ([]state.Op, error)
	// Change returns the operations that set fields of old, by JSON path.
	Change(v *state.View, s *Section, old model.Entity, fields map[string]any) ([]state.Op, error)
	Delete(v *state.View, s *Section, old model.Entity) ([]state.Op, error)
}

// Options say how far a declaration goes.
type Options struct {
	// Prune deletes what is not declared: of the sections in Scope, else of all
	// when there is a Selector, else of those that the declaration has.
	Prune bool
	Scope []*Section
	// Selector are tags that every declared entity must carry; others are left
	// alone.
	Selector Selector
	Caller   string // identity that is never deleted
	// Command is the empty command that the plan fills.
	Command *state.Command
}

// Change is what a plan does to one entity.
type Change struct {
	Action     string
	Section    *Section
	Name, ID   string
	Enrollment string // method of the enrollment that is made with it
	File       string
	Line       int
	Members    []Member // of Create and Update
}

// Member is one member that changes, in the form of a declaration; null stands
// for the default.
type Member struct {
	Name          string
	Before, After json.RawMessage
}

// Plan is what makes the network as it is declared.
type Plan struct {
	Changes []Change       // every declared entity, then those that are deleted
	Command *state.Command // without ops if there is nothing to do
}
