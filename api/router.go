package api

import "time"

// RouterProperties are what clients need to know of an edge router.
type RouterProperties struct {
	AppData            Tags              `json:"appData,omitempty"`
	Cost               int               `json:"cost"`
	Disabled           bool              `json:"disabled"`
	Hostname           string            `json:"hostname"`
	IsOnline           bool              `json:"isOnline"`
	Name               string            `json:"name"`
	NoTraversal        bool              `json:"noTraversal"`
	SupportedProtocols map[string]string `json:"supportedProtocols"` // protocol to URL
	SyncStatus         string            `json:"syncStatus"`
}

// EdgeRouter is the detail of an edge router. The enrollment members are
// present until the router is enrolled.
type EdgeRouter struct {
	Base
	IsSystem              bool                `json:"isSystem,omitempty"`
	AppData               Tags                `json:"appData"`
	CertPem               *string             `json:"certPem"`
	Configs               []string            `json:"configs" api:"null"`
	Cost                  int                 `json:"cost"`
	CtrlChanListeners     map[string][]string `json:"ctrlChanListeners,omitempty"`
	Disabled              bool                `json:"disabled"`
	EnrollmentCreatedAt   *time.Time          `json:"enrollmentCreatedAt,omitempty"`
	EnrollmentExpiresAt   *time.Time          `json:"enrollmentExpiresAt,omitempty"`
	EnrollmentJWT         *string             `json:"enrollmentJwt,omitempty"`
	EnrollmentToken       *string             `json:"enrollmentToken,omitempty"`
	Fingerprint           string              `json:"fingerprint,omitempty"`
	Hostname              string              `json:"hostname"`
	Interfaces            []Interface         `json:"interfaces" api:"null"`
	IsOnline              bool                `json:"isOnline"`
	IsTunnelerEnabled     bool                `json:"isTunnelerEnabled"`
	IsVerified            bool                `json:"isVerified"`
	Name                  string              `json:"name"`
	NoTraversal           bool                `json:"noTraversal"`
	RoleAttributes        []string            `json:"roleAttributes"`
	SupportedProtocols    map[string]string   `json:"supportedProtocols"`
	SyncStatus            string              `json:"syncStatus"`
	UnverifiedCertPem     *string             `json:"unverifiedCertPem"`
	UnverifiedFingerprint *string             `json:"unverifiedFingerprint"`
	VersionInfo           VersionInfo         `json:"versionInfo"`
}

// VersionInfo describes the program of a router.
type VersionInfo struct {
	Arch      string `json:"arch"`
	BuildDate string `json:"buildDate"`
	Os        string `json:"os"`
	Revision  string `json:"revision"`
	Version   string `json:"version"`
}

// EdgeRouterInput is what a caller may set on an edge router.
type EdgeRouterInput struct {
	AppData           Tags                `json:"appData,omitempty"`
	Configs           []string            `json:"configs,omitempty"`
	Cost              *int                `json:"cost,omitempty" api:"min=0,max=65535"`
	CtrlChanListeners map[string][]string `json:"ctrlChanListeners,omitempty"`
	Disabled          *bool               `json:"disabled,omitempty"`
	IsTunnelerEnabled *bool               `json:"isTunnelerEnabled,omitempty"`
	Name              *string             `json:"name,omitempty" api:"req=cu"`
	NoTraversal       *bool               `json:"noTraversal,omitempty"`
	RoleAttributes    []string            `json:"roleAttributes,omitempty"`
	Tags              Tags                `json:"tags,omitempty"`
}

// Router is the detail of a router of any kind, without its edge parts.
type Router struct {
	Base
	IsSystem              bool                `json:"isSystem,omitempty"`
	Configs               []string            `json:"configs" api:"null"`
	Cost                  int                 `json:"cost"`
	CtrlChanListeners     map[string][]string `json:"ctrlChanListeners,omitempty"`
	Disabled              bool                `json:"disabled"`
	EnrollmentCreatedAt   *time.Time          `json:"enrollmentCreatedAt,omitempty"`
	EnrollmentExpiresAt   *time.Time          `json:"enrollmentExpiresAt,omitempty"`
	EnrollmentJWT         *string             `json:"enrollmentJwt,omitempty"`
	EnrollmentToken       *string             `json:"enrollmentToken,omitempty"`
	Fingerprint           *string             `json:"fingerprint"`
	Interfaces            []Interface         `json:"interfaces" api:"null"`
	IsOnline              bool                `json:"isOnline"`
	IsVerified            bool                `json:"isVerified"`
	Name                  string              `json:"name"`
	NoTraversal           bool                `json:"noTraversal"`
	UnverifiedCertPem     *string             `json:"unverifiedCertPem"`
	UnverifiedFingerprint *string             `json:"unverifiedFingerprint"`
}

// RouterInput is what a caller may set on a transit router.
type RouterInput struct {
	Configs           []string            `json:"configs,omitempty"`
	Cost              *int                `json:"cost,omitempty" api:"min=0,max=65535"`
	CtrlChanListeners map[string][]string `json:"ctrlChanListeners,omitempty"`
	Disabled          *bool               `json:"disabled,omitempty"`
	Name              *string             `json:"name,omitempty" api:"req=cu"`
	NoTraversal       *bool               `json:"noTraversal,omitempty"`
	Tags              Tags                `json:"tags,omitempty"`
}

func edgeRouters() []Operation {
	r := resource{"edge-routers", "EdgeRouter", "EdgeRouters", "router", "Edge Router"}
	return append(crud[EdgeRouter, EdgeRouterInput](r, byRoles()...),
		Operation{API: Management, Method: "POST", Path: "/edge-routers/{id}/re-enroll", ID: "reEnrollEdgeRouter", Tag: r.tag,
			Doc: "Takes the certificates of one edge router away and makes a new enrollment.", Access: r.access("update"), Result: nothing()},
		association[EdgeRouterPolicy](r, "edge-router-policies", "listEdgeRouterEdgeRouterPolicies", "edge-router-policy"),
		association[Identity](r, "identities", "listEdgeRouterIdentities", "identity"),
		association[ServiceEdgeRouterPolicy](r, "service-edge-router-policies", "listEdgeRouterServiceEdgeRouterPolicies", "service-edge-router-policy"),
		association[Service](r, "services", "listEdgeRouterServices", "service"))
}

// transitRouters returns the rows of /transit-routers and of /routers, which
// are two names of one store.
func transitRouters() []Operation {
	return append(crud[Router, RouterInput](resource{"transit-routers", "TransitRouter", "TransitRouters", "router", "Router"}),
		crud[Router, RouterInput](resource{"routers", "Router", "Routers", "router", "Router"})...)
}
