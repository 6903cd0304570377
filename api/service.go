package api

import "time"

// Service is the detail of a service. On the client API config, permissions
// and postureQueries are those of the caller.
type Service struct {
	Base
	IsSystem           bool             `json:"isSystem,omitempty"`
	Config             *ServiceConfigs  `json:"config"`
	Configs            []string         `json:"configs"`
	EncryptionRequired bool             `json:"encryptionRequired"`
	MaxIdleTimeMillis  int64            `json:"maxIdleTimeMillis"`
	Name               string           `json:"name"`
	Permissions        []string         `json:"permissions" api:"null"`
	PostureQueries     []PostureQueries `json:"postureQueries"`
	RoleAttributes     []string         `json:"roleAttributes" api:"null"`
	TerminatorStrategy string           `json:"terminatorStrategy"`
}

// ServiceConfigs is the data of the effective configs by config type name.
type ServiceConfigs map[string]Raw

// PostureQueries are the posture checks of one policy that grants a service.
type PostureQueries struct {
	IsPassing      bool           `json:"isPassing"`
	PolicyID       string         `json:"policyId"`
	PolicyType     string         `json:"policyType"`
	PostureQueries []PostureQuery `json:"postureQueries"`
}

// PostureQuery is one posture check that a client must answer.
type PostureQuery struct {
	Base
	IsPassing                bool                  `json:"isPassing"`
	Process                  *PostureQueryProcess  `json:"process,omitempty"`
	Processes                []PostureQueryProcess `json:"processes" api:"null"`
	PromptGracePeriodSeconds int64                 `json:"promptGracePeriodSeconds,omitempty"`
	PromptOnUnlock           bool                  `json:"promptOnUnlock,omitempty"`
	PromptOnWake             bool                  `json:"promptOnWake,omitempty"`
	QueryType                string                `json:"queryType"`
	Timeout                  int64                 `json:"timeout"` // seconds, -1 for none
	TimeoutAt                *time.Time            `json:"timeoutAt,omitempty"`
	TimeoutRemaining         int64                 `json:"timeoutRemaining"` // seconds, -1 without a timeout
}

// PostureQueryProcess is a program that the client has to look for.
type PostureQueryProcess struct {
	OsType string `json:"osType"`
	Path   string `json:"path"`
}

// ServiceInput is what a caller may set on a service.
type ServiceInput struct {
	Configs            []string `json:"configs,omitempty"`
	EncryptionRequired *bool    `json:"encryptionRequired,omitempty" api:"in=cu,req=c"`
	MaxIdleTimeMillis  *int64   `json:"maxIdleTimeMillis,omitempty"`
	Name               *string  `json:"name,omitempty" api:"req=cu"`
	RoleAttributes     []string `json:"roleAttributes,omitempty"`
	Tags               Tags     `json:"tags,omitempty"`
	TerminatorStrategy *string  `json:"terminatorStrategy,omitempty"`
}

// ServiceRouters are the routers through which a service can be reached.
type ServiceRouters struct {
	EdgeRouters []RouterProperties `json:"edgeRouters"`
}

// ClientTerminator is a terminator as clients may see it.
type ClientTerminator struct {
	Base
	Identity  string `json:"identity"` // instance id
	RouterID  string `json:"routerId"`
	Service   Ref    `json:"service"`
	ServiceID string `json:"serviceId"`
}

func services() []Operation {
	r := resource{"services", "Service", "Services", "service", "Service"}
	types := Param{Name: "configTypes", In: "query", Type: "array", Doc: "Config types to show in config, by name or id; all for every type."}
	ops := crud[Service, ServiceInput](r, append(byRoles(), types, Param{Name: "asIdentity", In: "query", Type: "string",
		Doc: "Answer as the identity with this id or name would see it."})...)
	ops = append(ops,
		association[Config](r, "configs", "listServiceConfig", "config"),
		association[EdgeRouter](r, "edge-routers", "listServiceEdgeRouters", "router"),
		association[Identity](r, "identities", "listServiceIdentities", "identity", policyType()),
		association[ServiceEdgeRouterPolicy](r, "service-edge-router-policies", "listServiceServiceEdgeRouterPolicies", "service-edge-router-policy"),
		association[ServicePolicy](r, "service-policies", "listServiceServicePolicies", "service-policy"),
		association[Terminator](r, "terminators", "listServiceTerminators", "terminator"))
	own := Access{Rule: Authenticated}
	client := func(path, id, doc string, params []Param, res Result) Operation {
		return Operation{API: Client, Method: "GET", Path: path, ID: id, Tag: r.tag, Doc: doc, Access: own, Params: params, Result: res}
	}
	return append(ops,
		client("/services", "listServices", "Lists the services that the caller may dial or bind.", paging(append(byRoles(), types)...), listOf[Service]()),
		client("/services/{id}", "detailService", "Shows one service that the caller may dial or bind.", []Param{types}, detailOf[Service]()),
		client("/services/{id}/edge-routers", "listServiceEdgeRouters", "Lists the routers that the caller shares with one service.", nil, detailOf[ServiceRouters]()),
		client("/services/{id}/terminators", "listServiceTerminators", "Lists the terminators of one service.", paging(), listOf[ClientTerminator]()))
}
