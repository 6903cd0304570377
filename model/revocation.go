package model

import "time"

// What a revocation ends; its id is the id of that thing.
const (
	RevokeJTI        = "JTI"         // one token
	RevokeAPISession = "API_SESSION" // every token of a session
	RevokeIdentity   = "IDENTITY"    // every token of an identity issued before IssuedBefore
)

// Revocation ends tokens before their time.
type Revocation struct {
	Base
	Type         string     `json:"type" weft:"create,required,filter"`
	ExpiresAt    time.Time  `json:"expiresAt" weft:"readonly,filter"`
	IssuedBefore *time.Time `json:"issuedBefore,omitempty" weft:"internal,filter"`
}

// Kind returns KindRevocation.
func (*Revocation) Kind() Kind { return KindRevocation }
