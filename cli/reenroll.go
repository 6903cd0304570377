package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/weftnet/weft/client"
)

// reEnroll is the command group of new enrollments for what has one already.
func (t *tool) reEnroll() *cobra.Command {
	g := &cobra.Command{Use: "re-enroll", Short: "Take certificates away and make a new enrollment token", Args: cobra.NoArgs, RunE: help}
	g.AddCommand(t.reEnrollRouter(), t.reEnrollAuthenticator())
	return g
}

func (t *tool) reEnrollRouter() *cobra.Command {
	file := ""
	c := &cobra.Command{
		Use: "edge-router NAME|ID", Aliases: []string{"er"}, Args: cobra.ExactArgs(1),
		Short:   "Take the certificates of an edge-router away and make a new enrollment token for it",
		Long:    "Take the certificates of an edge-router away and make a new enrollment token for it.\nThe router is disconnected at once; weft router enroll with the token puts it back.\nPrints the token, or writes it to a file.",
		Example: "  weft re-enroll edge-router east --jwt east.jwt",
	}
	t.flags(c)
	t.changing(c)
	c.ValidArgsFunction = t.completeArgs("edge-routers")
	c.Flags().StringVar(&file, "jwt", "", "write the enrollment token to this file; -o with a file name does the same")
	c.Flags().StringVar(&file, "jwt-output-file", "", "the same as --jwt")
	c.Flags().Lookup("jwt-output-file").Hidden = true
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if t.checkFormat() != nil {
			file, t.output = t.output, formatTable
		}
		return t.run(func(c *call, args []string) error {
			id, err := c.id("edge-routers", args[0])
			if err != nil {
				return err
			}
			if err := c.m.ReEnrollEdgeRouter(c, id); err != nil || c.dry() {
				return err
			}
			d, err := c.m.DetailEdgeRouter(c, id)
			if err != nil {
				return err
			}
			return c.printReEnrolled(d, file)
		})(cmd, args)
	}
	return c
}

func (c *call) printReEnrolled(d *client.EdgeRouter, file string) error {
	if d.EnrollmentJWT == nil {
		return &failure{code: "NO_ENROLLMENT", cause: fmt.Sprintf("edge-router %s has no enrollment token", d.Name), remedy: "weft re-enroll edge-router " + d.Name, exit: ExitFailure}
	}
	if file != "" {
		if err := os.WriteFile(file, []byte(*d.EnrollmentJWT), 0o600); err != nil {
			return fmt.Errorf("edge-router %s needs the new token, but it was not written: %w", d.Name, err)
		}
	}
	if c.tool.output != formatTable {
		return c.printObject(d, d.Name)
	}
	if file != "" {
		return c.printText(d.ID)
	}
	return c.printText(*d.EnrollmentJWT)
}
