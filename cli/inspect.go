package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/weftnet/weft/client"
)

func (t *tool) inspect() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "inspect [ROUTER-REGEX] KEY...",
		Short: "Ask controller and routers about themselves",
		Long: "Ask the controller and the connected routers whose id or name matches the regular expression about themselves; " +
			"with a KEY alone all of them. Keys that a process does not know are left out.",
		Example: "  weft inspect links\n  weft inspect '^r1$' links router-circuits stackdump",
		Args:    cobra.MinimumNArgs(1),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return t.run(func(c *call, args []string) error {
			in := client.InspectRequest{AppRegex: client.Ptr(".*"), RequestedValues: args}
			if len(args) > 1 {
				in.AppRegex, in.RequestedValues = &args[0], args[1:]
			}
			answer, err := c.m.Fabric().Inspect(c, &in)
			if err != nil {
				return err
			}
			return c.printInspection(answer, &in)
		})(cmd, args)
	}
	t.flags(cmd)
	return cmd
}

func (c *call) printInspection(a *client.Inspection, in *client.InspectRequest) error {
	if err := c.printValues(a); err != nil {
		return err
	}
	switch {
	case len(a.Errors) > 0:
		return &failure{code: "INSPECTION_INCOMPLETE", cause: strings.Join(a.Errors, "; "), remedy: "see with weft list routers whether they are online, and try again", exit: ExitFailure}
	case len(a.Values) == 0:
		return &failure{code: "NOTHING_INSPECTED", cause: fmt.Sprintf("no process matches %q and knows %s", *in.AppRegex, oneOf(in.RequestedValues)),
			remedy: "weft list routers shows ids and names; keys are such as links, router-circuits, stackdump", exit: ExitNotFound}
	}
	return nil
}

func (c *call) printValues(a *client.Inspection) error {
	p := printout{value: a, headers: []string{"PROCESS", "KEY", "VALUE"}, names: []string{}}
	for _, v := range a.Values {
		p.rows = append(p.rows, []string{v.AppID, v.Name, string(v.Value)})
		p.names = append(p.names, v.AppID+" "+v.Name)
	}
	p.text = func(w io.Writer) error {
		for _, v := range a.Values {
			if _, err := fmt.Fprintf(w, "%s %s\n", printable(v.AppID), printable(v.Name)); err != nil {
				return err
			}
			if err := printValue(w, v.Value); err != nil {
				return err
			}
		}
		return nil
	}
	return c.print(p)
}

// printValue writes a text as it is, line by line, and other values as JSON.
func printValue(w io.Writer, value client.Raw) error {
	var text string
	if json.Unmarshal(value, &text) == nil {
		for line := range strings.Lines(text) {
			if _, err := fmt.Fprintln(w, printable(strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    "))); err != nil {
				return err
			}
		}
		return nil
	}
	var b bytes.Buffer
	if err := json.Indent(&b, value, "", "  "); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, b.String())
	return err
}
