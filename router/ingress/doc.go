// Package ingress lets programs without an SDK in: its listeners ask for a
// circuit in the router's own name for every connection, or for every source of
// datagrams, and join the two. The bindings proxy and proxy_udp lead to one
// configured service; with transport and transport_udp the connection says by
// one line of JSON which service it wants.
package ingress
