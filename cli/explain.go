package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/weftnet/weft/client"
)

func (t *tool) explain() *cobra.Command {
	var p client.ExplainParams
	bind := false
	cmd := &cobra.Command{
		Use:   "explain IDENTITY SERVICE",
		Short: "Say rule by rule whether an identity reaches a service, and what would mend the first rule that fails",
		Long: "Say rule by rule whether an identity reaches a service: login, policies, posture, routers, terminators, path; and what would mend " +
			"the first rule that fails.\n\nThe exit code is 0 if it reaches the service and 5 if a rule refuses.",
		Example:           "  weft explain alice web\n  weft explain web-host web --bind",
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: t.completeArgs("identities", "services"),
	}
	cmd.Flags().BoolVar(&bind, "bind", false, "whether the identity may host the service, instead of dial it")
	cmd.Flags().StringVar(&p.Router, "router", "", "edge router to go through (default any that both may use)")
	cmd.RunE = t.run(func(c *call, args []string) error {
		p.Identity, p.Service, p.Type = args[0], args[1], typeFlag(bind)
		x, err := c.m.Explain(c, &p)
		if err != nil {
			return err
		}
		if err := c.print(printout{value: x, headers: []string{"RULE", "STATE", "SENTENCE"}, rows: ruleRows(x),
			text: func(w io.Writer) error { return printTree(w, x) }}); err != nil {
			return err
		}
		if !x.Allowed {
			return &failure{code: x.Code, cause: x.Cause, remedy: x.Remedy, exit: ExitRefused}
		}
		return nil
	})
	t.flags(cmd)
	return cmd
}

func typeFlag(bind bool) string {
	if bind {
		return "bind"
	}
	return "dial"
}

func ruleRows(x *client.Explanation) (rows [][]string) {
	for i := range x.Rules {
		r := &x.Rules[i]
		rows = append(rows, []string{r.Rule, r.State, r.Sentence})
	}
	return rows
}

// marks stand before rules and details by their state.
var marks = map[string]string{"ok": "✓", "failed": "✗", "skipped": "·"}

// printTree writes the verdict, the rules and what they looked at. Code and
// remedy of the first rule that fails are the error of the command.
func printTree(w io.Writer, x *client.Explanation) error {
	var b strings.Builder
	verb := map[bool]string{true: "may dial", false: "may host"}[x.Type == "Dial"]
	if !x.Allowed {
		verb = map[bool]string{true: "cannot dial", false: "cannot host"}[x.Type == "Dial"]
	}
	fmt.Fprintf(&b, "%s %s %s", x.Identity.Name, verb, x.Service.Name)
	if x.Router != nil {
		fmt.Fprintf(&b, " through %s", x.Router.Name)
	}
	b.WriteString("\n")
	for i := range x.Rules {
		r := &x.Rules[i]
		stem, branch := "│  ", "├─ "
		if i == len(x.Rules)-1 {
			stem, branch = "   ", "└─ "
		}
		fmt.Fprintf(&b, "%s%s %s: %s\n", branch, marks[r.State], spaced(r.Rule), printable(r.Sentence))
		for _, d := range r.Details {
			fmt.Fprintf(&b, "%s   %s %s\n", stem, marks[d.State], printable(d.Sentence))
		}
		if r.Omitted > 0 {
			fmt.Fprintf(&b, "%s   … and %d more\n", stem, r.Omitted)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
