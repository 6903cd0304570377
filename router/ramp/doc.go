// Package ramp joins circuits with sockets: streams over TCP and TLS, and
// datagrams, with flow control of the circuit at this end. Egress and on-ramps
// share it.
package ramp
