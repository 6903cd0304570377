// Package token makes and verifies the tokens of the network.
//
// A session token is the value of the zt-session header: opaque text that
// begins with "ws1_" (never with "ey", which clients and routers take for a
// JWT) and is signed with a key that is replicated in the model, so that every
// controller and every router verifies it with the public key alone.
//
// A service-session token is a JWT signed with ES256 that permits one identity
// to dial or to bind one service.
//
// A token is verified once; the result is kept in a bounded cache. Whether a
// session has ended since is not the concern of this package: a valid token is
// a claim by a controller, revocations are looked up by the caller.
package token
