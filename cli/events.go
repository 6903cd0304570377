package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/weftnet/weft/client"
)

// events prints events as they happen.
func (t *tool) events() *cobra.Command {
	var p client.StreamEventsParams
	var follow bool
	cmd := &cobra.Command{
		Use: "events", Short: "Show what happens in the network, as it happens", Args: cobra.NoArgs,
		Long: "Show events from now on until interrupted, one line each; -o json shows them whole, one object per line, -o yaml a document each.\n" +
			"Types of events and their members are in docs/events.md.",
		Example: "  weft events\n  weft events --type circuit --filter 'event_type = \"failed\"'\n  weft events --type entityChange --include services -o json",
	}
	cmd.RunE = t.run(func(c *call, _ []string) error { return c.followEvents(&p) })
	f := cmd.Flags()
	f.BoolVarP(&follow, "follow", "f", true, "go on until interrupted (always so)")
	f.StringSliceVar(&p.Type, "type", nil, "types of events, such as circuit or entityChange (default all but trace and audit)")
	f.StringVar(&p.Filter, "filter", "", "filter over the members of events, such as event_type = \"created\"")
	f.StringSliceVar(&p.Include, "include", nil, "kinds of events of the one type, such as created")
	f.StringVar(&p.Interval, "interval", "", "of entityCount: time between two events, such as 1m")
	f.StringVar(&p.MetricFilter, "metric-filter", "", "of metrics: regular expression that NAME.VALUE matches")
	f.StringVar(&p.SourceFilter, "source-filter", "", "of metrics: regular expression that the id of the process matches")
	f.Int64Var(&p.UsageVersion, "usage-version", 0, "of usage: 2 or 3 (default 3)")
	t.flags(cmd)
	f.Lookup("output").Usage = "output: table, json, yaml"
	return cmd
}

// followEvents prints events until the command is interrupted.
func (c *call) followEvents(p *client.StreamEventsParams) error {
	if c.tool.envelope {
		return usageError("use -o json", "-j prints one answer of the controller, and events do not end")
	}
	print := printEvent
	switch style := &c.tool.style; {
	case style.output == formatCSV || style.output == formatName || len(style.columns) > 0:
		return usageError("use -o table, json or yaml", "events have members of their own each, and no columns")
	case style.output == formatJSON:
		print = func(w io.Writer, _ string, object []byte) error {
			_, err := fmt.Fprintln(w, string(object))
			return err
		}
	case style.output == formatYAML:
		print = func(w io.Writer, _ string, object []byte) error {
			if _, err := io.WriteString(w, "---\n"); err != nil {
				return err
			}
			return printYAML(w, json.RawMessage(object))
		}
	}
	err := c.m.Events(c, p, nil, func(kind string, object []byte) error { return print(c.cmd.OutOrStdout(), kind, object) })
	if c.Err() != nil {
		return nil // interrupted, which is how it ends
	}
	if errors.Is(err, client.ErrStreamEnded) {
		return &failure{code: "STREAM_ENDED", cause: err.Error(), remedy: "start the command again; with many events choose some with --type and --filter", exit: ExitFailure}
	}
	return err
}

// printEvent prints an event on one line: its time, its type, then its members.
func printEvent(w io.Writer, kind string, object []byte) error {
	d := json.NewDecoder(bytes.NewReader(object))
	if _, err := d.Token(); err != nil {
		return err
	}
	var at, of string
	var rest []string
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		text := strings.Trim(string(value), `"`)
		switch name {
		case "namespace", "event_src_id":
		case "timestamp":
			at = text
			if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
				at = t.Local().Format("15:04:05.000")
			}
		case "event_type", "eventType":
			of = text
		default:
			rest = append(rest, fmt.Sprintf("%s=%s", name, text))
		}
	}
	_, err := fmt.Fprintln(w, printable(strings.Join(append([]string{at, strings.TrimSpace(kind + " " + of)}, rest...), " ")))
	return err
}

// stream is `fabric stream` as the ecosystem spells it.
func (t *tool) stream() *cobra.Command {
	return parent("stream", "Follow events or messages", t.streamEvents(), t.streamTraces())
}

// streamFlags are the flags of `fabric stream events`, each for a type.
var streamFlags = []struct{ flag, kind string }{
	{"alerts", "alert"}, {"api-sessions", "apiSession"}, {"authentications", "authentication"}, {"circuits", "circuit"}, {"cluster", "cluster"}, {"connect", "connect"},
	{"entity-change", "entityChange"}, {"entity-counts", "entityCount"}, {"links", "link"}, {"metrics", "metrics"}, {"routers", "router"}, {"sdk", "sdk"},
	{"services", "service"}, {"sessions", "session"}, {"terminators", "terminator"}, {"usage", "usage"},
}

func (t *tool) streamEvents() *cobra.Command {
	var p client.StreamEventsParams
	var all bool
	cmd := &cobra.Command{Use: "events", Short: "Stream events as they happen, as JSON", Args: cobra.NoArgs}
	chosen := make([]bool, len(streamFlags))
	cmd.RunE = t.run(func(c *call, _ []string) error {
		for i, f := range streamFlags {
			if all && f.kind != "authentication" || chosen[i] {
				p.Type = append(p.Type, f.kind)
			}
		}
		if len(p.Type) == 0 { // as --all
			for _, f := range streamFlags {
				if f.kind != "authentication" {
					p.Type = append(p.Type, f.kind)
				}
			}
		}
		slices.Sort(p.Type)
		p.Type = slices.Compact(p.Type)
		c.tool.output = formatJSON
		return c.followEvents(&p)
	})
	f := cmd.Flags()
	f.BoolVar(&all, "all", false, "all types but authentications")
	for i, s := range streamFlags {
		f.BoolVar(&chosen[i], s.flag, false, "events of type "+s.kind)
	}
	f.StringVar(&p.Interval, "entity-counts-interval", "5m", "time between two counts of entities")
	f.StringVar(&p.MetricFilter, "metrics-filter", "", "regular expression that NAME.VALUE of metrics matches")
	f.StringVar(&p.SourceFilter, "metrics-source-filter", "", "regular expression that the id of the process matches")
	f.Int64Var(&p.UsageVersion, "usage-version", 3, "version of usage events, 2 or 3")
	t.flags(cmd)
	return cmd
}

func (t *tool) streamTraces() *cobra.Command {
	cmd := &cobra.Command{Use: "traces", Short: "Stream the messages between controller and routers, without their bodies", Args: cobra.NoArgs}
	var p client.StreamEventsParams
	cmd.RunE = t.run(func(c *call, _ []string) error {
		p.Type = []string{"trace"}
		return c.followEvents(&p)
	})
	cmd.Flags().StringVar(&p.Filter, "filter", "", "filter over the members of messages, such as name = \"CreateCircuit\"")
	t.flags(cmd)
	cmd.Flags().Lookup("output").Usage = "output: table, json, yaml"
	return cmd
}
