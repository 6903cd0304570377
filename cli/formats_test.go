package cli_test

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/weftnet/weft/cli"
)

// parses reports whether a text is of a format.
func parses(format, text string) error {
	switch format {
	case "json":
		d := json.NewDecoder(strings.NewReader(text))
		for {
			var v any
			if err := d.Decode(&v); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
		}
	case "yaml":
		var v any
		return yaml.Unmarshal([]byte(text), &v)
	case "csv":
		_, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		return err
	}
	return nil
}

// oneColumn reports whether a table is the same as csv.
func oneColumn(table string) bool { return !strings.Contains(table, "  ") }

// goldenLines are the command lines of the golden files, and others, that
// choose no format themselves, with those commands of the tree that they call.
func goldenLines(t *testing.T) (lines [][]string) {
	for _, file := range []string{"testdata/commands.golden", "testdata/ecosystem.golden"} {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			command, ok := strings.CutPrefix(strings.TrimSpace(line), "$ weft ")
			words := fields(command)
			if ok && !slices.ContainsFunc(words, func(w string) bool { return w == "-o" || w == "-j" || w == "--columns" }) {
				lines = append(lines, words)
			}
		}
	}
	for _, line := range []string{"why alice web", "version", "context show", "context use default --dry-run", "context delete default --dry-run", "logout --dry-run"} {
		lines = append(lines, strings.Fields(line))
	}
	return lines
}

// Every command that has -o answers in every format what it answers as a table,
// and a refusal is the same in all of them.
func TestEveryFormat(t *testing.T) {
	lines := goldenLines(t)
	run := func(format string) (out []string, codes []int) {
		c := peopled(t)
		t.Chdir(t.TempDir())
		for name, text := range map[string]string{"ca.pem": "-----CA-----", "proof.pem": "-----PROOF-----", "data.json": `{"port":80}`} {
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, words := range lines {
			words = slices.Clone(words)
			for i := range words {
				words[i] = strings.ReplaceAll(words[i], "URL", c.server.URL)
			}
			stdout, stderr, code := c.runWith("typed\ntyped-new\n", append(words, "-o", format)...)
			if strings.Contains(stderr, "shorthand flag") {
				stdout, code = "", 0 // it has no -o
			}
			out, codes = append(out, stdout), append(codes, code)
		}
		return out, codes
	}
	table, tableCodes := run("table")
	for _, format := range []string{"json", "yaml", "csv", "name"} {
		out, codes := run(format)
		for i, words := range lines {
			line := strings.Join(words, " ") + " -o " + format
			if codes[i] != tableCodes[i] {
				t.Errorf("%s: exit code %d, as a table %d", line, codes[i], tableCodes[i])
			}
			if table[i] != "" && out[i] == "" && format != "name" {
				t.Errorf("%s: prints nothing, as a table\n%s", line, table[i])
			}
			if format != "name" && table[i] != "" && out[i] == table[i] && !oneColumn(table[i]) && !strings.Contains(line, "spec") {
				t.Errorf("%s: prints the table", line)
			}
			if err := parses(format, out[i]); err != nil {
				t.Errorf("%s: %v\n%s", line, err, out[i])
			}
		}
	}
}

// Every command has help: a sentence, an example, and the formats that it has;
// and the part of the tree that a command line needs has the command.
func TestEveryCommandHasHelp(t *testing.T) {
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		path := c.CommandPath()
		if c.Short == "" || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: the sentence is %q", path, c.Short)
		}
		if !c.HasSubCommands() && !c.Hidden && c.Example == "" {
			t.Errorf("%s has no example", path)
		}
		for line := range strings.Lines(c.Example) {
			if !strings.HasPrefix(line, "  ") {
				t.Errorf("%s: the example %q is not indented", path, line)
			}
		}
		for line := range strings.Lines(c.Example) {
			checkExample(t, c, strings.TrimSpace(line))
		}
		for _, sub := range c.Commands() {
			if !sub.Hidden { // the ecosystem's prefixes have the same commands
				walk(sub)
			}
		}
	}
	root := cli.New(cli.Options{})
	walk(root)
	c := newController(t)
	for _, line := range []string{"create service", "edge create service", "fabric list links", "list service terminators", "ops cluster list", "agent cluster add", "show spec"} {
		full, _, err := root.Find(strings.Fields(line))
		stdout, _, code := c.run(append(strings.Fields(line), "--help")...)
		if err != nil || code != 0 || !strings.Contains(stdout, full.Short) || !strings.Contains(stdout, "Usage:\n  weft "+line) {
			t.Errorf("%s: %d %v\n%s", line, code, err, stdout)
		}
	}
}

// checkExample finds out whether an example calls the command, or one of its
// group, with flags and arguments that there are.
func checkExample(t *testing.T, of *cobra.Command, line string) {
	line, _, _ = strings.Cut(line, " | ")
	line, _, _ = strings.Cut(line, "   #")
	line, _, _ = strings.Cut(line, " > ")
	words := fields(strings.Trim(strings.TrimPrefix(line, "source <("), ")"))
	if len(words) == 0 || words[0] != "weft" {
		t.Errorf("%s: the example %q does not begin with weft", of.CommandPath(), line)
		return
	}
	c, rest, err := of.Root().Find(words[1:])
	if err == nil {
		err = c.ParseFlags(rest)
	}
	if err == nil {
		err = c.ValidateArgs(c.Flags().Args())
	}
	if err == nil {
		err = c.ValidateFlagGroups()
	}
	c.Flags().VisitAll(func(f *pflag.Flag) { f.Changed = false }) // for the next example
	if err != nil {
		t.Errorf("%s: the example %q is no command line: %v", of.CommandPath(), line, err)
	}
}
