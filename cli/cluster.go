package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/weftnet/weft/client"
)

// clusterCommand is the group of commands for the members of the cluster.
func (t *tool) clusterCommand() *cobra.Command {
	return parent("cluster", "Members of the controllers' cluster",
		t.clusterList(), t.clusterAdd(),
		t.action(action{use: "remove ID", short: "Take a member out of the cluster", args: cobra.ExactArgs(1), changes: true,
			run: func(c *call, args []string) error {
				if _, err := c.sendFabric("POST", "/cluster/remove-member", map[string]any{"id": args[0]}); err != nil {
					return err
				}
				c.did("removed", "member", args[0])
				return nil
			}}),
		t.action(action{use: "transfer-leadership [ID]", short: "Let another member lead the cluster", args: cobra.MaximumNArgs(1), changes: true, aliases: []string{"transfer"},
			run: func(c *call, args []string) error {
				body := map[string]any{"newLeaderId": ""}
				if len(args) == 1 {
					body["newLeaderId"] = args[0]
				}
				if _, err := c.sendFabric("POST", "/cluster/transfer-leadership", body); err != nil {
					return err
				}
				c.did("transferred", "leadership to", firstOr(args, "another member"))
				return nil
			}}))
}

func firstOr(args []string, or string) string {
	if len(args) > 0 {
		return args[0]
	}
	return or
}

func (t *tool) clusterList() *cobra.Command {
	return t.action(action{use: "list", short: "List the members of the cluster", aliases: []string{"list-members"},
		run: func(c *call, _ []string) error {
			members, err := decodeInto[[]client.ClusterMember](c.sendFabric("GET", "/cluster/list-members", nil))
			if err != nil {
				return err
			}
			p := printout{value: *members, headers: memberHeaders}
			for i := range *members {
				m := &(*members)[i]
				plain, err := plainJSON(m)
				if err != nil {
					return err
				}
				p.rows, p.members = append(p.rows, memberRow(m)), append(p.members, plain)
			}
			return c.print(p)
		}})
}

func (t *tool) clusterAdd() *cobra.Command {
	voter := true
	return t.action(action{use: "add ADDRESS", short: "Let a controller join the cluster", args: cobra.ExactArgs(1), changes: true,
		example: "  weft cluster add tls:ctrl2.example:1280\n  weft cluster add tls:ctrl3.example:1280 --voter=false",
		flags:   func(f *pflag.FlagSet) { f.BoolVar(&voter, "voter", true, "it has a vote") },
		run: func(c *call, args []string) error {
			if _, err := c.sendFabric("POST", "/cluster/add-member", map[string]any{"address": args[0], "isVoter": voter}); err != nil {
				return err
			}
			c.did("added", "member", args[0])
			return nil
		}})
}
