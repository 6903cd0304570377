package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// database is the group of commands for the controller's state.
func (t *tool) database() *cobra.Command {
	g := parent("db", "Snapshots and integrity of the controller's state",
		t.snapshot(), t.integrity("start-check-integrity", "Begin to check whether the state is sound", "check-data-integrity"),
		t.integrityStatus())
	return g
}

func (t *tool) snapshot() *cobra.Command {
	return t.action(action{use: "snapshot [PATH]", short: "Let the controller write its state to a file of its host", args: cobra.MaximumNArgs(1), changes: true,
		long:    "PATH may have the place holders __DATE__, __TIME__ and __DB_FILE__; without it the file\nlies beside the state. At most one snapshot a minute is made. Prints the path.",
		example: "  weft db snapshot\n  weft db snapshot /var/backups/weft-__DATE__",
		run: func(c *call, args []string) error {
			body := map[string]any{}
			if len(args) == 1 {
				body["path"] = args[0]
			}
			answer, err := decodeInto[object](c.sendFabric("POST", "/database/snapshot", body))
			if err != nil || c.dry() {
				return err
			}
			return c.print(printout{value: *answer, headers: []string{"PATH"}, rows: [][]string{{answer.text("path")}}, text: func(w io.Writer) error {
				_, err := fmt.Fprintln(w, printable(answer.text("path")))
				return err
			}})
		}})
}

func (t *tool) integrity(use, short, path string) *cobra.Command {
	var fix, wait bool
	return t.action(action{use: use, short: short, changes: true, aliases: []string{"check-integrity"},
		long: "With --wait the answer is what was found, and the exit code 1 if that is anything.",
		flags: func(f *pflag.FlagSet) {
			f.BoolVarP(&fix, "fix", "f", false, "mend what is found")
			f.BoolVarP(&wait, "wait", "w", false, "wait for the end and print what was found")
		},
		run: func(c *call, _ []string) error {
			if fix {
				path = "fix-data-integrity"
			}
			if _, err := c.send("POST", "/database/"+path, nil); err != nil || c.dry() {
				return err
			}
			if !wait {
				if !c.tool.envelope {
					c.say("begun: weft db check-integrity-status shows what was found")
				}
				return nil
			}
			return c.waitIntegrity()
		}})
}

// waitIntegrity waits for the end of a check.
func (c *call) waitIntegrity() error {
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	show := c.progress("checking", 0)
	defer show.end()
	for {
		found, err := decodeInto[integrity](c.send("GET", "/database/data-integrity-results", nil))
		if err != nil {
			return err
		}
		if !found.InProgress {
			show.end()
			return found.print(c)
		}
		show.step(1)
		select {
		case <-c.Done():
			return c.Err()
		case <-tick.C:
		}
	}
}

func (t *tool) integrityStatus() *cobra.Command {
	return t.action(action{use: "check-integrity-status", short: "Show what the last check of the state has found",
		run: func(c *call, _ []string) error {
			found, err := decodeInto[integrity](c.send("GET", "/database/data-integrity-results", nil))
			if err != nil {
				return err
			}
			return found.print(c)
		}})
}

// integrity is what a check of the state has found.
type integrity struct {
	InProgress    bool    `json:"inProgress"`
	FixingErrors  bool    `json:"fixingErrors"`
	TooManyErrors bool    `json:"tooManyErrors"`
	StartTime     *string `json:"startTime"`
	EndTime       *string `json:"endTime"`
	Error         *string `json:"error"`
	Results       []struct {
		Description string `json:"description"`
		Fixed       bool   `json:"fixed"`
	} `json:"results"`
}

func (i *integrity) print(c *call) error {
	p := printout{value: i, headers: []string{"FIXED", "DESCRIPTION"}, names: []string{}}
	left := 0
	for _, r := range i.Results {
		p.rows = append(p.rows, []string{yesNo(r.Fixed), r.Description})
		p.names = append(p.names, r.Description)
		if !r.Fixed {
			left++
		}
	}
	if c.tool.output == formatTable && !c.tool.envelope {
		c.say("%s", i.summary())
	}
	if len(p.rows) > 0 || c.tool.output != formatTable {
		if err := c.print(p); err != nil {
			return err
		}
	}
	switch {
	case i.Error != nil && *i.Error != "":
		return &failure{code: "INTEGRITY_CHECK_FAILED", cause: *i.Error, remedy: "weft db start-check-integrity", exit: ExitFailure}
	case left > 0 && !i.InProgress:
		return &failure{code: "STATE_NOT_SOUND", cause: fmt.Sprintf("%d errors are in the state", left), remedy: "make a snapshot, then weft db start-check-integrity --fix", exit: ExitFailure}
	}
	return nil
}

func (i *integrity) summary() string {
	switch {
	case i.InProgress:
		return "the check is under way"
	case i.EndTime == nil || *i.EndTime == "":
		return "no check was made since the start: weft db start-check-integrity makes one"
	}
	return fmt.Sprintf("checked until %s, errors found: %d", *i.EndTime, len(i.Results))
}
