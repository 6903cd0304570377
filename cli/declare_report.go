package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/weftnet/weft/client"
)

// signs stand before entities by what happens to them.
var signs = map[string]string{"create": "+", "update": "~", "delete": "-", "none": "="}

// note writes a line for people.
func (c *call) note(format string, args ...any) {
	fmt.Fprintf(c.cmd.ErrOrStderr(), format+"\n", args...)
}

// printReport writes what a declaration does; will is "would be " where nothing
// was done. Entities that stay as they are are left out of tables unless all are
// wanted.
func (c *call) printReport(r *client.DeclarationReport, all bool, will string) error {
	var rows [][]string
	var names []string
	for i := range r.Entities {
		e := &r.Entities[i]
		if e.Action == "none" && !all {
			continue
		}
		names = append(names, e.Kind+"/"+e.Name)
		if len(e.Members) == 0 {
			rows = append(rows, []string{e.Action, e.Kind, e.Name, "", "", ""})
		}
		for _, m := range e.Members {
			rows = append(rows, []string{e.Action, e.Kind, e.Name, m.Member, declaredText(m.Before), declaredText(m.After)})
		}
	}
	if names == nil {
		names = []string{}
	}
	return c.print(printout{value: r, headers: []string{"ACTION", "KIND", "NAME", "MEMBER", "BEFORE", "AFTER"}, rows: rows, names: names,
		text: func(w io.Writer) error { return printChanges(w, r, all, will) }})
}

// printChanges writes the report for people.
func printChanges(w io.Writer, r *client.DeclarationReport, all bool, will string) error {
	var b strings.Builder
	for i := range r.Entities {
		e := &r.Entities[i]
		if e.Action == "none" && !all {
			continue
		}
		fmt.Fprintf(&b, "%s %s %s", signs[e.Action], e.Kind, printable(e.Name))
		if e.File != "" && e.Action != "none" {
			fmt.Fprintf(&b, "  (%s:%d)", printable(e.File), e.Line)
		}
		b.WriteString("\n")
		for _, m := range e.Members {
			before, after := declaredText(m.Before), declaredText(m.After)
			switch {
			case e.Action == "create":
				if m.Member != "name" {
					fmt.Fprintf(&b, "    %s: %s\n", m.Member, printable(after))
				}
			default:
				fmt.Fprintf(&b, "    %s: %s → %s\n", m.Member, printable(orDefault(before)), printable(orDefault(after)))
			}
		}
	}
	b.WriteString(counts(r, will) + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func orDefault(s string) string {
	if s == "" {
		return "default"
	}
	return s
}

// declaredText is a member as text, empty where it has its default.
func declaredText(raw []byte) string {
	if s := string(raw); s != "null" {
		return s
	}
	return ""
}
