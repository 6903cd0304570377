package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/weftnet/weft/client"
)

// action declares a command that is no verb of a kind.
type action struct {
	use, short, long, example string
	aliases                   []string
	args                      cobra.PositionalArgs
	changes                   bool // has --dry-run
	hidden                    bool
	flags                     func(*pflag.FlagSet)
	run                       func(c *call, args []string) error
	complete                  []string // kinds whose names the arguments are, by the plural
}

func (t *tool) action(a action) *cobra.Command {
	c := &cobra.Command{Use: a.use, Short: a.short, Example: a.example, Aliases: a.aliases, Args: a.args, Hidden: a.hidden, RunE: t.run(a.run)}
	if a.long != "" {
		c.Long = a.short + ".\n" + a.long
	}
	if c.Args == nil {
		c.Args = cobra.NoArgs
	}
	t.flags(c)
	if a.changes {
		t.changing(c)
	}
	if a.flags != nil {
		a.flags(c.Flags())
	}
	c.ValidArgsFunction = t.completeArgs(a.complete...)
	return c
}

// parent returns a command that only holds others.
func parent(use, short string, commands ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: cobra.NoArgs, RunE: help}
	c.AddCommand(commands...)
	return c
}

// printObject prints the members of an answer; label is what -o name says.
func (c *call) printObject(v any, label string) error {
	rows, err := memberRows(v)
	if err != nil {
		return err
	}
	return c.print(printout{value: v, headers: []string{"MEMBER", "VALUE"}, rows: rows, names: []string{label},
		text: func(w io.Writer) error { return printTable(w, nil, rows) }})
}

// printText prints a text, which is a JSON string in other formats.
func (c *call) printText(text string) error {
	return c.print(printout{value: text, headers: []string{"VALUE"}, rows: [][]string{{text}}, text: func(w io.Writer) error {
		_, err := fmt.Fprintln(w, strings.TrimRight(text, "\n"))
		return err
	}})
}

// decodeInto decodes the data of an answer.
func decodeInto[T any](raw client.Raw, err error) (*T, error) {
	if err != nil {
		return nil, err
	}
	v := new(T)
	if err := json.Unmarshal(raw, v); err != nil {
		return nil, fmt.Errorf("the answer is not understood: %w", err)
	}
	return v, nil
}

// send sends a request of the management API.
func (c *call) send(method, path string, body any) (client.Raw, error) {
	return c.m.Any().Send(c, method, managementBase+path, nil, body)
}

// sendFabric sends a request of the fabric API.
func (c *call) sendFabric(method, path string, body any) (client.Raw, error) {
	return c.m.Any().Send(c, method, fabricBase+path, nil, body)
}
