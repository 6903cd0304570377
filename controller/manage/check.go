// Package manage is the management channel of the controller, by which tools
// follow events and have the network checked, and the checks themselves: whether
// what the controller knows agrees with what its routers have.
package manage

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/weftnet/weft/controller/network"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/model/query"
	"github.com/weftnet/weft/state"
)

// Facts are what the controller knows and can ask. Safe for concurrent use.
type Facts interface {
	View() *state.View
	Online(routerID string) bool
	Links() []*network.Link
	Circuits() []*network.Circuit
	// Inspect asks a router, or this controller, about itself.
	Inspect(ctx context.Context, id string, keys []string) (values map[string]string, errors []string)
	// IdentityOnline reports whether a router has told that an identity is connected.
	IdentityOnline(routerID, identityID string) bool
	// Resync sends a router its whole data again.
	Resync(routerID string)
	// RemoveTerminators removes terminators that nobody hosts.
	RemoveTerminators(ctx context.Context, ids []string) error
}

// Kinds of checks.
const (
	Terminators    = "terminators"
	Links          = "router-links"
	SDKTerminators = "router-sdk-terminators"
	ErtTerminators = "router-ert-terminators"
	DataModel      = "router-data-model"
	Identities     = "identity-connection-statuses"
	Circuits       = "circuits"
	Dialers        = "controller-dialers"
)

// Kinds returns the kinds of checks.
func Kinds() []string {
	return []string{Terminators, Links, SDKTerminators, ErtTerminators, DataModel, Identities, Circuits, Dialers}
}

// Request is what to check.
type Request struct {
	Kind string
	// Filter chooses routers, or terminators with Terminators, in the query
	// language; empty for all.
	Filter     string
	Identities string // filter of hosting identities, with Terminators
	Fix        bool   // mend what can be mended
	Controller bool   // with DataModel: this controller too
	// How many terminators a host should have, 0 for any; with Terminators.
	PerServiceAndHost, PerHost uint64
}

// Detail is the result for one router, controller, terminator or host.
type Detail struct {
	Type     string   `json:"type"` // router, controller, terminator or host
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	OK       bool     `json:"ok"` // it could be asked; with terminators and hosts: it is valid
	Message  string   `json:"message,omitempty"`
	Errors   []string `json:"errors"`
	Items    []Item   `json:"items"`
	Fixed    bool     `json:"fixed,omitempty"`
	state    uint64   // of a terminator
	entity   *model.Terminator
	identity string
}

// Item is one link, terminator or circuit of a router.
type Item struct {
	ID         string   `json:"id"`
	Valid      bool     `json:"valid"`
	Controller string   `json:"controllerState"`
	Router     string   `json:"routerState"`
	Dest       string   `json:"destRouterId,omitempty"`
	Dialed     bool     `json:"dialed,omitempty"`
	Messages   []string `json:"messages,omitempty"`

	destOnline, noCtrl, noForward, noEdge bool
}

// Valid reports whether nothing is wrong.
func (d *Detail) Valid() bool {
	return d.OK && len(d.Errors) == 0 && !slices.ContainsFunc(d.Items, func(i Item) bool { return !i.Valid })
}

// parallel is how many routers are asked at once.
const parallel = 10

// Check checks. The refusals are those of filters and fault.NotFound for a kind
// that there is not.
func Check(ctx context.Context, f Facts, r Request) ([]*Detail, error) {
	switch r.Kind {
	case Terminators:
		return checkTerminators(ctx, f, r)
	case Dialers:
		return checkDialers(ctx, f)
	}
	check := routerChecks[r.Kind]
	if check == nil {
		return nil, fault.NotFound.Errorf("there is no check %q", r.Kind).WithRemedy("use one of %s", strings.Join(Kinds(), ", "))
	}
	routers, err := chosen[model.EdgeRouter](f.View(), routerSchema(), routerRow, r.Filter)
	if err != nil {
		return nil, err
	}
	out := make([]*Detail, len(routers))
	slots := make(chan struct{}, parallel)
	var work sync.WaitGroup
	for i, e := range routers {
		out[i] = &Detail{Type: "router", ID: e.ID, Name: e.Name, Errors: []string{}, Items: []Item{}}
		slots <- struct{}{}
		work.Go(func() {
			defer func() { <-slots }()
			d := out[i]
			if !f.Online(e.ID) {
				d.Message = "the router is not connected"
				return
			}
			d.OK = true
			check(ctx, f, r, d)
		})
	}
	work.Wait()
	if r.Kind == DataModel && r.Controller {
		out = append(out, &Detail{Type: "controller", ID: "this", Name: "this", OK: true, Errors: []string{}, Items: []Item{}})
	}
	return out, nil
}

// ask has a router say a value of its own, as JSON.
func ask(ctx context.Context, f Facts, d *Detail, key string, out any) bool {
	values, errs := f.Inspect(ctx, d.ID, []string{key})
	if len(errs) > 0 {
		d.OK, d.Message = false, strings.Join(errs, "; ")
		return false
	}
	text, ok := values[key]
	if !ok {
		d.OK, d.Message = false, "the router does not know "+key
		return false
	}
	if err := json.Unmarshal([]byte(text), out); err != nil {
		d.OK, d.Message = false, fmt.Sprintf("what the router says of %s cannot be read: %s", key, text)
		return false
	}
	return true
}

// chosen returns the entities that a filter chooses, in its order.
func chosen[T any, P interface {
	*T
	model.Entity
}](v *state.View, s *query.Schema, row func(*query.Schema, P) query.Row, filter string) ([]P, error) {
	p, err := query.Compile(s, filter, "")
	if err != nil {
		return nil, err
	}
	var out []P
	for e := range v.All(P(nil).Kind()) {
		if t := e.(P); p.Match(row(s, t)) {
			out = append(out, t)
		}
	}
	if p.Sorted() {
		slices.SortStableFunc(out, func(a, b P) int { return p.Compare(row(s, a), row(s, b)) })
	}
	all := int64(-1)
	limit, offset := p.Page(nil, nil)
	if limit == query.DefaultLimit { // checks are of all, unless the filter says otherwise
		limit, offset = p.Page(&all, nil)
	}
	out = out[min(offset, int64(len(out))):]
	return out[:min(limit, int64(len(out)))], nil
}

// fields is a row of a filter.
type fields struct {
	s      *query.Schema
	values map[string]query.Value
	tags   model.Tags
}

// Value implements query.Row.
func (r fields) Value(i int) query.Value { return r.values[r.s.Field(i).Name] }

// Set implements query.Row.
func (fields) Set(int) query.Set { return query.Set{} }

// Tag implements query.Row.
func (r fields) Tag(name string) query.Value { return query.AnyOf(r.tags[name]) }

func schemaOf(texts ...string) *query.Schema {
	all := []query.Field{{Name: "tags", Type: query.Any}}
	for _, name := range texts {
		all = append(all, query.Field{Name: name, Type: query.String})
	}
	return query.NewSchema(all...)
}

func routerSchema() *query.Schema { return schemaOf("id", "name") }

func routerRow(s *query.Schema, e *model.EdgeRouter) query.Row {
	return fields{s, map[string]query.Value{"id": query.StringOf(e.ID), "name": query.StringOf(e.Name)}, e.Tags}
}
