package api

import "time"

// Identity is the detail of an identity.
type Identity struct {
	Base
	IsSystem                   bool                   `json:"isSystem,omitempty"`
	AppData                    Tags                   `json:"appData"`
	AuthPolicy                 Ref                    `json:"authPolicy"`
	AuthPolicyID               string                 `json:"authPolicyId"`
	Authenticators             IdentityAuthenticators `json:"authenticators"`
	DefaultHostingCost         int                    `json:"defaultHostingCost"`
	DefaultHostingPrecedence   string                 `json:"defaultHostingPrecedence"`
	Disabled                   bool                   `json:"disabled"`
	DisabledAt                 *time.Time             `json:"disabledAt,omitempty"`
	DisabledUntil              *time.Time             `json:"disabledUntil,omitempty"`
	EdgeRouterConnectionStatus string                 `json:"edgeRouterConnectionStatus"` // online, offline or unknown
	Enrollment                 IdentityEnrollments    `json:"enrollment"`
	EnvInfo                    EnvInfo                `json:"envInfo"`
	ExternalID                 *string                `json:"externalId"`
	HasAPISession              bool                   `json:"hasApiSession"`
	HasEdgeRouterConnection    bool                   `json:"hasEdgeRouterConnection"`
	Interfaces                 []Interface            `json:"interfaces" api:"null"`
	IsAdmin                    bool                   `json:"isAdmin"`
	IsDefaultAdmin             bool                   `json:"isDefaultAdmin"`
	IsMfaEnabled               bool                   `json:"isMfaEnabled"`
	Name                       string                 `json:"name"`
	Permissions                []string               `json:"permissions" api:"null"`
	RoleAttributes             []string               `json:"roleAttributes"`
	SdkInfo                    SdkInfo                `json:"sdkInfo"`
	ServiceHostingCosts        map[string]int         `json:"serviceHostingCosts"`
	ServiceHostingPrecedences  map[string]string      `json:"serviceHostingPrecedences"`
	Type                       Ref                    `json:"type"`
	TypeID                     string                 `json:"typeId"`
}

// IdentityAuthenticators are the ways in which an identity can log in.
type IdentityAuthenticators struct {
	Cert *IdentityCert `json:"cert,omitempty"`
	Updb *IdentityUpdb `json:"updb,omitempty"`
}

// IdentityCert is the certificate of an identity.
type IdentityCert struct {
	Fingerprint string `json:"fingerprint,omitempty"`
	ID          string `json:"id"`
}

// IdentityUpdb is the user name of an identity.
type IdentityUpdb struct {
	ID       string `json:"id"`
	Username string `json:"username,omitempty"`
}

// IdentityEnrollments are the open enrollments of an identity.
type IdentityEnrollments struct {
	Ott   *IdentityEnrollment `json:"ott,omitempty"`
	Ottca *IdentityEnrollment `json:"ottca,omitempty"`
	Updb  *IdentityEnrollment `json:"updb,omitempty"`
}

// IdentityEnrollment is one open enrollment.
type IdentityEnrollment struct {
	Ca        *Ref      `json:"ca,omitempty"` // of method ottca
	CaID      string    `json:"caId,omitempty"`
	ExpiresAt time.Time `json:"expiresAt"`
	ID        string    `json:"id"`
	JWT       string    `json:"jwt"`
	Token     string    `json:"token"`
}

