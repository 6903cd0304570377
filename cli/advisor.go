package cli

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/weftnet/weft/client"
)

// policyAdvisor says for pairs of identities and services what policies allow.
func (t *tool) policyAdvisor() *cobra.Command {
	return parent("policy-advisor", "Say what policies allow, for many identities and services at once",
		t.advise("identities", "services", "identities IDENTITY [SERVICE]", "Say which services an identity may dial and bind, and through how many routers"),
		t.advise("services", "identities", "services SERVICE [IDENTITY]", "Say which identities may dial and bind a service, and through how many routers"))
}

func (t *tool) advise(of, with, use, short string) *cobra.Command {
	quiet := false
	return t.action(action{use: use, short: short, args: cobra.RangeArgs(1, 2), complete: []string{of, with},
		long:    "weft why tells for one pair why, and what to do.",
		example: "  weft policy-advisor " + of + " NAME\n  weft policy-advisor " + of + " NAME --quiet",
		flags:   func(f *pflag.FlagSet) { f.BoolVarP(&quiet, "quiet", "q", false, "only pairs that may do nothing") },
		run: func(c *call, args []string) error {
			id, err := c.id(of, args[0])
			if err != nil {
				return err
			}
			w := newListWriter(c, []string{"IDENTITY", "SERVICE", "DIAL", "BIND", "IDENTITY-ROUTERS", "SERVICE-ROUTERS", "COMMON", "ONLINE"})
			one := func(other string) error {
				identity, service := id, other
				if of == "services" {
					identity, service = other, id
				}
				advice, err := c.m.GetIdentityPolicyAdvice(c, identity, service)
				if err != nil || quiet && (advice.IsDialAllowed || advice.IsBindAllowed) {
					return err
				}
				return w.add([]entry{adviceEntry(advice)})
			}
			if err := c.advisePairs(of, with, id, args[1:], one); err != nil {
				return err
			}
			return w.end()
		}})
}

// advisePairs calls one for the entity that is named, or for all that belong.
func (c *call) advisePairs(of, with, id string, named []string, one func(string) error) error {
	if len(named) == 1 {
		other, err := c.id(with, named[0])
		if err != nil {
			return err
		}
		return one(other)
	}
	get := func(ctx context.Context, p *client.ListParams) (*client.Page[client.Ref], error) {
		return pageOf[client.Ref](ctx, c.m, managementBase+"/"+of+"/"+client.Segment(id)+"/"+with, p, nil)
	}
	n := 0
	for ref, err := range client.All(c, client.ListParams{}, get) {
		if err != nil {
			return err
		}
		n++
		if err := one(ref.ID); err != nil {
			return err
		}
	}
	if n == 0 && !c.tool.envelope {
		c.say("no policy joins it with any of the %s", with)
	}
	return nil
}

func adviceEntry(a *client.PolicyAdvice) entry {
	online := 0
	for _, r := range a.CommonRouters {
		if r.IsOnline {
			online++
		}
	}
	return entry{id: a.IdentityID + "/" + a.ServiceID, value: a, label: a.Identity.Name + " " + a.Service.Name,
		cells: []string{refName(&a.Identity, a.IdentityID), refName(&a.Service, a.ServiceID), yesNo(a.IsDialAllowed), yesNo(a.IsBindAllowed),
			number(a.IdentityRouterCount), number(a.ServiceRouterCount), number(len(a.CommonRouters)), number(online)}}
}
