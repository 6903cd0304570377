// Package control is both ends of the protocol between routers and controllers:
// the router's end, the controller's end, and the slice of the state that
// routers keep.
//
// A session begins with Register: the router reports everything it carries, the
// controller answers with what to drop and pushes the slice, whole or as a
// change since the index that the router has. From then on the controller
// pushes changes and the router asks for circuits. Nothing depends on a message
// of an earlier session.
package control
