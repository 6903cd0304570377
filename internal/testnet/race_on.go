//go:build race

package testnet

// UnderRace tells that the program is built with the race detector, too: it
// reports in the log and takes several times the memory.
const UnderRace = true

// Slowdown stretches bounds of time accordingly.
const Slowdown = 4
