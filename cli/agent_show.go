package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weftnet/weft/agent"
)

// list shows the processes that can be looked into.
func (a *agentTool) list() *cobra.Command {
	return &cobra.Command{
		Use: "list", Aliases: []string{"ps"}, Short: "List the user's processes that can be looked into", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.checkFormat(); err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), a.timeout)
			defer cancel()
			all, err := agent.Find(ctx)
			if err != nil {
				return agentFailure(err)
			}
			if len(all) == 0 && a.output == formatTable {
				fmt.Fprintln(cmd.ErrOrStderr(), "no processes: this user runs no controller and no router here, or they run with --cli-agent=false or a socket of their own (--addr)")
			}
			rows := [][]string{}
			for _, p := range all {
				since := when(p.StartedAt)
				if p.Unanswered != "" {
					since = "no answer: " + p.Unanswered
				}
				rows = append(rows, []string{strconv.Itoa(p.PID), p.App, p.ID, p.Alias, p.Version, since})
			}
			return a.out(cmd, append([]agent.Process{}, all...), func(w io.Writer) error {
				return printTable(w, []string{"PID", "APP", "ID", "ALIAS", "VERSION", "SINCE"}, rows)
			})
		},
	}
}

// status shows what a process is and how it is.
func (a *agentTool) status() *cobra.Command {
	return &cobra.Command{
		Use: "status", Aliases: []string{"stats"}, Short: "Show what a process is and how it is", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return show(a, cmd, "status", nil, func(w io.Writer, status map[string]any) error { return printNested(w, status) })
		},
	}
}

// printNested writes the members of an object, those of objects within as
// name.member, and one line per entry of lists of objects.
func printNested(w io.Writer, v map[string]any) error {
	var rows [][]string
	var walk func(prefix string, v any)
	walk = func(prefix string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				walk(strings.TrimPrefix(prefix+"."+name, "."), v[name])
			}
		case []any:
			for i, entry := range v {
				walk(fmt.Sprintf("%s[%d]", prefix, i), entry)
			}
		case float64:
			rows = append(rows, []string{prefix, strconv.FormatFloat(v, 'f', -1, 64)})
		default:
			rows = append(rows, []string{prefix, memberText(v)})
		}
	}
	walk("", v)
	slices.SortStableFunc(rows, func(x, y []string) int {
		return cmp.Or(strings.Count(x[0], ".")-strings.Count(y[0], "."), strings.Compare(x[0], y[0]))
	})
	return printTable(w, nil, rows)
}

// links shows the links of a router, and those that it wants and does not have.
func (a *agentTool) links() *cobra.Command {
	return &cobra.Command{
		Use: "links", Aliases: []string{"dump-links"}, Short: "List the links of a router, and those that it tries to make", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return show(a, cmd, "links", nil, func(w io.Writer, in routerLinks) error {
				if len(in.Links)+len(in.Destinations) == 0 {
					fmt.Fprintln(cmd.ErrOrStderr(), "no links: the router has no link section, or no controller has told it of a router that accepts links")
				}
				return printLinks(w, in)
			})
		},
	}
}

// routerLinks are the links of a router as its agent shows them; JSON output is
// the whole answer.
type routerLinks struct {
	Destinations []linkDestination `json:"destinations"`
	Links        []map[string]any  `json:"links"`
	Errors       []string          `json:"errors"`
}

type linkDestination map[string]any

// wanted returns the links with a router that are not there.
func (d linkDestination) wanted() []map[string]any {
	var out []map[string]any
	states, _ := d["linkStates"].([]any)
	for _, s := range states {
		if state, ok := s.(map[string]any); ok && state["establishedLinkId"] == nil {
			out = append(out, state)
		}
	}
	return out
}

func printLinks(w io.Writer, in routerLinks) error {
	rows := [][]string{}
	for _, l := range in.Links {
		connections, _ := l["connections"].([]any)
		state := "established"
		if l["unresponsive"] == true {
			state = "unresponsive"
		}
		rows = append(rows, []string{
			memberText(l["id"]), memberText(l["dest"]), memberText(l["dialAddress"]), yesNo(l["dialed"] == true),
			memberText(l["latency"]), strconv.Itoa(len(connections)), state, "",
		})
	}
	for _, d := range in.Destinations {
		for _, s := range d.wanted() {
			why := ""
			if last, ok := s["lastError"].(map[string]any); ok {
				why = memberText(last["code"]) + ": " + memberText(last["message"])
			}
			rows = append(rows, []string{"", memberText(d["id"]), memberText(s["targetAddress"]), "yes", "", "0", memberText(s["status"]), why})
		}
	}
	return printTable(w, []string{"ID", "ROUTER", "ADDRESS", "DIALED", "LATENCY", "CONNECTIONS", "STATE", "LAST ERROR"}, rows)
}

