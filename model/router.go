package model

// EdgeRouter is a router of the network. Transit routers, which have no edge
// parts, share the table and its name space.
type EdgeRouter struct {
	Base
	Name                  string              `json:"name" weft:"create,update,patch,required,filter"`
	IsTransit             bool                `json:"isTransit,omitempty" weft:"internal"`
	RoleAttributes        []string            `json:"roleAttributes,omitempty" weft:"create,update,patch,filter"`
	IsTunnelerEnabled     bool                `json:"isTunnelerEnabled,omitempty" weft:"create,update,patch,filter"`
	Cost                  int                 `json:"cost,omitempty" weft:"create,update,patch,filter"`
	NoTraversal           bool                `json:"noTraversal,omitempty" weft:"create,update,patch,filter"`
	Disabled              bool                `json:"disabled,omitempty" weft:"create,update,patch,filter"`
	AppData               Tags                `json:"appData,omitempty" weft:"create,update,patch"`
	Configs               []string            `json:"configs,omitempty" weft:"create,update,patch"`
	CtrlChanListeners     map[string][]string `json:"ctrlChanListeners,omitempty" weft:"create,update,patch,filter"` // address: groups
	IsVerified            bool                `json:"isVerified,omitempty" weft:"readonly,filter"`                   // enrolled
	Fingerprint           string              `json:"fingerprint,omitempty" weft:"readonly,filter"`                  // SHA-1 of the certificate, lower-case hex
	CertPem               string              `json:"certPem,omitempty" weft:"readonly"`
	UnverifiedFingerprint string              `json:"unverifiedFingerprint,omitempty" weft:"readonly"`
	UnverifiedCertPem     string              `json:"unverifiedCertPem,omitempty" weft:"readonly"`
	Interfaces            []Interface         `json:"interfaces,omitempty" weft:"readonly"`
}

// Kind returns KindEdgeRouter.
func (*EdgeRouter) Kind() Kind { return KindEdgeRouter }

// SystemPolicyName returns the name of the edge router policy that ties a
// tunneler-enabled router to its companion identity; the ids of router,
// identity and policy are the same.
func SystemPolicyName(routerID string) string { return "edge-router-" + routerID + "-system" }
