package model

import "time"

// Methods of an enrollment besides MethodUpdb.
const (
	MethodOtt   = "ott"   // one-time token, the network issues the certificate
	MethodOttCa = "ottca" // one-time token with a certificate of a third-party CA
	MethodCA    = "ca"    // certificate of a third-party CA, makes the identity; there is no Enrollment of this method
	MethodErott = "erott" // edge router
	MethodTrott = "trott" // transit router
)

// Enrollment is a right to enrol that has not been used yet. Exactly one of
// the identity and router ids is set.
type Enrollment struct {
	Base
	Method          string    `json:"method" weft:"create,required"`
	Token           string    `json:"token" weft:"readonly,filter"`
	JWT             string    `json:"jwt,omitempty" weft:"readonly"`
	ExpiresAt       time.Time `json:"expiresAt" weft:"create,required"`
	IssuedAt        time.Time `json:"issuedAt,omitzero" weft:"internal"`
	IdentityID      string    `json:"identityId,omitempty" weft:"create,required,filter=identity"`
	EdgeRouterID    string    `json:"edgeRouterId,omitempty" weft:"readonly,filter=edgeRouter"`
	TransitRouterID string    `json:"transitRouterId,omitempty" weft:"readonly,filter=transitRouter"`
	CaID            string    `json:"caId,omitempty" weft:"create,filter"`
	Username        string    `json:"username,omitempty" weft:"create"`
}

// Kind returns KindEnrollment.
func (*Enrollment) Kind() Kind { return KindEnrollment }
