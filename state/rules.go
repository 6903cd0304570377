package state

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
)

// maxListed bounds the ids in the refusal of a delete.
const maxListed = 100

// settle brings e into its stored form and restores what this command may not
// change.
func (t *tx) settle(old, e model.Entity) error {
	if old != nil {
		e.Meta().IsSystem = old.Meta().IsSystem || (t.cmd.System && e.Meta().IsSystem)
	}
	if i, ok := e.(*model.Identity); ok && !t.cmd.System {
		was, _ := old.(*model.Identity)
		if was == nil {
			i.Type = model.IdentityDefault
		} else {
			i.Type = was.Type
			i.IsDefaultAdmin = was.IsDefaultAdmin
			if was.Type == model.IdentityRouter && was.Name != i.Name {
				return fault.CouldNotValidate.Field("name", "the name of a router identity follows its router and may not be changed", i.Name)
			}
		}
	}
	if p, ok := e.(*model.PostureCheck); ok {
		was, _ := old.(*model.PostureCheck)
		if p.Version = 1; was != nil {
			p.Version = was.Version + 1
		}
		if was != nil && was.TypeID != p.TypeID {
			return fault.CouldNotValidate.Field("typeId", "the type of a posture check cannot be changed", p.TypeID)
		}
	}
	model.Settle(e)
	return nil
}

// references refuses e when it names something that is not there.
func (t *tx) references(old, e model.Entity) error {
	switch e := e.(type) {
	case *model.Identity:
		return t.identityReferences(e)
	case *model.Authenticator:
		return t.authenticatorReferences(old == nil, e)
	case *model.Enrollment:
		return t.enrollmentReferences(old == nil, e)
	case *model.MFA:
		if t.get(model.KindIdentity, e.IdentityID) == nil {
			return notFound(model.KindIdentity, e.IdentityID)
		}
	case *model.Service:
		return t.serviceConfigs(e)
	case *model.Config:
		if t.get(model.KindConfigType, e.ConfigTypeID) == nil {
			return fault.CouldNotValidate.Field("type", "invalid config type", e.ConfigTypeID)
		}
	case *model.Terminator:
		return t.terminatorReferences(e)
	case *model.ServicePolicy:
		was, _ := old.(*model.ServicePolicy)
		if was == nil {
			was = &model.ServicePolicy{}
		}
		return firstOf(
			t.roles("identityRoles", model.KindIdentity, was.IdentityRoles, e.IdentityRoles),
			t.roles("serviceRoles", model.KindService, was.ServiceRoles, e.ServiceRoles),
			t.roles("postureCheckRoles", model.KindPostureCheck, was.PostureCheckRoles, e.PostureCheckRoles))
	case *model.AuthPolicy:
		return t.signers(e)
	case *model.ExternalJwtSigner:
		return t.enrollPolicy(e)
	case *model.EdgeRouterPolicy:
		was, _ := old.(*model.EdgeRouterPolicy)
		if was == nil {
			was = &model.EdgeRouterPolicy{}
		}
		return firstOf(
			t.roles("identityRoles", model.KindIdentity, was.IdentityRoles, e.IdentityRoles),
			t.roles("edgeRouterRoles", model.KindEdgeRouter, was.EdgeRouterRoles, e.EdgeRouterRoles))
	case *model.ServiceEdgeRouterPolicy:
		was, _ := old.(*model.ServiceEdgeRouterPolicy)
		if was == nil {
			was = &model.ServiceEdgeRouterPolicy{}
		}
		return firstOf(
			t.roles("serviceRoles", model.KindService, was.ServiceRoles, e.ServiceRoles),
			t.roles("edgeRouterRoles", model.KindEdgeRouter, was.EdgeRouterRoles, e.EdgeRouterRoles))
	}
	return nil
}