// IdentityInput is what a caller may set on an identity.
type IdentityInput struct {
	AppData                   Tags                     `json:"appData,omitempty"`
	AuthPolicyID              *string                  `json:"authPolicyId,omitempty"`
	DefaultHostingCost        *int                     `json:"defaultHostingCost,omitempty" api:"min=0,max=65535"`
	DefaultHostingPrecedence  *string                  `json:"defaultHostingPrecedence,omitempty" api:"enum=default|required|failed"`
	Enrollment                *IdentityEnrollmentInput `json:"enrollment,omitempty" api:"in=c"`
	ExternalID                *string                  `json:"externalId,omitempty"`
	IsAdmin                   *bool                    `json:"isAdmin,omitempty" api:"req=cu"`
	Name                      *string                  `json:"name,omitempty" api:"req=cu"`
	Permissions               []string                 `json:"permissions,omitempty" api:"enum=admin_readonly|auth-policy|auth-policy.read|auth-policy.create|auth-policy.update|auth-policy.delete|ca|ca.read|ca.create|ca.update|ca.delete|config|config.read|config.create|config.update|config.delete|config-type|config-type.read|config-type.create|config-type.update|config-type.delete|controllers|controllers.read|edge-router-policy|edge-router-policy.read|edge-router-policy.create|edge-router-policy.update|edge-router-policy.delete|enrollment|enrollment.read|enrollment.create|enrollment.update|enrollment.delete|external-jwt-signer|external-jwt-signer.read|external-jwt-signer.create|external-jwt-signer.update|external-jwt-signer.delete|identity|identity.read|identity.create|identity.update|identity.delete|ops|ops.read|ops.update|ops.delete|posture-check|posture-check.read|posture-check.create|posture-check.update|posture-check.delete|router|router.read|router.create|router.update|router.delete|service|service.read|service.create|service.update|service.delete|service-edge-router-policy|service-edge-router-policy.read|service-edge-router-policy.create|service-edge-router-policy.update|service-edge-router-policy.delete|service-policy|service-policy.read|service-policy.create|service-policy.update|service-policy.delete|terminator|terminator.read|terminator.create|terminator.update|terminator.delete"`
	RoleAttributes            []string                 `json:"roleAttributes,omitempty"`
	ServiceHostingCosts       map[string]int           `json:"serviceHostingCosts,omitempty" api:"min=0,max=65535"`
	ServiceHostingPrecedences map[string]string        `json:"serviceHostingPrecedences,omitempty" api:"enum=default|required|failed"`
	Tags                      Tags                     `json:"tags,omitempty"`
	Type                      *string                  `json:"type,omitempty" api:"req=cu,enum=User|Device|Service|Router|Default"`
}

// IdentityEnrollmentInput asks for an enrollment together with the identity.
type IdentityEnrollmentInput struct {
	Ott   *bool   `json:"ott,omitempty"`
	Ottca *string `json:"ottca,omitempty"` // id of the CA
	Updb  *string `json:"updb,omitempty"`  // user name
}

// DisableParams say for how long an identity is disabled.
type DisableParams struct {
	DurationMinutes *int64 `json:"durationMinutes" api:"req=c,max=52560000"` // 0 or less: for ever; at most a hundred years
}

// ServiceConfigAssign is a config that overrides the service's own for one identity.
type ServiceConfigAssign struct {
	ConfigID  *string `json:"configId" api:"req=c"`
	ServiceID *string `json:"serviceId" api:"req=c"`
}

// ServiceConfig is one such override.
type ServiceConfig struct {
	Config    Ref    `json:"config"`
	ConfigID  string `json:"configId"`
	Service   Ref    `json:"service"`
	ServiceID string `json:"serviceId"`
}

// PolicyAdvice tells what an identity may do with a service and through which
// routers.
type PolicyAdvice struct {
	Bind                Decision    `json:"bind"`
	CommonRouters       []RouterRef `json:"commonRouters"`
	Dial                Decision    `json:"dial"`
	Identity            Ref         `json:"identity"`
	IdentityID          string      `json:"identityId"`
	IdentityRouterCount int         `json:"identityRouterCount"`
	IsBindAllowed       bool        `json:"isBindAllowed"`
	IsDialAllowed       bool        `json:"isDialAllowed"`
	Service             Ref         `json:"service"`
	ServiceID           string      `json:"serviceId"`
	ServiceRouterCount  int         `json:"serviceRouterCount"`
}

// Decision tells whether one action is allowed, and else what refuses it and
// what can be done.
type Decision struct {
	Allowed  bool   `json:"allowed"` // by a policy, through a router that is online
	Code     string `json:"code,omitempty"`
	Policies []Ref  `json:"policies"` // service policies that grant it
	Remedy   string `json:"remedy,omitempty"`
	Rule     string `json:"rule,omitempty"`
}

// FailedServiceRequest is a refused request for a service.
type FailedServiceRequest struct {
	APISessionID   string          `json:"apiSessionId"`
	Code           string          `json:"code,omitempty"` // of the refusal
	PolicyFailures []PolicyFailure `json:"policyFailures"`
	Reason         string          `json:"reason,omitempty"`
	ServiceID      string          `json:"serviceId"`
	ServiceName    string          `json:"serviceName"`
	SessionType    string          `json:"sessionType"` // Dial or Bind
	When           time.Time       `json:"when"`
}

