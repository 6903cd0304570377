// Package app assembles processes from the rooms: the controller and the router
// from their configuration files, `weft up` with both in one process, and
// `weft demo`. Assembling goes through the same steps everywhere: provision
// what the configuration names, validate it, run, and clean up in reverse.
package app