// circuits shows what a router carries.
func (a *agentTool) circuits() *cobra.Command {
	return &cobra.Command{
		Use: "circuits", Short: "List the circuits that a router carries", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return show(a, cmd, "circuits", nil, func(w io.Writer, circuits []route) error {
				if len(circuits) == 0 {
					fmt.Fprintln(cmd.ErrOrStderr(), "no circuits: nothing begins, ends or passes here at the moment")
				}
				rows := [][]string{}
				for _, c := range circuits {
					rows = append(rows, []string{c.Circuit, c.Identity, c.Service, c.Terminator, when(c.CreatedAt), yesNo(c.Lossy)})
				}
				return printTable(w, []string{"CIRCUIT", "IDENTITY", "SERVICE", "TERMINATOR", "SINCE", "LOSSY"}, rows)
			})
		},
	}
}

// routes shows the forwarding tables.
func (a *agentTool) routes() *cobra.Command {
	return &cobra.Command{
		Use: "routes", Aliases: []string{"dump-routes"}, Short: "Show the forwarding tables of a router", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return show(a, cmd, "routes", nil, func(w io.Writer, circuits []route) error {
				if len(circuits) == 0 {
					fmt.Fprintln(cmd.ErrOrStderr(), "no circuits: nothing begins, ends or passes here at the moment")
				}
				rows := [][]string{}
				for _, c := range circuits {
					rows = append(rows, []string{c.Circuit, strconv.Itoa(c.Path), c.To.String(), c.From.String()})
				}
				return printTable(w, []string{"CIRCUIT", "PATH", "TOWARDS TERMINATOR", "TOWARDS INITIATOR"}, rows)
			})
		},
	}
}

// route is a circuit as an agent shows it.
type route struct {
	Circuit    string    `json:"circuitId"`
	Identity   string    `json:"identityId,omitempty"`
	Service    string    `json:"serviceId"`
	Terminator string    `json:"terminatorId,omitempty"`
	Host       string    `json:"hostId,omitempty"`
	Path       int       `json:"path"`
	CreatedAt  time.Time `json:"createdAt"`
	Lossy      bool      `json:"lossy"`
	From       hop       `json:"initiator"`
	To         hop       `json:"terminator"`
}

// hop says where messages of a circuit go.
type hop struct {
	Kind string `json:"kind"`
	Link string `json:"link,omitempty"`
	Lost bool   `json:"lost,omitempty"`
}

// String is short: "link 4xyz", "edge".
func (h hop) String() string {
	switch {
	case h.Link != "" && h.Lost:
		return "link " + h.Link + " (lost)"
	case h.Link != "":
		return "link " + h.Link
	}
	return h.Kind
}

// memory shows the memory of a process.
func (a *agentTool) memory() *cobra.Command {
	return &cobra.Command{Use: "memory", Aliases: []string{"memstats"}, Short: "Show the memory of a process", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.showMemory(cmd, "memory") }}
}

// gc collects garbage.
func (a *agentTool) gc() *cobra.Command {
	return &cobra.Command{Use: "gc", Short: "Collect garbage and give memory back to the system", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.showMemory(cmd, "gc") }}
}

func (a *agentTool) showMemory(cmd *cobra.Command, operation string) error {
	return show(a, cmd, operation, nil, func(w io.Writer, m map[string]any) error { return printNested(w, m) })
}

// inspect shows values by their names.
func (a *agentTool) inspect() *cobra.Command {
	return &cobra.Command{
		Use: "inspect KEY...", Short: "Show values of a process by their names", Args: cobra.MinimumNArgs(1),
		Long: "Show values of a process by their names: " + strings.Join(inspectKeys, ", ") +
			". The case does not count. `weft inspect` asks for the same values over a controller.",
		Example: "  weft agent inspect router-circuits\n  weft agent inspect circuit:4owATiXmB23DuUADoo8JVw -p 4711",
		RunE: func(cmd *cobra.Command, args []string) error {
			return show(a, cmd, "inspect", agent.Args{"keys": strings.Join(args, " ")}, printInspection)
		},
	}
}

// inspectKeys are the names of values, for the help text.
var inspectKeys = []string{
	"stackdump", "config", "metrics", "links", "router-circuits", "circuit:ID", "circuitAndStacks:ID", "router-edge-circuits",
	"router-sdk-circuits", "sdk-context:IDENTITY", "sdk-terminators", "router-controllers", "router-data-model",
	"router-data-model-index", "identity-connection-statuses", "connected-routers", "connected-peers", "terminator-costs",
}

// inspection is the answer of inspect.
type inspection struct {
	Values []struct {
		AppID string `json:"appId"`
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"values"`
}
