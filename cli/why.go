package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/weftnet/weft/client"
)

// explanation is the answer of why for one action.
type explanation struct {
	Action   string   `json:"action"` // Dial or Bind
	Allowed  bool     `json:"allowed"`
	Policies []string `json:"policies"` // that grant it
	Code     string   `json:"code,omitempty"`
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
	Hosts         []hosted      `json:"hosts"` // null if not known
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
	a := &answer{Identity: advice.Identity.Name, Service: advice.Service.Name, CommonRouters: []string{}, OnlineRouters: []string{}}
	for _, r := range advice.CommonRouters {
		a.CommonRouters = append(a.CommonRouters, r.Name)
		if r.IsOnline {
			a.OnlineRouters = append(a.OnlineRouters, r.Name)
		}
	}
	if advice.Dial.Allowed {
		a.Hosts = c.hosts(serviceID, advice.CommonRouters)
	}
	a.Actions = []explanation{decided("Dial", &advice.Dial), decided("Bind", &advice.Bind)}
	return a, nil
}

func decided(action string, d *client.Decision) explanation {
	e := explanation{Action: action, Allowed: d.Allowed, Policies: []string{}, Code: d.Code, Rule: d.Rule, Remedy: d.Remedy}
	for _, p := range d.Policies {
		e.Policies = append(e.Policies, p.Name)
	}
	return e
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
	rows = append(rows, a.hostRows()...)
	for _, r := range rows {
		if _, err := fmt.Fprintf(out, "%-8s %-8s %s\n", r[0], r[1], printable(r[2])); err != nil {
			return err
		}
	}
	return nil
}

// hostRows are the lines about where the service is hosted.
func (a *answer) hostRows() (rows [][]string) {
	if a.Hosts != nil && len(a.Hosts) == 0 {
		return [][]string{{"hosts", "none", "nobody hosts the service at the moment"},
			{"", "remedy", "connect a host that may Bind it, or weft create terminator for a plain server"}}
	}
	first := "hosts"
	for _, h := range a.Hosts {
		if len(h.Path) > 0 {
			rows = append(rows, []string{first, h.Router, fmt.Sprintf("by %s, cost %d", strings.Join(h.Path, " > "), h.Cost)})
		} else {
			rows = append(rows, []string{first, h.Router, "no path: " + h.Reason})
			if h.Remedy != "" {
				rows = append(rows, []string{"", "remedy", h.Remedy})
			}
		}
		first = ""
	}
	return rows
}
