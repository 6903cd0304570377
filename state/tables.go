package state

import (
	"maps"
	"slices"

	"github.com/weftnet/weft/model"
)

// Indexes of the tables, for ByIndex and FirstBy. Which kinds have which:
const (
	ByName             = "name"             // every kind with a name except controllers; unique
	ByAttribute        = "attribute"        // identity, service, edgeRouter, postureCheck: one role attribute
	ByExternalID       = "externalId"       // identity; unique
	ByIdentity         = "identity"         // authenticator, enrollment, mfa (unique): identity id
	ByUsername         = "username"         // authenticator; unique
	ByFingerprint      = "fingerprint"      // authenticator, edgeRouter, ca, externalJwtSigner; unique
	ByToken            = "token"            // enrollment; unique
	ByRouter           = "router"           // enrollment, terminator: router id
	ByConfig           = "config"           // service, identity (overrides): config id
	ByConfigType       = "configType"       // config: config type id
	ByService          = "service"          // terminator, identity (overrides, hosting costs and precedences): service id
	ByHost             = "host"             // terminator: id of the hosting identity
	ByIdentityRole     = "identityRole"     // servicePolicy, edgeRouterPolicy: one role text, e.g. @id
	ByServiceRole      = "serviceRole"      // servicePolicy, serviceEdgeRouterPolicy
	ByEdgeRouterRole   = "edgeRouterRole"   // edgeRouterPolicy, serviceEdgeRouterPolicy
	ByPostureCheckRole = "postureCheckRole" // servicePolicy
	ByCA               = "ca"               // enrollment: ca id
	ByIssuer           = "issuer"           // externalJwtSigner; unique
	ByKid              = "kid"              // externalJwtSigner; unique
)

// index is one secondary index of a table. Empty keys are left out.
type index struct {
	name   string
	unique bool
	field  string // named in the refusal of a duplicate
	keys   func(model.Entity) []string
}

// on makes the keys function of an index from one for the entity's type.
func on[T any, P pointer[T]](f func(P) []string) func(model.Entity) []string {
	return func(e model.Entity) []string { return f(e.(P)) }
}

