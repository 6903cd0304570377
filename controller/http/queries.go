package http

import (
	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/state"
)

// postureQueries are the posture checks of a policy as clients see them. As
// long as posture is not evaluated, none of them passes, and a policy without
// any does.
func (c *call) postureQueries(p *policy.ServicePolicy) api.PostureQueries {
	q := api.PostureQueries{IsPassing: c.policy.Grants(p), PolicyID: p.ID, PolicyType: p.Action.String()}
	if q.IsPassing {
		return q
	}
	for _, check := range c.policy.Posture(p.ID) {
		if e := state.Get[model.PostureCheck](c.state, check.ID); e != nil {
			q.PostureQueries = append(q.PostureQueries, c.postureQuery(e))
		}
	}
	return q
}

// postureQuery is one check that has not passed.
func (c *call) postureQuery(e *model.PostureCheck) api.PostureQuery {
	q := api.PostureQuery{QueryType: e.TypeID, Timeout: -1, TimeoutRemaining: -1}
	base(&q.Base, &e.Base, c.s.links.postureCheck)
	if p := e.Process; p != nil {
		q.Process = &api.PostureQueryProcess{OsType: p.OSType, Path: p.Path}
	}
	for _, p := range e.Processes {
		q.Processes = append(q.Processes, api.PostureQueryProcess{OsType: p.OSType, Path: p.Path})
	}
	q.PromptOnWake, q.PromptOnUnlock = e.PromptOnWake, e.PromptOnUnlock
	if e.TypeID == model.PostureMFA && e.TimeoutSeconds > 0 {
		q.Timeout, q.TimeoutRemaining = e.TimeoutSeconds, 0
	}
	return q
}
