// Package agent is the operator's way into a running process of this machine:
// HTTP and JSON over a Unix socket that only the user of the process can open.
//
// A process serves a table of operations; the command line finds the sockets of
// the user's processes, picks one and calls operations of it. Nothing here knows
// what the operations do.
//
// GET / describes the process and its operations. POST /NAME with a JSON object
// of texts runs one. Its answer is JSON, plain text or a file; a refusal is
// {"error":{"code","message","remedy"}}.
package agent
