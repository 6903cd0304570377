package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/weftnet/weft/app"
	"github.com/weftnet/weft/conf"
)

// controllerRestore puts a snapshot in the place of a controller's state.
func controllerRestore() *cobra.Command {
	var log logFlags
	c := &cobra.Command{
		Use: "restore CONFIG SNAPSHOT", Short: "Replace the state of a stopped controller by a snapshot", Args: cobra.ExactArgs(2),
		Long: "Replaces the state of the stopped controller of a configuration file by a snapshot that `weft ops db snapshot` has\n" +
			"written. The checksum of the file is checked first. The state as it was is kept in a snapshot beside the data, and\n" +
			"revocations that have not expired stay in force. An empty data directory becomes a network of this one controller;\n" +
			"the configuration must name the keys and certificates of the network that the snapshot comes from.",
		Example: "  weft controller restore controller.yml /var/backups/state-20261120-120000",
		RunE: func(c *cobra.Command, args []string) error {
			logger, cfg, report, err := prepare(c, &log, conf.LoadController, args[0])
			if err != nil {
				return err
			}
			app.Tell(logger, report)
			done, err := app.RestoreController(c.Context(), cfg, args[1], logger)
			if err != nil {
				return err
			}
			out := c.OutOrStdout()
			fmt.Fprintln(out, "Restored:", done.Entities, "entities.")
			if done.Kept != "" {
				fmt.Fprintln(out, "The state as it was before:", done.Kept)
			}
			if done.Damages > 0 {
				fmt.Fprintln(out, done.Damages, "entities of the snapshot are damaged; weft ops db start-check-integrity --fix mends what can be mended.")
			}
			return nil
		},
	}
	log.add(c, "warn")
	return c
}
