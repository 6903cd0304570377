package http

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/state"
)

// What a terminator brings for the encryption between the ends.
const (
	peerPublicKey       = 1003
	bindingEndsItself   = "edge_transport"
	maxPaths            = 25 // that are asked for
	remedyNoTerminators = "start a host that may bind it (weft explain HOST %s --bind), or: weft create terminator %s ROUTER tcp:HOST:PORT"
)

// terminators says where the service is hosted and what can be dialed.
func (x *explanation) terminators(r *api.ExplainedRule) {
	var all []*model.Terminator
	instances := 0
	for t := range state.ByIndex[model.Terminator](x.c.state, state.ByService, x.service.ID) {
		if t.InstanceID != "" {
			instances++
			continue
		}
		all = append(all, t)
	}
	if len(all) == 0 {
		sentence := fmt.Sprintf("nobody hosts service %q at the moment", x.service.Name)
		if instances > 0 {
			sentence = fmt.Sprintf("service %q is hosted by instances only, which are dialed by their instance id", x.service.Name)
		}
		refuse(r, codeNoTerminators, sentence, fmt.Sprintf(remedyNoTerminators, x.service.Name, x.service.Name))
		return
	}
	code, remedy := "", ""
	for _, t := range all {
		ref := x.c.ref(x.c.s.links.terminator, model.KindTerminator, t.ID)
		why, sentence, help := x.unusable(t)
		text := x.describe(t)
		if why == "" {
			x.hosts = append(x.hosts, t)
			note(r, stateOK, &ref, text)
			continue
		}
		note(r, stateFailed, &ref, text+": "+sentence)
		if code == "" {
			code, remedy = why, help
		}
	}
	slices.SortStableFunc(r.Details, func(a, b api.ExplainedDetail) int { return -strings.Compare(a.State, b.State) })
	if len(x.hosts) > 0 {
		r.Sentence = fmt.Sprintf("%d of %s can be dialed", len(x.hosts), many(len(all), "terminator", "terminators"))
		return
	}
	refuse(r, code, fmt.Sprintf("none of %s of service %q can be dialed", many(len(all), "terminator", "terminators"), x.service.Name), remedy)
}

// unusable says why a terminator cannot be dialed; the code is empty if it can.
func (x *explanation) unusable(t *model.Terminator) (code, sentence, remedy string) {
	e := state.Get[model.EdgeRouter](x.c.state, t.RouterID)
	if e == nil {
		return codeNoOnlineTerminators, "its router is gone", "weft delete terminator " + t.ID
	}
	if found := x.c.unfit(e, false); len(found) > 0 {
		return codeNoOnlineTerminators, found[0].reason, found[0].remedy
	}
	if t.HostID != "" {
		if d := x.c.policy.Check(policy.Bind, t.HostID, x.service.ID, t.RouterID); !d.Allowed() {
			return codeNoOnlineTerminators, "its host may not bind the service any more: " + d.Rule, d.Remedy
		}
	}
	if x.service.EncryptionRequired && len(t.PeerData[peerPublicKey]) == 0 && t.Binding != bindingEndsItself {
		return codeNoEncryptionData, "the service requires encryption, and the host gave no key",
			"restart the host, or use the binding edge_transport, or: weft update service " + x.service.Name + " --encryption=false"
	}
	return "", "", ""
}

// describe tells what is chosen by.
func (x *explanation) describe(t *model.Terminator) string {
	text := fmt.Sprintf("%s %s at router %q, precedence %s, cost %d", t.Binding, t.Address, x.c.fabricRouterRef(t.RouterID).Name, precedence(t), t.Cost)
	if t.HostID != "" {
		text += fmt.Sprintf(", host %q", x.c.identityRef(t.HostID).Name)
	}
	if dynamic := x.c.s.cfg.Live.DynamicCost(t.ID); dynamic > 0 {
		text += fmt.Sprintf(", dynamic cost %d by circuits and failures", dynamic)
	}
	return text
}

func precedence(t *model.Terminator) string {
	if t.Precedence == "" {
		return model.PrecedenceDefault
	}
	return t.Precedence
}

// path says whether one of the client's routers reaches one of the hosts'.
func (x *explanation) path(r *api.ExplainedRule) {
	asked, found := 0, 0
	var code, reason, remedy string
	seen := map[string]bool{}
	for _, t := range x.hosts {
		to := state.Get[model.EdgeRouter](x.c.state, t.RouterID)
		for _, from := range x.via {
			if key := from.ID + " " + to.ID; seen[key] || asked == maxPaths {
				continue
			} else {
				seen[key] = true
			}
			asked++
			way, err := x.c.waysBetween(from, to)
			if err == nil {
				found++
				note(r, stateOK, nil, way)
				continue
			}
			c, why, help := whyNoPath(err, x.c.obstacles(from, to))
			note(r, stateFailed, nil, fmt.Sprintf("from %s to %s: %s", from.Name, to.Name, why))
			if code == "" {
				code, reason, remedy = c, why, help
			}
		}
	}
	slices.SortStableFunc(r.Details, func(a, b api.ExplainedDetail) int { return -strings.Compare(a.State, b.State) })
	if found > 0 {
		r.Sentence = fmt.Sprintf("%d of %s between the client's routers and the hosts'", found, many(asked, "way works", "ways work"))
		return
	}
	refuse(r, code, "no router of the client reaches a host: "+reason, remedy)
}

// waysBetween describes the path that circuits between two routers take.
func (c *call) waysBetween(from, to *model.EdgeRouter) (string, error) {
	if from.ID == to.ID {
		return from.Name + ", where both are", nil
	}
	p, err := c.s.cfg.Mesh.Path(from.ID, to.ID)
	if err != nil {
		return "", err
	}
	var hops []string
	for _, id := range p.Routers {
		hops = append(hops, c.fabricRouterRef(id).Name)
	}
	return fmt.Sprintf("%s, cost %d", strings.Join(hops, " > "), p.Cost), nil
}
