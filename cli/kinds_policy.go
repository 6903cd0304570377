package cli

import (
	"strings"

	"github.com/spf13/pflag"
	"github.com/weftnet/weft/client"
)

const (
	identityRolesHelp = "identities: #attribute, @name, @id or #all"
	serviceRolesHelp  = "services: #attribute, @name, @id or #all"
	routerRolesHelp   = "edge routers: #attribute, @name, @id or #all"
	semanticHelp      = "AllOf (an entity needs all attributes of a list) or AnyOf (default AnyOf)"
)

func servicePolicies() kind {
	flags := func(f *pflag.FlagSet, in *client.ServicePolicyInput) {
		listFlag(f, &in.IdentityRoles, "identity-roles", "", identityRolesHelp)
		listFlag(f, &in.ServiceRoles, "service-roles", "", serviceRolesHelp)
		listFlag(f, &in.PostureCheckRoles, "posture-check-roles", "", "posture checks: #attribute, @name, @id or #all")
		textFlag(f, &in.Semantic, "semantic", "", semanticHelp)
		tagsFlag(f, &in.Tags, "tags", "tags, key=value")
	}
	resolve := func(c *call, in *client.ServicePolicyInput) error {
		if err := c.roles("identities", in.IdentityRoles); err != nil {
			return err
		}
		if err := c.roles("services", in.ServiceRoles); err != nil {
			return err
		}
		return c.roles("posture-checks", in.PostureCheckRoles)
	}
	return &entity[client.ServicePolicy, client.ServicePolicyInput, client.ServicePolicyInput]{
		one: "service-policy", many: "service-policies", aliases: []string{"sp", "sps"},
		columns: []column[client.ServicePolicy]{
			{"NAME", func(d *client.ServicePolicy) string { return d.Name }},
			{"TYPE", func(d *client.ServicePolicy) string { return d.Type }},
			{"SEMANTIC", func(d *client.ServicePolicy) string { return d.Semantic }},
			{"IDENTITIES", func(d *client.ServicePolicy) string { return roleNames(d.IdentityRoles, d.IdentityRolesDisplay) }},
			{"SERVICES", func(d *client.ServicePolicy) string { return roleNames(d.ServiceRoles, d.ServiceRolesDisplay) }},
			{"POSTURE-CHECKS", func(d *client.ServicePolicy) string {
				return roleNames(d.PostureCheckRoles, d.PostureCheckRolesDisplay)
			}},
		},
		ref:         func(d *client.ServicePolicy) (string, string) { return d.ID, d.Name },
		getMany:     (*client.Management).ListServicePolicies,
		getOne:      (*client.Management).DetailServicePolicy,
		post:        (*client.Management).CreateServicePolicy,
		patch:       (*client.Management).PatchServicePolicy,
		drop:        (*client.Management).DeleteServicePolicy,
		arguments:   "NAME Dial|Bind",
		example:     "  weft create service-policy web-dial Dial --identity-roles '#staff' --service-roles '@web'",
		createFlags: flags,
		updateFlags: func(f *pflag.FlagSet, in *client.ServicePolicyInput) {
			flags(f, in)
			textFlag(f, &in.Name, "name", "n", "new name")
		},
		fillCreate: func(c *call, in *client.ServicePolicyInput, args []string) error {
			in.Name, in.Type = &args[0], client.Ptr(capital(args[1]))
			if *in.Type != "Dial" && *in.Type != "Bind" {
				return usageError("write Dial or Bind", "a service policy of the type %q", args[1])
			}
			in.Semantic = semantic(in.Semantic)
			return resolve(c, in)
		},
		fillUpdate: resolve,
	}
}

