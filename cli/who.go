package cli

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/weftnet/weft/client"
)

func (t *tool) whoCan() *cobra.Command {
	bind := false
	cmd := &cobra.Command{
		Use: "who-can SERVICE", Short: "List who may dial a service, or host it, and by which policies",
		Long: "List who may dial a service, or host it, and by which policies. Routers count whether they are online or not; " +
			"weft explain tells what is the matter at the moment.",
		Example: "  weft who-can web\n  weft who-can web --bind --all -o csv", ValidArgsFunction: t.completeArgs("services"),
	}
	cmd.Flags().BoolVar(&bind, "bind", false, "who may host it, instead of dial it")
	return t.grants(cmd, "identities", func(c *call, ctx context.Context, ref string, p *client.ListParams) (*client.Page[client.Grant], error) {
		return c.m.WhoCan(ctx, &client.WhoCanParams{ListParams: *p, Service: ref, Type: typeFlag(bind)})
	})
}

func (t *tool) whatCan() *cobra.Command {
	var bind, dial bool
	cmd := &cobra.Command{
		Use: "what-can IDENTITY", Short: "List which services an identity may dial or host, and by which policies",
		Long: "List which services an identity may dial or host, and by which policies. Routers count whether they are online or not; " +
			"weft explain tells what is the matter at the moment.",
		Example: "  weft what-can alice\n  weft what-can alice --dial -o name", ValidArgsFunction: t.completeArgs("identities"),
	}
	cmd.Flags().BoolVar(&bind, "bind", false, "only what it may host")
	cmd.Flags().BoolVar(&dial, "dial", false, "only what it may dial")
	cmd.MarkFlagsMutuallyExclusive("bind", "dial")
	return t.grants(cmd, "services", func(c *call, ctx context.Context, ref string, p *client.ListParams) (*client.Page[client.Grant], error) {
		kind := ""
		if bind || dial {
			kind = typeFlag(bind)
		}
		return c.m.WhatCan(ctx, &client.WhatCanParams{ListParams: *p, Identity: ref, Type: kind})
	})
}

// grants makes a list of what policies allow to or on one entity.
func (t *tool) grants(cmd *cobra.Command, many string, get func(*call, context.Context, string, *client.ListParams) (*client.Page[client.Grant], error)) *cobra.Command {
	var f listFlags
	f.add(cmd)
	cmd.Args = cobra.ExactArgs(1)
	cmd.RunE = t.run(func(c *call, args []string) error {
		if err := f.check(t, nil); err != nil {
			return err
		}
		l := &lister[client.Grant]{many: many, headers: []string{"ID", "NAME", "TYPE", "POLICIES"},
			row: func(g *client.Grant) []string {
				var names []string
				for _, p := range g.Policies {
					names = append(names, p.Name)
				}
				return []string{g.ID, g.Name, g.Type, words(names)}
			},
			label: func(g *client.Grant) string { return g.Name },
			get: func(c *call, ctx context.Context, p *client.ListParams) (*client.Page[client.Grant], error) {
				return get(c, ctx, args[0], p)
			},
			empty: func(*call, *client.ListParams) string { return "none: see weft explain IDENTITY SERVICE" }}
		return l.print(c, &f)
	})
	t.flags(cmd)
	return cmd
}
