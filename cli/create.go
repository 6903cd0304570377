package cli

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

func (e *entity[D, C, U]) create(t *tool) *cobra.Command {
	if e.post == nil {
		return nil
	}
	in := new(C)
	jwtFile := ""
	cmd := e.command(e.one, e.arguments, "Create "+article(e.one))
	cmd.Long = cmd.Short + " and print its id; with -o json the new entity, with -o name its name."
	if e.createDoc != "" {
		cmd.Long += "\n" + e.createDoc
	}
	cmd.Example = e.example
	least, most := argumentCount(e.arguments)
	cmd.Args = cobra.RangeArgs(least, most)
	if most < 0 {
		cmd.Args = cobra.MinimumNArgs(least)
	}
	if e.createFlags != nil {
		e.createFlags(cmd.Flags(), in)
	}
	if e.jwt != nil {
		cmd.Flags().StringVar(&jwtFile, "jwt", "", "write the enrollment token to this file; -o with a file name does the same")
		cmd.Flags().StringVar(&jwtFile, "jwt-output-file", "", "the same as --jwt")
		cmd.Flags().Lookup("jwt-output-file").Hidden = true
	}
	t.changing(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if e.jwt != nil && !slices.Contains(formats, t.output) {
			jwtFile, t.output = t.output, formatTable
		}
		return t.run(func(c *call, args []string) error {
			if err := e.fillCreate(c, in, args); err != nil {
				return err
			}
			created, err := e.post(c.m, c, in)
			if err != nil {
				return err
			}
			return e.created(c, created.ID, jwtFile)
		})(cmd, args)
	}
	return cmd
}

// created prints a new entity and writes its enrollment token.
func (e *entity[D, C, U]) created(c *call, id, jwtFile string) error {
	if c.dry() || c.tool.envelope && jwtFile == "" {
		return nil
	}
	short := printout{headers: []string{"ID"}, rows: [][]string{{id}}, text: func(w io.Writer) error {
		_, err := fmt.Fprintln(w, id)
		return err
	}}
	if c.tool.output == formatTable && jwtFile == "" {
		return c.print(short)
	}
	d, err := e.getOne(c.m, c, id)
	if err != nil {
		return err
	}
	if jwtFile != "" {
		token := e.jwt(d)
		if token == "" {
			return &failure{code: "NO_ENROLLMENT", cause: fmt.Sprintf("%s %s was created, but it has no enrollment token to write", e.one, id), exit: ExitFailure}
		}
		if err := os.WriteFile(jwtFile, []byte(token), 0o600); err != nil {
			return fmt.Errorf("%s %s was created, but its enrollment token was not written: %w", e.one, id, err)
		}
	}
	if c.tool.output == formatTable {
		return c.print(short)
	}
	return e.printOne(c, d)
}

// article puts a or an before a kind.
func article(one string) string {
	if strings.ContainsRune("aeiou", rune(one[0])) {
		return "an " + one
	}
	return "a " + one
}

// argumentCount counts the arguments of a usage text: `NAME TYPE [DATA]`. The
// most is -1 where the last may be repeated.
func argumentCount(usage string) (least, most int) {
	for _, a := range strings.Fields(usage) {
		most++
		if a[0] != '[' {
			least++
		}
	}
	if strings.HasSuffix(usage, "...") {
		most = -1
	}
	return least, most
}
