//go:build !race

package blackbox

// What the names mean is said for the other case.
const (
	underRace = false
	slowdown  = 1
)
