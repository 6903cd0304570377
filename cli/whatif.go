package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/weftnet/weft/client"
)

const whatIfKinds = "identity, service, edge-router, posture-check, service-policy, edge-router-policy, service-edge-router-policy"

func (t *tool) whatIf() *cobra.Command {
	var files []string
	limit := 20
	cmd := &cobra.Command{
		Use: "what-if", Short: "Show who would gain and who would lose access by a change, without making it",
		Long: "Show who would gain and who would lose access by a change, without making it: one change of a policy or of attributes by the flags of " +
			"create, update and delete, or a whole declaration with -f, as weft apply takes it.\n\nKinds: " + whatIfKinds + ".",
		Example: "  weft what-if update identity alice -a staff\n  weft what-if create service-policy p Dial --identity-roles '#all' --service-roles '@web'\n" +
			"  weft what-if delete service-policy web-dial\n  weft what-if -f network.yaml",
		Args: cobra.NoArgs,
	}
	cmd.Flags().StringArrayVarP(&files, "file", "f", nil, "declaration, YAML or JSON; - for the standard input; may be repeated")
	cmd.PersistentFlags().IntVar(&limit, "limit", limit, "number of pairs to list per kind")
	ask := t.run(func(c *call, _ []string) error {
		in := &client.WhatIf{Limit: &limit, Declaration: &client.Declaration{}}
		for _, name := range files {
			text, err := fileText(c, name)
			if err != nil {
				return err
			}
			in.Declaration.Files = append(in.Declaration.Files, client.DeclarationFile{Name: name, Text: &text})
		}
		return c.whatIf(in)
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(files) == 0 {
			return help(cmd, args)
		}
		return ask(cmd, args)
	}
	t.flags(cmd)
	for _, action := range []string{"create", "update", "delete"} {
		cmd.AddCommand(t.whatIfOne(action, &limit))
	}
	return cmd
}

// whatIfOne is one change by flags.
func (t *tool) whatIfOne(action string, limit *int) *cobra.Command {
	ch := client.WhatIfChange{Action: action}
	cmd := &cobra.Command{Use: action + " KIND NAME", Short: "Try to " + action + " an entity", Args: cobra.ExactArgs(2)}
	f := cmd.Flags()
	switch action {
	case "create":
		cmd.Use, cmd.Args = "create KIND NAME [Dial|Bind]", cobra.RangeArgs(2, 3)
		whatIfFlags(f, &ch)
	case "update":
		whatIfFlags(f, &ch)
		textFlag(f, &ch.Name, "name", "n", "new name")
		textFlag(f, &ch.Type, "type", "", "of a service policy: Dial or Bind")
	}
	cmd.RunE = t.run(func(c *call, args []string) error {
		ch.Kind, ch.Entity = args[0], args[1]
		if action == "create" {
			ch.Entity, ch.Name = "", &args[1]
			if strings.HasSuffix(ch.Kind, "-policy") {
				ch.Semantic = semantic(ch.Semantic) // as weft create does
			}
			if len(args) == 3 {
				ch.Type = client.Ptr(capital(args[2]))
			}
		}
		return c.whatIf(&client.WhatIf{Changes: []client.WhatIfChange{ch}, Limit: limit})
	})
	t.flags(cmd)
	return cmd
}

func whatIfFlags(f *pflag.FlagSet, ch *client.WhatIfChange) {
	listFlag(f, &ch.IdentityRoles, "identity-roles", "", identityRolesHelp)
	listFlag(f, &ch.ServiceRoles, "service-roles", "", serviceRolesHelp)
	listFlag(f, &ch.EdgeRouterRoles, "edge-router-roles", "", routerRolesHelp)
	listFlag(f, &ch.PostureCheckRoles, "posture-check-roles", "", "posture checks: #attribute, @name, @id or #all")
	listFlag(f, &ch.RoleAttributes, "role-attributes", "a", "role attributes of an identity, service, edge router or posture check")
	textFlag(f, &ch.Semantic, "semantic", "", semanticHelp)
	boolFlag(f, &ch.Disabled, "disabled", "", "of an identity or edge router")
}

func (c *call) whatIf(in *client.WhatIf) error {
	a, err := c.m.WhatIf(c, in)
	if err != nil {
		return err
	}
	var rows [][]string
	each := func(kind, sign string, pairs []client.WhatIfPair) {
		for i := range pairs {
			p := &pairs[i]
			policy := ""
			if p.Policy != nil {
				policy = p.Policy.Name
			}
			rows = append(rows, []string{sign, kind, p.From.Name, p.To.Name, policy})
		}
	}
	for i := range a.Kinds {
		each(a.Kinds[i].Kind, "gains", a.Kinds[i].Gains)
		each(a.Kinds[i].Kind, "loses", a.Kinds[i].Losses)
	}
	return c.print(printout{value: a, headers: []string{"CHANGE", "KIND", "WHO", "WHAT", "POLICY"}, rows: rows,
		text: func(w io.Writer) error { return printWhatIf(w, a) }})
}

// printWhatIf writes the counts of every kind that changes, and the pairs.
func printWhatIf(w io.Writer, a *client.WhatIfAnswer) error {
	var b strings.Builder
	for i := range a.Kinds {
		k := &a.Kinds[i]
		if k.Gained+k.Lost == 0 {
			continue
		}
		fmt.Fprintf(&b, "%s: %d gained, %d lost\n", spaced(k.Kind), k.Gained, k.Lost)
		writePairs(&b, "+", k.Gains, k.Gained)
		writePairs(&b, "-", k.Losses, k.Lost)
	}
	if b.Len() == 0 {
		b.WriteString("nobody gains or loses access\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writePairs(b *strings.Builder, sign string, pairs []client.WhatIfPair, total int) {
	for i := range pairs {
		p := &pairs[i]
		fmt.Fprintf(b, "  %s %s > %s", sign, printable(p.From.Name), printable(p.To.Name))
		if p.Policy != nil {
			fmt.Fprintf(b, "  by %s", printable(p.Policy.Name))
		}
		if p.Reason != "" {
			fmt.Fprintf(b, "  (then: %s)", printable(p.Reason))
		}
		b.WriteString("\n")
	}
	if more := total - len(pairs); more > 0 {
		fmt.Fprintf(b, "  %s … and %d more; --limit shows up to 500\n", sign, more)
	}
}

// fileText reads a file, or the standard input for -.
func fileText(c *call, name string) (string, error) {
	var b []byte
	var err error
	if name == "-" {
		b, err = io.ReadAll(c.cmd.InOrStdin())
	} else {
		b, err = os.ReadFile(name)
	}
	return string(b), err
}
