package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/weftnet/weft/client"
)

func (e *entity[D, C, U]) remove(t *tool) *cobra.Command {
	if e.drop == nil {
		return nil
	}
	var yes, missing bool
	cmd := e.command(e.one, e.reference()+"... | where FILTER", "Delete "+article(e.one)+" or several")
	cmd.Long = cmd.Short + ".\nwhere FILTER deletes all that match; on a terminal it asks before."
	cmd.Example = fmt.Sprintf("  weft delete %s %s\n  weft delete %s where 'createdAt < datetime(2026-01-01T00:00:00Z)'", e.one, exampleRef(e), e.many)
	if e.removeDoc.long != "" {
		cmd.Long = cmd.Short + ".\n" + e.removeDoc.long + "\nwhere FILTER deletes all that match; on a terminal it asks before."
	}
	cmd.Args = cobra.MinimumNArgs(1)
	cmd.ValidArgsFunction = t.completeArgs(e.many + "*")
	t.changing(cmd)
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&missing, "ignore-missing", false, "what does not exist counts as deleted")
	cmd.RunE = t.run(func(c *call, args []string) error {
		if len(args) == 2 && args[0] == "where" {
			return e.removeWhere(c, args[1], yes)
		}
		for _, ref := range args {
			if err := e.removeOne(c, ref); err != nil && !(missing && isMissing(err)) {
				return err
			}
		}
		return nil
	})
	return cmd
}

func exampleRef[D, C, U any](e *entity[D, C, U]) string {
	if e.named() {
		return "NAME"
	}
	return "ID"
}

func (e *entity[D, C, U]) removeOne(c *call, ref string) error {
	id, err := e.find(c, ref)
	if err != nil {
		return err
	}
	if err := e.drop(c.m, c, id); err != nil {
		return err
	}
	c.did("deleted", e.one, ref)
	return nil
}

func isMissing(err error) bool {
	var own *failure
	var api *client.Error
	return errors.As(err, &own) && own.code == "NOT_FOUND" || errors.As(err, &api) && api.Status == 404
}

// removeWhere deletes what matches a filter: what matched when it began, so
// that what comes meanwhile stays.
func (e *entity[D, C, U]) removeWhere(c *call, filter string, yes bool) error {
	type found struct{ id, label string }
	var all []found
	get := func(ctx context.Context, p *client.ListParams) (*client.Page[D], error) {
		return e.getMany(c.m, ctx, p)
	}
	for d, err := range client.All(c, client.ListParams{Filter: filter}, get) {
		if err != nil {
			return err
		}
		id, _ := e.ref(&d)
		all = append(all, found{id, e.label(&d)})
	}
	if len(all) == 0 {
		c.say("no %s match the filter", e.many)
		return nil
	}
	if !yes && !c.dry() && isTerminal(c.cmd.InOrStdin()) {
		if err := c.sure(false, fmt.Sprintf("delete %d %s", len(all), e.many)); err != nil {
			return err
		}
	}
	show := c.progress("deleted", int64(len(all)))
	defer show.end()
	for _, f := range all {
		err := e.drop(c.m, c, f.id)
		if err != nil && !isMissing(err) {
			return err
		}
		if len(all) <= 20 {
			c.did("deleted", e.one, f.label)
		}
		show.step(1)
	}
	if len(all) > 20 {
		c.did("deleted", fmt.Sprint(len(all)), e.many)
	}
	return nil
}
