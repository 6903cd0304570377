package manage

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/weftnet/weft/controller/network"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

// routerChecks are the checks of one router. They write what they find into the
// detail.
var routerChecks = map[string]func(context.Context, Facts, Request, *Detail){
	Links: checkLinks, SDKTerminators: checkSDKTerminators, ErtTerminators: checkErtTerminators, DataModel: checkDataModel,
	Identities: checkIdentities, Circuits: checkCircuits,
}

const (
	established = "established"
	unknown     = "unknown"
	missing     = "missing"
)

// checkLinks compares the links of a router with those that the controller
// knows.
func checkLinks(ctx context.Context, f Facts, _ Request, d *Detail) {
	var has struct {
		Links []struct {
			ID string `json:"id"`
		} `json:"links"`
	}
	if !ask(ctx, f, d, "links", &has) {
		return
	}
	at := make(map[string]bool)
	for _, l := range has.Links {
		at[l.ID] = true
	}
	for _, l := range f.Links() {
		if l.DialerID != d.ID && l.AcceptorID != d.ID {
			continue
		}
		other := l.Other(d.ID)
		item := Item{ID: l.ID, Controller: string(l.State), Router: missing, Dest: other, Dialed: l.DialerID == d.ID, Valid: at[l.ID], destOnline: f.Online(other)}
		if at[l.ID] {
			item.Router = established
		} else {
			item.Messages = []string{"the controller knows the link, the router does not have it"}
		}
		delete(at, l.ID)
		d.Items = append(d.Items, item)
	}
	for _, id := range slices.Sorted(maps.Keys(at)) {
		d.Items = append(d.Items, Item{ID: id, Controller: unknown, Router: established, Messages: []string{"the router has the link, the controller does not know it"}})
	}
}

// checkSDKTerminators compares what clients host at a router with the terminators
// of the state.
func checkSDKTerminators(ctx context.Context, f Facts, _ Request, d *Detail) {
	var hosted struct {
		Entries []struct {
			ID    string `json:"id"`
			State string `json:"state"`
		} `json:"entries"`
	}
	if !ask(ctx, f, d, "sdk-terminators", &hosted) {
		return
	}
	at := make(map[string]string)
	for _, t := range hosted.Entries {
		at[t.ID] = t.State
	}
	compareTerminators(f, d, at, func(t *model.Terminator) bool { return t.Binding == network.BindingEdge })
}

// checkErtTerminators does the same for what the router hosts by itself.
func checkErtTerminators(ctx context.Context, f Facts, _ Request, d *Detail) {
	var hosted struct {
		Entries []struct {
			ID string `json:"id"`
		} `json:"entries"`
	}
	if !ask(ctx, f, d, "ert-terminators", &hosted) {
		return
	}
	at := make(map[string]string)
	for _, t := range hosted.Entries {
		at[t.ID] = established
	}
	compareTerminators(f, d, at, func(t *model.Terminator) bool { return t.Binding == network.BindingTunnel })
}

func compareTerminators(f Facts, d *Detail, at map[string]string, of func(*model.Terminator) bool) {
	for t := range state.ByIndex[model.Terminator](f.View(), state.ByRouter, d.ID) {
		if !of(t) {
			continue
		}
		item := Item{ID: t.ID, Controller: established, Router: missing}
		if s, ok := at[t.ID]; ok {
			item.Router, item.Valid = s, s == established
		}
		if !item.Valid {
			item.Messages = []string{"the controller has the terminator, at the router it is " + item.Router}
		}
		delete(at, t.ID)
		d.Items = append(d.Items, item)
	}
	for _, id := range slices.Sorted(maps.Keys(at)) {
		d.Items = append(d.Items, Item{ID: id, Controller: missing, Router: at[id], Messages: []string{"the router has the terminator, the controller does not"}})
	}
}

// checkDataModel compares the router's copy of the network with the state.
func checkDataModel(ctx context.Context, f Facts, r Request, d *Detail) {
	compare := func() []string {
		view := f.View()
		var copy struct {
			Index  uint64         `json:"index"`
			Filled bool           `json:"filled"`
			Counts map[string]int `json:"counts"`
		}
		if !ask(ctx, f, d, "router-data-model", &copy) {
			return nil
		}
		out := []string{}
		if !copy.Filled {
			out = append(out, "the router has no copy of the network yet")
		}
		if copy.Index > f.View().Index() {
			out = append(out, fmt.Sprintf("the copy has index %d, the controller is at %d", copy.Index, f.View().Index()))
		}
		for _, k := range []model.Kind{model.KindIdentity, model.KindService, model.KindServicePolicy, model.KindEdgeRouterPolicy, model.KindServiceEdgeRouterPolicy} {
			store := model.Describe(k).Store
			if have, want := copy.Counts[store], view.Count(k); have != want {
				out = append(out, fmt.Sprintf("%s: the copy has %d, the controller %d", store, have, want))
			}
		}
		return out
	}
	wrong := compare()
	if len(wrong) > 0 { // a change may have been on its way
		wrong = compare()
	}
	if d.Errors = append(d.Errors, wrong...); len(wrong) > 0 && r.Fix {
		f.Resync(d.ID)
		d.Fixed = true
	}
}

// checkIdentities compares who is connected to a router with what the controller
// was told.
func checkIdentities(ctx context.Context, f Facts, _ Request, d *Detail) {
	var now struct {
		Connections []struct {
			IdentityID string `json:"identityId"`
			Connected  bool   `json:"connected"`
		} `json:"connections"`
	}
	if !ask(ctx, f, d, "identity-connection-statuses", &now) {
		return
	}
	for _, c := range now.Connections {
		if c.Connected && !f.IdentityOnline(d.ID, c.IdentityID) {
			d.Errors = append(d.Errors, fmt.Sprintf("identity %s is connected to the router, the controller was not told", c.IdentityID))
		}
	}
}

// checkCircuits compares the circuits of a router with those that the
// controller knows.
func checkCircuits(ctx context.Context, f Facts, _ Request, d *Detail) {
	var has struct {
		Circuits []struct {
			ID string `json:"circuitId"`
		} `json:"circuits"`
	}
	if !ask(ctx, f, d, "router-circuits", &has) {
		return
	}
	at := make(map[string]bool)
	for _, c := range has.Circuits {
		at[c.ID] = true
	}
	for _, c := range f.Circuits() {
		if !slices.ContainsFunc(c.Path, func(h network.Hop) bool { return h.RouterID == d.ID }) {
			continue
		}
		if !at[c.ID] {
			d.Items = append(d.Items, Item{ID: c.ID, Controller: string(c.State), Router: missing, noForward: true, Messages: []string{"the router does not carry the circuit"}})
		} else {
			d.Items = append(d.Items, Item{ID: c.ID, Controller: string(c.State), Router: established, Valid: true})
		}
		delete(at, c.ID)
	}
	for _, id := range slices.Sorted(maps.Keys(at)) {
		d.Items = append(d.Items, Item{ID: id, Controller: missing, Router: established, noCtrl: true, Messages: []string{"the controller does not know the circuit"}})
	}
}
