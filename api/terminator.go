package api

// Terminator is the detail of a terminator.
type Terminator struct {
	Base
	IsSystem    bool   `json:"isSystem,omitempty"`
	Address     string `json:"address"`
	Binding     string `json:"binding"`
	Cost        int    `json:"cost"`
	DynamicCost int    `json:"dynamicCost"`
	Identity    string `json:"identity"` // instance id
	Precedence  string `json:"precedence"`
	Router      Ref    `json:"router"`
	RouterID    string `json:"routerId"`
	Service     Ref    `json:"service"`
	ServiceID   string `json:"serviceId"`
}

// TerminatorInput is what a caller may set on a terminator.
type TerminatorInput struct {
	Address        *string `json:"address,omitempty" api:"req=cu"`
	Binding        *string `json:"binding,omitempty" api:"req=cu"`
	Cost           *int    `json:"cost,omitempty" api:"min=0,max=65535"`
	Identity       *string `json:"identity,omitempty" api:"in=c"`       // instance id
	IdentitySecret []byte  `json:"identitySecret,omitempty" api:"in=c"` // base64
	Precedence     *string `json:"precedence,omitempty" api:"enum=default|required|failed"`
	Router         *string `json:"router,omitempty" api:"req=cu"`
	Service        *string `json:"service,omitempty" api:"req=cu"`
	Tags           Tags    `json:"tags,omitempty"`
}

func terminators() []Operation {
	return crud[Terminator, TerminatorInput](resource{"terminators", "Terminator", "Terminators", "terminator", "Terminator"})
}
