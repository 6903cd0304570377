package manage

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/weftnet/weft/controller/network"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/model/query"
	"github.com/weftnet/weft/state"
)

// States of terminators on the management channel.
const (
	stateValid = iota
	stateUnknown
	stateUnknownBinding
	stateUnknownTerminator
	stateBad
)

func terminatorSchema() *query.Schema {
	return schemaOf("id", "service", "service.name", "router", "router.name", "binding", "address", "hostId", "instanceId")
}

func terminatorRowOf(v *state.View) func(*query.Schema, *model.Terminator) query.Row {
	return func(s *query.Schema, t *model.Terminator) query.Row {
		return fields{s, map[string]query.Value{
			"id": query.StringOf(t.ID), "service": query.StringOf(t.ServiceID), "service.name": query.StringOf(serviceName(v, t.ServiceID)),
			"router": query.StringOf(t.RouterID), "router.name": query.StringOf(routerName(v, t.RouterID)), "binding": query.StringOf(t.Binding),
			"address": query.StringOf(t.Address), "hostId": query.StringOf(t.HostID), "instanceId": query.StringOf(t.InstanceID),
		}, t.Tags}
	}
}

func serviceName(v *state.View, id string) string {
	if s := state.Get[model.Service](v, id); s != nil {
		return s.Name
	}
	return ""
}

func routerName(v *state.View, id string) string {
	if r := state.Get[model.EdgeRouter](v, id); r != nil {
		return r.Name
	}
	return ""
}

// checkTerminators asks the routers of terminators whether they have them. With
// Fix those that a router does not know are removed.
func checkTerminators(ctx context.Context, f Facts, r Request) ([]*Detail, error) {
	v := f.View()
	all, err := chosen[model.Terminator](v, terminatorSchema(), terminatorRowOf(v), r.Filter)
	if err != nil {
		return nil, err
	}
	if r.Identities != "" {
		hosts, err := chosen[model.Identity](v, schemaOf("id", "name"), func(s *query.Schema, i *model.Identity) query.Row {
			return fields{s, map[string]query.Value{"id": query.StringOf(i.ID), "name": query.StringOf(i.Name)}, i.Tags}
		}, r.Identities)
		if err != nil {
			return nil, err
		}
		all = slices.DeleteFunc(all, func(t *model.Terminator) bool {
			return !slices.ContainsFunc(hosts, func(i *model.Identity) bool { return i.ID == t.HostID })
		})
	}
	known := make(map[string]*routerTerminators)
	var out []*Detail
	var gone []string
	for _, t := range all {
		if known[t.RouterID] == nil {
			known[t.RouterID] = askTerminators(ctx, f, t.RouterID)
		}
		d := known[t.RouterID].judge(t)
		d.Name, d.entity = serviceName(v, t.ServiceID), t
		if d.state == stateUnknownTerminator && r.Fix {
			gone, d.Fixed = append(gone, t.ID), true
		}
		out = append(out, d)
	}
	if len(gone) > 0 {
		if err := f.RemoveTerminators(ctx, gone); err != nil {
			return nil, err
		}
	}
	return append(out, countHosts(all, r)...), nil
}

// routerTerminators is what a router says of its terminators.
type routerTerminators struct {
	online bool
	failed string
	states map[string]string
}

func askTerminators(ctx context.Context, f Facts, routerID string) *routerTerminators {
	out := &routerTerminators{online: f.Online(routerID), states: make(map[string]string)}
	if !out.online {
		return out
	}
	values, errs := f.Inspect(ctx, routerID, []string{"sdk-terminators"})
	var hosted struct {
		Entries []struct {
			ID    string `json:"id"`
			State string `json:"state"`
		} `json:"entries"`
	}
	if text, ok := values["sdk-terminators"]; !ok || len(errs) > 0 || json.Unmarshal([]byte(text), &hosted) != nil {
		out.failed = cmp.Or(fmt.Sprint(errs), "the router does not say")
	}
	for _, t := range hosted.Entries {
		out.states[t.ID] = t.State
	}
	return out
}

func (r *routerTerminators) judge(t *model.Terminator) *Detail {
	d := &Detail{Type: "terminator", ID: t.ID, Errors: []string{}, Items: []Item{}}
	hosted := t.Binding == network.BindingEdge
	s, there := r.states[t.ID]
	switch {
	case !r.online:
		d.state, d.Message = stateUnknown, "its router is not connected"
	case !hosted: // an address that the router dials: nothing to keep
		d.OK, d.Message = true, "its router dials the address when it is needed"
	case r.failed != "":
		d.state, d.Message = stateUnknown, r.failed
	case !there:
		d.state, d.Message = stateUnknownTerminator, "no client hosts it at its router"
	case s != established:
		d.state, d.Message = stateBad, "at its router it is "+s
	default:
		d.OK = true
	}
	return d
}

// countHosts tells of hosts with another number of terminators than expected.
func countHosts(all []*model.Terminator, r Request) []*Detail {
	perHost, perBoth := make(map[string]uint64), make(map[[2]string]uint64)
	for _, t := range all {
		if t.HostID != "" {
			perHost[t.HostID]++
			perBoth[[2]string{t.HostID, t.ServiceID}]++
		}
	}
	var out []*Detail
	bad := func(host, service, text string) {
		out = append(out, &Detail{Type: "host", ID: service, Message: text, Errors: []string{text}, Items: []Item{}, identity: host})
	}
	for host, n := range perHost {
		if r.PerHost > 0 && n != r.PerHost {
			bad(host, "", fmt.Sprintf("identity %s has %d terminators, expected are %d", host, n, r.PerHost))
		}
	}
	for both, n := range perBoth {
		if r.PerServiceAndHost > 0 && n != r.PerServiceAndHost {
			bad(both[0], both[1], fmt.Sprintf("identity %s has %d terminators of service %s, expected are %d", both[0], n, both[1], r.PerServiceAndHost))
		}
	}
	slices.SortFunc(out, func(a, b *Detail) int { return cmp.Compare(a.Message, b.Message) })
	return out
}

// checkDialers looks at what this controller says of the routers that it calls.
func checkDialers(ctx context.Context, f Facts) ([]*Detail, error) {
	d := &Detail{Type: "controller", OK: true, Errors: []string{}, Items: []Item{}}
	values, errs := f.Inspect(ctx, "", []string{"ctrl-dialer"})
	d.Errors = append(d.Errors, errs...)
	d.Message = values["ctrl-dialer"]
	return []*Detail{d}, nil
}
