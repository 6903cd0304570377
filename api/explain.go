package api

// Explanation tells whether an identity reaches a service, rule by rule in the
// order in which they are applied.
type Explanation struct {
	Allowed  bool            `json:"allowed"`
	Cause    string          `json:"cause,omitempty"`  // of the first rule that fails
	Code     string          `json:"code,omitempty"`   // of the same
	Failed   string          `json:"failed,omitempty"` // its name
	Identity Ref             `json:"identity"`
	Remedy   string          `json:"remedy,omitempty"` // a command, where there is one
	Router   *Ref            `json:"router,omitempty"` // the one asked for
	Rules    []ExplainedRule `json:"rules"`
	Service  Ref             `json:"service"`
	Type     string          `json:"type"` // Dial or Bind
}

// ExplainedRule is one rule and what it says.
type ExplainedRule struct {
	Code     string            `json:"code,omitempty"` // of a failure
	Details  []ExplainedDetail `json:"details"`
	Omitted  int               `json:"omitted,omitempty"` // details left out
	Remedy   string            `json:"remedy,omitempty"`  // of a failure
	Rule     string            `json:"rule" api:"enum=login|service|service-policies|posture|edge-router-policies|service-edge-router-policies|routers|terminators|path"`
	Sentence string            `json:"sentence"`
	State    string            `json:"state" api:"enum=ok|failed|skipped"` // skipped: an earlier rule leaves nothing to ask
}

// ExplainedDetail is one thing that a rule looked at: a policy, a router, a
// terminator.
type ExplainedDetail struct {
	Entity   *Ref   `json:"entity,omitempty"`
	Sentence string `json:"sentence"`
	State    string `json:"state" api:"enum=ok|failed|skipped"`
}

// Grant is one identity that may dial or bind a service, or one service that an
// identity may, with the policies that say so.
type Grant struct {
	Entity   Ref    `json:"entity"` // the identity or the service
	ID       string `json:"id"`
	Name     string `json:"name"`
	Policies []Ref  `json:"policies"`
	Type     string `json:"type"` // Dial or Bind
}

// WhatIf are changes that are not made, only thought through, in their order.
type WhatIf struct {
	Changes     []WhatIfChange `json:"changes,omitempty"`
	Declaration *Declaration   `json:"declaration,omitempty"`               // tried after the changes, as apply would make it without prune
	Limit       *int           `json:"limit,omitempty" api:"min=0,max=500"` // of the pairs that are listed per kind; 20 by default
}

// WhatIfChange is one of them. The members have the meaning that they have in
// the body of the entity; names may stand for ids in roles. Members that are
// left out of an update stay as they are.
type WhatIfChange struct {
	Action            string   `json:"action" api:"enum=create|update|delete"`
	Disabled          *bool    `json:"disabled,omitempty"`
	EdgeRouterRoles   []string `json:"edgeRouterRoles,omitempty"`
	Entity            string   `json:"entity,omitempty"` // id or name of what is updated or deleted
	IdentityRoles     []string `json:"identityRoles,omitempty"`
	Kind              string   `json:"kind" api:"enum=identity|service|edge-router|posture-check|service-policy|edge-router-policy|service-edge-router-policy"`
	Name              *string  `json:"name,omitempty"`
	PostureCheckRoles []string `json:"postureCheckRoles,omitempty"`
	RoleAttributes    []string `json:"roleAttributes,omitempty"`
	Semantic          *string  `json:"semantic,omitempty" api:"enum=AllOf|AnyOf"`
	ServiceRoles      []string `json:"serviceRoles,omitempty"`
	Type              *string  `json:"type,omitempty" api:"enum=Dial|Bind"` // of a service policy
}

// WhatIfAnswer tells who would gain and who would lose.
type WhatIfAnswer struct {
	Kinds []WhatIfKind `json:"kinds"`
}

// WhatIfKind are the pairs of one kind that would change. dial and bind are
// identities and services, counted when a policy allows the pair through some
// common router; identity-router and service-router are pairs that router
// policies join.
type WhatIfKind struct {
	Gained int          `json:"gained"`
	Gains  []WhatIfPair `json:"gains"` // the first of them
	Kind   string       `json:"kind" api:"enum=dial|bind|identity-router|service-router"`
	Losses []WhatIfPair `json:"losses"`
	Lost   int          `json:"lost"`
}

// WhatIfPair is one of them, with what makes the difference.
type WhatIfPair struct {
	From   Ref    `json:"from"`             // the identity, or the service of service-router
	Policy *Ref   `json:"policy,omitempty"` // that grants it: after the changes of a gain, before them of a loss
	Reason string `json:"reason,omitempty"` // of a loss: the rule that would refuse
	To     Ref    `json:"to"`               // the service or the router
}

func explaining() []Operation {
	const tag = "Explain"
	required := func(name, doc string) Param {
		return Param{Name: name, In: "query", Type: "string", Required: true, Doc: doc}
	}
	kind := Param{Name: "type", In: "query", Type: "string", Enum: []string{"dial", "bind"}, Doc: "dial (default) or bind."}
	policies := []string{"service-policy", "edge-router-policy", "service-edge-router-policy"}
	own := func(method, path, id, doc string, reads []string, r Result, params ...Param) Operation {
		return Operation{API: Management, Method: method, Path: path, ID: id, Tag: tag, Doc: doc, Own: true,
			Access: Access{EntityAccess, "identity", "read"}, Reads: reads, Params: params, Result: r}
	}
	either := kind
	either.Doc = "dial or bind; both when absent."
	whatIf := own("POST", "/what-if", "whatIf", "Tells who would gain and who would lose by changes of policies, attributes and posture checks, without making them.",
		append([]string{"service", "router", "posture-check"}, policies...), detailOf[WhatIfAnswer]())
	whatIf.Body = body[WhatIf]("whatIf", Create)
	return []Operation{
		own("GET", "/explain", "explain", "Tells whether an identity reaches a service and which rule refuses first: login, policies, posture, routers, terminators, path. The answer is 200 in either case.",
			append([]string{"service", "router", "terminator", "posture-check"}, policies...), detailOf[Explanation](),
			required("identity", "Id or name of the identity."), required("service", "Id or name of the service."), kind,
			Param{Name: "router", In: "query", Type: "string", Doc: "Id or name of the edge router to go through; any common one when absent."}),
		own("GET", "/who-can", "whoCan", "Lists the identities that policies let dial or bind a service through some router, online or not.",
			[]string{"service", "service-policy"}, listOf[Grant](), paging(required("service", "Id or name of the service."), kind)...),
		own("GET", "/what-can", "whatCan", "Lists the services that policies let an identity dial or bind through some router, online or not.",
			[]string{"service", "service-policy"}, listOf[Grant](), paging(required("identity", "Id or name of the identity."), either)...),
		whatIf,
	}
}
