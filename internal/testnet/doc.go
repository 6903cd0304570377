// Package testnet runs real networks for tests and measurements: it builds the
// program, starts, interrupts and kills its processes, chooses ports, makes a
// network with `weft up`, and talks to the API as a script would.
//
// It knows no test: errors are returned, and callers decide what they mean.
package testnet
