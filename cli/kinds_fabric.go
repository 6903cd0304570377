package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"github.com/weftnet/weft/client"
)

func routers() kind {
	return &entity[client.FabricRouter, struct{}, client.FabricRouterInput]{
		one: "router", many: "routers",
		updateDoc: doc{example: "  weft update router east --cost 20 --no-traversal\n  weft update router east --no-traversal=false"},
		columns: []column[client.FabricRouter]{
			{"NAME", func(d *client.FabricRouter) string { return d.Name }},
			{"STATE", routerState},
			{"COST", func(d *client.FabricRouter) string { return number(d.Cost) }},
			{"TRAVERSAL", func(d *client.FabricRouter) string { return yesNo(!d.NoTraversal) }},
			{"LINK-LISTENERS", func(d *client.FabricRouter) string { return addresses(d.ListenerAddresses) }},
			{"VERSION", func(d *client.FabricRouter) string {
				if d.VersionInfo == nil {
					return ""
				}
				return d.VersionInfo.Version
			}},
		},
		empty: func(*call) string {
			return "no routers: weft create edge-router NAME --jwt FILE makes one, weft router enroll enrolls it"
		},
		ref: func(d *client.FabricRouter) (string, string) { return d.ID, d.Name },
		getMany: func(m *client.Management, ctx context.Context, p *client.ListParams) (*client.Page[client.FabricRouter], error) {
			return m.Fabric().ListRouters(ctx, p)
		},
		getOne: func(m *client.Management, ctx context.Context, id string) (*client.FabricRouter, error) {
			return m.Fabric().DetailRouter(ctx, id)
		},
		patch: func(m *client.Management, ctx context.Context, id string, in *client.FabricRouterInput) error {
			return m.Fabric().PatchRouter(ctx, id, in)
		},
		drop: func(m *client.Management, ctx context.Context, id string) error {
			return m.Fabric().DeleteRouter(ctx, id)
		},
		updateFlags: func(f *pflag.FlagSet, in *client.FabricRouterInput) {
			intFlag(f, &in.Cost, "cost", "cost of paths through it, 0 to 65535")
			boolFlag(f, &in.NoTraversal, "no-traversal", "", "carries no traffic between other routers")
			boolFlag(f, &in.Disabled, "disabled", "", "may not connect")
			textFlag(f, &in.Name, "name", "n", "new name")
			tagsFlag(f, &in.Tags, "tags", "tags, key=value")
		},
	}
}

func routerState(d *client.FabricRouter) string {
	switch {
	case d.Disabled:
		return "disabled"
	case !d.Connected:
		return "offline"
	case d.Quiesced:
		return "quiesced"
	}
	return "online"
}

func addresses(list []client.RouterListener) string {
	var out []string
	for _, l := range list {
		out = append(out, l.Address)
	}
	return words(out)
}

func links() kind {
	return &entity[client.FabricLink, struct{}, client.FabricLinkInput]{
		one: "link", many: "links",
		updateDoc: doc{
			long:    "Paths avoid a link that is down, and circuits leave it if they have another way.\nThe changes last as long as the controller runs.",
			example: "  weft update link 4owATiXmB23DuUADoo8JVw --static-cost 50\n  weft update link 4owATiXmB23DuUADoo8JVw --down",
		},
		removeDoc: doc{long: "A link is closed at both routers; the one that dialed it may dial it anew.\nweft update link ID --down takes it out of use for longer."},
		columns: []column[client.FabricLink]{
			{"FROM", func(d *client.FabricLink) string { return refName(&d.SourceRouter, d.SourceRouter.ID) }},
			{"TO", func(d *client.FabricLink) string { return refName(&d.DestRouter, d.DestRouter.ID) }},
			{"PROTOCOL", func(d *client.FabricLink) string { return d.Protocol }},
			{"COST", func(d *client.FabricLink) string { return fmt.Sprint(d.Cost) }},
			{"LATENCY", latencies},
			{"STATE", linkState},
			{"CONNECTIONS", func(d *client.FabricLink) string { return number(len(d.Connections)) }},
		},
		empty: noLinks,
		ref:   func(d *client.FabricLink) (string, string) { return d.ID, "" },
		getMany: func(m *client.Management, ctx context.Context, p *client.ListParams) (*client.Page[client.FabricLink], error) {
			return m.Fabric().ListLinks(ctx, p)
		},
		getOne: func(m *client.Management, ctx context.Context, id string) (*client.FabricLink, error) {
			return m.Fabric().DetailLink(ctx, id)
		},
		patch: func(m *client.Management, ctx context.Context, id string, in *client.FabricLinkInput) error {
			return m.Fabric().PatchLink(ctx, id, in)
		},
		drop: func(m *client.Management, ctx context.Context, id string) error {
			return m.Fabric().DeleteLink(ctx, id)
		},
		updateFlags: func(f *pflag.FlagSet, in *client.FabricLinkInput) {
			longFlag(f, &in.StaticCost, "static-cost", "cost beside the latencies, 1 by default")
			boolFlag(f, &in.Down, "down", "", "take it out of use, or with =false back into use")
		},
	}
}

