package state

import "strings"

// Describe says in a few words what an encoded command does, for the log:
// "create service, patch identity". It names kinds, never values.
func Describe(command []byte) string {
	c, err := Decode(command)
	if err != nil {
		return "unknown"
	}
	const most = 4
	var out []string
	for i, op := range c.Ops {
		if i == most {
			out = append(out, "…")
			break
		}
		out = append(out, string(op.Action)+" "+string(op.Kind))
	}
	return strings.Join(out, ", ")
}