// PolicyFailure is a policy that would grant the service if its posture checks
// passed.
type PolicyFailure struct {
	Checks     []PostureFailure `json:"checks"`
	PolicyID   string           `json:"policyId"`
	PolicyName string           `json:"policyName"`
}

// PostureFailure is a posture check that did not pass.
type PostureFailure struct {
	PostureCheckID   string `json:"postureCheckId"`
	PostureCheckName string `json:"postureCheckName"`
	PostureCheckType string `json:"postureCheckType"`
}

// TraceSpec asks for a trace of an identity.
type TraceSpec struct {
	Channels []string `json:"channels,omitempty"` // everything is traced, whatever they name
	Duration *string  `json:"duration,omitempty"` // such as 10m, which is the default; a day at most
	Enabled  *bool    `json:"enabled,omitempty"`
	TraceID  *string  `json:"traceId,omitempty" api:"max=255"`
}

// TraceDetail is the state of a trace.
type TraceDetail struct {
	Enabled bool       `json:"enabled"`
	TraceID string     `json:"traceId,omitempty"`
	Until   *time.Time `json:"until,omitempty"`
}

func identities() []Operation {
	r := resource{"identities", "Identity", "Identities", "identity", "Identity"}
	update := r.access("update")
	action := func(method, sub, id, doc string, b *Body) Operation {
		return Operation{API: Management, Method: method, Path: "/identities/{id}/" + sub, ID: id, Tag: r.tag, Doc: doc, Access: update, Body: b, Result: nothing()}
	}
	unassign := body[[]ServiceConfigAssign]("serviceConfigs", Create)
	unassign.Required = false
	disable := action("POST", "disable", "disableIdentity", "Disables one identity and ends its sessions.", body[DisableParams]("disable", Create))
	disable.Result = Result{Bare, nil, 200}
	return append(crud[Identity, IdentityInput](r, byRoles()...),
		disable,
		action("POST", "enable", "enableIdentity", "Enables a disabled identity.", nil),
		action("DELETE", "mfa", "removeIdentityMfa", "Removes the MFA enrollment of one identity.", nil),
		action("POST", "service-configs", "associateIdentitysServiceConfigs", "Overrides configs of services for one identity.", body[[]ServiceConfigAssign]("serviceConfigs", Create)),
		action("DELETE", "service-configs", "disassociateIdentitysServiceConfigs", "Takes overrides of configs away.", unassign),
		Operation{API: Management, Method: "GET", Path: "/identities/{id}/service-configs", ID: "listIdentitysServiceConfigs", Tag: r.tag,
			Doc: "Lists the config overrides of one identity.", Access: r.access("read"), Result: listOf[ServiceConfig]()},
		Operation{API: Management, Method: "GET", Path: "/identities/{id}/failed-service-requests", ID: "getIdentityFailedServiceRequests", Tag: r.tag,
			Doc: "Lists refused service requests of one identity.", Access: r.access("read"), Result: arrayOf[FailedServiceRequest]()},
		Operation{API: Management, Method: "GET", Path: "/identities/{id}/policy-advice/{serviceId}", ID: "getIdentityPolicyAdvice", Tag: r.tag,
			Doc: "Tells what one identity may do with one service.", Access: Access{EntityAccess, "service", "read"}, Result: detailOf[PolicyAdvice]()},
		Operation{API: Management, Method: "GET", Path: "/identities/{id}/posture-data", ID: "getIdentityPostureData", Tag: r.tag,
			Doc: "Shows what the clients of one identity have told about their machines.", Access: r.access("read"), Result: detailOf[PostureData]()},
		Operation{API: Management, Method: "PUT", Path: "/identities/{id}/trace", ID: "updateIdentityTracing", Tag: r.tag,
			Doc:    "Has the controller write requests, circuits and refusals of one identity into its log for a while.",
			Access: update, Body: body[TraceSpec]("traceSpec", Update), Result: detailOf[TraceDetail]()},
		association[Authenticator](r, "authenticators", "getIdentityAuthenticators", "authenticator"),
		association[EdgeRouterPolicy](r, "edge-router-policies", "listIdentitysEdgeRouterPolicies", "edge-router-policy"),
		association[EdgeRouter](r, "edge-routers", "listIdentityEdgeRouters", "router"),
		association[Enrollment](r, "enrollments", "getIdentityEnrollments", "enrollment"),
		association[ServicePolicy](r, "service-policies", "listIdentityServicePolicies", "service-policy"),
		association[Service](r, "services", "listIdentityServices", "service", policyType()),
	)
}
