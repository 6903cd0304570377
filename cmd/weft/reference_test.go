package main

//go:generate go test . -run TestReferenceIsCurrent -update

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weftnet/weft/cli"
)

var update = flag.Bool("update", false, "write the reference of the command line anew")

const referenceHead = `# Command line

Generated from the commands by ` + "`go generate ./cmd/weft`" + `. Answers go to standard output and nothing else does; everything meant for people on
the way, logs, and refusals as code, cause and remedy go to standard error.

`

// TestReferenceIsCurrent compares the page of the command line with the
// commands; -update writes it.
func TestReferenceIsCurrent(t *testing.T) {
	root := cli.New(cli.Options{}, demoCommand(), upCommand(), controllerCommand(), routerCommand())
	root.InitDefaultHelpFlag()
	var b bytes.Buffer
	b.WriteString(referenceHead + root.Long + "\n\n")
	contents(&b, root)
	common(&b, root)
	for _, c := range root.Commands() {
		if shown(c) {
			reference(&b, c)
		}
	}
	const page = "../../docs/cli.md"
	if *update {
		if err := os.WriteFile(page, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(page); err != nil || !bytes.Equal(got, b.Bytes()) {
		t.Errorf("%s does not fit the commands: run go generate ./cmd/weft", page)
	}
}

func shown(c *cobra.Command) bool { return c.IsAvailableCommand() && c.Name() != "help" }

// contents writes one row per command of the first level.
func contents(b *bytes.Buffer, root *cobra.Command) {
	b.WriteString("| command | what it does |\n|---|---|\n")
	for _, c := range root.Commands() {
		if shown(c) {
			fmt.Fprintf(b, "| [%s](#%s) | %s |\n", c.CommandPath(), strings.ReplaceAll(c.CommandPath(), " ", "-"), c.Short)
		}
	}
	b.WriteString("\n")
}

// ofContexts are the flags of every command that talks to a controller; they
// stand in the page once.
var ofContexts = []string{"config-dir", "context", "output", "output-json", "columns", "no-headers"}

// ofLists are the flags of every list; they stand in the page once, as does
// --dry-run.
var ofLists = []string{"filter", "limit", "offset", "sort", "all", "watch", "interval"}

func common(b *bytes.Buffer, root *cobra.Command) {
	login, _, err := root.Find([]string{"login"})
	if err != nil {
		return
	}
	b.WriteString("Commands that talk to a controller also have:\n\n")
	flags(b, login, func(name string) bool { return slices.Contains(ofContexts, name) })
	b.WriteString("Those that change something also have `--dry-run`: it looks up all names and shows what would be sent, but changes nothing.\n\n")
	list, _, err := root.Find([]string{"list", "services"})
	if err != nil {
		return
	}
	b.WriteString("Lists also have:\n\n")
	flags(b, list, func(name string) bool { return slices.Contains(ofLists, name) })
}

// once reports whether a flag of a command stands at the head of the page.
func once(c *cobra.Command, name string) bool {
	list := c.Flags().Lookup("watch") != nil && slices.Contains(ofLists, name)
	dry := name == "dry-run" && strings.HasPrefix(c.Flags().Lookup(name).Usage, "look up all names")
	return list || dry || slices.Contains(ofContexts, name)
}

// reference writes the section of a command and those of its own commands.
func reference(b *bytes.Buffer, c *cobra.Command) {
	level := strings.Repeat("#", min(2+strings.Count(c.CommandPath(), " ")-1, 4))
	fmt.Fprintf(b, "%s %s\n\n", level, c.CommandPath())
	if c.Long != "" {
		b.WriteString(c.Long + "\n\n")
	} else {
		b.WriteString(c.Short + ".\n\n")
	}
	if c.Runnable() && !c.HasAvailableSubCommands() {
		fmt.Fprintf(b, "    %s\n\n", c.UseLine())
	}
	if len(c.Aliases) > 0 {
		fmt.Fprintf(b, "Also spelled %s.\n\n", code(c.Aliases))
	}
	if c.Example != "" {
		b.WriteString("Examples:\n\n")
		for line := range strings.Lines(c.Example) {
			b.WriteString("    " + strings.TrimSpace(line) + "\n")
		}
		b.WriteString("\n")
	}
	flags(b, c, func(name string) bool { return !once(c, name) })
	for _, sub := range c.Commands() {
		if shown(sub) {
			reference(b, sub)
		}
	}
}

func code(names []string) string { return "`" + strings.Join(names, "`, `") + "`" }

func flags(b *bytes.Buffer, c *cobra.Command, wanted func(name string) bool) {
	var rows []string
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" || !wanted(f.Name) {
			return
		}
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		kind, usage := pflag.UnquoteUsage(f)
		if kind != "" {
			name += " " + kind
		}
		rows = append(rows, fmt.Sprintf("| `%s` | %s | %s |\n", name, defaultOf(f), strings.ReplaceAll(usage, "|", "\\|")))
	})
	if len(rows) == 0 {
		return
	}
	slices.SortStableFunc(rows, strings.Compare)
	b.WriteString("| flag | default | meaning |\n|---|---|---|\n" + strings.Join(rows, "") + "\n")
}

// defaultOf returns the default of a flag, nothing for the zero value.
func defaultOf(f *pflag.Flag) string {
	if slices.Contains([]string{"", "0", "0s", "false", "[]"}, f.DefValue) {
		return ""
	}
	return f.DefValue
}
