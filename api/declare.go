package api

// DeclarationFile is one file of a declaration: one or several YAML or JSON
// documents.
type DeclarationFile struct {
	Name string  `json:"name,omitempty"` // shown in refusals
	Text *string `json:"text,omitempty" api:"req=c"`
}

// Declaration says how entities have to be, by names instead of ids.
type Declaration struct {
	Files []DeclarationFile `json:"files,omitempty"` // absent: the body is one declaration itself
}

// DeclaredMember is one member of an entity that differs from its declaration,
// in the form of the declaration.
type DeclaredMember struct {
	Member string `json:"member"`
	Before Raw    `json:"before"` // null where it had its default
	After  Raw    `json:"after"`  // null where it gets its default
}

// DeclaredEntity is what a declaration does to one entity.
type DeclaredEntity struct {
	Action     string           `json:"action"` // create, update, none or delete
	Kind       string           `json:"kind"`   // as sections of a declaration are called, such as services
	Name       string           `json:"name"`
	ID         string           `json:"id,omitempty"`         // absent for one that is not made yet
	Enrollment string           `json:"enrollment,omitempty"` // method of the enrollment that is made with it
	File       string           `json:"file,omitempty"`
	Line       int              `json:"line,omitempty"`
	Members    []DeclaredMember `json:"members"` // of create and update
}

// DeclarationReport is what a declaration does, or would do.
type DeclarationReport struct {
	Applied   bool             `json:"applied"` // something was written
	Created   int              `json:"created"`
	Updated   int              `json:"updated"`
	Unchanged int              `json:"unchanged"`
	Deleted   int              `json:"deleted"`
	Entities  []DeclaredEntity `json:"entities"`
}

// ExposeInput makes one service reachable.
type ExposeInput struct {
	Name   *string  `json:"name,omitempty" api:"req=c"`  // of the service
	To     []string `json:"to,omitempty"`                // where the host reaches it: protocol:host:port
	Host   []string `json:"host,omitempty"`              // who hosts it: identity names, @name or #attribute
	Router []string `json:"router,omitempty"`            // routers that host it themselves
	As     []string `json:"as,omitempty"`                // what clients dial: host, host:port or host:low-high
	Dial   []string `json:"dial,omitempty"`              // who may dial: identity names, @name, #attribute or #all
	Bind   []string `json:"bind,omitempty"`              // who may host it beside Host
	Attrs  []string `json:"roleAttributes,omitempty"`    // of the service
	Plain  *bool    `json:"plain,omitempty" api:"in=c"`  // no end-to-end encryption
	Remove *bool    `json:"remove,omitempty" api:"in=c"` // take away what was exposed by that name
}

// Bodies of declarations may be longer than others.
const maxDeclaration = 32 << 20

func declarations() []Operation {
	kinds := Param{Name: "kind", In: "query", Type: "array", Doc: "Sections of the declaration, such as services; may be repeated."}
	selector := Param{Name: "selector", In: "query", Type: "string", Doc: "Tag that the entities carry: key=value, several with commas."}
	options := []Param{kinds, selector,
		{Name: "prune", In: "query", Type: "boolean", Doc: "Delete what is not declared: of the kinds named, else of those that the selector or the declaration names."},
		{Name: "name", In: "query", Type: "string", Doc: "File name for refusals, for a body that is the declaration itself."}}
	dryRun := Param{Name: "dryRun", In: "query", Type: "boolean", Doc: "Check and report everything, change nothing."}
	some := Access{Rule: AnyPermission}
	yaml := []string{"application/yaml", "application/x-yaml", "text/yaml"}
	return []Operation{
		{API: Management, Method: "GET", Path: "/export", ID: "exportModel", Tag: "Declaration", Own: true, Access: some,
			Doc: "Writes the entities that the caller may read as a declaration: names instead of ids, in a stable order, without secrets and server-owned members.",
			Params: []Param{kinds, selector,
				{Name: "filter", In: "query", Type: "string", Doc: "Query in the filter language that the entities of every kind must match."},
				{Name: "system", In: "query", Type: "boolean", Doc: "Also what every network has: the default admin, built-in config types and auth policy."},
				{Name: "format", In: "query", Type: "string", Enum: []string{"yaml", "json"}, Doc: "yaml (default) or json."}},
			Result: Result{Text, nil, 200}, Produces: []string{"application/yaml", "application/json"}},
		{API: Management, Method: "POST", Path: "/diff", ID: "diffDeclaration", Tag: "Declaration", Own: true, Access: some, MaxBody: maxDeclaration,
			Doc:    "Tells what apply would do; changes nothing. The body is a Declaration, or YAML.",
			Params: options, Body: body[Declaration]("declaration", Create), Consumes: yaml, Result: detailOf[DeclarationReport]()},
		{API: Management, Method: "POST", Path: "/apply", ID: "applyDeclaration", Tag: "Declaration", Own: true, Access: some, MaxBody: maxDeclaration,
			Doc:    "Makes the network as it is declared, in one transaction; every change needs the permission of the operation that makes it singly. The body is a Declaration, or YAML.",
			Params: append(options[:len(options):len(options)], dryRun), Body: body[Declaration]("declaration", Create), Consumes: yaml, Result: detailOf[DeclarationReport]()},
		{API: Management, Method: "POST", Path: "/expose", ID: "exposeService", Tag: "Declaration", Own: true, Access: some,
			Doc:    "Makes a service with its configs, policies and terminators in one transaction, or takes them away.",
			Params: []Param{dryRun}, Body: body[ExposeInput]("expose", Create), Result: detailOf[DeclarationReport]()},
	}
}
