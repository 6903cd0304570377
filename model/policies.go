package model

// Semantics and types of policies.
const (
	AllOf = "AllOf"
	AnyOf = "AnyOf"
	Dial  = "Dial"
	Bind  = "Bind"
)

// ServicePolicy lets identities dial or bind services.
type ServicePolicy struct {
	Base
	Name              string   `json:"name" weft:"create,update,patch,required,filter"`
	Type              string   `json:"type" weft:"create,update,patch,required,filter"`     // Dial or Bind
	Semantic          string   `json:"semantic" weft:"create,update,patch,required,filter"` // AllOf or AnyOf
	IdentityRoles     []string `json:"identityRoles,omitempty" weft:"create,update,patch,filter"`
	ServiceRoles      []string `json:"serviceRoles,omitempty" weft:"create,update,patch,filter"`
	PostureCheckRoles []string `json:"postureCheckRoles,omitempty" weft:"create,update,patch,filter"`
}

// Kind returns KindServicePolicy.
func (*ServicePolicy) Kind() Kind { return KindServicePolicy }

// EdgeRouterPolicy lets identities use routers.
type EdgeRouterPolicy struct {
	Base
	Name            string   `json:"name" weft:"create,update,patch,required,filter"`
	Semantic        string   `json:"semantic" weft:"create,update,patch,required,filter"`
	IdentityRoles   []string `json:"identityRoles,omitempty" weft:"create,update,patch,filter"`
	EdgeRouterRoles []string `json:"edgeRouterRoles,omitempty" weft:"create,update,patch,filter"`
}

// Kind returns KindEdgeRouterPolicy.
func (*EdgeRouterPolicy) Kind() Kind { return KindEdgeRouterPolicy }

// ServiceEdgeRouterPolicy lets services be used through routers.
type ServiceEdgeRouterPolicy struct {
	Base
	Name            string   `json:"name" weft:"create,update,patch,required,filter"`
	Semantic        string   `json:"semantic" weft:"create,update,patch,required,filter"`
	ServiceRoles    []string `json:"serviceRoles,omitempty" weft:"create,update,patch,filter"`
	EdgeRouterRoles []string `json:"edgeRouterRoles,omitempty" weft:"create,update,patch,filter"`
}

// Kind returns KindServiceEdgeRouterPolicy.
func (*ServiceEdgeRouterPolicy) Kind() Kind { return KindServiceEdgeRouterPolicy }
