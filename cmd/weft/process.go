package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"github.com/weftnet/weft/app"
	"github.com/weftnet/weft/conf"
)

// closing closes a process and joins the errors.
func closing(err error, closer func() error) error { return errors.Join(err, closer()) }

// group returns a command that only holds others.
func group(use, short string, commands ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	c.AddCommand(commands...)
	return c
}

// required makes flags of a command required. The names are those of flags
// that the command has, so there is no error to pass on.
func required(c *cobra.Command, flags ...string) {
	for _, f := range flags {
		_ = c.MarkFlagRequired(f)
	}
}

// prepare sets up the log of a command and loads its configuration file.
func prepare[C any](c *cobra.Command, flags *logFlags, load func(string, conf.Env) (*C, *conf.Report, error), file string) (*slog.Logger, *C, *conf.Report, error) {
	logger, err := flags.logger(c)
	if err != nil {
		return nil, nil, nil, err
	}
	cfg, report, err := load(file, nil)
	return logger, cfg, report, err
}

// say prints what a configuration report says, for the check commands.
func say(out io.Writer, r *conf.Report) {
	for _, p := range r.Warnings {
		fmt.Fprintln(out, "warning:", p)
	}
	for _, p := range r.Inactive {
		fmt.Fprintln(out, "not active:", p)
	}
}

// controllerCommand runs controllers.
func controllerCommand() *cobra.Command {
	return group("controller", "Run a controller", controllerRun(), controllerCheck(), controllerRestore(), group("edge", "Prepare a controller", controllerInit()))
}

func controllerRun() *cobra.Command {
	var log logFlags
	var agent agentFlags
	c := &cobra.Command{
		Use: "run CONFIG", Short: "Run the controller of a configuration file", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			logger, cfg, report, err := prepare(c, &log, conf.LoadController, args[0])
			if err != nil {
				return err
			}
			app.Tell(logger, report)
			controller, err := app.StartController(c.Context(), app.ControllerOptions{Config: cfg, Build: app.ThisBuild(), Log: logger})
			if c.Context().Err() != nil && controller == nil {
				return nil // ended while it waited to be initialized
			}
			if err != nil {
				return err
			}
			return supervise(c, controller, "controller", &agent, &log, logger)
		},
	}
	agent.add(c)
	log.add(c, "info")
	return c
}

func controllerCheck() *cobra.Command {
	var log logFlags
	c := &cobra.Command{
		Use: "check CONFIG", Short: "Check a configuration file and what it names", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			logger, cfg, report, err := prepare(c, &log, conf.LoadController, args[0])
			if err != nil {
				return err
			}
			say(c.OutOrStdout(), report)
			if err := app.CheckController(cfg, logger); err != nil {
				return err
			}
			fmt.Fprintln(c.OutOrStdout(), "ok:", args[0])
			return nil
		},
	}
	log.add(c, "warn")
	return c
}

func controllerInit() *cobra.Command {
	var log logFlags
	var username, password string
	c := &cobra.Command{
		Use: "init CONFIG", Short: "Create the default administrator of a stopped controller", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			logger, cfg, report, err := prepare(c, &log, conf.LoadController, args[0])
			if err != nil {
				return err
			}
			app.Tell(logger, report)
			if err := app.InitAdmin(c.Context(), cfg, username, password, logger); err != nil {
				return err
			}
			fmt.Fprintln(c.OutOrStdout(), "Default administrator", username, "created.")
			return nil
		},
	}
	c.Flags().StringVarP(&username, "username", "u", "", "user name of the administrator")
	c.Flags().StringVarP(&password, "password", "p", "", "password of the administrator")
	required(c, "username", "password")
	log.add(c, "warn")
	return c
}

// routerCommand runs routers.
func routerCommand() *cobra.Command {
	return group("router", "Enroll and run a router", routerEnroll(), routerRun(), routerCheck())
}

func routerEnroll() *cobra.Command {
	var log logFlags
	var jwt string
	c := &cobra.Command{
		Use: "enroll CONFIG", Short: "Enroll the router of a configuration file", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			logger, cfg, report, err := prepare(c, &log, conf.LoadRouter, args[0])
			if err != nil {
				return err
			}
			app.Tell(logger, report)
			token, err := os.ReadFile(jwt)
			if err != nil {
				return fmt.Errorf("--jwt: %w", err)
			}
			id, err := app.EnrollRouter(c.Context(), cfg, string(token), logger)
			if err != nil {
				return err
			}
			fmt.Fprintln(c.OutOrStdout(), "Router", id, "enrolled.")
			return nil
		},
	}
	c.Flags().StringVarP(&jwt, "jwt", "j", "", "file with the enrollment token")
	required(c, "jwt")
	log.add(c, "warn")
	return c
}

func routerRun() *cobra.Command {
	var log logFlags
	var agent agentFlags
	var extend bool
	c := &cobra.Command{
		Use: "run CONFIG", Short: "Run the router of a configuration file", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			logger, cfg, report, err := prepare(c, &log, conf.LoadRouter, args[0])
			if err != nil {
				return err
			}
			app.Tell(logger, report)
			router, err := app.StartRouter(c.Context(), app.RouterOptions{Config: cfg, Build: app.ThisBuild(), Log: logger, Extend: extend})
			if err != nil {
				return err
			}
			return supervise(c, router, "router", &agent, &log, logger)
		},
	}
	c.Flags().BoolVarP(&extend, "extend", "e", false, "renew the certificates of the router at once")
	agent.add(c)
	log.add(c, "info")
	return c
}

func routerCheck() *cobra.Command {
	var log logFlags
	c := &cobra.Command{
		Use: "check CONFIG", Short: "Check a configuration file and what it names", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			logger, cfg, report, err := prepare(c, &log, conf.LoadRouter, args[0])
			if err != nil {
				return err
			}
			say(c.OutOrStdout(), report)
			if err := app.CheckRouter(cfg, logger); err != nil {
				return err
			}
			fmt.Fprintln(c.OutOrStdout(), "ok:", args[0])
			return nil
		},
	}
	log.add(c, "warn")
	return c
}
