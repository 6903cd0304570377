package cli

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/weftnet/weft/client"
)

// lister is a list: how to fetch a page of it and how to show an entry.
type lister[D any] struct {
	many    string
	headers []string
	row     func(*D) []string // the id first
	label   func(*D) string   // for -o name
	get     func(*call, context.Context, *client.ListParams) (*client.Page[D], error)
	empty   func(*call, *client.ListParams) string // why there may be no entries
}

// listFlags are the flags of every list.
type listFlags struct {
	client.ListParams
	all, watch bool
	interval   time.Duration
}

func (l *listFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&l.Filter, "filter", "", `filter, such as 'name contains "web" and not isSystem sort by name'`)
	f.Int64Var(&l.Limit, "limit", 0, "number of entries (default 10, 500 at most)")
	f.Int64Var(&l.Offset, "offset", 0, "number of entries to skip")
	f.StringVar(&l.Sort, "sort", "", "order, such as 'name desc, createdAt'")
	f.BoolVar(&l.all, "all", false, "all entries, however many")
	f.BoolVarP(&l.watch, "watch", "w", false, "go on and show changes: a terminal is painted anew, elsewhere every change is a line or document")
	f.DurationVar(&l.interval, "interval", 2*time.Second, "time between two looks of --watch")
	cmd.MarkFlagsMutuallyExclusive("all", "limit")
}

// check takes the filter from the argument, if there is one.
func (l *listFlags) check(t *tool, args []string) error {
	if len(args) == 1 {
		if l.Filter != "" {
			return usageError("give the filter once", "both an argument and --filter")
		}
		l.Filter = args[0]
	}
	switch {
	case t.envelope && (l.all || l.watch):
		return usageError("use -o json", "-j prints one answer of the controller")
	case l.interval < 100*time.Millisecond:
		return usageError("write --interval 2s", "an interval of %s is too short", l.interval)
	}
	return nil
}

// entry is an entry of a list, made for printing.
type entry struct {
	id    string
	value any
	cells []string
	label string
}

func (l *lister[D]) entry(d *D) entry {
	cells := l.row(d)
	return entry{id: cells[0], value: d, cells: cells, label: l.label(d)}
}

// print prints the list as the flags say.
func (l *lister[D]) print(c *call, f *listFlags) error {
	if f.watch {
		return l.follow(c, f)
	}
	w := newListWriter(c, l.headers)
	n, err := l.each(c, f, w.add)
	if err != nil {
		return err
	}
	if err := w.end(); err != nil {
		return err
	}
	if n == 0 && c.tool.output == formatTable && !c.tool.envelope {
		c.say("%s", l.whyEmpty(c, &f.ListParams))
	}
	return nil
}

// each hands over the entries page by page, so that a list of any length needs
// the memory of a page.
func (l *lister[D]) each(c *call, f *listFlags, add func([]entry) error) (n int, err error) {
	p := f.ListParams
	if f.all {
		p.Limit = pageSize
	}
	show := c.progress("listed", 0)
	defer show.end()
	for {
		page, err := l.get(c, c, &p)
		if err != nil {
			return n, err
		}
		entries := make([]entry, len(page.Items))
		for i := range page.Items {
			entries[i] = l.entry(&page.Items[i])
		}
		if err := add(entries); err != nil {
			return n, err
		}
		n += len(entries)
		show.total = page.TotalCount
		show.step(int64(len(entries)))
		p.Offset = page.Offset + int64(len(entries))
		if !f.all {
			if p.Offset < page.TotalCount && !f.watch && !c.tool.envelope {
				c.say("%d of %d shown; --all shows all", len(entries), page.TotalCount)
			}
			return n, nil
		}
		if len(entries) == 0 || p.Offset >= page.TotalCount || page.Limit != pageSize { // a limit in the filter
			return n, nil
		}
	}
}

// pageSize is how many entries --all asks for at once.
const pageSize = 500

func (l *lister[D]) whyEmpty(c *call, p *client.ListParams) string {
	switch {
	case p.Filter != "":
		return "no " + l.many + " match the filter"
	case p.Offset > 0:
		return "no more " + l.many
	case l.empty != nil:
		return l.empty(c, p)
	}
	return "no " + l.many
}

// listCommand makes cmd the command of a list.
func listCommand[D any](t *tool, cmd *cobra.Command, l *lister[D]) *cobra.Command {
	var f listFlags
	f.add(cmd)
	cmd.Args = cobra.MaximumNArgs(1)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.check(t, args); err != nil {
			return err
		}
		return t.run(func(c *call, _ []string) error { return l.print(c, &f) })(cmd, args)
	}
	return cmd
}

// lister returns how entities of this kind are listed.
func (e *entity[D, C, U]) lister() *lister[D] {
	l := &lister[D]{many: e.many, headers: []string{"ID"}, label: e.label}
	for _, col := range e.columns {
		l.headers = append(l.headers, col.header)
	}
	l.row = func(d *D) []string {
		id, _ := e.ref(d)
		row := []string{id}
		for _, col := range e.columns {
			row = append(row, col.cell(d))
		}
		return row
	}
	l.get = func(c *call, ctx context.Context, p *client.ListParams) (*client.Page[D], error) {
		return e.getMany(c.m, ctx, p)
	}
	l.empty = func(c *call, _ *client.ListParams) string {
		switch {
		case e.empty != nil:
			return e.empty(c)
		case e.post != nil:
			return "no " + e.many + ": weft create " + e.one + " makes one"
		}
		return "no " + e.many
	}
	return l
}

func (e *entity[D, C, U]) list(t *tool) *cobra.Command {
	cmd := e.command(e.many, "[FILTER]", "List "+spaced(e.many))
	if len(associated[e.many]) > 0 { // the singular is the group of listOne
		cmd.Aliases = e.pluralAliases()
	}
	return listCommand(t, cmd, e.lister())
}

func (e *entity[D, C, U]) listOne(t *tool) *cobra.Command {
	if len(associated[e.many]) == 0 {
		return nil
	}
	var aliases []string
	for _, a := range e.aliases {
		if !strings.HasSuffix(a, "s") {
			aliases = append(aliases, a)
		}
	}
	return listOne(t, e, e.one, e.many, aliases, e.lister())
}

func (e *entity[D, C, U]) pluralAliases() []string {
	var out []string
	for _, a := range e.aliases {
		if strings.HasSuffix(a, "s") {
			out = append(out, a)
		}
	}
	return out
}

func spaced(many string) string { return strings.ReplaceAll(many, "-", " ") }

// listAt makes the command of a list of this kind at another path, which may
// have place for the id of an entity of another kind.
func (e *entity[D, C, U]) listAt(t *tool, cmd *cobra.Command, of kind, path string, query func() url.Values) {
	l := e.lister()
	l.empty = nil
	var f listFlags
	f.add(cmd)
	cmd.Args = cobra.RangeArgs(1, 2)
	_, many := of.names()
	cmd.ValidArgsFunction = t.completeArgs(many)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.check(t, args[1:]); err != nil {
			return err
		}
		return t.run(func(c *call, args []string) error {
			id, err := of.find(c, args[0])
			if err != nil {
				return err
			}
			l.get = func(c *call, ctx context.Context, p *client.ListParams) (*client.Page[D], error) {
				return pageOf[D](ctx, c.m, fmt.Sprintf(path, client.Segment(id)), p, query())
			}
			return l.print(c, &f)
		})(cmd, args)
	}
}
