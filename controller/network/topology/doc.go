// Package topology is what paths are chosen from: the routers that can be part
// of a path, the links between them as their ends report them, and the cheapest
// ways over both.
//
// The cost of a path is the sum over its links of what the link costs and of
// what the router at its far end costs. A link costs its static cost and the
// latencies that its two ends have measured, in milliseconds.
package topology
