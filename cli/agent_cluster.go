package cli

import (
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/weftnet/weft/agent"
	"github.com/weftnet/weft/client"
)

// memberHeaders are the columns of the members of a cluster.
var memberHeaders = []string{"Id", "Address", "Voter", "Leader", "Version", "Connected", "Preferred"}

func memberRow(m *client.ClusterMember) []string {
	b := strconv.FormatBool
	return []string{m.ID, m.Address, b(m.Voter), b(m.Leader), m.Version, b(m.Connected), b(m.PreferredLeader)}
}

// cluster is the group of commands for the members of the cluster, as the
// controller of this machine sees and changes them.
func (a *agentTool) cluster() *cobra.Command {
	list := &cobra.Command{
		Use: "list", Short: "List the members of the cluster as this controller sees them", Args: cobra.NoArgs,
		Example: "  weft agent cluster list\n  weft agent cluster list -o json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return show(a, cmd, "cluster-list", nil, func(w io.Writer, members []client.ClusterMember) error {
				rows := [][]string{}
				for i := range members {
					rows = append(rows, memberRow(&members[i]))
				}
				return printTable(w, memberHeaders, rows)
			})
		},
	}
	voter := true
	add := &cobra.Command{Use: "add ADDRESS", Short: "Let a controller join the cluster", Args: cobra.ExactArgs(1),
		Example: "  weft agent cluster add tls:ctrl2.example:1280"}
	add.Flags().BoolVar(&voter, "voter", true, "it has a vote")
	a.changes(add, "cluster-add", "added member", func(args []string) agent.Args {
		return agent.Args{"address": args[0], "voter": strconv.FormatBool(voter)}
	})
	remove := &cobra.Command{Use: "remove ID", Short: "Take a member out of the cluster", Args: cobra.ExactArgs(1), Example: "  weft agent cluster remove ctrl2"}
	a.changes(remove, "cluster-remove", "removed member", idArgument)
	transfer := &cobra.Command{Use: "transfer-leadership [ID]", Aliases: []string{"transfer"}, Short: "Let another member lead the cluster", Args: cobra.MaximumNArgs(1),
		Example: "  weft agent cluster transfer-leadership\n  weft agent cluster transfer-leadership ctrl2"}
	a.changes(transfer, "cluster-transfer", "transferred the leadership to", idArgument)
	return parent("cluster", "Members of the controllers' cluster, by way of the controller of this machine", list, add, remove, transfer)
}

func idArgument(args []string) agent.Args {
	if len(args) == 0 {
		return nil
	}
	return agent.Args{"id": args[0]}
}

// changes makes the function of a command that runs an operation without a
// result worth a table.
func (a *agentTool) changes(c *cobra.Command, operation, done string, arguments func([]string) agent.Args) {
	a.changing(c)
	c.RunE = func(cmd *cobra.Command, args []string) error {
		return show(a, cmd, operation, arguments(args), func(io.Writer, map[string]any) error {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s %s\n", done, printable(firstOr(args, "another member")))
			return nil
		})
	}
}

// controller holds the commands for controllers as scripts of the ecosystem
// write them.
func (a *agentTool) controller() *cobra.Command {
	c := parent("controller", "The commands for controllers with the ecosystem's prefix", a.snapshot("snapshot-db"))
	c.Hidden = true
	return c
}

// snapshot lets a controller write its state to a file.
func (a *agentTool) snapshot(use string) *cobra.Command {
	c := &cobra.Command{Use: use + " [FILE]", Short: "Let a controller write its state to a file, and print its path", Args: cobra.MaximumNArgs(1),
		Long:    "Let a controller write its state to a file, and print its path. FILE may have the place holders __DATE__, __TIME__ and\n__DB_FILE__; without it the file lies beside the state.",
		Example: "  weft agent snapshot\n  weft agent snapshot /var/backups/weft-__DATE__"}
	a.changing(c)
	c.RunE = func(cmd *cobra.Command, args []string) error {
		params := agent.Args{}
		if len(args) == 1 {
			params["path"] = args[0]
		}
		return show(a, cmd, "snapshot", params, func(w io.Writer, s struct{ Path string }) error {
			return printTable(w, nil, [][]string{{s.Path}})
		})
	}
	return c
}
