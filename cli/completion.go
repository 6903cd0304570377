package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/weftnet/weft/client"
)

// completionTime bounds what a completion asks the controller.
const completionTime = 2 * time.Second

type completer = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// completeArgs completes arguments by the names of entities: the kinds are those
// of the arguments in their order; `*` means as many as one likes.
func (t *tool) completeArgs(kinds ...string) completer {
	return func(cmd *cobra.Command, args []string, begin string) ([]string, cobra.ShellCompDirective) {
		at := len(args)
		if n := len(kinds); n > 0 && strings.HasSuffix(kinds[n-1], "*") {
			at = min(at, n-1)
		}
		if at >= len(kinds) || kinds[at] == "" {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return t.namesOf(cmd.Context(), strings.TrimSuffix(kinds[at], "*"), begin, args), cobra.ShellCompDirectiveNoFileComp
	}
}

// namesOf returns names that begin with a text; none if the controller does not
// answer in time.
func (t *tool) namesOf(ctx context.Context, many, begin string, used []string) []string {
	if ctx == nil {
		return nil
	}
	account, err := t.current()
	if err != nil {
		return nil
	}
	api, err := account.client(t)
	if err != nil {
		return nil
	}
	defer api.Close()
	ctx, stop := context.WithTimeout(ctx, completionTime)
	defer stop()
	text, err := quote(begin)
	if err != nil {
		return nil
	}
	field, base := "name", managementBase
	switch many {
	case "links", "circuits", "routers":
		base = fabricBase
	}
	if unnamed[many] {
		field = "id"
	}
	p := client.ListParams{Limit: 100}
	if begin != "" {
		p.Filter = field + " contains " + text
	}
	page, err := pageOf[client.Ref](ctx, api.Management(), base+"/"+many, &p, nil)
	if err != nil {
		return nil
	}
	var out []string
	for _, r := range page.Items {
		name := r.Name
		if field == "id" {
			name = r.ID
		}
		if strings.HasPrefix(name, begin) && !slices.Contains(used, name) {
			out = append(out, name)
		}
	}
	return out
}

// completeFormats completes -o.
func completeFormats(_ *cobra.Command, _ []string, begin string) ([]string, cobra.ShellCompDirective) {
	out := slices.DeleteFunc(slices.Clone(formats), func(f string) bool { return !strings.HasPrefix(f, begin) })
	return out, cobra.ShellCompDirectiveNoFileComp
}

func (t *tool) completeContexts(_ *cobra.Command, _ []string, begin string) ([]string, cobra.ShellCompDirective) {
	return t.contextNames(begin), cobra.ShellCompDirectiveNoFileComp
}

// completionCommand writes the scripts that let a shell complete commands,
// flags, and names of entities of the context.
func completionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "completion bash|zsh|fish", Short: "Write the script that lets a shell complete commands and names",
		Long:      "Write the script that lets a shell complete commands, flags, and the names of entities,\nwhich it asks the controller of the context for.",
		Example:   "  source <(weft completion bash)\n  weft completion zsh > \"${fpath[1]}/_weft\"\n  weft completion fish > ~/.config/fish/completions/weft.fish",
		ValidArgs: []string{"bash", "zsh", "fish"}, Args: cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		RunE: func(c *cobra.Command, args []string) error {
			out := c.OutOrStdout()
			switch args[0] {
			case "bash":
				return c.Root().GenBashCompletionV2(out, true)
			case "zsh":
				return c.Root().GenZshCompletion(out)
			}
			return c.Root().GenFishCompletion(out, true)
		},
	}
}
