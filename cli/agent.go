package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weftnet/weft/agent"
)

// agentTool is what the commands of `weft agent` share: which process is meant
// and how to print.
type agentTool struct {
	selector agent.Selector
	address  string
	timeout  time.Duration
	dryRun   bool
	style
}

const agentHelp = `Look into the controllers and routers of this machine that run as the same
user. Without a selector the one process that can do what is asked for is
meant. Answers are tables, with -o json or yaml what the process answered.`

// agentCommand returns `weft agent` with all its commands.
func agentCommand() *cobra.Command {
	a := new(agentTool)
	c := &cobra.Command{Use: "agent", Short: "Look into running processes of this machine", Long: agentHelp, Args: cobra.NoArgs,
		Example: "  weft agent list\n  weft agent links --app router\n  weft agent status --id X91Z5iNIe2 -o json", RunE: help}
	f := c.PersistentFlags()
	f.IntVarP(&a.selector.PID, "pid", "p", 0, "number of the process")
	f.StringVar(&a.selector.App, "app", "", "kind of process: controller, router or up")
	f.StringVar(&a.selector.ID, "id", "", "id of the controller or router")
	f.StringVar(&a.selector.Alias, "alias", "", "alias of the process, as given with --cli-agent-alias")
	f.StringVar(&a.address, "addr", "", "socket of the process, unix:PATH")
	f.DurationVar(&a.timeout, "timeout", 5*time.Second, "time for the process to answer")
	a.style.flags(f)
	a.ecosystemFlags(c)
	c.AddCommand(a.list(), a.status(), a.links(), a.circuits(), a.routes(), a.inspect(), a.logLevel(), a.memory(), a.stop())
	c.AddCommand(a.quiesce("quiesce", "Let a router take no new circuits; existing ones go on"), a.quiesce("dequiesce", "Let a router take new circuits again"), a.extend())
	c.AddCommand(a.text("stack", "Show the stacks of all goroutines"), a.text("goroutines", "Show goroutines by what they do"))
	c.AddCommand(a.file("heap", "pprof-heap", "Write a heap profile"), a.file("profile", "pprof-cpu", "Write a CPU profile"), a.gc(),
		a.file("bundle", "support-bundle", "Write a bundle of how the process is, with stacks and heap, without secrets"))
	c.AddCommand(a.call(), a.cluster(), a.snapshot("snapshot"), a.controller(), a.router())
	return c
}

// ecosystemFlags accepts the selectors as scripts of the ecosystem write them.
func (a *agentTool) ecosystemFlags(c *cobra.Command) {
	f := c.PersistentFlags()
	f.StringVar(&a.selector.ID, "app-id", "", "the same as --id")
	f.StringVar(&a.selector.App, "app-type", "", "the same as --app")
	f.StringVar(&a.selector.Alias, "app-alias", "", "the same as --alias")
	f.StringVar(&a.address, "app-addr", "", "the same as --addr")
	for _, name := range []string{"app-id", "app-type", "app-alias", "app-addr"} {
		_ = f.MarkHidden(name) // there are such flags
	}
}

func (a *agentTool) checkFormat() error { return a.style.check() }

// out prints a value: as itself, or by the tables that print writes.
func (a *agentTool) out(cmd *cobra.Command, value any, print func(io.Writer) error) error {
	w := cmd.OutOrStdout()
	switch {
	case a.envelope || a.output == formatJSON || a.output == formatYAML:
		return a.style.print(w, printout{value: value})
	case a.output == formatTable && len(a.columns) == 0 && !a.noHeaders:
		return print(w)
	}
	return print(&tables{w, &a.style})
}

// tables is a writer to which printTable writes in the format of a style.
type tables struct {
	io.Writer
	style *style
}

// connect returns a client of the process that is meant.
func (a *agentTool) connect(ctx context.Context, operation string) (*agent.Client, *agent.Process, error) {
	if err := a.checkFormat(); err != nil {
		return nil, nil, err
	}
	if a.address != "" {
		c := agent.NewClient(a.address)
		d, err := c.Describe(ctx)
		if err != nil {
			c.Close()
			return nil, nil, unreachable(err)
		}
		return c, &agent.Process{Description: *d, Address: a.address}, nil
	}
	all, err := agent.Find(ctx)
	if err != nil {
		return nil, nil, agentFailure(err)
	}
	s := a.selector
	s.Operation = operation
	p, err := agent.Pick(all, s)
	if err != nil {
		return nil, nil, agentFailure(err)
	}
	return agent.NewClient(p.Address), p, nil
}

// unreachable is the failure of a socket that nobody serves.
func unreachable(err error) error {
	var refused *agent.Error
	if errors.As(err, &refused) {
		return agentFailure(err)
	}
	return &failure{code: "AGENT_UNREACHABLE", cause: err.Error(), remedy: "see weft agent list", exit: ExitUnavailable, err: err}
}

