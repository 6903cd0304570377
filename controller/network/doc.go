// Package network decides where circuits go: it knows the circuits of this
// controller, which routers are connected, and what terminators cost; it
// selects terminators, classifies failures, and has terminators written on
// behalf of routers.
//
// Circuits live in memory only. A controller that restarts learns of them from
// the routers that carry them; routers carry them without a controller.
package network
