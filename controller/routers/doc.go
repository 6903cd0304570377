// Package routers is the controller's side of its routers: it accepts their
// control connections, knows which are online, and keeps policies and the
// slice that routers get in step with the state.
package routers
