package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weftnet/weft/client"
	"github.com/weftnet/weft/observe"
)

// inspections of a bundle; processes leave out those that they do not know.
var bundledKeys = []string{"config", "connected-routers", "connected-peers", "links", "terminator-costs", "ctrl-dialer", "router-data-model-index",
	"router-circuits", "sdk-terminators", "router-controllers", "identity-connection-statuses", "metrics"}

// supportBundle gathers what somebody who helps has to know.
func (t *tool) supportBundle() *cobra.Command {
	var audit, most int64
	cmd := &cobra.Command{
		Use: "bundle [FILE]", Short: "Write a bundle of how the network is, without secrets", Args: cobra.MaximumNArgs(1),
		Long: "Gather configuration, versions, links, circuits, terminators, measurements, members and the newest changes of the controller\n" +
			"and its connected routers into a tar.gz with a manifest. Keys, tokens, hashes and passwords are taken out; names and addresses stay.\n" +
			"What could not be had is named in the manifest. weft agent bundle does so for one process of this machine, with stacks and heap.",
		Example: "  weft support bundle\n  weft support bundle network.tar.gz --audit 0",
	}
	cmd.RunE = t.run(func(c *call, args []string) (err error) {
		name := time.Now().UTC().Format("weft-support-20060102-150405.tar.gz")
		if len(args) > 0 {
			name = args[0]
		}
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return usageError("name a file that is not there yet", "%v", err)
		}
		files, err := c.writeBundle(f, t.version, audit, most)
		if err = errors.Join(err, f.Close()); err != nil {
			return errors.Join(err, os.Remove(name))
		}
		return c.print(printout{value: map[string]any{"file": name, "files": files}, headers: []string{"FILE", "FILES"}, rows: [][]string{{name, fmt.Sprint(files)}}, names: []string{name}})
	})
	cmd.Flags().Int64Var(&audit, "audit", 200, "newest changes to include, at most 500; 0 for none")
	cmd.Flags().Int64Var(&most, "limit", 500, "most circuits, terminators, links and routers to include")
	t.flags(cmd)
	return cmd
}

// writeBundle writes the bundle and returns how many files it has; it fails if
// nothing could be had.
func (c *call) writeBundle(w io.Writer, version string, audit, most int64) (int, error) {
	b := observe.NewBundle(w, "weft support bundle", version, time.Now())
	p := &client.ListParams{Limit: most}
	fabric := c.m.Fabric()
	parts := []struct {
		name, doc string
		get       func(context.Context) (any, error)
	}{
		{"version.json", "version of the controller", func(ctx context.Context) (any, error) { return c.m.ListVersion(ctx) }},
		{"summary.json", "how many entities there are", func(ctx context.Context) (any, error) { return c.m.ListSummary(ctx) }},
		{"members.json", "members of the cluster", func(ctx context.Context) (any, error) { return fabric.ClusterListMembers(ctx) }},
		{"routers.json", "routers with versions and whether they are connected", func(ctx context.Context) (any, error) { return fabric.ListRouters(ctx, p) }},
		{"links.json", "links", func(ctx context.Context) (any, error) { return fabric.ListLinks(ctx, p) }},
		{"circuits.json", "circuits", func(ctx context.Context) (any, error) { return fabric.ListCircuits(ctx, p) }},
		{"terminators.json", "terminators", func(ctx context.Context) (any, error) { return fabric.ListTerminators(ctx, p) }},
	}
	if audit > 0 {
		parts = append(parts, struct {
			name, doc string
			get       func(context.Context) (any, error)
		}{"audit.json", "the newest changes", func(ctx context.Context) (any, error) { return c.m.ListAudit(ctx, &client.ListParams{Limit: audit}) }})
	}
	for _, part := range parts {
		v, err := part.get(c)
		if err != nil {
			b.Miss(part.name, err)
			continue
		}
		if err := b.AddJSON(part.name, part.doc, v); err != nil {
			return 0, err
		}
	}
	if err := c.bundleInspections(b); err != nil {
		return 0, err
	}
	if b.Files() == 0 {
		return 0, &failure{code: "NOTHING_GATHERED", cause: "the controller let nothing be read", remedy: "log in as an administrator or as somebody with the permission admin_readonly", exit: ExitRefused}
	}
	return b.Files(), b.Close()
}

// bundleInspections adds what controller and routers know of themselves.
func (c *call) bundleInspections(b *observe.Bundle) error {
	answer, err := c.m.Fabric().Inspect(c, &client.InspectRequest{AppRegex: client.Ptr(".*"), RequestedValues: bundledKeys})
	if err != nil {
		b.Miss("inspections", err)
		return nil
	}
	for i, text := range answer.Errors {
		b.Miss(fmt.Sprintf("inspections/%d", i), errors.New(text))
	}
	for _, v := range answer.Values {
		name := "inspections/" + pathSafe(v.AppID) + "/" + pathSafe(v.Name) + ".json"
		if err := b.AddJSON(name, v.Name+" of "+v.AppID, json.RawMessage(v.Value)); err != nil {
			return err
		}
	}
	return nil
}

// pathSafe makes a text one segment of a path.
func pathSafe(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || r == ':' || r < ' ' {
			return '-'
		}
		return r
	}, strings.TrimLeft(text, "."))
}
