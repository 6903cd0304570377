// Package conf reads configuration files strictly: every key is known or
// refused, every value has a type, bounds and a default, and every complaint
// names file, line, key, what is expected and what to do. The files are those
// of the ecosystem: Controller and Router are their schemas, one line per key.
package conf

import (
	"fmt"
	"strings"
)

// Problem is one complaint about a configuration file.
type Problem struct {
	File   string
	Line   int    // 1-based; 0 when the file as a whole is meant
	Key    string // dotted path such as ctrl.options.outQueueSize
	Text   string // what is wrong
	Remedy string // what to do, may be empty
}

// String renders the problem as "file:line: key: text; remedy".
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d", p.Line)
	}
	b.WriteString(": ")
	if p.Key != "" {
		b.WriteString(p.Key + ": ")
	}
	b.WriteString(p.Text)
	if p.Remedy != "" {
		b.WriteString("; " + p.Remedy)
	}
	return b.String()
}

// Errors are all problems of a file that keep it from being used.
type Errors []Problem

// Error lists the problems, one per line.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, p := range e {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Report is what the reader of a usable file should be told.
type Report struct {
	Warnings []Problem // values that were corrected, keys without effect
	Inactive []Problem // sections that are checked but not active yet
}
