//go:build !race

package blackbox

// underRace: see the other file of this name.
const underRace = false
