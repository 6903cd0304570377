package api

// CA is the detail of a third-party certificate authority.
type CA struct {
	Base
	IsSystem                  bool             `json:"isSystem,omitempty"`
	CertPem                   string           `json:"certPem"`
	ExternalIDClaim           *ExternalIDClaim `json:"externalIdClaim,omitempty"`
	Fingerprint               string           `json:"fingerprint"` // SHA-1 in hex
	IdentityNameFormat        string           `json:"identityNameFormat"`
	IdentityRoles             []string         `json:"identityRoles"`
	IsAuthEnabled             bool             `json:"isAuthEnabled"`
	IsAutoCaEnrollmentEnabled bool             `json:"isAutoCaEnrollmentEnabled"`
	IsOttCaEnrollmentEnabled  bool             `json:"isOttCaEnrollmentEnabled"`
	IsVerified                bool             `json:"isVerified"`
	Name                      string           `json:"name"`
	VerificationToken         string           `json:"verificationToken,omitempty"` // while it is not verified
}

// ExternalIDClaim says where in a certificate the externalId of its identity is.
type ExternalIDClaim struct {
	Index           int64  `json:"index"`
	Location        string `json:"location"`
	Matcher         string `json:"matcher"`
	MatcherCriteria string `json:"matcherCriteria"`
	Parser          string `json:"parser"`
	ParserCriteria  string `json:"parserCriteria"`
}

// CAInput is what a caller may set on a CA.
type CAInput struct {
	CertPem                   *string               `json:"certPem,omitempty" api:"in=c,req=c"`
	ExternalIDClaim           *ExternalIDClaimInput `json:"externalIdClaim,omitempty"`
	IdentityNameFormat        *string               `json:"identityNameFormat,omitempty" api:"req=u"`
	IdentityRoles             []string              `json:"identityRoles,omitempty" api:"req=cu"`
	IsAuthEnabled             *bool                 `json:"isAuthEnabled,omitempty" api:"req=cu"`
	IsAutoCaEnrollmentEnabled *bool                 `json:"isAutoCaEnrollmentEnabled,omitempty" api:"req=cu"`
	IsOttCaEnrollmentEnabled  *bool                 `json:"isOttCaEnrollmentEnabled,omitempty" api:"req=cu"`
	Name                      *string               `json:"name,omitempty" api:"req=cu"`
	Tags                      Tags                  `json:"tags,omitempty"`
}

// ExternalIDClaimInput is what a caller may set on the claim of a CA.
type ExternalIDClaimInput struct {
	Index           *int64  `json:"index,omitempty" api:"req=cu,min=0"`
	Location        *string `json:"location,omitempty" api:"req=cu,enum=COMMON_NAME|SAN_URI|SAN_EMAIL"`
	Matcher         *string `json:"matcher,omitempty" api:"req=cu,enum=ALL|PREFIX|SUFFIX|SCHEME"`
	MatcherCriteria *string `json:"matcherCriteria,omitempty" api:"req=cu"`
	Parser          *string `json:"parser,omitempty" api:"req=cu,enum=NONE|SPLIT"`
	ParserCriteria  *string `json:"parserCriteria,omitempty" api:"req=cu"`
}

func cas() []Operation {
	r := resource{"cas", "Ca", "Cas", "ca", "Certificate Authority"}
	return append(crud[CA, CAInput](r),
		Operation{API: Management, Method: "GET", Path: "/cas/{id}/jwt", ID: "getCaJwt", Tag: r.tag,
			Doc: "Returns the token with which clients enrol by themselves, proved by certificates of one CA.", Access: r.access("read"),
			Result: Result{Text, nil, 200}, Produces: []string{"application/jwt"}},
		Operation{API: Management, Method: "POST", Path: "/cas/{id}/verify", ID: "verifyCa", Tag: r.tag,
			Doc:    "Verifies one CA by a certificate that it has issued with the verification token as common name.",
			Access: r.access("update"), Body: body[string]("certificate", Create), Consumes: []string{"text/plain"}, Result: nothing()})
}