func edgeRouterPolicies() kind {
	flags := func(f *pflag.FlagSet, in *client.EdgeRouterPolicyInput) {
		listFlag(f, &in.IdentityRoles, "identity-roles", "", identityRolesHelp)
		listFlag(f, &in.EdgeRouterRoles, "edge-router-roles", "", routerRolesHelp)
		textFlag(f, &in.Semantic, "semantic", "", semanticHelp)
		tagsFlag(f, &in.Tags, "tags", "tags, key=value")
	}
	resolve := func(c *call, in *client.EdgeRouterPolicyInput) error {
		if err := c.roles("identities", in.IdentityRoles); err != nil {
			return err
		}
		return c.roles("edge-routers", in.EdgeRouterRoles)
	}
	return &entity[client.EdgeRouterPolicy, client.EdgeRouterPolicyInput, client.EdgeRouterPolicyInput]{
		one: "edge-router-policy", many: "edge-router-policies", aliases: []string{"erp", "erps"},
		columns: []column[client.EdgeRouterPolicy]{
			{"NAME", func(d *client.EdgeRouterPolicy) string { return d.Name }},
			{"SEMANTIC", func(d *client.EdgeRouterPolicy) string { return d.Semantic }},
			{"IDENTITIES", func(d *client.EdgeRouterPolicy) string { return roleNames(d.IdentityRoles, d.IdentityRolesDisplay) }},
			{"EDGE-ROUTERS", func(d *client.EdgeRouterPolicy) string { return roleNames(d.EdgeRouterRoles, d.EdgeRouterRolesDisplay) }},
		},
		ref:         func(d *client.EdgeRouterPolicy) (string, string) { return d.ID, d.Name },
		getMany:     (*client.Management).ListEdgeRouterPolicies,
		getOne:      (*client.Management).DetailEdgeRouterPolicy,
		post:        (*client.Management).CreateEdgeRouterPolicy,
		patch:       (*client.Management).PatchEdgeRouterPolicy,
		drop:        (*client.Management).DeleteEdgeRouterPolicy,
		arguments:   "NAME",
		example:     "  weft create edge-router-policy all --identity-roles '#all' --edge-router-roles '#all'",
		createFlags: flags,
		updateFlags: func(f *pflag.FlagSet, in *client.EdgeRouterPolicyInput) {
			flags(f, in)
			textFlag(f, &in.Name, "name", "n", "new name")
		},
		fillCreate: func(c *call, in *client.EdgeRouterPolicyInput, args []string) error {
			in.Name, in.Semantic = &args[0], semantic(in.Semantic)
			return resolve(c, in)
		},
		fillUpdate: resolve,
	}
}

func serviceEdgeRouterPolicies() kind {
	flags := func(f *pflag.FlagSet, in *client.ServiceEdgeRouterPolicyInput) {
		listFlag(f, &in.ServiceRoles, "service-roles", "", serviceRolesHelp)
		listFlag(f, &in.EdgeRouterRoles, "edge-router-roles", "", routerRolesHelp)
		textFlag(f, &in.Semantic, "semantic", "", semanticHelp)
		tagsFlag(f, &in.Tags, "tags", "tags, key=value")
	}
	resolve := func(c *call, in *client.ServiceEdgeRouterPolicyInput) error {
		if err := c.roles("services", in.ServiceRoles); err != nil {
			return err
		}
		return c.roles("edge-routers", in.EdgeRouterRoles)
	}
	return &entity[client.ServiceEdgeRouterPolicy, client.ServiceEdgeRouterPolicyInput, client.ServiceEdgeRouterPolicyInput]{
		one: "service-edge-router-policy", many: "service-edge-router-policies", aliases: []string{"serp", "serps"},
		columns: []column[client.ServiceEdgeRouterPolicy]{
			{"NAME", func(d *client.ServiceEdgeRouterPolicy) string { return d.Name }},
			{"SEMANTIC", func(d *client.ServiceEdgeRouterPolicy) string { return d.Semantic }},
			{"SERVICES", func(d *client.ServiceEdgeRouterPolicy) string {
				return roleNames(d.ServiceRoles, d.ServiceRolesDisplay)
			}},
			{"EDGE-ROUTERS", func(d *client.ServiceEdgeRouterPolicy) string {
				return roleNames(d.EdgeRouterRoles, d.EdgeRouterRolesDisplay)
			}},
		},
		ref:         func(d *client.ServiceEdgeRouterPolicy) (string, string) { return d.ID, d.Name },
		getMany:     (*client.Management).ListServiceEdgeRouterPolicies,
		getOne:      (*client.Management).DetailServiceEdgeRouterPolicy,
		post:        (*client.Management).CreateServiceEdgeRouterPolicy,
		patch:       (*client.Management).PatchServiceEdgeRouterPolicy,
		drop:        (*client.Management).DeleteServiceEdgeRouterPolicy,
		arguments:   "NAME",
		example:     "  weft create service-edge-router-policy all --service-roles '#all' --edge-router-roles '#all'",
		createFlags: flags,
		updateFlags: func(f *pflag.FlagSet, in *client.ServiceEdgeRouterPolicyInput) {
			flags(f, in)
			textFlag(f, &in.Name, "name", "n", "new name")
		},
		fillCreate: func(c *call, in *client.ServiceEdgeRouterPolicyInput, args []string) error {
			in.Name, in.Semantic = &args[0], semantic(in.Semantic)
			return resolve(c, in)
		},
		fillUpdate: resolve,
	}
}

// semantic is the given one, or that which the ecosystem's command line sends.
func semantic(given *string) *string {
	if given == nil {
		return client.Ptr("AnyOf")
	}
	return given
}

// roleNames shows a role list with names instead of ids.
func roleNames(roles []string, display []client.NamedRole) string {
	names := map[string]string{}
	for _, d := range display {
		names[d.Role] = d.Name
	}
	var out []string
	for _, r := range roles {
		if n := names[r]; n != "" {
			r = n
		}
		out = append(out, r)
	}
	return words(out)
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + strings.ToLower(s[1:])
}
