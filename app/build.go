package app

import "runtime/debug"

// Build identifies the program.
type Build struct {
	Version  string // semantic version with a leading v
	Revision string // commit it was built from, may be empty
	Date     string // of that commit, RFC 3339, may be empty
}

// Version is the version of this source tree.
const Version = "v0.1.0"

// ThisBuild returns what the running binary knows of itself.
func ThisBuild() Build {
	b := Build{Version: Version, Revision: "unknown", Date: "unknown"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.time":
			b.Date = s.Value
		}
	}
	return b
}
