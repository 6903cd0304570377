package network

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/state"
	"github.com/weftnet/weft/wire/ctrl"
)

// Bindings of terminators that clients host. Their routers make and remove
// them.
const (
	BindingEdge   = "edge"
	BindingTunnel = "tunnel"
)

const (
	maxOps      = 1000   // changes of one command
	maxJobs     = 10_000 // of one router that wait, more than any asks for at once
	writeTime   = 10 * time.Second
	maxIDLength = 64
)

// ChangeTerminators has a router's terminators written. reply is called once,
// from another goroutine, or never if the controller ends before, or if too many
// changes of the router wait already.
func (n *Network) ChangeTerminators(routerID string, m *ctrl.TerminatorChanges, reply func(*ctrl.TerminatorResults)) {
	if !n.jobs.add(&job{routerID: routerID, changes: m, reply: reply}) {
		n.cfg.Log.Warn("changes of terminators ignored, too many of the router wait", "router", routerID, "most", maxJobs)
	}
}

// write puts a batch into the log, again as long as that fails for reasons
// that pass.
func (n *Network) write(ctx context.Context, batch []*job) {
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		results, err := n.propose(ctx, batch)
		if err == nil {
			for i, j := range batch {
				if j.reply != nil {
					j.reply(results[i])
				}
			}
			return
		}
		if ctx.Err() != nil {
			return
		}
		n.cfg.Log.Warn("terminators not written", "error", err, "retry", pause)
		t := time.NewTimer(pause)
		select {
		case <-ctx.Done():
		case <-t.C:
		}
		t.Stop()
	}
}

// origin tells whose terminator an operation of a command is about.
type origin struct {
	job int
	id  string
}

// propose writes a batch once; results are by job.
func (n *Network) propose(ctx context.Context, batch []*job) ([]*ctrl.TerminatorResults, error) {
	view, rules := n.cfg.State.View(), n.cfg.Policy()
	cmd := state.NewCommand(n.cfg.Now(), state.Author{ID: n.cfg.ControllerID, Type: "controller"}, state.Source{Type: "control"}).AsSystem().Each()
	results := make([]*ctrl.TerminatorResults, len(batch))
	var origins []origin
	for i, j := range batch {
		results[i] = &ctrl.TerminatorResults{}
		for _, id := range n.apply(cmd, view, rules, j, results[i]) {
			origins = append(origins, origin{i, id})
		}
	}
	if len(cmd.Ops) == 0 {
		return results, nil
	}
	encoded, err := cmd.Encode()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	_, result, err := n.cfg.Writer.Propose(ctx, encoded)
	if err != nil {
		return nil, err
	}
	errs, ok := result.(state.Errors)
	if !ok && result != nil {
		return nil, errors.New("network: unexpected result of a command")
	}
	for i, o := range origins {
		if i < len(errs) && errs[i] != nil {
			note(results[o.job], o.id, refusedBy(errs[i]))
		}
	}
	return results, nil
}

func note(r *ctrl.TerminatorResults, id string, why *ctrl.Refusal) {
	if r.Refused == nil {
		r.Refused = make(map[string]*ctrl.Refusal)
	}
	r.Refused[id] = why
}

func refusedBy(err error) *ctrl.Refusal {
	f := fault.From(err)
	text := f.Kind.Message
	if f.Cause != nil {
		text = f.Cause.Error()
	}
	code := CodeInvalidTerminator
	var field *fault.FieldError
	if errors.As(err, &field) && field.Field == "identity" {
		code = CodeTerminatorConflict
	}
	return &ctrl.Refusal{Code: code, Message: text, Remedy: f.Help()}
}

