package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func (t *tool) versionCommand() *cobra.Command {
	remote := false
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of this program, or of the controller",
		Args:  cobra.NoArgs,
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := t.checkFormat(); err != nil {
			return err
		}
		if remote {
			return t.run(printRemoteVersion)(cmd, args)
		}
		return t.printVersion(cmd)
	}
	t.flags(cmd)
	cmd.Flags().BoolVar(&remote, "controller", false, "ask the controller of the context")
	return cmd
}

func (t *tool) printVersion(cmd *cobra.Command) error {
	out, revision := cmd.OutOrStdout(), ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = s.Value
			}
		}
	}
	switch t.output {
	case formatJSON:
		return printJSON(out, map[string]string{"version": t.version, "revision": revision, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH})
	case formatName:
		_, err := fmt.Fprintln(out, t.version)
		return err
	}
	_, err := fmt.Fprintf(out, "weft %s %s %s/%s\n", t.version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

func printRemoteVersion(c *call, _ []string) error {
	v, err := c.m.ListVersion(c)
	if err != nil {
		return err
	}
	out := c.cmd.OutOrStdout()
	switch c.tool.output {
	case formatJSON:
		return printJSON(out, v)
	case formatName:
		_, err = fmt.Fprintln(out, v.Version)
		return err
	}
	return printMembers(out, v)
}
