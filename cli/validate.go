package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/weftnet/weft/client"
)

// validations are the checks by the names of their commands.
var validations = []struct {
	name, short string
	argument    string // what the filter is of
}{
	{"circuits", "Compare the circuits of routers with those that the controller knows", "ROUTER-FILTER"},
	{"controller-dialers", "Look at the routers that the controller calls", ""},
	{"identity-connection-statuses", "Compare who is connected to routers with what the controller was told", "ROUTER-FILTER"},
	{"router-data-model", "Compare the routers' copies of the network with the controller's", "ROUTER-FILTER"},
	{"router-ert-terminators", "Compare what routers host with the controller's terminators", "ROUTER-FILTER"},
	{"router-links", "Compare the links of routers with those that the controller knows", "ROUTER-FILTER"},
	{"router-sdk-terminators", "Compare what clients host at routers with the controller's terminators", "ROUTER-FILTER"},
	{"terminators", "Ask routers whether terminators are there", "TERMINATOR-FILTER"},
}

// validateCommands returns the checks of `validate`.
func (t *tool) validateCommands() []*cobra.Command {
	var out []*cobra.Command
	for _, v := range validations {
		out = append(out, t.validation(v.name, v.short, v.argument))
	}
	return out
}

func (t *tool) validation(name, short, argument string) *cobra.Command {
	in := client.ValidationRequest{Kind: &name}
	var all, fix, controller bool
	cmd := &cobra.Command{Use: strings.TrimSpace(name + " " + optional(argument)), Short: short, Args: cobra.MaximumNArgs(1)}
	if argument == "" {
		cmd.Args = cobra.NoArgs
	}
	cmd.RunE = t.run(func(c *call, args []string) error {
		if len(args) > 0 {
			in.Filter = &args[0]
		}
		if fix {
			in.Fix = &fix
		}
		if controller {
			in.Controller = &controller
		}
		answer, err := c.m.Validate(c, &in)
		if err != nil {
			return err
		}
		return c.printValidation(answer, all)
	})
	f := cmd.Flags()
	f.BoolVar(&all, "include-valid", false, "show what is valid, too")
	f.BoolVar(&all, "include-valid-links", false, "older spelling of --include-valid")
	f.BoolVar(&all, "include-valid-terminators", false, "older spelling of --include-valid")
	for _, old := range []string{"include-valid-links", "include-valid-terminators"} {
		_ = f.MarkHidden(old)
	}
	switch name {
	case "terminators":
		f.BoolVar(&fix, "fix-invalid", false, "remove the terminators that nobody hosts")
		f.Func("identity-filter", "filter of hosting identities", func(s string) error { in.IdentityFilter = &s; return nil })
		intFlag(f, &in.PerHost, "expected-per-host", "terminators that every host should have")
		intFlag(f, &in.PerServiceAndHost, "expected-per-service-and-host", "terminators of a service that every host should have")
	case "router-data-model":
		f.BoolVar(&fix, "fix", false, "send routers with another copy the whole network again")
		f.BoolVar(&controller, "validate-ctrl", false, "the controller's copy, too")
	}
	t.flags(cmd)
	return cmd
}

func optional(argument string) string {
	if argument == "" {
		return ""
	}
	return "[" + argument + "]"
}

// printValidation prints what is wrong, and fails if anything is.
func (c *call) printValidation(v *client.Validation, all bool) error {
	var rows [][]string
	var names []string
	row := func(d *client.ValidationDetail, item, valid, text string) {
		names = append(names, strings.TrimSpace(d.ID+" "+item))
		rows = append(rows, []string{d.Type, d.ID, d.Name, item, valid, text})
	}
	for i := range v.Details {
		d := &v.Details[i]
		switch {
		case !d.OK:
			row(d, "", "no", d.Message)
		case len(d.Errors) > 0:
			row(d, "", "no", strings.Join(d.Errors, "; "))
		case all:
			row(d, "", "yes", d.Message)
		}
		for _, i := range d.Items {
			if all || !i.Valid {
				row(d, i.ID, yesNo(i.Valid), strings.Join(append([]string{"controller " + i.ControllerState + ", router " + i.RouterState}, i.Messages...), "; "))
			}
		}
	}
	headers := []string{"OF", "ID", "NAME", "ITEM", "VALID", "WHY"}
	err := c.print(printout{value: v, headers: headers, rows: rows, names: names, text: func(w io.Writer) error {
		if len(rows) > 0 {
			if err := printTable(w, headers, rows); err != nil {
				return err
			}
		}
		_, err := fmt.Fprintf(w, "%d checked\n", len(v.Details))
		return err
	}})
	if err != nil {
		return err
	}
	if !v.Valid {
		return &failure{code: "NOT_VALID", cause: "the check has found something wrong", remedy: "see above; terminators and router-data-model can be mended with --fix-invalid and --fix", exit: ExitFailure}
	}
	return nil
}
