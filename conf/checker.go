package conf

import "slices"

// Checker collects the complaints about one file. The check methods of
// sections use it for rules that span keys.
type Checker struct {
	file     string
	lines    map[string]int // path → line of every key that is present
	problems []Problem
	warnings []Problem
	inactive []Problem
}

// Has reports whether the file has the key at path.
func (c *Checker) Has(path string) bool { return c.lines[path] > 0 }

// Refuse adds a problem that keeps the file from being used.
func (c *Checker) Refuse(path, text, remedy string) { c.refuseAt(c.line(path), path, text, remedy) }

// Warn adds a warning.
func (c *Checker) Warn(path, text, remedy string) { c.warnAt(c.line(path), path, text, remedy) }

// NotYet notes that what stands at path waits for something.
func (c *Checker) NotYet(path, later string) {
	c.inactive = append(c.inactive, Problem{File: c.file, Line: c.line(path), Key: path, Text: notActive(path, later)})
}

// line returns the line of path or of the nearest section around it.
func (c *Checker) line(path string) int {
	for path != "" {
		if l := c.lines[path]; l > 0 {
			return l
		}
		cut := len(path) - 1
		for cut > 0 && path[cut] != '.' && path[cut] != '[' {
			cut--
		}
		path = path[:cut]
	}
	return 0
}

func (c *Checker) refuseAt(line int, path, text, remedy string) {
	c.problems = append(c.problems, Problem{File: c.file, Line: line, Key: path, Text: text, Remedy: remedy})
}

func (c *Checker) warnAt(line int, path, text, remedy string) {
	c.warnings = append(c.warnings, Problem{File: c.file, Line: line, Key: path, Text: text, Remedy: remedy})
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
