package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/weftnet/weft/agent"
)

// changing adds the flag --dry-run to a command that changes something.
func (a *agentTool) changing(c *cobra.Command) {
	c.Flags().BoolVar(&a.dryRun, "dry-run", false, "show which process would do what, but change nothing")
}

// heldOperation is what a dry run would have asked a process for.
type heldOperation struct {
	DryRun    bool       `json:"dryRun"`
	App       string     `json:"app"`
	ID        string     `json:"id"`
	PID       int        `json:"pid"`
	Operation string     `json:"operation"`
	Arguments agent.Args `json:"arguments"`
}

// hold finds the process that is meant and says what it would be asked for.
func (a *agentTool) hold(cmd *cobra.Command, operation string, args agent.Args) error {
	ctx, cancel := context.WithTimeout(cmd.Context(), a.timeout)
	defer cancel()
	c, p, err := a.connect(ctx, operation)
	if err != nil {
		return err
	}
	c.Close()
	held := heldOperation{true, p.App, p.ID, p.PID, operation, args}
	text := operation
	for _, name := range slices.Sorted(maps.Keys(args)) {
		text += " " + name + "=" + args[name]
	}
	return a.out(cmd, held, func(w io.Writer) error {
		if _, rows := w.(*tables); rows {
			return printTable(w, []string{"APP", "ID", "PID", "OPERATION"}, [][]string{{p.App, p.ID, fmt.Sprint(p.PID), text}})
		}
		_, err := fmt.Fprintf(w, "would let %s %s (pid %d) do %s\n", p.App, p.ID, p.PID, printable(text))
		return err
	})
}
