package main

import (
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/weftnet/weft/app"
)

// agentFlags are the flags of a process that operators look into.
type agentFlags struct{ o app.AgentOptions }

func (f *agentFlags) add(c *cobra.Command) {
	c.Flags().BoolVarP(&f.o.Enabled, "cli-agent", "a", true, "serve weft agent on a Unix socket of this user")
	c.Flags().StringVar(&f.o.Address, "cli-agent-addr", "", "socket of the agent, unix:PATH (default one in the user's directory)")
	c.Flags().StringVar(&f.o.Alias, "cli-agent-alias", "", "name by which weft agent finds the process")
	c.Flags().BoolVar(&f.o.DebugOps, "debug-ops", false, "allow operations of the agent that break things")
	// Another spelling of the ecosystem.
	c.Flags().BoolVar(&f.o.Enabled, "cliagent", true, "the same as --cli-agent")
	_ = c.Flags().MarkHidden("cliagent") // there is such a flag
}

// supervise runs a process to its end.
func supervise(c *cobra.Command, p app.Process, name string, agent *agentFlags, log *logFlags, logger *slog.Logger) error {
	o := app.SuperviseOptions{App: name, Agent: agent.o, Levels: log.levels, Build: app.ThisBuild(), Log: logger}
	return app.Supervise(c.Context(), p, o)
}
