package api

// Circuit is one circuit that is open. Its tags name the identities of both
// ends and the service.
type Circuit struct {
	Base
	ClientID     string      `json:"clientId"` // session of the dialing client
	Path         CircuitPath `json:"path"`
	Service      Ref         `json:"service"`
	Terminator   Ref         `json:"terminator"`
	Identity     *Ref        `json:"identity,omitempty"`     // that dialed
	HostIdentity *Ref        `json:"hostIdentity,omitempty"` // that hosts
	State        string      `json:"state,omitempty"`
}

// CircuitPath is the way of a circuit: routers from the dialer to the host, and
// the links between them.
type CircuitPath struct {
	Links []Ref `json:"links"`
	Nodes []Ref `json:"nodes"`
}

// CircuitDelete is the body of the end of a circuit.
type CircuitDelete struct {
	Immediate *bool `json:"immediate,omitempty"` // without effect: circuits always end at once
}

// circuits returns the rows of circuits, which clients make.
func circuits() []Operation {
	r := resource{"circuits", "Circuit", "Circuits", "ops", "Circuit"}
	end := deleting(r)
	end.Doc = "Ends one circuit at every router of its path."
	end.Body = body[CircuitDelete]("options", Create)
	end.Body.Required = false
	return ofFabric(append(reading[Circuit](r), end)...)
}
