package cli

import (
	"fmt"
	"io"

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
	cmd.ValidArgsFunction = t.completeArgs("routers", "routers")
	cmd.RunE = t.run(func(c *call, args []string) error {
		p, err := c.m.Fabric().ShowPath(c, &client.ShowPathParams{From: args[0], To: args[1]})
		if err != nil {
			return err
		}
		return c.printPath(p)
	})
	t.flags(cmd)
	return cmd
}

func (c *call) printPath(p *client.PathAdvice) error {
	out := printout{value: p, headers: []string{"ROUTER", "COST", "LINK", "PROTOCOL", "LINK-COST", "LATENCY"}, names: []string{}}
	for i, h := range p.Hops {
		cost := fmt.Sprint(h.Cost)
		if i == 0 { // does not count
			cost = ""
		}
		row := []string{h.Router.Name, cost, "", "", "", ""}
		if h.Link != nil {
			row = []string{h.Router.Name, cost, h.Link.ID, h.Link.Protocol, fmt.Sprint(h.Link.Cost), latencies(h.Link)}
		}
		out.rows = append(out.rows, row)
		out.names = append(out.names, h.Router.Name)
	}
	out.text = func(w io.Writer) error {
		if !p.Found {
			return printNoPath(w, p)
		}
		if err := printTable(w, out.headers, out.rows); err != nil {
			return err
		}
		_, err := fmt.Fprintf(w, "cost %d\n", p.Cost)
		return err
	}
	return c.print(out)
}

func printNoPath(w io.Writer, p *client.PathAdvice) error {
	rows := [][]string{{"path", "none from " + p.From.Name + " to " + p.To.Name}, {"reason", p.Reason}}
	if p.Remedy != "" {
		rows = append(rows, []string{"remedy", p.Remedy})
	}
	return printTable(w, nil, rows)
}
