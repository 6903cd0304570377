// Package mesh tests whole meshes from outside: controllers, routers and
// clients on hosts of their own, whose ways are cut and whose processes are
// killed while data moves.
//
// The package holds the clients of such tests, the judge that compares what
// controller and routers say of themselves, and the random run of
// internal/mesh/chaos; the scenarios are its tests. See docs/testing.md.
package mesh
