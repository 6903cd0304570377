// Package edge serves SDKs: it proves their sessions, lets them dial and host
// services, and connects their virtual connections with the circuits of
// router/forward.
package edge
