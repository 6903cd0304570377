// Package fetch gets documents from places that administrators of the network
// have named, such as the keys of external JWT signers, within the gates that the
// operator of the controller sets: which hosts, which addresses, how long, how
// often redirected.
package fetch
