// Package uplink is the router's relation to its controllers: it stays
// connected to one of them, keeps the slice of the state that the router needs,
// on disk too, and asks for circuits and terminators.
//
// Without a controller the router goes on: sessions are verified and access is
// decided from the slice, circuits are carried. Only new circuits and
// terminators wait. After every reconnect the router reports all it has.
package uplink
