package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// contextCommands are the commands for the logins of several networks.
func (t *tool) contextCommands() *cobra.Command {
	g := parent("context", "Logins to several networks", t.contextList(), t.contextUse(), t.contextShow(), t.contextDelete())
	g.Aliases = []string{"contexts", "ctx"}
	g.Long = "Logins to several networks. weft login --context NAME makes one or replaces it, and uses\nit from then on; --context NAME before any command uses it once, as does the variable\nWEFT_CONTEXT."
	return g
}

// contextAction is a command that needs the file of the contexts, but no login.
func (t *tool) contextAction(use, short string, args cobra.PositionalArgs, run func(cmd *cobra.Command, all *contexts, args []string) error) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Args: args}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := t.checkFormat(); err != nil {
			return err
		}
		all, err := t.loadContexts()
		if err != nil {
			return err
		}
		return run(cmd, all, args)
	}
	cmd.ValidArgsFunction = func(_ *cobra.Command, _ []string, begin string) ([]string, cobra.ShellCompDirective) {
		return t.contextNames(begin), cobra.ShellCompDirectiveNoFileComp
	}
	t.flags(cmd)
	return cmd
}

func (t *tool) contextNames(begin string) []string {
	all, err := t.loadContexts()
	if err != nil {
		return nil
	}
	var out []string
	for name := range all.Contexts {
		if strings.HasPrefix(name, begin) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

func noContext(name string) error {
	return &failure{code: "NOT_FOUND", cause: fmt.Sprintf("there is no context %q", name), remedy: "weft context list", exit: ExitNotFound}
}

// contextView is a context without its secrets.
type contextView struct {
	Name       string `json:"name"`
	Current    bool   `json:"current"`
	Address    string `json:"address"`
	Identity   string `json:"identity"`
	IdentityID string `json:"identityId"`
	LoggedIn   bool   `json:"loggedIn"`
	ReadOnly   bool   `json:"readOnly"`
	ExpiresAt  string `json:"expiresAt"`
}

func (t *tool) view(all *contexts, name string) contextView {
	a := all.Contexts[name]
	return contextView{name, name == t.name(all), a.Address, a.Identity, a.IdentityID, a.Token != "", a.ReadOnly, when(a.ExpiresAt)}
}

func (t *tool) contextList() *cobra.Command {
	cmd := t.contextAction("list", "List the contexts", cobra.NoArgs, func(cmd *cobra.Command, all *contexts, _ []string) error {
		views := []contextView{}
		p := printout{headers: []string{"NAME", "CURRENT", "CONTROLLER", "IDENTITY", "LOGGED-IN", "READ-ONLY"}}
		for _, name := range t.contextNames("") {
			v := t.view(all, name)
			views = append(views, v)
			p.rows = append(p.rows, []string{v.Name, yesNo(v.Current), v.Address, v.Identity, yesNo(v.LoggedIn), yesNo(v.ReadOnly)})
		}
		p.value = views
		if len(views) == 0 && t.output == formatTable {
			fmt.Fprintln(cmd.ErrOrStderr(), "no contexts: weft login makes one")
		}
		return t.style.print(cmd.OutOrStdout(), p)
	})
	cmd.Aliases = []string{"ls"}
	cmd.Example = "  weft context list\n  weft context list -o name"
	return cmd
}

func (t *tool) contextUse() *cobra.Command {
	cmd := t.contextAction("use NAME", "Use a context from now on", cobra.ExactArgs(1), func(cmd *cobra.Command, all *contexts, args []string) error {
		if all.Contexts[args[0]] == nil {
			return noContext(args[0])
		}
		if t.dryRun {
			return t.wouldDo(cmd, "use", args)
		}
		all.Current = args[0]
		if err := t.save(all); err != nil {
			return err
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "using context %s, %s\n", printable(args[0]), all.Contexts[args[0]].Address)
		return nil
	})
	cmd.Example = "  weft context use other"
	cmd.Flags().BoolVar(&t.dryRun, "dry-run", false, "say what would be done, and do nothing")
	return cmd
}

// wouldDo says what a dry run of a command that works on contexts would do.
func (t *tool) wouldDo(cmd *cobra.Command, what string, names []string) error {
	p := printout{value: map[string]any{"dryRun": true, "action": what, "contexts": names}, headers: []string{"ACTION", "CONTEXT"}, names: names}
	for _, name := range names {
		p.rows = append(p.rows, []string{what, name})
	}
	p.text = func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "would %s %s\n", what, printable(strings.Join(names, ", ")))
		return err
	}
	return t.style.print(cmd.OutOrStdout(), p)
}

func (t *tool) contextShow() *cobra.Command {
	return t.contextAction("show [NAME]", "Show a context, without its secrets", cobra.MaximumNArgs(1), func(cmd *cobra.Command, all *contexts, args []string) error {
		name := t.name(all)
		if len(args) == 1 {
			name = args[0]
		}
		if all.Contexts[name] == nil {
			return noContext(name)
		}
		v := t.view(all, name)
		rows := [][]string{{"context", v.Name}, {"current", yesNo(v.Current)}, {"controller", v.Address}, {"identity", v.Identity},
			{"logged in", yesNo(v.LoggedIn)}, {"read only", yesNo(v.ReadOnly)}, {"valid until", v.ExpiresAt + " unless used"}}
		return t.style.print(cmd.OutOrStdout(), printout{value: v, headers: []string{"MEMBER", "VALUE"}, rows: rows, names: []string{name},
			text: func(w io.Writer) error { return printTable(w, nil, rows) }})
	})
}

func (t *tool) contextDelete() *cobra.Command {
	cmd := t.contextAction("delete NAME...", "Log out of contexts and forget them", cobra.MinimumNArgs(1), func(cmd *cobra.Command, all *contexts, args []string) error {
		for _, name := range args {
			if all.Contexts[name] == nil {
				return noContext(name)
			}
		}
		if t.dryRun {
			return t.wouldDo(cmd, "log out of and delete", args)
		}
		for _, name := range args {
			a := all.Contexts[name]
			if a == nil { // named twice
				continue
			}
			if a.Token != "" {
				if err := a.end(cmd.Context(), t); err != nil {
					fmt.Fprintf(cmd.ErrOrStderr(), "the session of %s was not ended: %s\n", printable(name), printable(err.Error()))
				}
			}
			delete(all.Contexts, name)
			if all.Current == name {
				all.Current = ""
			}
			if err := t.save(all); err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "deleted context %s\n", printable(name))
		}
		return nil
	})
	cmd.Aliases = []string{"rm"}
	cmd.Example = "  weft context delete other"
	cmd.Flags().BoolVar(&t.dryRun, "dry-run", false, "say what would be done, and do nothing")
	return cmd
}
