package cli

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Options are what the main function knows.
type Options struct {
	Version string // of the program
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	// CreateConfig are the commands below `create config` that write configuration
	// files of processes, beside the entity of that name.
	CreateConfig []*cobra.Command
}

// Run executes a command line without the program's name and returns the exit
// code. extra are the commands of the program's own processes.
func Run(ctx context.Context, o Options, args []string, extra ...*cobra.Command) int {
	root := build(o, func(name string) bool { return slices.Contains(args, name) }, extra...)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return report(o.Stderr, err, wantsJSON(cmd))
}

// wantsJSON reports whether a command was asked for JSON.
func wantsJSON(cmd *cobra.Command) bool {
	output, envelope := cmd.Flags().Lookup("output"), cmd.Flags().Lookup("output-json")
	return output != nil && output.Value.String() == formatJSON || envelope != nil && envelope.Value.String() == "true"
}

// New returns the root command. Its errors are those of the commands; Run
// prints them and maps them to exit codes.
func New(o Options, extra ...*cobra.Command) *cobra.Command {
	return build(o, func(string) bool { return true }, extra...)
}

// build makes the tree. Large groups, of which there are hundreds of commands,
// get theirs only if they are wanted: a command line does not hold the name of
// a group that it does not use.
func build(o Options, wanted func(name string) bool, extra ...*cobra.Command) *cobra.Command {
	root := &cobra.Command{
		Use:           "weft",
		Short:         "A zero-trust overlay network",
		Version:       o.Version,
		Long:          "weft runs and manages a zero-trust overlay network.\n\n" + exitHelp,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          help,
	}
	root.SetIn(o.Stdin)
	root.SetOut(o.Stdout)
	root.SetErr(o.Stderr)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usageError("see "+c.CommandPath()+" --help", "%s", err)
	})
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(extra...)
	root.AddCommand(newTool(o, wanted).commands()...)
	root.AddCommand(edgeCommand(o, wanted), fabricCommand(o, wanted), agentCommand(), opsCommand(o, wanted), completionCommand())
	if config, _, err := root.Find([]string{"create", "config"}); err == nil && config.Name() == "config" {
		config.AddCommand(o.CreateConfig...)
	}
	arrange(root)
	addExamples(root, nil)
	usageArgs(root)
	return root
}

// arrange puts the commands into groups of the help text.
func arrange(root *cobra.Command) {
	for _, g := range []struct{ id, title, commands string }{
		{"run", "Run a network:", "up demo controller router agent ops"},
		{"login", "Log in:", "login logout whoami password mfa context enroll"},
		{"entities", "Entities of the network:", "create list show update delete export diff apply expose disable enable re-enroll refresh extend verify"},
		{"access", "Who reaches what, and why not:", "why explain who-can what-can what-if policy-advisor inspect trace events audit validate"},
		{"care", "Care of the controller:", "db cluster support version completion"},
	} {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, name := range strings.Fields(g.commands) {
			for _, c := range root.Commands() {
				if c.Name() == name {
					c.GroupID = g.id
				}
			}
		}
	}
}

// edgeCommand accepts `edge` before the commands, as scripts of the ecosystem
// write it.
func edgeCommand(o Options, wanted func(string) bool) *cobra.Command {
	c := &cobra.Command{Use: "edge", Short: "The same commands with the ecosystem's prefix", Hidden: true, Args: cobra.NoArgs, RunE: help}
	if wanted("edge") {
		c.AddCommand(newTool(o, wanted).commands()...)
	}
	return c
}

// fabricCommand accepts `fabric` before the commands that the ecosystem has
// there.
func fabricCommand(o Options, wanted func(string) bool) *cobra.Command {
	t := newTool(o, wanted)
	c := &cobra.Command{Use: "fabric", Short: "Commands for routers, links, circuits, services and terminators with the ecosystem's prefix", Hidden: true, Args: cobra.NoArgs, RunE: help}
	if !wanted("fabric") {
		return c
	}
	c.AddCommand(t.verbs(routers(), links(), circuits(), fabricServices(), fabricTerminators(), controllers())...)
	c.AddCommand(t.inspect(), t.database(), t.stream(), parent("validate", "Compare what should be with what is", append(t.validateCommands(), t.validateHosting())...))
	return c
}

