package main

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/weftnet/weft/app"
)

// variable is an environment variable that gives a default of the generated
// files, by its name in the ecosystem.
type variable struct{ name, value, doc string }

// variables returns them with the values that count here.
func variables() []variable {
	host, err := os.Hostname()
	if err != nil || host == "" {
		host = "localhost"
	}
	home, err := os.Getwd()
	if err != nil {
		home = "."
	}
	of := func(name, def, doc string) variable { return variable{name, cmp.Or(os.Getenv(name), def), doc} }
	ctrl := of("ZITI_CTRL_ADVERTISED_ADDRESS", host, "name or IP of the controller for routers")
	return []variable{
		of("ZITI_HOME", home, "directory of keys and data"),
		ctrl,
		of("ZITI_CTRL_ADVERTISED_PORT", strconv.Itoa(app.DefaultAPIPort), "port of the controller for routers"),
		of("ZITI_CTRL_EDGE_ADVERTISED_ADDRESS", ctrl.value, "name or IP of the APIs"),
		of("ZITI_CTRL_EDGE_ADVERTISED_PORT", strconv.Itoa(app.DefaultAPIPort), "port of the APIs"),
		of("ZITI_ROUTER_ADVERTISED_ADDRESS", host, "name or IP of the router"),
		of("ZITI_ROUTER_PORT", strconv.Itoa(app.DefaultRouterPort), "port of the router"),
		of("ZITI_ROUTER_NAME", "", "name of the router"),
	}
}

func setting(name string) string {
	for _, v := range variables() {
		if v.name == name {
			return v.value
		}
	}
	return ""
}

func port(name string) int {
	n, err := strconv.Atoi(setting(name))
	if err != nil {
		return 0
	}
	return n
}

// createConfigCommands write configuration files; they stand below `create
// config`, beside the entity of that name.
func createConfigCommands() []*cobra.Command {
	return []*cobra.Command{createControllerConfig(), createRouterConfig(), createEnvironment()}
}

// entityToo lets a config entity be called as the command: with arguments that
// the command does not have, it is the entity that is meant.
func entityToo(c *cobra.Command, run func(c *cobra.Command) error) {
	c.Args = cobra.ArbitraryArgs
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return run(c)
		}
		all := append([]string{c.Name()}, args...)
		c.Parent().SetContext(c.Context())
		if err := c.Parent().Args(c.Parent(), all); err != nil {
			return err
		}
		return c.Parent().RunE(c.Parent(), all)
	}
}

func createControllerConfig() *cobra.Command {
	var f app.ControllerFile
	var output string
	c := &cobra.Command{
		Use:     "controller",
		Short:   "Write a commented configuration file for a controller",
		Long:    "Write a commented configuration file for a controller: what has to be set, and every other key as a comment with its meaning and default.",
		Example: "  weft create config controller --home /var/lib/weft --address ctrl.example.net -o controller.yml",
	}
	entityToo(c, func(c *cobra.Command) error {
		text, err := f.Text()
		if err != nil {
			return err
		}
		return app.WriteConfig(output, text, c.OutOrStdout())
	})
	fl := c.Flags()
	fl.StringVarP(&output, "output", "o", "stdout", "file to write, which must not exist")
	fl.StringVar(&f.Home, "home", setting("ZITI_HOME"), "directory of pki/ and data (default $ZITI_HOME)")
	fl.StringVar(&f.Address, "address", setting("ZITI_CTRL_ADVERTISED_ADDRESS"), "name or IP by which routers reach the controller (default $ZITI_CTRL_ADVERTISED_ADDRESS)")
	fl.IntVar(&f.CtrlPort, "ctrlPort", port("ZITI_CTRL_ADVERTISED_PORT"), "port for routers; may be that of the APIs")
	fl.StringVar(&f.APIAddress, "apiAddress", os.Getenv("ZITI_CTRL_EDGE_ADVERTISED_ADDRESS"), "name or IP by which clients reach the APIs (default that of --address)")
	fl.IntVar(&f.APIPort, "apiPort", port("ZITI_CTRL_EDGE_ADVERTISED_PORT"), "port of the APIs")
	fl.BoolVar(&f.Clustered, "clustered", false, "a member of a cluster, which waits for init or a join, instead of a controller that makes its own network")
	fl.DurationVar(&f.IdentityLife, "identityEnrollmentDuration", 180*time.Minute, "life of enrollment tokens of identities")
	fl.DurationVar(&f.RouterLife, "routerEnrollmentDuration", 180*time.Minute, "life of enrollment tokens of routers")
	return c
}

