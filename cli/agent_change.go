package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/weftnet/weft/agent"
)

// printInspection writes every value under its process and name.
func printInspection(w io.Writer, in inspection) error {
	for _, v := range in.Values {
		text := v.Value
		var pretty bytes.Buffer
		if json.Indent(&pretty, []byte(text), "", "  ") == nil {
			text = pretty.String()
		}
		if _, err := fmt.Fprintf(w, "%s.%s\n%s\n", v.AppID, v.Name, text); err != nil {
			return err
		}
	}
	return nil
}

// logLevel shows or changes log levels.
func (a *agentTool) logLevel() *cobra.Command {
	var part string
	c := &cobra.Command{
		Use: "log-level [LEVEL]", Aliases: []string{"set-log-level"}, Short: "Show or change the log level of a process", Args: cobra.MaximumNArgs(1),
		Long: "Show or change the log level of a process until it ends: trace, debug, info, warn or error. A part, which is a package\n" +
			"such as router/edge or a room with all its packages such as router, can have a level of its own; clear takes it away.",
		Example: "  weft agent log-level\n  weft agent log-level debug --part router/edge\n  weft agent log-level clear --part router/edge",
	}
	a.changing(c)
	c.Flags().StringVar(&part, "part", "", "package or room, default the whole process")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		params := agent.Args{}
		if part != "" {
			params["part"] = part
		}
		if len(args) == 1 {
			params["level"] = args[0]
		}
		return show(a, cmd, "log-level", params, printLevels)
	}
	return c
}

// levels is the answer of log-level.
type levels struct {
	Level string            `json:"level"`
	Parts map[string]string `json:"parts"`
}

func printLevels(w io.Writer, l levels) error {
	rows := [][]string{{"(all)", l.Level}}
	for _, part := range slices.Sorted(maps.Keys(l.Parts)) {
		rows = append(rows, []string{part, l.Parts[part]})
	}
	return printTable(w, []string{"PART", "LEVEL"}, rows)
}

// quiesce is quiesce or dequiesce.
func (a *agentTool) quiesce(operation, short string) *cobra.Command {
	c := &cobra.Command{Use: operation, Short: short, Args: cobra.NoArgs, Example: "  weft agent " + operation + " --id X91Z5iNIe2"}
	a.changing(c)
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		return show(a, cmd, operation, nil, func(w io.Writer, q quiescence) error {
			state := "takes new circuits"
			if q.Quiesced {
				state = "takes no new circuits"
			}
			_, err := fmt.Fprintf(w, "The router %s; %d are in use.\n", state, q.Circuits)
			if !q.Connected && err == nil {
				_, err = fmt.Fprintln(cmd.ErrOrStderr(), "It has no connection to a controller, which hears of it later.")
			}
			return err
		})
	}
	return c
}

// quiescence is the answer of quiesce and dequiesce.
type quiescence struct {
	Quiesced  bool `json:"quiesced"`
	Circuits  int  `json:"circuits"`
	Connected bool `json:"connected"`
}

// stopping is the answer of stop.
type stopping struct {
	Within   string `json:"within"`
	Circuits int    `json:"circuits"`
}

// stop ends a process in order and waits for its end.
func (a *agentTool) stop() *cobra.Command {
	var within time.Duration
	var noWait bool
	c := &cobra.Command{
		Use: "stop", Short: "Stop a process in order", Args: cobra.NoArgs,
		Long: "Stop a process in order: a router takes no new circuits, and ends when the existing ones have ended or the time is over.\n" +
			"The command returns when the process has ended.",
		Example: "  weft agent stop -p 4711 --within 5m",
	}
	c.Flags().DurationVar(&within, "within", 30*time.Second, "time for circuits to finish; 0s does not wait for them")
	c.Flags().BoolVar(&noWait, "no-wait", false, "return at once")
	a.changing(c)
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		if a.dryRun {
			return a.hold(cmd, "stop", agent.Args{"within": within.String()})
		}
		var answer stopping
		p, err := a.read(cmd, "stop", agent.Args{"within": within.String()}, &answer)
		if err != nil {
			return err
		}
		if answer.Circuits > 0 {
			fmt.Fprintf(cmd.ErrOrStderr(), "%d circuits have %s to finish.\n", answer.Circuits, answer.Within)
		}
		if !noWait {
			if err := awaitEnd(cmd.Context(), p.Address, within+closeTime); err != nil {
				return err
			}
		}
		done := "stopped"
		if noWait {
			done = "is stopping"
		}
		return a.out(cmd, answer, func(w io.Writer) error {
			_, err = fmt.Fprintf(w, "%s %s (pid %d) %s.\n", p.App, p.ID, p.PID, done)
			return err
		})
	}
	return c
}

// closeTime is what a process may take to close, beyond the time for circuits.
const closeTime = 30 * time.Second

// awaitEnd returns when nobody serves a socket any more, which a process gives
// up last.
func awaitEnd(ctx context.Context, address string, within time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, within, errStillRuns)
	defer cancel()
	c := agent.NewClient(address)
	defer c.Close()
	for {
		if _, err := c.Describe(ctx); err != nil && ctx.Err() == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), errStillRuns) {
				return errStillRuns
			}
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

var errStillRuns = &failure{code: "AGENT_STILL_RUNS", cause: "the process has not ended in time", remedy: "see weft agent stack, or kill it", exit: ExitUnavailable}

// router accepts commands for routers as scripts of the ecosystem write them.
func (a *agentTool) router() *cobra.Command {
	c := &cobra.Command{Use: "router", Short: "The commands for routers with the ecosystem's prefix", Hidden: true, Args: cobra.NoArgs, RunE: help}
	c.AddCommand(a.quiesce("quiesce", "The same as weft agent quiesce"), a.quiesce("dequiesce", "The same as weft agent dequiesce"), a.links(), a.routes())
	c.AddCommand(&cobra.Command{
		Use: "disconnect", Short: "Drop the connection to the controller; a debug operation", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.stream(cmd, "disconnect", nil, cmd.OutOrStdout()) },
	})
	return c
}
