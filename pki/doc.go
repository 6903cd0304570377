// Package pki holds what the network does with keys and certificates: the
// certificate authorities it makes, the certificates it issues, certificate
// requests, SPIFFE ids, trust bundles, the identity section of configuration
// files, and the checks of a peer's certificate.
//
// One rule is above all others: who a peer is follows from the leaf
// certificate alone, whose key the handshake has proven. Every other
// certificate that a peer presents is material for building a chain.
package pki
