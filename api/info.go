package api

import "time"

// Version is the version document.
type Version struct {
	APIVersions    map[string]map[string]APIVersion `json:"apiVersions"` // binding to version
	BuildDate      string                           `json:"buildDate"`
	Capabilities   []string                         `json:"capabilities"`
	Revision       string                           `json:"revision"`
	RuntimeVersion string                           `json:"runtimeVersion"`
	Version        string                           `json:"version"`
}

// APIVersion is one version of one binding.
type APIVersion struct {
	APIBaseURLs []string `json:"apiBaseUrls"`
	Path        string   `json:"path"`
}

// Protocols are the protocols of the client API by name.
type Protocols map[string]Protocol

// Protocol is the address of one.
type Protocol struct {
	Address string `json:"address"` // host:port
}

// NetworkJWT is a token from which a client learns the controller's address
// and trust anchors.
type NetworkJWT struct {
	Name  string `json:"name"`
	Token string `json:"token"`
}

// Summary is the number of entities by store.
type Summary map[string]int

// Controller is the detail of a controller.
type Controller struct {
	Base
	IsSystem          bool                    `json:"isSystem,omitempty"`
	APIAddresses      map[string][]APIAddress `json:"apiAddresses"` // by binding
	CertPem           string                  `json:"certPem"`
	CtrlAddress       *string                 `json:"ctrlAddress,omitempty"`
	Fingerprint       string                  `json:"fingerprint"`
	IsOnline          bool                    `json:"isOnline"`
	IsPreferredLeader bool                    `json:"isPreferredLeader,omitempty"`
	LastJoinedAt      time.Time               `json:"lastJoinedAt"`
	Name              string                  `json:"name"`
}

// APIAddress is one URL of an API.
type APIAddress struct {
	URL     string `json:"url"`
	Version string `json:"version"`
}

// IdentityType is a type of identities.
type IdentityType struct {
	Base
	Name string `json:"name"`
}

// PostureServices are the services whose state a posture response changed.
type PostureServices struct {
	Services []string `json:"services"`
}

// PostureResponse is what a client tells about its machine; the members depend
// on the type.
type PostureResponse struct {
	Build              *string  `json:"build,omitempty" api:"max=255"`              // OS
	Domain             *string  `json:"domain,omitempty" api:"max=255"`             // DOMAIN
	Hash               *string  `json:"hash,omitempty" api:"max=255"`               // PROCESS
	ID                 *string  `json:"id" api:"req=c,max=255"`                     // of the check; 0 where it has no meaning
	IsRunning          *bool    `json:"isRunning,omitempty"`                        // PROCESS
	MacAddresses       []string `json:"macAddresses,omitempty" api:"max=64"`        // MAC
	Path               *string  `json:"path,omitempty" api:"max=4096"`              // PROCESS
	SignerFingerprints []string `json:"signerFingerprints,omitempty" api:"max=255"` // PROCESS
	Type               *string  `json:"type,omitempty" api:"max=255"`               // OS
	TypeID             *string  `json:"typeId" api:"req=c,enum=OS|DOMAIN|MAC|PROCESS|ENDPOINT_STATE"`
	Unlocked           *bool    `json:"unlocked,omitempty"`              // ENDPOINT_STATE
	Version            *string  `json:"version,omitempty" api:"max=255"` // OS
	Woken              *bool    `json:"woken,omitempty"`                 // ENDPOINT_STATE
}

func informational() []Operation {
	const tag = "Informational"
	public := Access{Rule: Public}
	get := func(a API, path, id, doc string, r Result) Operation {
		return Operation{API: a, Method: "GET", Path: path, ID: id, Tag: tag, Doc: doc, Access: public, Result: r}
	}
	cas := get(Both, "/.well-known/est/cacerts", "listWellKnownCas", "Returns the trust anchors as PKCS#7, certificates only, in base64.", Result{Text, nil, 200})
	cas.Produces = []string{"application/pkcs7-mime"}
	summary := get(Management, "/summary", "listSummary", "Counts the entities of every store.", detailOf[Summary]())
	summary.Access.Rule = Admin
	routers := get(Both, "/enumerated-router-capabilities", "listEnumeratedRouterCapabilities", "Lists the capabilities that a router may tell of.", arrayOf[string]())
	posture := Operation{API: Client, Method: "POST", Path: "/posture-response", ID: "createPostureResponse", Tag: "Posture Checks",
		Doc: "Takes posture data of the caller's machine.", Access: Access{Rule: Authenticated}, Body: body[PostureResponse]("postureResponse", Create),
		Result: Result{Detail, typeOf[PostureServices](), 201}}
	bulk := posture
	bulk.Path, bulk.ID, bulk.Body = "/posture-response-bulk", "createPostureResponseBulk", body[[]PostureResponse]("postureResponse", Create)
	bulk.Result.Status = 200 // what generated clients take, and nothing else
	return []Operation{
		get(Both, "/", "listRoot", "Shows the version and the APIs of the controller.", detailOf[Version]()),
		get(Both, "/version", "listVersion", "Shows the version and the APIs of the controller.", detailOf[Version]()),
		cas,
		get(Both, "/enumerated-capabilities", "listEnumeratedCapabilities", "Lists the capabilities that a version document may name.", arrayOf[string]()),
		routers,
		get(Client, "/protocols", "listProtocols", "Lists the protocols of the client API.", detailOf[Protocols]()),
		get(Both, "/network-jwts", "listNetworkJWTs", "Lists tokens that introduce the network to a client.", arrayOf[NetworkJWT]()),
		summary, posture, bulk,
	}
}

func controllers() []Operation {
	both := Operation{API: Management, Method: "GET", Path: "/controllers", ID: "listControllers", Tag: "Controllers",
		Doc: "Lists the controllers.", Access: Access{EntityAccess, "controllers", "read"}, Params: paging(), Result: listOf[Controller]()}
	client := both
	client.API, client.Access = Client, Access{Rule: Authenticated}
	return []Operation{both, client}
}

func identityTypes() []Operation {
	ops := reading[IdentityType](resource{"identity-types", "IdentityType", "IdentityTypes", "", "Identity"})
	for i := range ops {
		ops[i].Access = Access{Rule: Authenticated}
	}
	return ops
}