func help(c *cobra.Command, _ []string) error { return c.Help() }

// tool is what all commands share: where contexts are kept and how to print.
type tool struct {
	version   string
	configDir string
	context   string
	style
	dryRun bool
	wire   *wire                  // of the command at work
	wanted func(name string) bool // whether the commands of a group are used
}

func newTool(o Options, wanted func(string) bool) *tool {
	return &tool{version: o.Version, style: style{output: formatTable}, wanted: wanted}
}

// commands returns all commands that talk to a controller.
func (t *tool) commands() []*cobra.Command {
	return append([]*cobra.Command{
		t.login(), t.logout(), t.whoami(), t.password(), t.mfa(), t.contextCommands(),
		t.enroll(), t.reEnroll(), t.why(), t.explain(), t.whoCan(), t.whatCan(), t.whatIf(), t.policyAdvisor(), t.inspect(),
		t.export(), t.diff(), t.apply(), t.expose(),
		parent("verify", "Prove what the controller asks for", t.verifyCA()),
		parent("validate", "Compare what should be with what is", append(t.validateCommands(), t.validateHosting())...), t.events(), t.audit(),
		parent("refresh", "Give an enrollment a new token", t.refreshEnrollment()),
		parent("extend", "Ask clients to renew their certificates", t.extendAuthenticator()),
		t.database(), t.clusterCommand(), t.versionCommand(), parent("support", "Gather what somebody who helps has to know", t.supportBundle()),
	}, append(t.identityActions(), t.verbs(kinds()...)...)...)
}

// verbs returns the commands that kinds of entities share.
func (t *tool) verbs(of ...kind) []*cobra.Command {
	show := t.group("show", "Show one entity", of, func(k kind) *cobra.Command { return k.show(t) })
	list := t.group("list", "List entities", of, func(k kind) *cobra.Command { return k.list(t) })
	update := t.group("update", "Change members of an entity", of, func(k kind) *cobra.Command { return k.update(t) })
	if t.wanted("show") {
		show.AddCommand(t.showPath(), t.showCAJWT(), t.showSpec())
	}
	if t.wanted("list") {
		t.addLists(list, of)
	}
	if t.wanted("update") {
		update.AddCommand(t.identityConfigs())
	}
	return []*cobra.Command{
		t.group("create", "Create an entity", of, func(k kind) *cobra.Command { return k.create(t) }),
		list,
		show,
		update,
		t.group("delete", "Delete entities", of, func(k kind) *cobra.Command { return k.remove(t) }),
	}
}

// addLists adds the lists of what belongs to one entity, and those of no kind.
func (t *tool) addLists(list *cobra.Command, of []kind) {
	for _, k := range of {
		if c := k.listOne(t); c != nil {
			t.flags(c)
			list.AddCommand(c)
		}
	}
	list.AddCommand(t.otherLists()...)
}

// group returns the command of a verb with one command per kind of entity.
func (t *tool) group(verb, short string, of []kind, make func(kind) *cobra.Command) *cobra.Command {
	g := &cobra.Command{Use: verb, Short: short, Args: cobra.NoArgs, RunE: help}
	if !t.wanted(verb) {
		return g
	}
	for _, k := range of {
		if c := make(k); c != nil {
			if !c.HasSubCommands() { // those have the flags
				t.flags(c)
			}
			g.AddCommand(c)
		}
	}
	return g
}

// flags adds what every command that uses a context has.
func (t *tool) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&t.configDir, "config-dir", "", "directory of the contexts (default $WEFT_CONFIG_DIR, else weft in the user's configuration directory)")
	f.StringVar(&t.context, "context", "", "context to use (default $WEFT_CONTEXT, else the one of the last login)")
	if f.ShorthandLookup("i") == nil { // the ecosystem's spelling
		f.StringVarP(&t.context, "cli-identity", "i", "", "the same as --context")
		_ = f.MarkHidden("cli-identity") // there is such a flag
	}
	t.style.flags(f)
	for name, complete := range map[string]completer{"output": completeFormats, "context": t.completeContexts} {
		_ = c.RegisterFlagCompletionFunc(name, complete) // there are such flags, and they have none
	}
}
