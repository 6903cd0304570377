package app

import (
	"context"

	"github.com/weftnet/weft/agent"
)

// operationsOfAgent returns what the agent of a controller can do in addition.
func (c *Controller) operationsOfAgent() []agent.Operation {
	m := members{c}
	id := func(required bool) []agent.Param {
		return []agent.Param{{Name: "id", Doc: "of the member", Required: required}}
	}
	return []agent.Operation{
		{Name: "snapshot", Doc: "write the state to a file", Params: []agent.Param{{Name: "path", Doc: "of the file, default one beside the data"}},
			Do: func(ctx context.Context, args agent.Args) (any, error) {
				path, err := c.database.Snapshot(ctx, args["path"])
				return map[string]string{"path": path}, err
			}},
		{Name: "cluster-list", Doc: "members of the cluster", Do: func(context.Context, agent.Args) (any, error) { return m.Members(), nil }},
		{Name: "cluster-add", Doc: "take a controller into the cluster", Params: []agent.Param{{Name: "address", Doc: "tls:host:port", Required: true}, {Name: "voter", Doc: "true or false, default true"}},
			Do: func(ctx context.Context, args agent.Args) (any, error) {
				return struct{}{}, m.AddMember(ctx, args["address"], args["voter"] != "false")
			}},
		{Name: "cluster-remove", Doc: "take a member out of the cluster", Params: id(true),
			Do: func(ctx context.Context, args agent.Args) (any, error) {
				return struct{}{}, m.RemoveMember(ctx, args["id"])
			}},
		{Name: "cluster-transfer", Doc: "let another member lead", Params: id(false),
			Do: func(ctx context.Context, args agent.Args) (any, error) {
				return struct{}{}, m.TransferLeadership(ctx, args["id"])
			}},
	}
}
