package events

import (
	"encoding/json"
	"time"

	"github.com/weftnet/weft/controller/audit"
	"github.com/weftnet/weft/model"
)

// The stored forms of entities, as the ecosystem knows them. Kinds without one
// here are told by the names of the APIs.

// base begins every form.
type base struct {
	ID        string     `json:"id"`
	CreatedAt string     `json:"createdAt"`
	UpdatedAt string     `json:"updatedAt"`
	Tags      model.Tags `json:"tags"`
	IsSystem  bool       `json:"isSystem"`
}

func baseOf(b *model.Base) base {
	tags := b.Tags
	if tags == nil {
		tags = model.Tags{}
	}
	return base{b.ID, at(b.CreatedAt), at(b.UpdatedAt), tags, b.IsSystem}
}

// formOf returns the form of an entity, nil for none.
func formOf(e model.Entity) any {
	switch e := e.(type) {
	case nil:
		return nil
	case *model.Service:
		return serviceForm{fabricService(e), e.RoleAttributes, e.Configs, e.EncryptionRequired}
	case *model.Config:
		return struct {
			base
			Name string `json:"name"`
			Type string `json:"type"`
			Data any    `json:"data"`
		}{baseOf(&e.Base), e.Name, e.ConfigTypeID, e.Data}
	case *model.ServicePolicy:
		return struct {
			base
			Type     string   `json:"policyType"`
			Name     string   `json:"name"`
			Semantic string   `json:"semantic"`
			Left     []string `json:"identityRoles"`
			Right    []string `json:"serviceRoles"`
			Posture  []string `json:"postureCheckRoles"`
		}{baseOf(&e.Base), e.Type, e.Name, e.Semantic, e.IdentityRoles, e.ServiceRoles, e.PostureCheckRoles}
	case *model.EdgeRouterPolicy:
		return struct {
			base
			Name     string   `json:"name"`
			Semantic string   `json:"semantic"`
			Left     []string `json:"identityRoles"`
			Right    []string `json:"edgeRouterRoles"`
		}{baseOf(&e.Base), e.Name, e.Semantic, e.IdentityRoles, e.EdgeRouterRoles}
	case *model.ServiceEdgeRouterPolicy:
		return struct {
			base
			Name     string   `json:"name"`
			Semantic string   `json:"semantic"`
			Left     []string `json:"serviceRoles"`
			Right    []string `json:"edgeRouterRoles"`
		}{baseOf(&e.Base), e.Name, e.Semantic, e.ServiceRoles, e.EdgeRouterRoles}
	case *model.Identity:
		return identityForm(e)
	case *model.Enrollment:
		return enrollmentForm(e)
	case *model.Authenticator:
		return authenticatorForm(e)
	case *model.EdgeRouter:
		return routerForm{fabricRouter(e), e.RoleAttributes, e.IsTunnelerEnabled, orEmpty(e.AppData)}
	case *model.Terminator:
		return terminatorForm(e)
	case *model.Controller:
		return controllerForm(e)
	}
	return others(e)
}

// others returns the form of kinds of which the ecosystem's is not known: base,
// then the members by their names in the APIs.
func others(e model.Entity) any {
	members, err := audit.Members(e)
	if err != nil {
		return nil
	}
	text, err := json.Marshal(baseOf(e.Meta()))
	if err != nil {
		return nil
	}
	known := map[string]bool{"id": true, "createdAt": true, "updatedAt": true, "tags": true, "isSystem": true}
	text = text[:len(text)-1]
	for _, m := range members {
		if known[m.Name] {
			continue
		}
		name, err := json.Marshal(m.Name)
		if err != nil {
			return nil
		}
		text = append(append(append(append(text, ','), name...), ':'), m.Value...)
	}
	return json.RawMessage(append(text, '}'))
}

// parentForm returns the form that an edge entity has in the fabric.
func parentForm(e model.Entity) any {
	switch e := e.(type) {
	case *model.Service:
		return fabricService(e)
	case *model.EdgeRouter:
		return fabricRouter(e)
	}
	return nil
}

type fabricServiceForm struct {
	base
	Name     string `json:"name"`
	MaxIdle  int64  `json:"maxIdleTime"` // nanoseconds
	Strategy string `json:"terminatorStrategy"`
}

type serviceForm struct {
	fabricServiceForm
	Attributes []string `json:"roleAttributes"`
	Configs    []string `json:"configs"`
	Encryption bool     `json:"encryptionRequired"`
}

func fabricService(e *model.Service) fabricServiceForm {
	return fabricServiceForm{baseOf(&e.Base), e.Name, e.MaxIdleTimeMillis * int64(time.Millisecond), e.TerminatorStrategy}
}

type fabricRouterForm struct {
	base
	Name         string              `json:"name"`
	Fingerprint  *string             `json:"fingerprint"`
	Cost         int                 `json:"cost"`
	NoTraversal  bool                `json:"noTraversal"`
	Disabled     bool                `json:"disabled"`
	Listeners    map[string][]string `json:"ctrlChanListeners"`
	Interfaces   []model.Interface   `json:"interfaces"`
	IsVerified   bool                `json:"isVerified"`
	Cert         *string             `json:"certPem"`
	UnverCert    *string             `json:"unverifiedCertPem"`
	UnverFingerp *string             `json:"unverifiedFingerprint"`
}

type routerForm struct {
	fabricRouterForm
	Attributes []string   `json:"roleAttributes"`
	Tunneler   bool       `json:"isTunnelerEnabled"`
	AppData    model.Tags `json:"appData"`
}

func fabricRouter(e *model.EdgeRouter) fabricRouterForm {
	return fabricRouterForm{
		baseOf(&e.Base), e.Name, orNull(e.Fingerprint), e.Cost, e.NoTraversal, e.Disabled, e.CtrlChanListeners, e.Interfaces, e.IsVerified,
		orNull(e.CertPem), orNull(e.UnverifiedCertPem), orNull(e.UnverifiedFingerprint),
	}
}

func orEmpty(t model.Tags) model.Tags {
	if t == nil {
		return model.Tags{}
	}
	return t
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
