//go:build race

package field

// underRace tells that the program is built with the race detector, too.
const underRace = true
