package main

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/weftnet/weft/app"
)

// demoCommand shows a network at work.
func demoCommand() *cobra.Command {
	var log logFlags
	c := &cobra.Command{
		Use:   "demo",
		Short: "Make a network, fetch a page through it, and clean up",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			logger, err := log.logger(c)
			if err != nil {
				return err
			}
			return app.Demo(c.Context(), app.DemoOptions{Out: c.OutOrStdout(), Build: app.ThisBuild(), Log: logger})
		},
	}
	log.add(c, "error")
	return c
}

// upCommand makes or starts a network for good.
func upCommand() *cobra.Command {
	var log logFlags
	var agent agentFlags
	var o app.UpOptions
	var asJSON bool
	c := &cobra.Command{
		Use:   "up",
		Short: "Make or start a network of one controller and one router",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			logger, err := log.logger(c)
			if err != nil {
				return err
			}
			o.Build, o.Log = app.ThisBuild(), logger
			return up(c, o, asJSON, &agent, &log)
		},
	}
	f := c.Flags()
	f.StringVar(&o.Dir, "dir", "weft-data", "directory of the network")
	f.StringVar(&o.Address, "address", "", "name or IP by which others reach the network (default "+app.DefaultAddress+")")
	f.IntVar(&o.APIPort, "api-port", 0, fmt.Sprintf("port of the APIs (default %d)", app.DefaultAPIPort))
	f.IntVar(&o.CtrlPort, "ctrl-port", 0, "port for routers (default that of the APIs)")
	f.IntVar(&o.RouterPort, "router-port", 0, fmt.Sprintf("port of the router (default %d)", app.DefaultRouterPort))
	f.StringVar(&o.Username, "username", "", "first administrator of a new network (default admin)")
	f.StringVar(&o.Password, "password", "", "password of the first administrator (default random, shown once)")
	f.BoolVar(&asJSON, "json", false, "print one JSON object when ready")
	agent.add(c)
	log.add(c, "warn")
	return c
}

func up(c *cobra.Command, o app.UpOptions, asJSON bool, agent *agentFlags, log *logFlags) error {
	network, err := app.StartUp(c.Context(), o)
	if err != nil {
		return err
	}
	out := c.OutOrStdout()
	if asJSON {
		err = json.NewEncoder(out).Encode(network)
	} else {
		fmt.Fprintf(out, "Network in %s, ready after %d ms.\n\n  API     %s\n  control %s\n  router  %s\n",
			network.Dir, network.ReadyMillis, network.API, network.Ctrl, network.Router)
		if network.Password != "" {
			fmt.Fprintf(out, "\nAdministrator %s with the password %s\nThe password is shown this once.\n", network.Username, network.Password)
		}
		fmt.Fprintf(out, "\nLog in:  weft login %s --ca %s -u %s\nCtrl-C ends it.\n", network.API, network.CAFile, cmp.Or(network.Username, "NAME"))
	}
	if err != nil {
		return closing(err, network.Close)
	}
	return supervise(c, network, "up", agent, log, o.Log)
}