// roles refuses ids in a role list that are new and unknown.
func (t *tx) roles(field string, k model.Kind, was, roles []string) error {
	var unknown []string
	for _, r := range roles {
		id, ok := strings.CutPrefix(r, "@")
		if ok && !slices.Contains(was, r) && t.get(k, id) == nil {
			unknown = append(unknown, id)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	plural := strings.NewReplacer("-r", "R", "-c", "C").Replace(model.Describe(k).Plural)
	return fault.CouldNotValidate.Field(field, fmt.Sprintf("no %s found with the given ids", plural), "["+strings.Join(unknown, " ")+"]")
}

func (t *tx) identityReferences(i *model.Identity) error {
	if t.get(model.KindAuthPolicy, i.AuthPolicyID) == nil {
		return notFound(model.KindAuthPolicy, i.AuthPolicyID)
	}
	for _, id := range sortedKeys(i.ServiceHostingCosts) {
		if t.get(model.KindService, id) == nil {
			return notFound(model.KindService, id)
		}
	}
	for _, id := range sortedKeys(i.ServiceHostingPrecedences) {
		if t.get(model.KindService, id) == nil {
			return notFound(model.KindService, id)
		}
	}
	for _, service := range sortedKeys(i.ServiceConfigs) {
		if t.get(model.KindService, service) == nil {
			return notFound(model.KindService, service)
		}
		for _, typ := range sortedKeys(i.ServiceConfigs[service]) {
			if id := i.ServiceConfigs[service][typ]; t.get(model.KindConfig, id) == nil {
				return notFound(model.KindConfig, id)
			}
		}
	}
	return nil
}

func (t *tx) authenticatorReferences(created bool, a *model.Authenticator) error {
	if t.get(model.KindIdentity, a.IdentityID) == nil {
		return notFound(model.KindIdentity, a.IdentityID)
	}
	if !created || a.Method != model.MethodUpdb {
		return nil
	}
	for _, other := range t.list(model.KindAuthenticator, ByIdentity, a.IdentityID) {
		if other.(*model.Authenticator).Method == a.Method {
			return fault.MaxAuthenticatorMethodsReached.New(nil)
		}
	}
	return nil
}

func (t *tx) enrollmentReferences(created bool, e *model.Enrollment) error {
	if created && e.CaID != "" && t.get(model.KindCA, e.CaID) == nil {
		return fault.CouldNotValidate.Field("caId", "CA not found", e.CaID)
	}
	for _, router := range []string{e.EdgeRouterID, e.TransitRouterID} {
		if router != "" && t.get(model.KindEdgeRouter, router) == nil {
			return notFound(model.KindEdgeRouter, router)
		}
	}
	if e.IdentityID == "" {
		return nil
	}
	if t.get(model.KindIdentity, e.IdentityID) == nil {
		return fault.CouldNotValidate.Field("identityId", "identity not found", e.IdentityID)
	}
	if !created {
		return nil
	}
	for _, other := range t.list(model.KindEnrollment, ByIdentity, e.IdentityID) {
		if other.(*model.Enrollment).Method == e.Method {
			return fault.EnrollmentExists.Field("method", "enrollment of same method exists", e.Method)
		}
	}
	return nil
}

func (t *tx) serviceConfigs(s *model.Service) error {
	byType := make(map[string]*model.Config, len(s.Configs))
	for _, id := range s.Configs {
		c, ok := t.get(model.KindConfig, id).(*model.Config)
		if !ok {
			return notFound(model.KindConfig, id)
		}
		if other := byType[c.ConfigTypeID]; other != nil {
			name := c.ConfigTypeID
			if ct, ok := t.get(model.KindConfigType, c.ConfigTypeID).(*model.ConfigType); ok {
				name = ct.Name
			}
			return fault.CouldNotValidate.Field("configs", fmt.Sprintf("duplicate configs named %s and %s found for config type %s. "+
				"Only one config of a given typed is allowed per service ", other.Name, c.Name, name), s.Configs)
		}
		byType[c.ConfigTypeID] = c
	}
	return nil
}

func (t *tx) terminatorReferences(x *model.Terminator) error {
	if t.get(model.KindService, x.ServiceID) == nil {
		return notFound(model.KindService, x.ServiceID)
	}
	if t.get(model.KindEdgeRouter, x.RouterID) == nil {
		return fault.NotFound.Errorf("router with id %s not found", x.RouterID)
	}
	if x.InstanceID == "" {
		return nil
	}
	for _, other := range t.list(model.KindTerminator, ByService, x.ServiceID) {
		o := other.(*model.Terminator)
		if o.ID != x.ID && o.InstanceID == x.InstanceID && o.HostID != x.HostID {
			return fault.CouldNotValidate.Field("identity", fmt.Sprintf("sibling terminator %s with shared identity %s belongs to different identity", o.ID, x.InstanceID), x.InstanceID)
		}
	}
	return nil
}

// refuseDelete refuses the deletes that references or roles of e forbid.
func (t *tx) refuseDelete(e model.Entity) error {
	switch e := e.(type) {
	case *model.Identity:
		if e.IsDefaultAdmin {
			return fault.EntityCanNotBeDeleted.New(nil)
		}
		if e.Type == model.IdentityRouter && t.get(model.KindEdgeRouter, e.ID) != nil && !t.cmd.System {
			return fault.EntityCanNotBeDeleted.Errorf("cannot delete router identity %s until associated router is deleted", e.Name)
		}
	case *model.ConfigType:
		if t.data.first(model.KindConfig, ByConfigType, e.ID) != nil {
			return fault.CanNotDeleteReferencedEntity.Errorf("cannot delete config type %s, as configs of that type exist", e.ID)
		}
	case *model.ExternalJwtSigner:
		return t.signerInUse(e.ID)
	case *model.AuthPolicy:
		if err := t.enrollPolicyInUse(e.ID); err != nil {
			return err
		}
		var users []string
		for i := range t.data.all(model.KindIdentity) {
			if i.(*model.Identity).AuthPolicyID == e.ID && len(users) < maxListed {
				users = append(users, i.Meta().ID)
			}
		}
		if len(users) > 0 {
			return referenced("authPolicyId", model.KindAuthPolicy, model.KindIdentity, users)
		}
		if e.ID == model.DefaultAuthPolicyID {
			return fault.EntityCanNotBeDeleted.New(nil)
		}
	}
	return nil
}

// revoke stores the revocation that ends every token of an identity.
func (t *tx) revoke(identity string) {
	life := t.cmd.RevokeFor
	if life <= 0 {
		life = 24 * time.Hour
	}
	before := t.cmd.Time
	r := &model.Revocation{Type: model.RevokeIdentity, ExpiresAt: before.Add(life), IssuedBefore: &before}
	r.ID, r.CreatedAt, r.UpdatedAt = identity, before, before
	old := t.get(model.KindRevocation, identity)
	if o, ok := old.(*model.Revocation); ok {
		r.CreatedAt = o.CreatedAt
		if o.ExpiresAt.After(r.ExpiresAt) {
			r.ExpiresAt = o.ExpiresAt
		}
	}
	t.put(old, r)
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
