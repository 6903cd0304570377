package cli

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
)

// opsCommand holds what works on files of a process, and operations as the
// ecosystem spells them.
func opsCommand(o Options, wanted func(string) bool) *cobra.Command {
	t := newTool(o, wanted)
	c := &cobra.Command{Use: "ops", Short: "Look into files of a process, and operations with the ecosystem's prefix", Args: cobra.NoArgs, RunE: help}
	c.AddCommand(traceCommand(), t.clusterCommand(), t.database(), parent("verify", "Prove that the network carries traffic", t.verifyTraffic()))
	return c
}

// traceCommand prints a trace of messages.
func traceCommand() *cobra.Command {
	var short bool
	var name, output string
	c := &cobra.Command{
		Use: "trace FILE", Short: "Print the messages that a router has traced (trace.path)", Args: cobra.ExactArgs(1),
		Example: "  weft ops trace control.trace --name CreateCircuit\n  weft ops trace control.trace -o json | jq .body",
		RunE: func(c *cobra.Command, args []string) error {
			if output != formatTable && output != formatJSON {
				return usageError("choose one of table, json", "unknown output format %q", output)
			}
			f, err := os.Open(args[0])
			if err != nil {
				return usageError("check the path", "%s", err)
			}
			defer f.Close()
			print := printEntry
			if output == formatJSON {
				print = printEntryJSON
			}
			return printTrace(c.OutOrStdout(), f, name, short, print)
		},
	}
	c.Flags().BoolVar(&short, "short", false, "leave out the bodies")
	c.Flags().StringVarP(&output, "output", "o", formatTable, "output: table, json (one object per line)")
	c.Flags().StringVar(&name, "name", "", "only messages of this name, such as CreateCircuit")
	return c
}

// traceEntry is a line of a trace.
type traceEntry struct {
	At        time.Time       `json:"at"`
	Router    string          `json:"router,omitempty"`
	Direction string          `json:"direction"`
	Type      int32           `json:"type"`
	Name      string          `json:"name,omitempty"`
	Body      json.RawMessage `json:"body,omitempty"`
	Bytes     int             `json:"bytes"`
}

// maxTraceLine bounds a line of a trace in bytes: a slice of a large network is
// one message.
const maxTraceLine = 256 << 20

// printTrace prints one line per message. The error names the line at fault; a
// last line that is cut off, as of a process that was killed, is none.
func printTrace(out io.Writer, in io.Reader, name string, short bool, print func(io.Writer, *traceEntry) error) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxTraceLine)
	var broken error
	for n := 1; lines.Scan(); n++ {
		if broken != nil {
			return broken
		}
		var e traceEntry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			broken = fmt.Errorf("line %d is no message of a trace: %w", n, err)
			continue
		}
		if name != "" && e.Name != name {
			continue
		}
		if short {
			e.Body = nil
		}
		if err := print(out, &e); err != nil {
			return err
		}
	}
	return lines.Err()
}

func printEntry(out io.Writer, e *traceEntry) error {
	arrow := "->"
	if e.Direction == "received" {
		arrow = "<-"
	}
	if e.Router != "" {
		arrow = e.Router + " " + arrow
	}
	line := fmt.Sprintf("%s %s %d %s %d B", e.At.Format("2006-01-02T15:04:05.000Z07:00"), arrow, e.Type, cmp.Or(e.Name, "?"), e.Bytes)
	if len(e.Body) > 0 {
		line += " " + string(e.Body)
	}
	_, err := fmt.Fprintln(out, line)
	return err
}

func printEntryJSON(out io.Writer, e *traceEntry) error {
	w := json.NewEncoder(out)
	w.SetEscapeHTML(false)
	return w.Encode(e)
}
