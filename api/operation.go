// Package api is the operation table of the edge client, edge management and
// fabric APIs: every operation with its method, path, access rule, parameters, request and response types
// and documentation. The server routes by it, the client is generated from it
// and the OpenAPI documents are written from it.
//
// The package holds descriptions only: it knows neither storage nor network.
// Its values are built anew by every call and may be changed by the caller.
package api

import "reflect"

// API names the APIs an operation belongs to; the values are bits.
type API uint8

// The APIs. Both are the two edge APIs.
const (
	Client     API = 1 << iota // base path ClientBase
	Management                 // base path ManagementBase
	Fabric                     // base path FabricBase
	Both       = Client | Management
)

// Base paths of the APIs.
const (
	ClientBase     = "/edge/client/v1"
	ManagementBase = "/edge/management/v1"
	FabricBase     = "/fabric/v1"
)

// Rule says who may call an operation.
type Rule uint8

// Rules of access. EntityAccess passes admins, the permission admin_readonly
// for reads, and the permissions "entity" and "entity.action";
// EntityAccessNoReadonly is the same without admin_readonly.
const (
	Public Rule = iota
	Authenticated
	AuthenticatedOrPartial
	EntityAccess
	EntityAccessNoReadonly
	AdminOrReadonly
	Admin
	AnyPermission  // admins and identities with some permission; what they may see or change is decided per entity
	NotImplemented // declared, answered with 501
)

// Access is the rule of one operation; Entity and Action belong to the
// entity rules.
type Access struct {
	Rule   Rule
	Entity string
	Action string // read, create, update or delete
}

// Param is one query or header parameter.
type Param struct {
	Name     string
	In       string // query or header
	Type     string // string, integer, boolean or array (of strings)
	Required bool
	Enum     []string
	Doc      string
}

// Shape is the form of a response.
type Shape uint8

// Shapes of responses. All but Text and Plain travel in the envelope
// {"data":..., "meta":...}.
const (
	Nothing  Shape = iota // data is an empty object
	Detail                // data is one Type
	List                  // data is an array of Type, meta has the paging
	Array                 // data is an array of Type, meta without paging
	Location              // data is a Created, status 201
	Text                  // the body itself, see Produces
	Plain                 // the body is one Type, without an envelope
	Bare                  // no body at all
)

// Result is the successful response of an operation.
type Result struct {
	Shape  Shape
	Type   reflect.Type // type of the data or of its elements, nil for Nothing and Text
	Status int          // HTTP status, 200 or 201
}

// Body is the request body of an operation.
type Body struct {
	Name     string       // name in messages, such as identity
	Type     reflect.Type // struct, or slice of structs
	Mode     Mode         // which fields of Type belong to the body
	Required bool
}

// Operation is one row of the table.
type Operation struct {
	API      API
	Method   string
	Path     string // relative to the base path, with {id} parameters
	ID       string // operationId, unique within an API
	Tag      string
	Doc      string
	Access   Access
	Reads    []string // entities besides that of Access which the caller has to be permitted to read
	Params   []Param  // path parameters are not listed
	Body     *Body    // nil without a body
	Result   Result
	Consumes []string // request types other than JSON
	Produces []string // response types other than JSON

	MaxBody    int64 // bytes of the largest body; 0: 1 MiB
	Deprecated bool
	Own        bool // not known to the ecosystem
}

// Operations returns the whole table in the order of the documents.
func Operations() []Operation {
	var all []Operation
	for _, part := range [][]Operation{
		informational(), authentication(), currentSession(), currentIdentity(), secondFactors(),
		enrolling(), sessions(), apiSessions(),
		identities(), authenticators(), enrollments(), authPolicies(),
		services(), configs(), configTypes(), terminators(),
		edgeRouters(), transitRouters(),
		servicePolicies(), edgeRouterPolicies(), serviceEdgeRouterPolicies(),
		controllers(), roleAttributes(), cas(), postureChecks(), externalJwtSigners(), identityTypes(),
		fabricEntities(), fabricLinks(), circuits(), observing(), inspecting(), explaining(),
		database(), clusterOperations(), specs(),
		declarations(),
		unimplemented(),
	} {
		all = append(all, part...)
	}
	return all
}

// Of returns the operations of one API.
func Of(a API) []Operation {
	var out []Operation
	for _, o := range Operations() {
		if o.API&a != 0 {
			out = append(out, o)
		}
	}
	return out
}

func typeOf[T any]() reflect.Type { return reflect.TypeFor[T]() }

func detailOf[T any]() Result { return Result{Detail, typeOf[T](), 200} }
func listOf[T any]() Result   { return Result{List, typeOf[T](), 200} }
func arrayOf[T any]() Result  { return Result{Array, typeOf[T](), 200} }
func nothing() Result         { return Result{Nothing, nil, 200} }
func location() Result        { return Result{Location, typeOf[Created](), 201} }

func body[T any](name string, m Mode) *Body {
	return &Body{Name: name, Type: typeOf[T](), Mode: m, Required: true}
}

// Paging are the parameters of every list.
func paging(more ...Param) []Param {
	return append([]Param{
		{Name: "filter", In: "query", Type: "string", Doc: "Query in the filter language; may carry sort by, skip and limit."},
		{Name: "limit", In: "query", Type: "integer", Doc: "Number of entries, 10 by default, 500 at most, -1 for all."},
		{Name: "offset", In: "query", Type: "integer", Doc: "Number of entries to skip."},
		{Name: "sort", In: "query", Type: "string", Doc: "Fields to sort by, such as name desc, createdAt."},
	}, more...)
}

// byRoles are the parameters of lists that can be narrowed by role.
func byRoles() []Param {
	return []Param{
		{Name: "roleFilter", In: "query", Type: "array", Doc: "Roles: #attribute or @id; may be repeated."},
		{Name: "roleSemantic", In: "query", Type: "string", Doc: "AllOf (default) or AnyOf."},
	}
}

func policyType() Param {
	return Param{Name: "policyType", In: "query", Type: "string", Doc: "dial or bind; both when absent."}
}

// RuleText names the rule of an operation as the reference of the operations does.
func RuleText(o Operation) string {
	a := o.Access
	switch a.Rule {
	case Public:
		return "public"
	case Authenticated:
		return "session"
	case AuthenticatedOrPartial:
		return "session, partial"
	case EntityAccess, EntityAccessNoReadonly:
		text := a.Entity + "." + a.Action
		for _, entity := range o.Reads {
			text += " + " + entity + ".read"
		}
		if a.Rule == EntityAccessNoReadonly {
			text += ", no readonly"
		}
		return text
	case AdminOrReadonly:
		return "admin, readonly"
	case Admin:
		return "admin"
	case AnyPermission:
		return "some permission"
	}
	return "not available"
}
