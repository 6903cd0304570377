//go:build !race

package testnet

// What the names mean is said for the other case.
const (
	UnderRace = false
	Slowdown  = 1
)
