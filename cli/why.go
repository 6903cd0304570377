package cli

import (
	"fmt"
	"io"
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
	return t.action(action{use: "why IDENTITY SERVICE", args: cobra.ExactArgs(2), complete: []string{"identities", "services"},
		short:   "Say whether an identity reaches a service, by which policies, and what is missing",
		long:    "Says it for dialing and hosting at once, in a few lines; weft explain says it rule by rule.",
		example: "  weft why alice web\n  weft why alice web -o json",
		run: func(c *call, args []string) error {
			a, err := c.explainAccess(args[0], args[1])
			if err != nil {
				return err
			}
			return a.print(c)
		}})
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
	if advice.Dial.Allowed && !c.tool.envelope { // -j shows the advice, which is then the last answer
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
	p := printout{value: a, headers: []string{"SUBJECT", "STATE", "DETAIL"}, names: []string{}}
	for _, e := range a.Actions {
		if e.Allowed {
			p.names = append(p.names, e.Action)
			p.rows = append(p.rows, []string{e.Action, "allowed", "by " + strings.Join(e.Policies, ", ")})
			continue
		}
		p.rows = append(p.rows, []string{e.Action, "refused", e.Rule})
		if e.Remedy != "" {
			p.rows = append(p.rows, []string{e.Action, "remedy", e.Remedy})
		}
	}
	p.rows = append(p.rows, []string{"routers", "common", oneOf(a.CommonRouters)}, []string{"routers", "online", oneOf(a.OnlineRouters)})
	p.rows = append(p.rows, a.hostRows()...)
	p.text = func(w io.Writer) error {
		before := ""
		for _, r := range p.rows {
			subject := r[0]
			if subject == before {
				subject = ""
			}
			before = r[0]
			if _, err := fmt.Fprintf(w, "%-8s %-8s %s\n", subject, r[1], printable(r[2])); err != nil {
				return err
			}
		}
		return nil
	}
	return c.print(p)
}

// hostRows are the lines about where the service is hosted.
func (a *answer) hostRows() (rows [][]string) {
	if a.Hosts != nil && len(a.Hosts) == 0 {
		return [][]string{{"hosts", "none", "nobody hosts the service at the moment"},
			{"hosts", "remedy", "connect a host that may Bind it, or weft create terminator for a plain server"}}
	}
	for _, h := range a.Hosts {
		if len(h.Path) > 0 {
			rows = append(rows, []string{"hosts", h.Router, fmt.Sprintf("by %s, cost %d", strings.Join(h.Path, " > "), h.Cost)})
		} else {
			rows = append(rows, []string{"hosts", h.Router, "no path: " + h.Reason})
			if h.Remedy != "" {
				rows = append(rows, []string{"hosts", "remedy", h.Remedy})
			}
		}
	}
	return rows
}
