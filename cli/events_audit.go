package cli

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/weftnet/weft/client"
)

// audit shows who changed what.
func (t *tool) audit() *cobra.Command {
	var follow bool
	var p client.ListParams
	var limit int64
	cmd := &cobra.Command{
		Use: "audit", Short: "Show who changed what, from where, the newest first", Args: cobra.NoArgs,
		Long: "Show records of changes, the newest first; with --follow those to come, as they are made.\n" +
			"A filter may use id, at, index, action, entityType, entityId, entityName, authorType, authorId, authorName, operation, source,\n" +
			"remoteAddress, sessionId and anyOf(members); with --follow event_type takes the place of action.",
		Example: "  weft audit\n  weft audit --filter 'entityType = \"service\" and authorName = \"Default Admin\"'\n  weft audit --follow",
	}
	cmd.RunE = t.run(func(c *call, _ []string) error {
		if follow {
			return c.followEvents(&client.StreamEventsParams{ListParams: client.ListParams{Filter: p.Filter}, Type: []string{"audit"}})
		}
		p.Limit = limit
		page, err := c.m.ListAudit(c, &p)
		if err != nil {
			return err
		}
		return c.printAudit(page.Items)
	})
	f := cmd.Flags()
	f.BoolVarP(&follow, "follow", "f", false, "show changes as they are made, until interrupted")
	f.StringVar(&p.Filter, "filter", "", "filter in the query language")
	f.Int64Var(&limit, "limit", 50, "most records, at most 500")
	t.flags(cmd)
	return cmd
}

func (c *call) printAudit(records []client.AuditRecord) error {
	var names []string
	var rows [][]string
	for _, r := range records {
		who := r.AuthorName
		if who == "" {
			who = strings.TrimSpace(r.AuthorType + " " + r.AuthorID)
		}
		what := r.EntityName
		if what == "" {
			what = r.EntityID
		}
		names = append(names, r.ID)
		rows = append(rows, []string{when(r.At), who, r.RemoteAddress, r.Action, r.EntityType, what, auditChanges(&r)})
	}
	return c.print(printout{value: records, headers: []string{"AT", "WHO", "FROM", "ACTION", "TYPE", "NAME", "CHANGE"}, rows: rows, names: names})
}

// auditChanges shows what an update has changed: member: before -> after.
func auditChanges(r *client.AuditRecord) string {
	if r.Action != "updated" {
		return ""
	}
	var before, after map[string]json.RawMessage
	_ = json.Unmarshal(r.Before, &before) // null, or what the controller wrote
	_ = json.Unmarshal(r.After, &after)
	names := slices.Sorted(maps.Keys(after))
	for name := range before {
		if _, both := after[name]; !both {
			names = append(names, name)
		}
	}
	var out []string
	short := func(v json.RawMessage) string {
		if len(v) == 0 {
			return "none"
		}
		return string(v[:min(len(v), 60)])
	}
	for _, name := range names {
		out = append(out, name+": "+short(before[name])+" -> "+short(after[name]))
	}
	return strings.Join(out, ", ")
}
