package cli

import (
	"encoding/json"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (e *entity[D, C, U]) update(t *tool) *cobra.Command {
	if e.patch == nil {
		return nil
	}
	in := new(U)
	cmd := e.command(e.one, e.reference(), "Change the given members of "+article(e.one))
	e.updateDoc.apply(cmd)
	cmd.Args = cobra.ExactArgs(1)
	cmd.ValidArgsFunction = t.completeArgs(e.many)
	t.changing(cmd)
	e.updateFlags(cmd.Flags(), in)
	var after func(*call, string) error
	if e.afterUpdate != nil {
		after = e.afterUpdate(cmd.Flags())
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !changes(cmd.Flags()) {
			return usageError("see "+cmd.CommandPath()+" --help", "nothing to change was given")
		}
		return t.run(func(c *call, args []string) error {
			locate := e.find
			if e.locate != nil {
				locate = e.locate
			}
			id, err := locate(c, args[0])
			if err != nil {
				return err
			}
			if e.fillUpdate != nil {
				if err := e.fillUpdate(c, in); err != nil {
					return err
				}
			}
			if err := e.change(c, id, in); err != nil {
				return err
			}
			if after != nil {
				if err := after(c, id); err != nil {
					return err
				}
			}
			c.did("updated", e.one, args[0])
			return nil
		})(cmd, args)
	}
	return cmd
}

// change sends what was given, if anything.
func (e *entity[D, C, U]) change(c *call, id string, in *U) error {
	b, err := json.Marshal(in)
	if err != nil || string(b) == "{}" {
		return err
	}
	return e.patch(c.m, c, id, in)
}

// changes reports whether a flag was given that is not about the command
// itself.
func changes(f *pflag.FlagSet) bool {
	found := false
	f.Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "config-dir", "context", "output", "output-json", "columns", "no-headers", "dry-run":
		default:
			found = true
		}
	})
	return found
}
