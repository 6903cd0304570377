package api

import "time"

// Authenticator is the detail of an authenticator.
type Authenticator struct {
	Base
	IsSystem               bool       `json:"isSystem,omitempty"`
	CertPem                string     `json:"certPem,omitempty"`
	ExtendRequestedAt      *time.Time `json:"extendRequestedAt,omitempty"`
	Fingerprint            string     `json:"fingerprint,omitempty"`
	Identity               Ref        `json:"identity"`
	IdentityID             string     `json:"identityId"`
	IsExtendRequested      bool       `json:"isExtendRequested,omitempty"`
	IsIssuedByNetwork      bool       `json:"isIssuedByNetwork,omitempty"`
	IsKeyRollRequested     bool       `json:"isKeyRollRequested,omitempty"`
	LastAuthResolvedToRoot bool       `json:"lastAuthResolvedToRoot,omitempty"`
	LastExtendRolledKeys   bool       `json:"lastExtendRolledKeys,omitempty"`
	Method                 string     `json:"method"`
	Username               string     `json:"username,omitempty"`
}

// AuthenticatorCreate makes an authenticator.
type AuthenticatorCreate struct {
	CertPem    *string `json:"certPem,omitempty"`
	IdentityID *string `json:"identityId" api:"req=c"`
	Method     *string `json:"method" api:"req=c"`
	Password   *string `json:"password,omitempty"`
	Tags       Tags    `json:"tags,omitempty"`
	Username   *string `json:"username,omitempty"`
}

// AuthenticatorInput changes the user name or password of an authenticator.
type AuthenticatorInput struct {
	Password *string `json:"password,omitempty" api:"req=u,min=5,max=100"`
	Tags     Tags    `json:"tags,omitempty"`
	Username *string `json:"username,omitempty" api:"req=u,min=4,max=100"`
}

// OwnAuthenticatorInput changes the caller's own user name or password.
type OwnAuthenticatorInput struct {
	AuthenticatorInput
	CurrentPassword *string `json:"currentPassword" api:"req=up,min=5,max=100"`
}

// ReEnroll replaces an authenticator by an enrollment.
type ReEnroll struct {
	ExpiresAt *time.Time `json:"expiresAt" api:"req=c"`
}

// RequestExtend asks the client to renew its certificate.
type RequestExtend struct {
	RollKeys *bool `json:"rollKeys,omitempty"`
}

func authenticators() []Operation {
	r := resource{"authenticators", "Authenticator", "Authenticators", "", "Authenticator"}
	ops := append(reading[Authenticator](r), creating[AuthenticatorCreate](r))
	ops = append(append(ops, changing[AuthenticatorInput](r)...), deleting(r),
		Operation{API: Management, Method: "POST", Path: "/authenticators/{id}/re-enroll", ID: "reEnrollAuthenticator", Tag: r.tag,
			Doc: "Replaces one authenticator by an enrollment of the same method.", Body: body[ReEnroll]("reEnroll", Create), Result: location()},
		Operation{API: Management, Method: "POST", Path: "/authenticators/{id}/request-extend", ID: "requestExtendAuthenticator", Tag: r.tag,
			Doc: "Marks one certificate so that its client is asked to renew it.", Body: body[RequestExtend]("requestExtend", Create), Result: nothing()})
	for i := range ops {
		ops[i].Access = Access{Rule: Admin}
		if ops[i].Method == "GET" {
			ops[i].Access.Rule = AdminOrReadonly
		}
	}
	return ops
}
