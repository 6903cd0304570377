//go:build !race

package field

// underRace: see the other file of this name.
const underRace = false