// agentFailure shows a refusal of an agent with its code and remedy.
func agentFailure(err error) error {
	var refused *agent.Error
	if !errors.As(err, &refused) {
		return unreachable(err)
	}
	exit := ExitRefused
	switch refused.Code {
	case agent.CodeNoProcess, "NOT_FOUND":
		exit = ExitNotFound
	case agent.CodeAmbiguous, agent.CodeBadArgument:
		exit = ExitUsage
	case agent.CodeBusy:
		exit = ExitUnavailable
	}
	return &failure{code: refused.Code, cause: refused.Message, remedy: refused.Remedy, exit: exit, err: err}
}

// read runs an operation and decodes its result; it returns the process.
func (a *agentTool) read(cmd *cobra.Command, operation string, args agent.Args, into any) (*agent.Process, error) {
	ctx, cancel := context.WithTimeout(cmd.Context(), a.timeout)
	defer cancel()
	c, p, err := a.connect(ctx, operation)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if err := c.Read(ctx, operation, args, into); err != nil {
		return nil, agentFailure(err)
	}
	return p, nil
}

// show runs an operation and prints its result: as JSON, or by print.
func show[T any](a *agentTool, cmd *cobra.Command, operation string, args agent.Args, print func(io.Writer, T) error) error {
	if a.dryRun {
		return a.hold(cmd, operation, args)
	}
	var result T
	if _, err := a.read(cmd, operation, args, &result); err != nil {
		return err
	}
	return a.out(cmd, result, func(w io.Writer) error { return print(w, result) })
}

// text is a command that prints what an operation writes.
func (a *agentTool) text(operation, short string) *cobra.Command {
	return &cobra.Command{Use: operation, Short: short, Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		return a.stream(cmd, operation, nil, cmd.OutOrStdout())
	}}
}

// stream runs an operation and copies its result, for as long as it takes.
func (a *agentTool) stream(cmd *cobra.Command, operation string, args agent.Args, to io.Writer) error {
	c, _, err := a.connect(cmd.Context(), operation)
	if err != nil {
		return err
	}
	defer c.Close()
	answer, err := c.Call(cmd.Context(), operation, args)
	if err != nil {
		return agentFailure(err)
	}
	defer answer.Close()
	_, err = io.Copy(to, answer)
	return err
}

// file is a command that writes the file of an operation.
func (a *agentTool) file(operation, alias, short string) *cobra.Command {
	var within time.Duration
	c := &cobra.Command{Use: operation + " FILE", Aliases: []string{alias}, Short: short, Args: cobra.ExactArgs(1)}
	if operation == "profile" {
		c.Flags().DurationVar(&within, "within", 30*time.Second, "how long")
	}
	c.RunE = func(cmd *cobra.Command, args []string) (err error) {
		f, err := os.OpenFile(args[0], os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		params := agent.Args{}
		if within > 0 {
			params["within"] = within.String()
		}
		return a.stream(cmd, operation, params, f)
	}
	return c
}

// call runs any operation, also those of later versions and debug operations.
func (a *agentTool) call() *cobra.Command {
	c := &cobra.Command{
		Use: "call OPERATION [NAME=VALUE]...", Short: "Run any operation of the process",
		Long:    "Run any operation of the process. Without an operation those of the process are listed.",
		Example: "  weft agent call\n  weft agent call close-link id=4owATiXmB23D",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.operations(cmd)
			}
			params := agent.Args{}
			for _, text := range args[1:] {
				name, value, ok := strings.Cut(text, "=")
				if !ok {
					return usageError("write NAME=VALUE", "%q is no argument of an operation", text)
				}
				params[name] = value
			}
			if a.dryRun {
				return a.hold(cmd, args[0], params)
			}
			return a.stream(cmd, args[0], params, cmd.OutOrStdout())
		},
	}
	a.changing(c)
	return c
}

// operations lists what the process can do.
func (a *agentTool) operations(cmd *cobra.Command) error {
	ctx, cancel := context.WithTimeout(cmd.Context(), a.timeout)
	defer cancel()
	c, p, err := a.connect(ctx, "")
	if err != nil {
		return err
	}
	defer c.Close()
	var rows [][]string
	for _, o := range p.Operations {
		var params []string
		for _, param := range o.Params {
			params = append(params, param.Name)
		}
		doc := o.Doc
		if o.Off {
			doc += " (debug operations are off)"
		}
		rows = append(rows, []string{o.Name, words(params), doc})
	}
	if p.Unanswered != "" {
		return unreachable(fmt.Errorf("%s: %s", p.Address, p.Unanswered))
	}
	return a.out(cmd, p.Operations, func(w io.Writer) error {
		return printTable(w, []string{"OPERATION", "PARAMETERS", "WHAT IT DOES"}, rows)
	})
}
