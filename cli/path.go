package cli

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/weftnet/weft/client"
)

func (t *tool) showPath() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "path FROM TO",
		Short:   "Show which path new circuits between two routers take, or why there is none",
		Example: "  weft show path r1 r2",
		Args:    cobra.ExactArgs(2),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := t.checkFormat(); err != nil {
			return err
		}
		return t.run(func(c *call, args []string) error {
			p, err := c.m.Fabric().ShowPath(c, &client.ShowPathParams{From: args[0], To: args[1]})
			if err != nil {
				return err
			}
			return c.printPath(p)
		})(cmd, args)
	}
	t.flags(cmd)
	return cmd
}

func (c *call) printPath(p *client.PathAdvice) error {
	out := c.cmd.OutOrStdout()
	switch c.tool.output {
	case formatJSON:
		return printJSON(out, p)
	case formatName:
		for i := range p.Hops {
			fmt.Fprintln(out, p.Hops[i].Router.Name)
		}
		return nil
	}
	if !p.Found {
		rows := [][]string{{"path", "none from " + p.From.Name + " to " + p.To.Name}, {"reason", p.Reason}}
		if p.Remedy != "" {
			rows = append(rows, []string{"remedy", p.Remedy})
		}
		return printTable(out, nil, rows)
	}
	var rows [][]string
	for i, h := range p.Hops {
		cost := fmt.Sprint(h.Cost)
		if i == 0 { // does not count
			cost = ""
		}
		row := []string{h.Router.Name, cost, "", "", "", ""}
		if h.Link != nil {
			row = []string{h.Router.Name, cost, h.Link.ID, h.Link.Protocol, fmt.Sprint(h.Link.Cost), latencies(h.Link)}
		}
		rows = append(rows, row)
	}
	if err := printTable(out, []string{"ROUTER", "COST", "LINK", "PROTOCOL", "LINK-COST", "LATENCY"}, rows); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "cost %d\n", p.Cost)
	return err
}