// apply adds the operations of a job to cmd and returns the terminator of each.
func (n *Network) apply(cmd *state.Command, view *state.View, rules *policy.View, j *job, r *ctrl.TerminatorResults) (ids []string) {
	for _, id := range j.remove {
		cmd.Remove(model.KindTerminator, id)
		n.costs.forget(id)
		ids = append(ids, id)
	}
	if j.fail != "" && state.Get[model.Terminator](view, j.fail) != nil {
		cmd.Patch(model.KindTerminator, j.fail, map[string]any{"precedence": model.PrecedenceFailed})
		ids = append(ids, j.fail)
	}
	if j.changes == nil {
		return ids
	}
	for _, id := range n.stale(view, j) {
		cmd.Remove(model.KindTerminator, id)
		n.costs.forget(id)
		ids = append(ids, id)
	}
	for _, p := range j.changes.Put {
		old := state.Get[model.Terminator](view, p.Id)
		if why := judge(rules, view, j.routerID, p, old); why != nil {
			note(r, p.Id, why)
			if old != nil && old.RouterID == j.routerID {
				cmd.Remove(model.KindTerminator, p.Id)
				ids = append(ids, p.Id)
			}
			continue
		}
		t := n.terminator(j.routerID, p)
		if old != nil && same(old, t) {
			continue
		}
		cmd.Put(t)
		ids = append(ids, p.Id)
	}
	return ids
}

// stale returns the terminators that a router has removed.
func (n *Network) stale(view *state.View, j *job) []string {
	var out []string
	for _, id := range j.changes.Remove {
		if t := state.Get[model.Terminator](view, id); t != nil && t.RouterID == j.routerID {
			out = append(out, id)
		}
	}
	if !j.changes.Whole {
		return out
	}
	kept := make(map[string]bool, len(j.changes.Put))
	for _, p := range j.changes.Put {
		kept[p.Id] = true
	}
	for t := range state.ByIndex[model.Terminator](view, state.ByRouter, j.routerID) {
		hosted := t.Binding == BindingEdge || t.Binding == BindingTunnel
		if hosted && !kept[t.ID] && !slices.Contains(out, t.ID) {
			out = append(out, t.ID)
		}
	}
	return out
}

// judge returns why a router may not have a terminator, nil if it may.
func judge(rules *policy.View, view *state.View, routerID string, p *ctrl.Terminator, old *model.Terminator) *ctrl.Refusal {
	switch {
	case p.Id == "" || len(p.Id) > maxIDLength:
		return refusal(CodeInvalidTerminator, "a terminator needs an id of at most %d bytes", maxIDLength)
	case p.Binding != BindingEdge && p.Binding != BindingTunnel:
		return refusal(CodeInvalidTerminator, "routers do not make terminators with binding %q", p.Binding)
	case old != nil && (old.RouterID != routerID || old.ServiceID != p.ServiceId || old.HostID != p.HostId):
		return refusal(CodeTerminatorConflict, "terminator %s exists and belongs to another host", p.Id)
	case p.Cost > model.MaxCost:
		return refusal(CodeInvalidTerminator, "cost %d is above %d", p.Cost, model.MaxCost)
	}
	if d := rules.Check(policy.Bind, p.HostId, p.ServiceId, routerID); !d.Allowed() {
		return denied(d)
	}
	s := state.Get[model.Service](view, p.ServiceId)
	if s != nil && s.EncryptionRequired && len(p.PeerData[peerPublicKey]) == 0 {
		return refusal(CodeEncryptionData, "encryption required on service, terminator did not send public header")
	}
	return nil
}

func (n *Network) terminator(routerID string, p *ctrl.Terminator) *model.Terminator {
	t := &model.Terminator{
		ServiceID: p.ServiceId, RouterID: routerID, Binding: p.Binding, Address: p.Address,
		InstanceID: p.InstanceId, InstanceSecret: p.InstanceSecret, Cost: int(p.Cost),
		Precedence: p.Precedence, HostID: p.HostId, SourceCtrl: n.cfg.ControllerID, PeerData: p.PeerData,
	}
	if t.Precedence == "" {
		t.Precedence = model.PrecedenceDefault
	}
	t.ID = p.Id
	return t
}

// same reports whether writing b over a would change nothing.
func same(a, b *model.Terminator) bool {
	return a.Address == b.Address && a.Binding == b.Binding && a.InstanceID == b.InstanceID &&
		slices.Equal(a.InstanceSecret, b.InstanceSecret) && a.Cost == b.Cost && a.Precedence == b.Precedence &&
		maps.EqualFunc(a.PeerData, b.PeerData, func(x, y []byte) bool { return slices.Equal(x, y) })
}
