package model

// MFA is the enrolment of an identity in one-time codes; an identity has at
// most one. It demands a code at login once it is verified.
type MFA struct {
	Base
	IdentityID    string   `json:"identityId" weft:"internal"`
	IsVerified    bool     `json:"isVerified,omitempty" weft:"internal"`
	Secret        string   `json:"secret,omitempty" weft:"internal,secret"`        // base32 without padding
	RecoveryCodes []string `json:"recoveryCodes,omitempty" weft:"internal,secret"` // that are left, sorted
}

// Kind returns KindMFA.
func (*MFA) Kind() Kind { return KindMFA }
