package cli

import (
	"net/url"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// association is a list of entities that belong to one of another kind.
type association struct {
	name  string // of the command
	kind  kind   // of the entries
	path  string // with %s for the id
	query string // a parameter that a flag may give
}

// associations returns the lists that belong to one entity of a kind.
func associations(of string) []association {
	var out []association
	if len(associated[of]) == 0 {
		return nil
	}
	base := managementBase + "/" + of + "/%s/"
	all := kinds()
	for _, name := range associated[of] {
		for _, k := range all {
			if _, many := k.names(); many == name && of != "routers" {
				out = append(out, association{name: name, kind: k, path: base + name})
			}
		}
	}
	switch of {
	case "identities":
		out = append(out,
			association{name: "service-configs", kind: serviceConfigs(), path: base + "service-configs"},
			association{name: "failed-service-requests", kind: failedRequests(), path: base + "failed-service-requests"})
	case "routers":
		out = append(out, association{name: "terminators", kind: fabricTerminators(), path: fabricBase + "/routers/%s/terminators"})
	}
	for i := range out {
		if of == "identities" && out[i].name == "services" || of == "services" && out[i].name == "identities" {
			out[i].query = "policyType"
		}
	}
	return out
}

// associated are the lists below the entities of each kind.
var associated = map[string][]string{
	"config-types":                 {"configs"},
	"configs":                      {"services"},
	"edge-router-policies":         {"edge-routers", "identities"},
	"edge-routers":                 {"edge-router-policies", "identities", "service-edge-router-policies", "services"},
	"routers":                      {"terminators"},
	"identities":                   {"authenticators", "edge-router-policies", "edge-routers", "enrollments", "service-policies", "services"},
	"service-edge-router-policies": {"edge-routers", "services"},
	"service-policies":             {"identities", "posture-checks", "services"},
	"services":                     {"configs", "edge-routers", "identities", "service-edge-router-policies", "service-policies", "terminators"},
}

func serviceConfigs() kind {
	e := readOnly(objects("service-config", "service-configs", managementBase, "SERVICE=service", "CONFIG=config"))
	e.ref = func(d *object) (string, string) { return d.text("serviceId") + "/" + d.text("configId"), "" }
	return e
}

func failedRequests() kind {
	e := readOnly(objects("failed-service-request", "failed-service-requests", managementBase,
		"SERVICE=serviceName", "TYPE=sessionType", "WHEN=when", "POLICY-FAILURES=policyFailures"))
	e.ref = func(d *object) (string, string) { return d.text("serviceId"), d.text("serviceName") }
	return e
}

// listOne returns the command that lists what belongs to one entity of a kind:
// `list service terminators web`. Without a command of its own it lists the
// kind itself.
func listOne[D any](t *tool, e kind, one, many string, aliases []string, l *lister[D]) *cobra.Command {
	g := &cobra.Command{Use: one, Short: "List what belongs to " + article(one), Aliases: aliases}
	listCommand(t, g, l)
	for _, a := range associations(many) {
		c := &cobra.Command{Use: a.name + " " + refHelp(e) + " [FILTER]", Short: "List the " + spaced(a.name) + " of " + article(one), Aliases: without(singular(a.kind), a.name)}
		query := func() url.Values { return nil }
		if a.query != "" {
			query = policyType(c.Flags())
		}
		a.kind.listAt(t, c, e, a.path, query)
		t.flags(c)
		g.AddCommand(c)
	}
	return g
}

func singular(k kind) []string {
	one, _ := k.names()
	return []string{one}
}

func refHelp(k kind) string {
	if r, ok := k.(interface{ reference() string }); ok {
		return r.reference()
	}
	return "NAME|ID"
}

// policyType adds the flag that asks for entities by dial or bind policies.
func policyType(f *pflag.FlagSet) func() url.Values {
	kind := ""
	f.StringVar(&kind, "policy-type", "", "dial or bind (default both)")
	return func() url.Values {
		if kind == "" {
			return nil
		}
		return url.Values{"policyType": {kind}}
	}
}
