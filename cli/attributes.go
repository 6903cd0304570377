package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/weftnet/weft/client"
)

// otherLists are the lists that are no kinds of entities.
func (t *tool) otherLists() []*cobra.Command {
	var out []*cobra.Command
	for _, k := range [][2]string{{"identity", "identities"}, {"service", "services"}, {"edge-router", "edge routers"}, {"posture-check", "posture checks"}} {
		out = append(out, t.roleAttributes(k[0], k[1]), t.attributeUsage(k[0], k[1]))
	}
	return append(out, t.summary(), t.capabilities())
}

// roleAttributes lists the attributes in use.
func (t *tool) roleAttributes(one, of string) *cobra.Command {
	many := one + "-role-attributes"
	l := &lister[string]{many: many, headers: []string{"ATTRIBUTE"},
		row: func(s *string) []string { return []string{*s} }, label: func(s *string) string { return *s },
		get: func(c *call, ctx context.Context, p *client.ListParams) (*client.Page[string], error) {
			return pageOf[string](ctx, c.m, managementBase+"/"+many, p, nil)
		}}
	cmd := &cobra.Command{Use: many + " [FILTER]", Short: "List the role attributes of " + of, Aliases: []string{one + "-role-attribute"}}
	t.flags(listCommand(t, cmd, l))
	return cmd
}

// attributeUsage lists who has an attribute and who asks for it.
func (t *tool) attributeUsage(one, of string) *cobra.Command {
	many := one + "-role-attribute-usage"
	l := &lister[object]{many: many, headers: []string{"ATTRIBUTE", "USAGE"},
		row:   func(o *object) []string { return []string{o.text("roleAttribute"), usageText(*o)} },
		label: func(o *object) string { return o.text("roleAttribute") },
		get: func(c *call, ctx context.Context, p *client.ListParams) (*client.Page[object], error) {
			return pageOf[object](ctx, c.m, managementBase+"/"+many, p, nil)
		}}
	cmd := &cobra.Command{Use: many + " [FILTER]", Short: "List the role attributes of " + of + " and how many entities use each"}
	t.flags(listCommand(t, cmd, l))
	return cmd
}

// usageText counts per kind: `identities 3, servicePolicies 1`.
func usageText(o object) string {
	usage, _ := o["usage"].(map[string]any)
	var parts []string
	for kind, v := range usage {
		count := memberText(v)
		if inner, ok := v.(map[string]any); ok {
			count = memberText(inner["total"])
			if inner["total"] == nil {
				count = memberText(inner["count"])
			}
		}
		parts = append(parts, kind+" "+count)
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

func (t *tool) summary() *cobra.Command {
	return t.action(action{use: "summary", short: "Count the entities of every kind",
		run: func(c *call, _ []string) error {
			counts, err := c.m.ListSummary(c)
			if err != nil {
				return err
			}
			p := printout{value: counts, headers: []string{"KIND", "COUNT"}}
			for kind, n := range *counts {
				p.rows = append(p.rows, []string{kind, fmt.Sprint(n)})
			}
			slices.SortFunc(p.rows, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
			return c.print(p)
		}})
}

func (t *tool) capabilities() *cobra.Command {
	return t.action(action{use: "capabilities", short: "List what the controller says that it can do",
		run: func(c *call, _ []string) error {
			list, err := c.m.ListEnumeratedCapabilities(c)
			if err != nil {
				return err
			}
			p := printout{value: list, headers: []string{"CAPABILITY"}}
			for _, s := range list {
				p.rows = append(p.rows, []string{s})
			}
			return c.print(p)
		}})
}

// showSpec writes the document of an API as it is.
func (t *tool) showSpec() *cobra.Command {
	body := false
	cmd := t.action(action{use: "spec NAME", short: "Show a specification of an API, with --body the document itself", args: cobra.ExactArgs(1),
		flags: func(f *pflag.FlagSet) { f.BoolVar(&body, "body", false, "write the document") },
		run: func(c *call, args []string) error {
			path := managementBase + "/specs/" + client.Segment(args[0])
			if body {
				path += "/spec"
			}
			raw, err := c.m.Any().Send(c, "GET", path, nil, nil)
			if err != nil {
				return err
			}
			if body {
				_, err := c.cmd.OutOrStdout().Write(raw)
				return err
			}
			d, err := decodeInto[object](raw, nil)
			if err != nil {
				return err
			}
			return c.printObject(*d, d.text("name"))
		}})
	return cmd
}
