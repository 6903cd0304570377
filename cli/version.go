package cli

import (
	"fmt"
	"io"
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
	value := map[string]string{"version": t.version, "revision": revision, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH}
	rows, err := memberRows(value)
	if err != nil {
		return err
	}
	return t.style.print(out, printout{value: value, headers: []string{"MEMBER", "VALUE"}, rows: rows, names: []string{t.version}, text: func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "weft %s %s %s/%s\n", t.version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return err
	}})
}

func printRemoteVersion(c *call, _ []string) error {
	v, err := c.m.ListVersion(c)
	if err != nil {
		return err
	}
	return c.printObject(v, v.Version)
}
