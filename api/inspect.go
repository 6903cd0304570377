package api

// InspectRequest asks processes about themselves.
type InspectRequest struct {
	AppRegex        *string  `json:"appRegex" api:"req=c,max=1000"`       // matched against ids and names
	RequestedValues []string `json:"requestedValues" api:"req=c,max=200"` // keys
}

// Inspection is what processes told of themselves. It has no envelope.
type Inspection struct {
	Errors  []string       `json:"errors" api:"null"`
	Success bool           `json:"success"`
	Values  []InspectValue `json:"values"`
}

// InspectValue is one value of one process.
type InspectValue struct {
	AppID string `json:"appId"`
	Name  string `json:"name"`
	Value Raw    `json:"value"` // an object, an array or a text
}

// PathAdvice tells which way new circuits between two routers would take, or
// why there is none.
type PathAdvice struct {
	From   Ref    `json:"from"`
	To     Ref    `json:"to"`
	Found  bool   `json:"found"`
	Cost   int64  `json:"cost"` // of the links and of all routers but the first
	Hops   []Hop  `json:"hops"` // from the first router to the last
	Code   string `json:"code,omitempty"`
	Reason string `json:"reason,omitempty"` // why there is no path
	Remedy string `json:"remedy,omitempty"`
}

// Hop is one router of a path and the link by which it is left.
type Hop struct {
	Router Ref         `json:"router"`
	Cost   int         `json:"cost"` // what the router adds, at least network.minRouterCost; 0 for the first one
	Link   *FabricLink `json:"link"` // to the next router, null at the last
}

func inspecting() []Operation {
	const tag = "Inspect"
	from := Param{Name: "from", In: "query", Type: "string", Required: true, Doc: "Id or name of the router where circuits begin."}
	to := Param{Name: "to", In: "query", Type: "string", Required: true, Doc: "Id or name of the router where they end."}
	return ofFabric(
		Operation{Method: "POST", Path: "/inspections", ID: "inspect", Tag: tag,
			Doc:    "Asks this controller and connected routers whose id or name matches about themselves; unknown keys have no value.",
			Access: Access{EntityAccessNoReadonly, "ops", "read"}, Body: body[InspectRequest]("request", Create), Result: Result{Plain, typeOf[Inspection](), 200}},
		Operation{Method: "GET", Path: "/paths", ID: "showPath", Tag: tag, Own: true,
			Doc:    "Shows which path new circuits from one router to another would take, or why there is none.",
			Access: Access{EntityAccess, "ops", "read"}, Params: []Param{from, to}, Result: detailOf[PathAdvice]()})
}
