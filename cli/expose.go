package cli

import (
	"fmt"
	"net"
	"strings"

	"github.com/spf13/cobra"
	"github.com/weftnet/weft/client"
)

func (t *tool) expose() *cobra.Command {
	var in client.ExposeInput
	var addresses, ports []string
	var remove, plain, dry bool
	cmd := &cobra.Command{
		Use:   "expose NAME",
		Short: "Make a service reachable in one step: the service, its configs, policies and terminators",
		Long: "Make a server reachable as the service NAME, in one transaction: the service, the configs host.v1 (host.v2 for several places) and intercept.v1, " +
			"policies for those who host and those who dial it, and terminators where routers host it. What is made carries the tag weft.expose=NAME. " +
			"The same command again changes nothing; with other flags it changes what differs; --remove takes everything away.\n\n" +
			"--host and --dial take names of identities, or roles: '#attribute', '@name', '#all'. Without --dial, identities with the attribute NAME.clients " +
			"may dial. Without --as, clients reach it as NAME.weft (NAME itself if it has a dot) at the ports of --to.",
		Example: "  weft expose web --host server-1 --to tcp:localhost:8080\n  weft expose db --host '#databases' --to tcp:localhost:5432 --as db.internal --dial '#staff' --dial alice\n" +
			"  weft expose ntp --router edge-1 --to udp:10.0.0.1:123\n  weft expose web --remove",
		Args: cobra.ExactArgs(1),
	}
	t.flags(cmd)
	f := cmd.Flags()
	f.StringArrayVar(&in.Host, "host", nil, "identity that hosts it: a name, '@name' or '#attribute'; may be repeated")
	f.StringArrayVar(&in.To, "to", nil, "where the host reaches the server: tcp:HOST:PORT or udp:HOST:PORT; may be repeated")
	f.StringArrayVar(&in.Router, "router", nil, "edge router that hosts it itself; may be repeated")
	f.StringArrayVar(&in.As, "as", nil, "what clients dial: HOST, HOST:PORT or HOST:LOW-HIGH; may be repeated")
	f.StringArrayVar(&addresses, "address", nil, "host name or address that clients dial, as --as HOST; may be repeated")
	f.StringSliceVar(&ports, "port", nil, "port or range LOW-HIGH that clients dial, for all addresses; may be repeated")
	f.StringArrayVar(&in.Dial, "dial", nil, "who may dial it; may be repeated")
	f.StringArrayVar(&in.Bind, "bind", nil, "who may host it beside --host; may be repeated")
	f.StringSliceVarP(&in.Attrs, "role-attributes", "a", nil, "role attributes of the service")
	f.BoolVar(&plain, "no-encryption", false, "do not encrypt from end to end: for clients and hosts that cannot")
	f.BoolVar(&remove, "remove", false, "take away what was exposed by this name")
	reportFlags(f, &dry)
	cmd.RunE = t.run(func(c *call, args []string) error {
		in.Name, in.Plain, in.Remove = &args[0], &plain, &remove
		if remove && (len(in.To)+len(in.Host)+len(in.Router)+len(in.As) > 0) {
			return usageError("give --remove alone", "--remove takes away what was exposed, there is nothing to choose")
		}
		if !remove {
			in.As = exposedAs(args[0], in.As, addresses, ports)
		}
		r, err := c.m.ExposeService(c, &client.ExposeServiceParams{DryRun: dry}, &in)
		if err != nil {
			return err
		}
		will := ""
		if dry {
			will = "would be "
		}
		if err := c.printReport(r, true, will); err != nil {
			return err
		}
		if !remove && !dry && t.output == formatTable && !t.envelope {
			c.exposedHints(&in)
		}
		return nil
	})
	return cmd
}

// exposedAs joins the flags that say what clients dial.
func exposedAs(name string, as, addresses, ports []string) []string {
	hosts := append(as, addresses...)
	if len(ports) == 0 {
		return hosts
	}
	if len(hosts) == 0 {
		if hosts = []string{name}; !strings.Contains(name, ".") {
			hosts[0] += ".weft"
		}
	}
	out := hosts
	for _, p := range ports {
		host := hosts[0]
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
		out = append(out, net.JoinHostPort(host, p))
	}
	return out
}

// exposedHints says how to go on.
func (c *call) exposedHints(in *client.ExposeInput) {
	name := *in.Name
	quoted := quoteArgument(name)
	dialer := "IDENTITY"
	if len(in.Dial) == 0 {
		c.note("let identities in: weft update identity IDENTITY -a %s (beside the attributes that it has)", quoteArgument(name+".clients"))
	}
	for _, d := range in.Dial {
		if !strings.HasPrefix(d, "#") {
			dialer = quoteArgument(strings.TrimPrefix(d, "@"))
			break
		}
	}
	c.note("test it:           weft explain %s %s", dialer, quoted)
	for _, h := range in.Host {
		if !strings.HasPrefix(h, "#") {
			c.note("test its host:     weft explain %s %s --bind", quoteArgument(strings.TrimPrefix(h, "@")), quoted)
			break
		}
	}
	c.note("take it away:      weft expose %s --remove", quoted)
}

// quoteArgument writes a word as shells take it.
func quoteArgument(s string) string {
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-/:@+=", r))
	}) {
		return s
	}
	return fmt.Sprintf("'%s'", strings.ReplaceAll(s, "'", `'\''`))
}