func createRouterConfig() *cobra.Command {
	c := &cobra.Command{Use: "router", Short: "Write a commented configuration file for a router"}
	entityToo(c, func(c *cobra.Command) error { return c.Help() })
	c.AddCommand(
		createRouterKind("edge", "Write a commented configuration file for a router that clients connect to", false),
		createRouterKind("fabric", "Write a commented configuration file for a router between other routers", true),
	)
	return c
}

func createRouterKind(use, short string, fabric bool) *cobra.Command {
	f := app.RouterFile{Fabric: fabric}
	var output string
	c := &cobra.Command{
		Use: use + " [NAME]", Short: short, Args: cobra.MaximumNArgs(1),
		Example: "  weft create config router " + use + " east --address east.example.net -o east.yml",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				f.Name = args[0]
			}
			if !modes[f.TunnelMode] {
				return fmt.Errorf("--tunnelerMode %q: expected none, host, tproxy or proxy", f.TunnelMode)
			}
			text, err := f.Text()
			if err != nil {
				return err
			}
			return app.WriteConfig(output, text, c.OutOrStdout())
		},
	}
	fl := c.Flags()
	fl.StringVarP(&output, "output", "o", "stdout", "file to write, which must not exist")
	fl.StringVarP(&f.Name, "routerName", "n", setting("ZITI_ROUTER_NAME"), "name of the router, as NAME")
	fl.StringVar(&f.Home, "home", setting("ZITI_HOME"), "directory of keys and data (default $ZITI_HOME)")
	fl.StringVar(&f.Address, "address", setting("ZITI_ROUTER_ADVERTISED_ADDRESS"), "name or IP by which others reach the router (default $ZITI_ROUTER_ADVERTISED_ADDRESS)")
	fl.IntVar(&f.Port, "port", port("ZITI_ROUTER_PORT"), "port of the router")
	fl.StringVar(&f.CtrlHost, "ctrlAddress", setting("ZITI_CTRL_ADVERTISED_ADDRESS"), "name or IP of a controller (default $ZITI_CTRL_ADVERTISED_ADDRESS)")
	fl.IntVar(&f.CtrlPort, "ctrlPort", port("ZITI_CTRL_ADVERTISED_PORT"), "port of the controller")
	fl.BoolVar(&f.Private, "private", false, "other routers cannot dial this one")
	f.TunnelMode = "none"
	if !fabric {
		fl.BoolVar(&f.WSS, "wss", false, "clients come by WebSocket")
		fl.StringVar(&f.TunnelMode, "tunnelerMode", "none", "none, host, tproxy or proxy")
		fl.StringVar(&f.LANIf, "lanInterface", "", "interface of the local network, for tproxy")
	}
	return c
}

var modes = map[string]bool{"none": true, "host": true, "tproxy": true, "proxy": true}

func createEnvironment() *cobra.Command {
	var output string
	c := &cobra.Command{Use: "environment", Short: "Show the environment variables that give the defaults of generated files", Aliases: []string{"env"}}
	entityToo(c, func(c *cobra.Command) error {
		text := ""
		for _, v := range variables() {
			text += fmt.Sprintf("# %s\nexport %s=%q\n", v.doc, v.name, v.value)
		}
		return app.WriteConfig(output, text, c.OutOrStdout())
	})
	c.Flags().StringVarP(&output, "output", "o", "stdout", "file to write, which must not exist")
	return c
}
