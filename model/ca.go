package model

import "github.com/weftnet/weft/fault"

// CA is a third-party certificate authority whose certificates enrol and prove
// identities.
type CA struct {
	Base
	Name                      string           `json:"name" weft:"create,update,patch,required,filter"`
	CertPem                   string           `json:"certPem" weft:"create,required"`
	Fingerprint               string           `json:"fingerprint" weft:"readonly,filter"`                 // SHA-1 of the first certificate, lower-case hex
	IsVerified                bool             `json:"isVerified,omitempty" weft:"readonly,filter"`        // possession of the key has been shown
	VerificationToken         string           `json:"verificationToken,omitempty" weft:"readonly,filter"` // common name that shows it
	IsAuthEnabled             bool             `json:"isAuthEnabled,omitempty" weft:"create,update,patch,required,filter"`
	IsAutoCaEnrollmentEnabled bool             `json:"isAutoCaEnrollmentEnabled,omitempty" weft:"create,update,patch,required,filter"`
	IsOttCaEnrollmentEnabled  bool             `json:"isOttCaEnrollmentEnabled,omitempty" weft:"create,update,patch,required,filter"`
	IdentityNameFormat        string           `json:"identityNameFormat" weft:"create,update,patch"`
	IdentityRoles             []string         `json:"identityRoles,omitempty" weft:"create,update,patch"` // of identities that enrol by themselves
	ExternalIDClaim           *ExternalIDClaim `json:"externalIdClaim,omitempty" weft:"create,update,patch"`
}

// Kind returns KindCA.
func (*CA) Kind() Kind { return KindCA }

// DefaultIdentityNameFormat names the identities that a CA enrols. Place holders:
// [caName], [caId], [commonName], [identityId] and [requestedName].
const DefaultIdentityNameFormat = "[caName]-[commonName]"

// Values of an ExternalIDClaim.
const (
	ClaimCommonName = "COMMON_NAME"
	ClaimSanURI     = "SAN_URI"
	ClaimSanEmail   = "SAN_EMAIL"

	MatchAll    = "ALL"
	MatchPrefix = "PREFIX"
	MatchSuffix = "SUFFIX"
	MatchScheme = "SCHEME"

	ParseNone  = "NONE"
	ParseSplit = "SPLIT"
)

// ExternalIDClaim says where in a certificate the externalId of its identity is:
// of the values at Location those that Matcher accepts, the Index-th of the
// parts that Parser makes of them.
type ExternalIDClaim struct {
	Location        string `json:"location"`
	Matcher         string `json:"matcher"`
	MatcherCriteria string `json:"matcherCriteria"`
	Parser          string `json:"parser"`
	ParserCriteria  string `json:"parserCriteria"`
	Index           int64  `json:"index"`
}

func settleCA(c *CA) {
	c.IdentityNameFormat = orElse(c.IdentityNameFormat, DefaultIdentityNameFormat)
	c.IdentityRoles = set(c.IdentityRoles)
	if c.IsVerified {
		c.VerificationToken = ""
	}
}

func checkCA(c *CA) error {
	return firstOf(named(c.Name), required("certPem", c.CertPem), required("fingerprint", c.Fingerprint),
		attributes("identityRoles", c.IdentityRoles), checkClaim(c.ExternalIDClaim))
}

// checkClaim judges the combinations of a claim.
func checkClaim(c *ExternalIDClaim) error {
	if c == nil {
		return nil
	}
	matchers := []string{MatchAll, MatchPrefix, MatchSuffix}
	if c.Location == ClaimSanURI {
		matchers = []string{MatchAll, MatchScheme}
	}
	err := firstOf(oneOf("externalIdClaim.location", c.Location, ClaimCommonName, ClaimSanURI, ClaimSanEmail),
		oneOf("externalIdClaim.matcher", c.Matcher, matchers...), oneOf("externalIdClaim.parser", c.Parser, ParseNone, ParseSplit))
	switch {
	case err != nil:
		return err
	case c.Matcher != MatchAll && c.MatcherCriteria == "":
		return required("externalIdClaim.matcherCriteria", "")
	case c.Parser == ParseSplit && c.ParserCriteria == "":
		return required("externalIdClaim.parserCriteria", "")
	case c.Index < 0:
		return fault.CouldNotValidate.Field("externalIdClaim.index", "externalIdClaim.index in body should be greater than or equal to 0", c.Index)
	}
	return nil
}
