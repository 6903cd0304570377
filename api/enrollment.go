package api

import "time"

// Enrollment is the detail of an enrollment.
type Enrollment struct {
	Base
	IsSystem        bool      `json:"isSystem,omitempty"`
	CaID            *string   `json:"caId,omitempty"`
	EdgeRouter      *Ref      `json:"edgeRouter,omitempty"`
	EdgeRouterID    string    `json:"edgeRouterId,omitempty"`
	ExpiresAt       time.Time `json:"expiresAt"`
	Identity        *Ref      `json:"identity,omitempty"`
	IdentityID      string    `json:"identityId,omitempty"`
	JWT             string    `json:"jwt"`
	Method          string    `json:"method"`
	Token           string    `json:"token"`
	TransitRouter   *Ref      `json:"transitRouter,omitempty"`
	TransitRouterID string    `json:"transitRouterId,omitempty"`
	Username        string    `json:"username,omitempty"`
}

// EnrollmentCreate makes an enrollment for an identity.
type EnrollmentCreate struct {
	CaID       *string    `json:"caId,omitempty"`
	ExpiresAt  *time.Time `json:"expiresAt" api:"req=c"`
	IdentityID *string    `json:"identityId" api:"req=c"`
	Method     *string    `json:"method" api:"req=c,enum=ott|ottca|updb"`
	Username   *string    `json:"username,omitempty"`
}

// EnrollmentRefresh renews an enrollment.
type EnrollmentRefresh struct {
	ExpiresAt *time.Time `json:"expiresAt" api:"req=c"`
}

func enrollments() []Operation {
	r := resource{"enrollments", "Enrollment", "Enrollments", "enrollment", "Enrollment"}
	return append(reading[Enrollment](r), creating[EnrollmentCreate](r), deleting(r),
		Operation{API: Management, Method: "POST", Path: "/enrollments/{id}/refresh", ID: "refreshEnrollment", Tag: r.tag,
			Doc: "Gives one enrollment a new token and expiry.", Access: r.access("update"), Body: body[EnrollmentRefresh]("refresh", Create), Result: nothing()})
}
