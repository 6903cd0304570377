package api

// ServicePolicy is the detail of a service policy.
type ServicePolicy struct {
	Base
	IsSystem                 bool        `json:"isSystem,omitempty"`
	IdentityRoles            []string    `json:"identityRoles" api:"null"`
	IdentityRolesDisplay     []NamedRole `json:"identityRolesDisplay"`
	Name                     string      `json:"name"`
	PostureCheckRoles        []string    `json:"postureCheckRoles" api:"null"`
	PostureCheckRolesDisplay []NamedRole `json:"postureCheckRolesDisplay"`
	Semantic                 string      `json:"semantic"`
	ServiceRoles             []string    `json:"serviceRoles" api:"null"`
	ServiceRolesDisplay      []NamedRole `json:"serviceRolesDisplay"`
	Type                     string      `json:"type"` // Dial or Bind
}

// ServicePolicyInput is what a caller may set on a service policy.
type ServicePolicyInput struct {
	IdentityRoles     []string `json:"identityRoles,omitempty"`
	Name              *string  `json:"name,omitempty" api:"req=cu"`
	PostureCheckRoles []string `json:"postureCheckRoles,omitempty"`
	Semantic          *string  `json:"semantic,omitempty" api:"req=cu,enum=AllOf|AnyOf"`
	ServiceRoles      []string `json:"serviceRoles,omitempty"`
	Tags              Tags     `json:"tags,omitempty"`
	Type              *string  `json:"type,omitempty" api:"req=cu,enum=Dial|Bind"`
}

// EdgeRouterPolicy is the detail of an edge router policy.
type EdgeRouterPolicy struct {
	Base
	EdgeRouterRoles        []string    `json:"edgeRouterRoles" api:"null"`
	EdgeRouterRolesDisplay []NamedRole `json:"edgeRouterRolesDisplay"`
	IdentityRoles          []string    `json:"identityRoles" api:"null"`
	IdentityRolesDisplay   []NamedRole `json:"identityRolesDisplay"`
	IsSystem               bool        `json:"isSystem"`
	Name                   string      `json:"name"`
	Semantic               string      `json:"semantic"`
}

// EdgeRouterPolicyInput is what a caller may set on an edge router policy.
type EdgeRouterPolicyInput struct {
	EdgeRouterRoles []string `json:"edgeRouterRoles,omitempty"`
	IdentityRoles   []string `json:"identityRoles,omitempty"`
	Name            *string  `json:"name,omitempty" api:"req=cu"`
	Semantic        *string  `json:"semantic,omitempty" api:"req=cu,enum=AllOf|AnyOf"`
	Tags            Tags     `json:"tags,omitempty"`
}

// ServiceEdgeRouterPolicy is the detail of a service edge router policy.
type ServiceEdgeRouterPolicy struct {
	Base
	IsSystem               bool        `json:"isSystem,omitempty"`
	EdgeRouterRoles        []string    `json:"edgeRouterRoles" api:"null"`
	EdgeRouterRolesDisplay []NamedRole `json:"edgeRouterRolesDisplay"`
	Name                   string      `json:"name"`
	Semantic               string      `json:"semantic"`
	ServiceRoles           []string    `json:"serviceRoles" api:"null"`
	ServiceRolesDisplay    []NamedRole `json:"serviceRolesDisplay"`
}

// ServiceEdgeRouterPolicyInput is what a caller may set on a service edge
// router policy.
type ServiceEdgeRouterPolicyInput struct {
	EdgeRouterRoles []string `json:"edgeRouterRoles,omitempty"`
	Name            *string  `json:"name,omitempty" api:"req=cu"`
	Semantic        *string  `json:"semantic,omitempty" api:"req=cu,enum=AllOf|AnyOf"`
	ServiceRoles    []string `json:"serviceRoles,omitempty"`
	Tags            Tags     `json:"tags,omitempty"`
}

func servicePolicies() []Operation {
	r := resource{"service-policies", "ServicePolicy", "ServicePolicies", "service-policy", "Service Policy"}
	return append(crud[ServicePolicy, ServicePolicyInput](r),
		association[Identity](r, "identities", "listServicePolicyIdentities", "identity"),
		association[PostureCheck](r, "posture-checks", "listServicePolicyPostureChecks", "posture-check"),
		association[Service](r, "services", "listServicePolicyServices", "service"))
}

func edgeRouterPolicies() []Operation {
	r := resource{"edge-router-policies", "EdgeRouterPolicy", "EdgeRouterPolicies", "edge-router-policy", "Edge Router Policy"}
	return append(crud[EdgeRouterPolicy, EdgeRouterPolicyInput](r),
		association[EdgeRouter](r, "edge-routers", "listEdgeRouterPolicyEdgeRouters", "router"),
		association[Identity](r, "identities", "listEdgeRouterPolicyIdentities", "identity"))
}

func serviceEdgeRouterPolicies() []Operation {
	r := resource{"service-edge-router-policies", "ServiceEdgeRouterPolicy", "ServiceEdgeRouterPolicies", "service-edge-router-policy", "Service Edge Router Policy"}
	return append(crud[ServiceEdgeRouterPolicy, ServiceEdgeRouterPolicyInput](r),
		association[EdgeRouter](r, "edge-routers", "listServiceEdgeRouterPolicyEdgeRouters", "router"),
		association[Service](r, "services", "listServiceEdgeRouterPolicyServices", "service"))
}