func indexes(k model.Kind) []index {
	name := func(get func(model.Entity) string) index {
		return index{ByName, true, "name", func(e model.Entity) []string { return []string{get(e)} }}
	}
	switch k {
	case model.KindIdentity:
		return []index{
			name(func(e model.Entity) string { return e.(*model.Identity).Name }),
			{ByExternalID, true, "externalId", on(func(i *model.Identity) []string { return deref(i.ExternalID) })},
			{ByAttribute, false, "", on(func(i *model.Identity) []string { return i.RoleAttributes })},
			{ByService, false, "", on(identityServices)},
			{ByConfig, false, "", on(identityConfigs)},
		}
	case model.KindAuthenticator:
		return []index{
			{ByIdentity, false, "", on(func(a *model.Authenticator) []string { return []string{a.IdentityID} })},
			{ByUsername, true, "updbUsername", on(func(a *model.Authenticator) []string { return []string{a.Username} })},
			{ByFingerprint, true, "certFingerprint", on(func(a *model.Authenticator) []string { return []string{a.Fingerprint} })},
		}
	case model.KindMFA:
		return []index{{ByIdentity, true, "identityId", on(func(m *model.MFA) []string { return []string{m.IdentityID} })}}
	case model.KindEnrollment:
		return []index{
			{ByToken, true, "token", on(func(e *model.Enrollment) []string { return []string{e.Token} })},
			{ByIdentity, false, "", on(func(e *model.Enrollment) []string { return []string{e.IdentityID} })},
			{ByRouter, false, "", on(func(e *model.Enrollment) []string { return []string{e.EdgeRouterID, e.TransitRouterID} })},
			{ByCA, false, "", on(func(e *model.Enrollment) []string { return []string{e.CaID} })},
		}
	case model.KindService:
		return []index{
			name(func(e model.Entity) string { return e.(*model.Service).Name }),
			{ByAttribute, false, "", on(func(s *model.Service) []string { return s.RoleAttributes })},
			{ByConfig, false, "", on(func(s *model.Service) []string { return s.Configs })},
		}
	case model.KindConfig:
		return []index{
			name(func(e model.Entity) string { return e.(*model.Config).Name }),
			{ByConfigType, false, "", on(func(c *model.Config) []string { return []string{c.ConfigTypeID} })},
		}
	case model.KindConfigType:
		return []index{name(func(e model.Entity) string { return e.(*model.ConfigType).Name })}
	case model.KindEdgeRouter:
		return []index{
			name(func(e model.Entity) string { return e.(*model.EdgeRouter).Name }),
			{ByAttribute, false, "", on(func(r *model.EdgeRouter) []string { return r.RoleAttributes })},
			{ByFingerprint, true, "fingerprint", on(func(r *model.EdgeRouter) []string { return []string{r.Fingerprint} })},
		}
	case model.KindServicePolicy:
		return []index{
			name(func(e model.Entity) string { return e.(*model.ServicePolicy).Name }),
			{ByIdentityRole, false, "", on(func(p *model.ServicePolicy) []string { return p.IdentityRoles })},
			{ByServiceRole, false, "", on(func(p *model.ServicePolicy) []string { return p.ServiceRoles })},
			{ByPostureCheckRole, false, "", on(func(p *model.ServicePolicy) []string { return p.PostureCheckRoles })},
		}
	case model.KindEdgeRouterPolicy:
		return []index{
			name(func(e model.Entity) string { return e.(*model.EdgeRouterPolicy).Name }),
			{ByIdentityRole, false, "", on(func(p *model.EdgeRouterPolicy) []string { return p.IdentityRoles })},
			{ByEdgeRouterRole, false, "", on(func(p *model.EdgeRouterPolicy) []string { return p.EdgeRouterRoles })},
		}
	case model.KindServiceEdgeRouterPolicy:
		return []index{
			name(func(e model.Entity) string { return e.(*model.ServiceEdgeRouterPolicy).Name }),
			{ByServiceRole, false, "", on(func(p *model.ServiceEdgeRouterPolicy) []string { return p.ServiceRoles })},
			{ByEdgeRouterRole, false, "", on(func(p *model.ServiceEdgeRouterPolicy) []string { return p.EdgeRouterRoles })},
		}
	case model.KindTerminator:
		return []index{
			{ByService, false, "", on(func(t *model.Terminator) []string { return []string{t.ServiceID} })},
			{ByRouter, false, "", on(func(t *model.Terminator) []string { return []string{t.RouterID} })},
			{ByHost, false, "", on(func(t *model.Terminator) []string { return []string{t.HostID} })},
		}
	case model.KindAuthPolicy:
		return []index{name(func(e model.Entity) string { return e.(*model.AuthPolicy).Name })}
	case model.KindCA:
		return []index{
			name(func(e model.Entity) string { return e.(*model.CA).Name }),
			{ByFingerprint, true, "certPem", on(func(c *model.CA) []string { return []string{c.Fingerprint} })},
		}
	case model.KindPostureCheck:
		return []index{
			name(func(e model.Entity) string { return e.(*model.PostureCheck).Name }),
			{ByAttribute, false, "", on(func(p *model.PostureCheck) []string { return p.RoleAttributes })},
		}
	case model.KindExternalJwtSigner:
		return []index{
			name(func(e model.Entity) string { return e.(*model.ExternalJwtSigner).Name }),
			{ByIssuer, true, "issuer", on(func(s *model.ExternalJwtSigner) []string { return []string{s.Issuer} })},
			{ByKid, true, "kid", on(func(s *model.ExternalJwtSigner) []string { return deref(s.Kid) })},
			{ByFingerprint, true, "fingerprint", on(func(s *model.ExternalJwtSigner) []string { return deref(s.Fingerprint) })},
		}
	}
	return nil
}

func deref(s *string) []string {
	if s == nil {
		return nil
	}
	return []string{*s}
}

// identityServices returns the services that an identity has settings for.
func identityServices(i *model.Identity) []string {
	if len(i.ServiceConfigs)+len(i.ServiceHostingCosts)+len(i.ServiceHostingPrecedences) == 0 {
		return nil
	}
	ids := slices.Collect(maps.Keys(i.ServiceConfigs))
	ids = slices.AppendSeq(ids, maps.Keys(i.ServiceHostingCosts))
	ids = slices.AppendSeq(ids, maps.Keys(i.ServiceHostingPrecedences))
	slices.Sort(ids)
	return slices.Compact(ids)
}

// identityConfigs returns the configs in the overrides of an identity.
func identityConfigs(i *model.Identity) []string {
	var ids []string
	for _, byType := range i.ServiceConfigs {
		ids = slices.AppendSeq(ids, maps.Values(byType))
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
