package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/weftnet/weft/client"
)

func (e *entity[D, C, U]) list(t *tool) *cobra.Command {
	var p client.ListParams
	all := false
	cmd := e.command(e.many, "[FILTER]", "List "+strings.ReplaceAll(e.many, "-", " "))
	cmd.Args = cobra.MaximumNArgs(1)
	f := cmd.Flags()
	f.StringVar(&p.Filter, "filter", "", `filter, such as 'name contains "web" and not isSystem sort by name'`)
	f.Int64Var(&p.Limit, "limit", 0, "number of entries (default 10, 500 at most)")
	f.Int64Var(&p.Offset, "offset", 0, "number of entries to skip")
	f.StringVar(&p.Sort, "sort", "", "order, such as 'name desc, createdAt'")
	f.BoolVar(&all, "all", false, "all entries, however many")
	cmd.MarkFlagsMutuallyExclusive("all", "limit")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := t.checkFormat(); err != nil {
			return err
		}
		if len(args) == 1 {
			if p.Filter != "" {
				return usageError("give the filter once", "both an argument and --filter")
			}
			p.Filter = args[0]
		}
		return t.run(func(c *call, _ []string) error { return e.printList(c, p, all) })(cmd, args)
	}
	return cmd
}

func (e *entity[D, C, U]) printList(c *call, p client.ListParams, all bool) error {
	items := []D{}
	if all {
		get := func(ctx context.Context, p *client.ListParams) (*client.Page[D], error) {
			return e.getMany(c.m, ctx, p)
		}
		for d, err := range client.All(c, p, get) {
			if err != nil {
				return err
			}
			items = append(items, d)
		}
	} else {
		page, err := e.getMany(c.m, c, &p)
		if err != nil {
			return err
		}
		items = append(items, page.Items...)
		if end := page.Offset + int64(len(items)); end < page.TotalCount {
			defer fmt.Fprintf(c.cmd.ErrOrStderr(), "%d of %d shown; --all shows all\n", len(items), page.TotalCount)
		}
	}
	out := c.cmd.OutOrStdout()
	switch c.tool.output {
	case formatJSON:
		return printJSON(out, items)
	case formatName:
		for i := range items {
			if _, err := fmt.Fprintln(out, e.label(&items[i])); err != nil {
				return err
			}
		}
		return nil
	}
	if len(items) == 0 {
		fmt.Fprintln(c.cmd.ErrOrStderr(), e.whyEmpty(c, &p))
	}
	headers, rows := []string{"ID"}, [][]string{}
	for _, col := range e.columns {
		headers = append(headers, col.header)
	}
	for i := range items {
		id, _ := e.ref(&items[i])
		row := []string{id}
		for _, col := range e.columns {
			row = append(row, col.cell(&items[i]))
		}
		rows = append(rows, row)
	}
	return printTable(out, headers, rows)
}

func (e *entity[D, C, U]) show(t *tool) *cobra.Command {
	if e.getOne == nil {
		return nil
	}
	cmd := e.command(e.one, e.reference(), "Show "+article(e.one))
	cmd.Args = cobra.ExactArgs(1)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := t.checkFormat(); err != nil {
			return err
		}
		return t.run(func(c *call, args []string) error {
			id, err := e.find(c, args[0])
			if err != nil {
				return err
			}
			d, err := e.getOne(c.m, c, id)
			if err != nil {
				return err
			}
			return e.printOne(c, d)
		})(cmd, args)
	}
	return cmd
}

func (e *entity[D, C, U]) printOne(c *call, d *D) error {
	out := c.cmd.OutOrStdout()
	switch c.tool.output {
	case formatJSON:
		return printJSON(out, d)
	case formatName:
		_, err := fmt.Fprintln(out, e.label(d))
		return err
	}
	return printMembers(out, d)
}

// label is the name of an entity, or its id where there is none.
func (e *entity[D, C, U]) label(d *D) string {
	id, name := e.ref(d)
	if name == "" {
		return id
	}
	return name
}

func (e *entity[D, C, U]) reference() string {
	if e.named() {
		return "NAME|ID"
	}
	return "ID"
}

// named reports whether entities of this kind have names to look up by.
func (e *entity[D, C, U]) named() bool { return !unnamed[e.many] }

var unnamed = map[string]bool{"authenticators": true, "enrollments": true, "terminators": true, "sessions": true, "api-sessions": true,
	"links": true, "circuits": true}

// whyEmpty says why a list has no entries.
func (e *entity[D, C, U]) whyEmpty(c *call, p *client.ListParams) string {
	switch {
	case p.Filter != "":
		return "no " + e.many + " match the filter"
	case p.Offset > 0:
		return "no more " + e.many
	case e.empty != nil:
		return e.empty(c)
	case e.post != nil:
		return "no " + e.many + ": weft create " + e.one + " makes one"
	}
	return "no " + e.many
}
