package cli

import (
	"io"

	"github.com/spf13/cobra"
)

func (e *entity[D, C, U]) show(t *tool) *cobra.Command {
	if e.getOne == nil {
		return nil
	}
	cmd := e.command(e.one, e.reference(), "Show "+article(e.one))
	cmd.Args = cobra.ExactArgs(1)
	cmd.ValidArgsFunction = t.completeArgs(e.many)
	cmd.RunE = t.run(func(c *call, args []string) error {
		id, err := e.find(c, args[0])
		if err != nil {
			return err
		}
		d, err := e.getOne(c.m, c, id)
		if err != nil {
			return err
		}
		return e.printOne(c, d)
	})
	return cmd
}

func (e *entity[D, C, U]) printOne(c *call, d *D) error {
	rows, err := memberRows(d)
	if err != nil {
		return err
	}
	return c.print(printout{value: d, headers: []string{"MEMBER", "VALUE"}, rows: rows, names: []string{e.label(d)},
		text: func(w io.Writer) error { return printTable(w, nil, rows) }})
}

// label is the name of an entity, or its id where there is none.
func (e *entity[D, C, U]) label(d *D) string {
	id, name := e.ref(d)
	if name == "" {
		return id
	}
	return name
}

func (e *entity[D, C, U]) reference() string {
	if e.named() {
		return "NAME|ID"
	}
	return "ID"
}

// named reports whether entities of this kind have names to look up by.
func (e *entity[D, C, U]) named() bool { return !unnamed[e.many] }

var unnamed = map[string]bool{"authenticators": true, "enrollments": true, "terminators": true, "sessions": true, "api-sessions": true,
	"links": true, "circuits": true, "revocations": true}