// unmeasured is a latency that no link has: routers report theirs within
// seconds, and a link counts as this slow until then.
const unmeasured = time.Minute

// latencies shows the round trips as both ends measure them.
func latencies(d *client.FabricLink) string {
	one := func(nanos int64) string {
		if l := time.Duration(nanos); l > 0 && l < unmeasured {
			return fmt.Sprintf("%.2fms", l.Seconds()*1000)
		}
		return "?"
	}
	return one(d.SourceLatency) + " / " + one(d.DestLatency)
}

func linkState(d *client.FabricLink) string {
	if d.Down {
		return d.State + ", down"
	}
	return d.State
}

// noLinks says why there are no links.
func noLinks(c *call) string {
	var online, listening, silent []string
	for r, err := range client.All(c, client.ListParams{}, c.m.Fabric().ListRouters) {
		switch {
		case err != nil:
			return "no links"
		case !r.Connected:
		case len(r.ListenerAddresses) > 0:
			online, listening = append(online, r.Name), append(listening, r.Name)
		default:
			online, silent = append(online, r.Name), append(silent, r.Name)
		}
	}
	switch {
	case len(online) < 2:
		return "no links: a link joins two routers, online: " + oneOf(online)
	case len(listening) == 0:
		return "no links: none of the routers " + oneOf(silent) + " accepts links; give one of them a link section with listeners, and the others one with dialers"
	}
	text := "no links, though " + oneOf(listening) + " would accept them"
	if len(silent) > 0 {
		text += "; routers without a link listener: " + oneOf(silent)
	}
	return text + "; check link.dialers and groups of the routers, and weft inspect '.*' links"
}

func circuits() kind {
	return &entity[client.Circuit, struct{}, struct{}]{
		one: "circuit", many: "circuits",
		removeDoc: doc{long: "A circuit ends at once, at both clients."},
		columns: []column[client.Circuit]{
			{"CLIENT", circuitClient},
			{"SERVICE", func(d *client.Circuit) string { return refName(&d.Service, d.Service.ID) }},
			{"TERMINATOR", func(d *client.Circuit) string { return d.Terminator.ID }},
			{"PATH", func(d *client.Circuit) string { return nodes(d.Path.Nodes) }},
			{"STATE", func(d *client.Circuit) string { return d.State }},
			{"AGE", func(d *client.Circuit) string { return age(d.CreatedAt) }},
		},
		empty: func(*call) string { return "no circuits: no client is connected to a service at the moment" },
		ref:   func(d *client.Circuit) (string, string) { return d.ID, "" },
		getMany: func(m *client.Management, ctx context.Context, p *client.ListParams) (*client.Page[client.Circuit], error) {
			return m.Fabric().ListCircuits(ctx, p)
		},
		getOne: func(m *client.Management, ctx context.Context, id string) (*client.Circuit, error) {
			return m.Fabric().DetailCircuit(ctx, id)
		},
		drop: func(m *client.Management, ctx context.Context, id string) error {
			return m.Fabric().DeleteCircuit(ctx, id, nil)
		},
	}
}

// circuitClient is the identity that dialed, or the router where there is none:
// a listener of the router for programs without an SDK.
func circuitClient(d *client.Circuit) string {
	switch {
	case d.Identity != nil:
		return refName(d.Identity, d.Identity.ID)
	case len(d.Path.Nodes) > 0:
		return "router " + nodes(d.Path.Nodes[:1])
	}
	return ""
}

// nodes shows a path by the names of its routers.
func nodes(refs []client.Ref) string {
	var out []string
	for _, r := range refs {
		out = append(out, refName(&r, r.ID))
	}
	return strings.Join(out, " > ")
}

// age is how long ago something was, in whole seconds.
func age(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return max(time.Since(t), 0).Round(time.Second).String()
}
