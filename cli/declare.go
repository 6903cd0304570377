package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/weftnet/weft/client"
)

// declaredKinds are the kinds that declarations may hold, as commands spell them.
var declaredKinds = []string{"config-types", "configs", "services", "cas", "external-jwt-signers", "auth-policies", "posture-checks", "edge-routers",
	"transit-routers", "identities", "service-policies", "edge-router-policies", "service-edge-router-policies", "terminators"}

const declarationHelp = `A declaration is YAML or JSON with sections such as services and identities; entities mention each other by name. ` +
	`A member that is left out gets its default. weft export writes one, docs/declare.md tells the rest.`

func completeKinds(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return declaredKinds, cobra.ShellCompDirectiveNoFileComp
}

func (t *tool) export() *cobra.Command {
	var p client.ExportModelParams
	cmd := &cobra.Command{
		Use:   "export [KIND...]",
		Short: "Write the entities of the network as a declaration, YAML or JSON with names instead of ids",
		Long: "Write the entities of the network as a declaration that weft apply takes and that is good to be kept in git: names instead of ids, a stable " +
			"order, defaults left out, no secrets and nothing that the controller sets itself.\n\nKinds: " + strings.Join(declaredKinds, ", ") + ".",
		Example:           "  weft export > network.yaml\n  weft export services configs -o json\n  weft export identities --filter 'tags.team = \"a\"'",
		ValidArgsFunction: completeKinds,
	}
	t.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&p.Filter, "filter", "", "entities to write, in the filter language; it must fit every kind that is written")
	f.StringVar(&p.Selector, "selector", "", "tags that the entities carry: KEY=VALUE, several with commas")
	f.BoolVar(&p.System, "system", false, "also what every network has: the default admin, the built-in config types and auth policy")
	f.Lookup("output").DefValue, f.Lookup("output").Usage = formatYAML, "output: yaml, json"
	cmd.RunE = t.run(func(c *call, args []string) error {
		if err := refuseEmpty(cmd, "selector"); err != nil {
			return err
		}
		p.Kind, p.Format = args, formatYAML
		switch t.output {
		case formatTable, formatYAML:
		case formatJSON:
			p.Format = formatJSON
		default:
			return usageError("choose -o yaml or -o json", "a declaration has no output format %q", t.output)
		}
		text, err := c.m.ExportModel(c, &p)
		if err != nil {
			return err
		}
		_, err = cmd.OutOrStdout().Write(text)
		return err
	})
	return cmd
}

// refuseEmpty refuses flags that are given and say nothing, such as an unset
// variable of a script: to a prune they would mean all.
func refuseEmpty(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		f := cmd.Flags().Lookup(name)
		if text := f.Value.String(); f.Changed && (text == "" || text == "[]") {
			return usageError("name one, or leave the flag away if all entities are meant", "--%s is empty", name)
		}
	}
	return nil
}

// declaration is what the flags of diff and apply say.
type declaration struct {
	files    []string
	kinds    []string
	selector string
	prune    bool
	all      bool
}

func (d *declaration) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVarP(&d.files, "file", "f", nil, "file, directory of .yaml, .yml and .json files, or - for standard input; may be repeated")
	f.BoolVar(&d.prune, "prune", false, "delete what is not declared: of the kinds of --kind, else all with the tags of --selector, else of the sections that the files have")
	f.StringSliceVar(&d.kinds, "kind", nil, "kinds that --prune is for, such as services; may be repeated")
	f.StringVar(&d.selector, "selector", "", "tags that every declared entity must carry, KEY=VALUE: others are left alone, so that several teams can have parts of one network")
	f.BoolVar(&d.all, "all", false, "also list the entities that do not change")
	_ = cmd.MarkFlagRequired("file") // there is such a flag
	_ = cmd.RegisterFlagCompletionFunc("kind", completeKinds)
}

func (t *tool) diff() *cobra.Command {
	var d declaration
	cmd := &cobra.Command{
		Use:   "diff -f FILE",
		Short: "Show what weft apply would change, member by member",
		Long: "Show what weft apply would create, change and, with --prune, delete, member by member. Nothing is changed.\n\n" +
			declarationHelp + "\n\nThe exit code is 0 if there is no difference and 7 if there is one.",
		Example: "  weft diff -f network.yaml\n  weft diff -f network/ --prune\n  weft export services | weft diff -f -",
		Args:    cobra.NoArgs,
	}
	t.flags(cmd)
	d.flags(cmd)
	cmd.RunE = t.run(func(c *call, _ []string) error {
		if err := refuseEmpty(cmd, "selector", "kind"); err != nil {
			return err
		}
		in, err := c.declared(d.files)
		if err != nil {
			return err
		}
		r, err := c.m.DiffDeclaration(c, &client.DiffDeclarationParams{Kind: d.kinds, Selector: d.selector, Prune: d.prune}, in)
		if err != nil {
			return err
		}
		if err := c.printReport(r, d.all, "would be "); err != nil {
			return err
		}
		if n := r.Created + r.Updated + r.Deleted; n > 0 {
			return &failure{exit: ExitDifferent}
		}
		return nil
	})
	return cmd
}

func (t *tool) apply() *cobra.Command {
	var d declaration
	var dry bool
	var jwtDir string
	cmd := &cobra.Command{
		Use:   "apply -f FILE",
		Short: "Make the network as it is declared, in one transaction",
		Long: "Make the network as it is declared: all of it in one transaction or nothing. What is as declared is not touched, so that applying again " +
			"changes nothing. The default admin, the caller and what the system keeps are never deleted.\n\n" + declarationHelp,
		Example: "  weft apply -f network.yaml --dry-run\n  weft apply -f network/ --prune\n  weft apply -f team-a.yaml --selector team=a --prune\n" +
			"  weft apply -f identities.yaml --jwt-dir tokens",
		Args: cobra.NoArgs,
	}
	t.flags(cmd)
	d.flags(cmd)
	reportFlags(cmd.Flags(), &dry)
	cmd.Flags().StringVar(&jwtDir, "jwt-dir", "", "write the enrollment tokens of new identities and routers into this directory, as NAME.jwt")
	cmd.RunE = t.run(func(c *call, _ []string) error {
		if err := refuseEmpty(cmd, "selector", "kind"); err != nil {
			return err
		}
		in, err := c.declared(d.files)
		if err != nil {
			return err
		}
		r, err := c.m.ApplyDeclaration(c, &client.ApplyDeclarationParams{Kind: d.kinds, Selector: d.selector, Prune: d.prune, DryRun: dry}, in)
		if err != nil {
			return err
		}
		will := ""
		if dry {
			will = "would be "
		}
		if err := c.printReport(r, d.all, will); err != nil {
			return err
		}
		return c.tokens(r, jwtDir)
	})
	return cmd
}

func reportFlags(f *pflag.FlagSet, dry *bool) {
	f.BoolVar(dry, "dry-run", false, "have the controller check and report everything, but change nothing")
}

// counts writes how many entities something happens to.
func counts(r *client.DeclarationReport, will string) string {
	return fmt.Sprintf("%d %screated, %d %supdated, %d %sdeleted, %d unchanged", r.Created, will, r.Updated, will, r.Deleted, will, r.Unchanged)
}
