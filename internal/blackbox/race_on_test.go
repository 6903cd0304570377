//go:build race

package blackbox

// underRace tells that the program is built with the race detector, too: it
// reports in the log and takes several times the memory.
const underRace = true

// slowdown stretches bounds of time accordingly.
const slowdown = 4
