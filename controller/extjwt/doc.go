// Package extjwt verifies tokens of external signers: identity providers that
// administrators of the network have named, with a certificate or with an
// address of their keys.
package extjwt
