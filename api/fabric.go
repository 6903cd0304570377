package api

// RouterListener is an address at which a router accepts links.
type RouterListener struct {
	Address  string `json:"address"` // protocol:host:port
	Protocol string `json:"protocol"`
}

// FabricRouter is the detail of a router as the fabric API shows it.
type FabricRouter struct {
	Base
	IsSystem          bool                `json:"isSystem,omitempty"`
	Connected         bool                `json:"connected"`
	Cost              int                 `json:"cost"`
	CtrlChanListeners map[string][]string `json:"ctrlChanListeners,omitempty"`
	Disabled          bool                `json:"disabled"`
	Fingerprint       *string             `json:"fingerprint"`
	Interfaces        []Interface         `json:"interfaces" api:"null"`
	ListenerAddresses []RouterListener    `json:"listenerAddresses" api:"null"` // of its links
	Name              string              `json:"name"`
	NoTraversal       bool                `json:"noTraversal"`
	Quiesced          bool                `json:"quiesced,omitempty"` // takes no new circuits
	VersionInfo       *VersionInfo        `json:"versionInfo,omitempty"`
}

// FabricRouterInput is what a caller may set on a router by the fabric API.
type FabricRouterInput struct {
	Cost              *int                `json:"cost,omitempty" api:"req=cu,min=0,max=65535"`
	CtrlChanListeners map[string][]string `json:"ctrlChanListeners,omitempty"`
	Disabled          *bool               `json:"disabled,omitempty"`
	Fingerprint       *string             `json:"fingerprint,omitempty" api:"req=u"` // SHA-1 of its certificate in hex
	ID                *string             `json:"id,omitempty" api:"in=c,req=c"`
	Name              *string             `json:"name,omitempty" api:"req=cu"`
	NoTraversal       *bool               `json:"noTraversal,omitempty" api:"req=cu"`
	Tags              Tags                `json:"tags,omitempty"`
}

// FabricService is the detail of a service without its edge parts.
type FabricService struct {
	Base
	IsSystem           bool   `json:"isSystem,omitempty"`
	MaxIdleTimeMillis  int64  `json:"maxIdleTimeMillis"`
	Name               string `json:"name"`
	TerminatorStrategy string `json:"terminatorStrategy"`
}

// FabricServiceInput is what a caller may set on a service by the fabric API.
type FabricServiceInput struct {
	MaxIdleTimeMillis  *int64  `json:"maxIdleTimeMillis,omitempty"`
	Name               *string `json:"name,omitempty" api:"req=cu"`
	Tags               Tags    `json:"tags,omitempty"`
	TerminatorStrategy *string `json:"terminatorStrategy,omitempty"`
}

// FabricTerminator is the detail of a terminator as the fabric API shows it.
type FabricTerminator struct {
	Base
	IsSystem    bool   `json:"isSystem,omitempty"`
	Address     string `json:"address"`
	Binding     string `json:"binding"`
	Cost        int    `json:"cost"`
	DynamicCost int    `json:"dynamicCost"`
	HostID      string `json:"hostId"` // identity that hosts, empty for an egress
	InstanceID  string `json:"instanceId"`
	Precedence  string `json:"precedence"`
	Router      Ref    `json:"router"`
	RouterID    string `json:"routerId"`
	Service     Ref    `json:"service"`
	ServiceID   string `json:"serviceId"`
}

// FabricTerminatorInput is what a caller may set on a terminator by the fabric
// API.
type FabricTerminatorInput struct {
	Address        *string `json:"address,omitempty" api:"req=cu"`
	Binding        *string `json:"binding,omitempty" api:"req=cu"`
	Cost           *int    `json:"cost,omitempty" api:"min=0,max=65535"`
	HostID         *string `json:"hostId,omitempty"`
	InstanceID     *string `json:"instanceId,omitempty" api:"in=c"`
	InstanceSecret []byte  `json:"instanceSecret,omitempty" api:"in=c"` // base64
	Precedence     *string `json:"precedence,omitempty" api:"enum=default|required|failed"`
	Router         *string `json:"router,omitempty" api:"req=cu"`
	Service        *string `json:"service,omitempty" api:"req=cu"`
	Tags           Tags    `json:"tags,omitempty"`
}

// ofFabric moves operations to the fabric API.
func ofFabric(ops ...Operation) []Operation {
	for i := range ops {
		ops[i].API = Fabric
	}
	return ops
}

// ofAdmins lets admins alone call operations.
func ofAdmins(ops ...Operation) []Operation {
	for i := range ops {
		ops[i].Access = Access{Rule: Admin}
	}
	return ops
}

// fabricEntities returns the rows of the entities that the fabric API shares
// with the management API.
func fabricEntities() []Operation {
	r := resource{"routers", "Router", "Routers", "router", "Router"}
	s := resource{"services", "Service", "Services", "service", "Service"}
	t := resource{"terminators", "Terminator", "Terminators", "terminator", "Terminator"}
	var out []Operation
	out = append(out, crud[FabricRouter, FabricRouterInput](r)...)
	out = append(out, association[FabricTerminator](r, "terminators", "listRouterTerminators", "terminator"))
	out = append(out, crud[FabricService, FabricServiceInput](s)...)
	out = append(out, association[FabricTerminator](s, "terminators", "listServiceTerminators", "terminator"))
	out = append(out, crud[FabricTerminator, FabricTerminatorInput](t)...)
	for i := range out {
		switch out[i].ID {
		case "createRouter":
			out[i].Doc = "Creates one transit router with the id and the certificate of the caller's choice; without a certificate it gets an enrollment."
		case "createService":
			out[i].Doc = "Creates one service that does not require encryption."
		}
	}
	return ofAdmins(ofFabric(out...)...)
}
