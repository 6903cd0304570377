// Package channel is a live connection that carries messages: dialing and
// listening with TLS, the hello, request and reply, probes, bounded send
// queues, and groups of connections that act as one.
//
// A channel has one reading and one writing goroutine per TLS connection. The
// reader calls the Handler for every message in order; the writer puts as many
// queued messages as it finds into few TLS records and few system calls. While
// nothing moves, a channel holds no buffers.
//
// The formats are those of package message. The layer itself answers Ping and
// Latency; everything else goes to the Handler.
package channel
