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
		query := api.PostureQuery{ID: check.ID}
		if e := state.Get[model.PostureCheck](c.state, check.ID); e != nil {
			query.QueryType = e.TypeID
		}
		q.PostureQueries = append(q.PostureQueries, query)
	}
	return q
}
