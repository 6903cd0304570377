package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/weftnet/weft/client"
)

// explanation is the answer of why for one action.
type explanation struct {
	Action   string   `json:"action"` // Dial or Bind
	Allowed  bool     `json:"allowed"`
	Policies []string `json:"policies"` // that grant it
	Rule     string   `json:"rule,omitempty"`
	Remedy   string   `json:"remedy,omitempty"`
}

// answer is all that why says.
type answer struct {
	Identity      string        `json:"identity"`
	Service       string        `json:"service"`
	Actions       []explanation `json:"actions"`
	CommonRouters []string      `json:"commonRouters"`
	OnlineRouters []string      `json:"onlineRouters"`
}

func (t *tool) why() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "why IDENTITY SERVICE",
		Short: "Say whether an identity reaches a service, by which policies, and what is missing",
		Args:  cobra.ExactArgs(2),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := t.checkFormat(); err != nil {
			return err
		}
		return t.run(func(c *call, args []string) error {
			a, err := c.explainAccess(args[0], args[1])
			if err != nil {
				return err
			}
			return a.print(c)
		})(cmd, args)
	}
	t.flags(cmd)
	return cmd
}

func (c *call) explainAccess(identityRef, serviceRef string) (*answer, error) {
	identityID, err := c.id("identities", identityRef)
	if err != nil {
		return nil, err
	}
	serviceID, err := c.id("services", serviceRef)
	if err != nil {
		return nil, err
	}
	advice, err := c.m.GetIdentityPolicyAdvice(c, identityID, serviceID)
	if err != nil {
		return nil, err
	}
	identity, err := c.m.DetailIdentity(c, identityID)
	if err != nil {
		return nil, err
	}
	ofIdentity, err := c.servicePolicies(identityID, c.m.ListIdentityServicePolicies)
	if err != nil {
		return nil, err
	}
	ofService, err := c.servicePolicies(serviceID, c.m.ListServiceServicePolicies)
	if err != nil {
		return nil, err
	}
	a := &answer{Identity: advice.Identity.Name, Service: advice.Service.Name, CommonRouters: []string{}, OnlineRouters: []string{}}
	for _, r := range advice.CommonRouters {
		a.CommonRouters = append(a.CommonRouters, r.Name)
		if r.IsOnline {
			a.OnlineRouters = append(a.OnlineRouters, r.Name)
		}
	}
	for _, action := range []string{"Dial", "Bind"} {
		e := explanation{Action: action, Policies: []string{}}
		e.judge(a, advice, ofType(ofIdentity, action), ofType(ofService, action), identity.Disabled)
		a.Actions = append(a.Actions, e)
	}
	return a, nil
}

type policyList func(context.Context, string, *client.ListParams) (*client.Page[client.ServicePolicy], error)

func (c *call) servicePolicies(id string, get policyList) ([]client.ServicePolicy, error) {
	var out []client.ServicePolicy
	page := func(ctx context.Context, p *client.ListParams) (*client.Page[client.ServicePolicy], error) {
		return get(ctx, id, p)
	}
	for p, err := range client.All(c, client.ListParams{}, page) {
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

func ofType(policies []client.ServicePolicy, action string) []string {
	var out []string
	for _, p := range policies {
		if p.Type == action {
			out = append(out, p.Name)
		}
	}
	return out
}

// judge finds the first rule that refuses, in the order in which routers and
// controllers decide.
func (e *explanation) judge(a *answer, advice *client.PolicyAdvice, ofIdentity, ofService []string, disabled bool) {
	for _, name := range ofIdentity {
		if slices.Contains(ofService, name) {
			e.Policies = append(e.Policies, name)
		}
	}
	switch {
	case disabled:
		e.Rule = fmt.Sprintf("identity %q is disabled", a.Identity)
		e.Remedy = fmt.Sprintf("weft update identity %q --disabled=false", a.Identity)
	case len(e.Policies) == 0:
		e.Rule = fmt.Sprintf("no %s service policy contains both; the identity is in %s, the service in %s", e.Action, oneOf(ofIdentity), oneOf(ofService))
		e.Remedy = fmt.Sprintf("weft create service-policy NAME %s --identity-roles '@%s' --service-roles '@%s'", e.Action, a.Identity, a.Service)
	case advice.IdentityRouterCount == 0:
		e.Rule = "no edge router policy contains the identity and a router"
		e.Remedy = fmt.Sprintf("weft create edge-router-policy NAME --identity-roles '@%s' --edge-router-roles '#all'", a.Identity)
	case advice.ServiceRouterCount == 0:
		e.Rule = "no service edge router policy contains the service and a router"
		e.Remedy = fmt.Sprintf("weft create service-edge-router-policy NAME --service-roles '@%s' --edge-router-roles '#all'", a.Service)
	case len(a.CommonRouters) == 0:
		e.Rule = "no router is granted to both the identity and the service"
		e.Remedy = "let the edge router policies and the service edge router policies name a common router"
	case len(a.OnlineRouters) == 0:
		e.Rule = "none of the routers granted to both is online: " + strings.Join(a.CommonRouters, ", ")
		e.Remedy = "start one of them"
	default:
		e.Allowed = true
	}
}

func oneOf(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

func (a *answer) print(c *call) error {
	out := c.cmd.OutOrStdout()
	switch c.tool.output {
	case formatJSON:
		return printJSON(out, a)
	case formatName:
		for _, e := range a.Actions {
			if e.Allowed {
				fmt.Fprintln(out, e.Action)
			}
		}
		return nil
	}
	var rows [][]string
	for _, e := range a.Actions {
		if e.Allowed {
			rows = append(rows, []string{e.Action, "allowed", "by " + strings.Join(e.Policies, ", ")})
			continue
		}
		rows = append(rows, []string{e.Action, "refused", e.Rule}, []string{"", "remedy", e.Remedy})
	}
	rows = append(rows, []string{"routers", "common", oneOf(a.CommonRouters)}, []string{"", "online", oneOf(a.OnlineRouters)})
	for _, r := range rows {
		if _, err := fmt.Fprintf(out, "%-8s %-8s %s\n", r[0], r[1], printable(r[2])); err != nil {
			return err
		}
	}
	return nil
}
