package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
)

// opsCommand holds what works on files of a process.
func opsCommand() *cobra.Command {
	c := &cobra.Command{Use: "ops", Short: "Look into files of a process", Args: cobra.NoArgs, RunE: help}
	c.AddCommand(traceCommand())
	return c
}

// traceCommand prints a trace of messages.
func traceCommand() *cobra.Command {
	var short bool
	var name string
	c := &cobra.Command{
		Use: "trace FILE", Short: "Print the messages that a router has traced (trace.path)", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			f, err := os.Open(args[0])
			if err != nil {
				return err
			}
			defer f.Close()
			return printTrace(c.OutOrStdout(), f, name, short)
		},
	}
	c.Flags().BoolVar(&short, "short", false, "leave out the bodies")
	c.Flags().StringVar(&name, "name", "", "only messages of this name, such as CreateCircuit")
	return c
}

// traceEntry is a line of a trace.
type traceEntry struct {
	At        time.Time       `json:"at"`
	Direction string          `json:"direction"`
	Type      int32           `json:"type"`
	Name      string          `json:"name"`
	Body      json.RawMessage `json:"body"`
	Bytes     int             `json:"bytes"`
}

// maxTraceLine bounds a line of a trace in bytes: a slice of a large network is
// one message.
const maxTraceLine = 256 << 20

// printTrace prints one line per message. The error names the line at fault; a
// last line that is cut off, as of a process that was killed, is none.
func printTrace(out io.Writer, in io.Reader, name string, short bool) error {
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
		if e.Name == "" {
			e.Name = "?"
		}
		arrow := "->"
		if e.Direction == "received" {
			arrow = "<-"
		}
		fmt.Fprintf(out, "%s %s %d %s %d B", e.At.Format("2006-01-02T15:04:05.000Z07:00"), arrow, e.Type, e.Name, e.Bytes)
		if !short && len(e.Body) > 0 {
			fmt.Fprintf(out, " %s", e.Body)
		}
		fmt.Fprintln(out)
	}
	return lines.Err()
}
