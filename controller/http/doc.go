// Package http serves the REST APIs of the controller: the edge client,
// edge management and fabric APIs, the version document, the trust anchors and the health
// checks. What an operation is called, takes, answers and who may call it
// stands in package api; here are the machinery that all operations share and
// the declarations of the entities.
//
// Reads work on an immutable view of the state and take no lock. Writes become
// commands and answer when this controller has applied them.
package http
