package conf

import "slices"

// Checker collects the complaints about one file. The check methods of
// sections use it for rules that span keys.
type Checker struct {
	Lines
	problems []Problem
	warnings []Problem
	inactive []Problem
}

// Refuse adds a problem that keeps the file from being used.
func (c *Checker) Refuse(path, text, remedy string) { c.refuseAt(c.line(path), path, text, remedy) }

// Warn adds a warning.
func (c *Checker) Warn(path, text, remedy string) { c.warnAt(c.line(path), path, text, remedy) }

// NotYet notes that what stands at path has no effect until something is there.
func (c *Checker) NotYet(path, needs string) { c.notYetAt(c.line(path), path, needs) }

func (c *Checker) refuseAt(line int, path, text, remedy string) {
	c.problems = append(c.problems, Problem{File: c.file, Line: line, Key: path, Text: text, Remedy: remedy})
}

func (c *Checker) warnAt(line int, path, text, remedy string) {
	c.warnings = append(c.warnings, Problem{File: c.file, Line: line, Key: path, Text: text, Remedy: remedy})
}

func (c *Checker) notYetAt(line int, path, needs string) {
	c.inactive = append(c.inactive, Problem{
		File: c.file, Line: line, Key: path, Text: "not active yet: it needs " + needs, Remedy: "leave it if that is planned; it takes effect with the version that brings it",
	})
}

// result returns the report, or the problems in order of their lines.
func (c *Checker) result() (*Report, error) {
	byLine := func(a, b Problem) int { return a.Line - b.Line }
	slices.SortStableFunc(c.problems, byLine)
	slices.SortStableFunc(c.warnings, byLine)
	slices.SortStableFunc(c.inactive, byLine)
	if len(c.problems) > 0 {
		return nil, Errors(c.problems)
	}
	return &Report{Warnings: c.warnings, Inactive: c.inactive}, nil
}
