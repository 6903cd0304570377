package conf

import "strconv"

// Lines say where the keys of a file stand. The zero value knows none.
type Lines struct {
	file  string
	lines map[string]int // path → line of every key that is present
}

// At returns file and line of a key, as file:line, or those of the nearest
// section around it; the file alone for a key that it does not have. It is empty
// for a configuration that was not read from a file.
func (l Lines) At(key string) string {
	if line := l.line(key); line > 0 {
		return l.file + ":" + strconv.Itoa(line)
	}
	return l.file
}

// Has reports whether the file has the key at path.
func (l Lines) Has(path string) bool { return l.lines[path] > 0 }

// line returns the line of path or of the nearest section around it.
func (l Lines) line(path string) int {
	for path != "" {
		if n := l.lines[path]; n > 0 {
			return n
		}
		cut := len(path) - 1
		for cut > 0 && path[cut] != '.' && path[cut] != '[' {
			cut--
		}
		path = path[:cut]
	}
	return 0
}
