package state

import (
	"testing"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
)

const hostV1 = "NH5p4FpGR"

// populated has one of everything that the refusals need.
func populated(t testing.TB) *world {
	w := newWorld(t)
	admin := with("admin", &model.Identity{Name: "Default Admin", IsAdmin: true, IsDefaultAdmin: true})
	w.must(w.command().AsSystem().Create(admin))
	w.must(w.command().
		Create(identity("i1")).Create(with("i2", &model.Identity{Name: "two", ExternalID: ptr("ext")})).
		Create(config("c1", hostV1)).Create(config("c2", hostV1)).Create(config("c3", "host.v2")).
		Create(with("s1", &model.Service{Name: "n-s1", Configs: []string{"c1"}})).
		Create(with("r1", &model.EdgeRouter{Name: "n-r1", IsTunnelerEnabled: true, Fingerprint: "f1"})).
		Create(with("t1", &model.EdgeRouter{Name: "n-t1", IsTransit: true})).
		Create(servicePolicy("p1", []string{"@i1", "#all-of-us"}, []string{"@s1"})).
		Create(with("e1", &model.EdgeRouterPolicy{Name: "n-e1", Semantic: model.AnyOf, IdentityRoles: []string{"@i1"}, EdgeRouterRoles: []string{"@r1"}})).
		Create(with("v1", &model.ServiceEdgeRouterPolicy{Name: "n-v1", Semantic: model.AnyOf, ServiceRoles: []string{"@s1"}, EdgeRouterRoles: []string{"@r1"}})).
		Create(terminator("x1", "s1", "r1")).
		Create(with("a1", &model.Authenticator{Method: model.MethodUpdb, IdentityID: "i1", Username: "joe"})).
		Create(with("n1", &model.Enrollment{Method: model.MethodOtt, Token: "tok", IdentityID: "i1"})).
		Create(with("n2", &model.Enrollment{Method: model.MethodErott, Token: "tok2", EdgeRouterID: "r1"})).
		Create(with("ap", &model.AuthPolicy{Name: "other"})))
	w.must(w.command().Patch(model.KindIdentity, "i2", map[string]any{"authPolicyId": "ap"}))
	return w
}

func TestRefusals(t *testing.T) {
	tests := []struct {
		name          string
		build         func(*Command)
		kind          *fault.Kind
		field, reason string // of a field error
		cause         string // of any other
	}{
		{name: "identity name", build: func(c *Command) { c.Create(with("x", &model.Identity{Name: "n-i1"})) }, kind: fault.CouldNotValidate,
			field: "name", reason: "duplicate value 'n-i1' in unique index on identities store"},
		{name: "identity renamed to a taken name", build: func(c *Command) { c.Patch(model.KindIdentity, "i2", map[string]any{"name": "n-i1"}) },
			kind: fault.CouldNotValidate, field: "name", reason: "duplicate value 'n-i1' in unique index on identities store"},
		{name: "externalId", build: func(c *Command) { c.Patch(model.KindIdentity, "i1", map[string]any{"externalId": "ext"}) },
			kind: fault.CouldNotValidate, field: "externalId", reason: "duplicate value 'ext' in unique index on identities store"},
		{name: "service name", build: func(c *Command) { c.Create(with("x", &model.Service{Name: "n-s1"})) }, kind: fault.CouldNotValidate,
			field: "name", reason: "name must be unique"},
		{name: "edge router name taken by a transit router", build: func(c *Command) { c.Create(with("x", &model.EdgeRouter{Name: "n-t1"})) },
			kind: fault.CouldNotValidate, field: "name", reason: "name must be unique"},
		{name: "transit router name taken by an edge router", build: func(c *Command) { c.Create(with("x", &model.EdgeRouter{Name: "n-r1", IsTransit: true})) },
			kind: fault.CouldNotValidate, field: "name", reason: "duplicate value 'n-r1' in unique index on routers store"},
		{name: "username", build: func(c *Command) {
			c.Create(with("x", &model.Authenticator{Method: "updb", IdentityID: "i2", Username: "joe"}))
		}, kind: fault.CouldNotValidate, field: "updbUsername", reason: "duplicate value 'joe' in unique index on authenticators store"},
		{name: "second updb authenticator", build: func(c *Command) {
			c.Create(with("x", &model.Authenticator{Method: "updb", IdentityID: "i1", Username: "jim"}))
		}, kind: fault.MaxAuthenticatorMethodsReached},
		{name: "second enrollment of one method", build: func(c *Command) {
			c.Create(with("x", &model.Enrollment{Method: "ott", Token: "other", IdentityID: "i1"}))
		}, kind: fault.EnrollmentExists, field: "method", reason: "enrollment of same method exists"},
		{name: "empty service name", build: func(c *Command) { c.Patch(model.KindService, "s1", map[string]any{"name": ""}) }, kind: fault.CouldNotValidate,
			field: "name", reason: "name is required"},
		{name: "two configs of one type", build: func(c *Command) { c.Patch(model.KindService, "s1", map[string]any{"configs": []string{"c1", "c2"}}) },
			kind: fault.CouldNotValidate, field: "configs",
			reason: "duplicate configs named n-c1 and n-c2 found for config type host.v1. Only one config of a given typed is allowed per service "},
		{name: "unknown config", build: func(c *Command) { c.Patch(model.KindService, "s1", map[string]any{"configs": []string{"nope"}}) },
			kind: fault.NotFound, cause: "config with id nope not found"},
		{name: "unknown config type", build: func(c *Command) { c.Create(config("x", "nope")) }, kind: fault.CouldNotValidate,
			field: "type", reason: "invalid config type"},
		{name: "unknown auth policy", build: func(c *Command) { c.Patch(model.KindIdentity, "i1", map[string]any{"authPolicyId": "nope"}) },
			kind: fault.NotFound, cause: "authPolicy with id nope not found"},
		{name: "unknown strategy", build: func(c *Command) { c.Patch(model.KindService, "s1", map[string]any{"terminatorStrategy": "nope"}) },
			kind: fault.NotFound, cause: "terminatorStrategy with name nope not found"},
		{name: "unknown ids in roles", build: func(c *Command) { c.Create(servicePolicy("x", []string{"@nope", "#some"}, nil)) },
			kind: fault.CouldNotValidate, field: "identityRoles", reason: "no identities found with the given ids"},
		{name: "terminator of unknown service", build: func(c *Command) { c.Create(terminator("x", "nope", "r1")) }, kind: fault.NotFound,
			cause: "service with id nope not found"},
		{name: "terminator on unknown router", build: func(c *Command) { c.Create(terminator("x", "s1", "nope")) }, kind: fault.NotFound,
			cause: "router with id nope not found"},
		{name: "terminator without address", build: func(c *Command) {
			c.Create(with("x", &model.Terminator{ServiceID: "s1", RouterID: "r1", Binding: "b"}))
		}, kind: fault.CouldNotValidate, field: "address", reason: "address is required"},
		{name: "role attribute with prefix", build: func(c *Command) { c.Patch(model.KindService, "s1", map[string]any{"roleAttributes": []string{"#x"}}) },
			kind: fault.CouldNotValidate, field: "roleAttributes", reason: "role attributes may not be prefixed with #"},
		{name: "cost", build: func(c *Command) { c.Patch(model.KindEdgeRouter, "r1", map[string]any{"cost": 65536}) }, kind: fault.CouldNotValidate,
			field: "cost", reason: "cost in body should be less than or equal to 65535"},
		{name: "patch of an unknown id", build: func(c *Command) { c.Patch(model.KindService, "nope", nil) }, kind: fault.NotFound,
			cause: "service with id nope not found"},
		{name: "delete of an unknown id", build: func(c *Command) { c.Delete(model.KindService, "nope") }, kind: fault.NotFound,
			cause: "service with id nope not found"},
		{name: "delete of the default admin", build: func(c *Command) { c.Delete(model.KindIdentity, "admin") }, kind: fault.EntityCanNotBeDeleted},
		{name: "delete of a router identity", build: func(c *Command) { c.Delete(model.KindIdentity, "r1") }, kind: fault.EntityCanNotBeDeleted,
			cause: "cannot delete router identity n-r1 until associated router is deleted"},
		{name: "delete of a system policy", build: func(c *Command) { c.Delete(model.KindEdgeRouterPolicy, "r1") }, kind: fault.EntityCanNotBeDeleted,
			cause: "cannot delete system edgeRouterPolicy in a non-system context (id=r1)"},
		{name: "update of a system policy", build: func(c *Command) { c.Patch(model.KindEdgeRouterPolicy, "r1", map[string]any{"name": "x"}) },
			kind: fault.EntityCanNotBeUpdated, cause: "cannot update system edgeRouterPolicy in a non-system context (id=r1)"},
		{name: "delete of a config type in use", build: func(c *Command) { c.Delete(model.KindConfigType, hostV1) },
			kind: fault.CanNotDeleteReferencedEntity, cause: "cannot delete config type NH5p4FpGR, as configs of that type exist"},
		{name: "delete of an auth policy in use", build: func(c *Command) { c.Delete(model.KindAuthPolicy, "ap") },
			kind: fault.CanNotDeleteReferencedEntity, field: "authPolicyId", reason: "entity type authPolicy referenced by identity: [i2]"},
		{name: "rename of a router identity", build: func(c *Command) { c.Patch(model.KindIdentity, "r1", map[string]any{"name": "x"}) },
			kind: fault.CouldNotValidate, field: "name", reason: "the name of a router identity follows its router and may not be changed"},
		{name: "companion would take a taken name", build: func(c *Command) {
			c.Create(with("x", &model.EdgeRouter{Name: "n-i1", IsTunnelerEnabled: true}))
		}, kind: fault.CouldNotValidate, field: "name", reason: "duplicate value 'n-i1' in unique index on identities store"},
		{name: "the first op is undone with the second", build: func(c *Command) {
			c.Delete(model.KindIdentity, "i1").Delete(model.KindEdgeRouter, "r1").Create(service("new")).Create(service("s1"))
		}, kind: fault.CouldNotValidate, field: "id", reason: "an entity of type service already exists with id s1"},
	}
	w := populated(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w.t = t
			c := w.command()
			tt.build(c)
			err := w.refused(c)
			if err.Kind != tt.kind {
				t.Fatalf("%v, want %s", err, tt.kind.Code)
			}
			switch {
			case tt.field != "":
				if f, r := fieldOf(t, err); f != tt.field || r != tt.reason {
					t.Errorf("field %q %q, want %q %q", f, r, tt.field, tt.reason)
				}
			case tt.cause != "":
				if err.Cause == nil || err.Cause.Error() != tt.cause {
					t.Errorf("cause %v, want %s", err.Cause, tt.cause)
				}
			default:
				if err.Cause != nil {
					t.Errorf("cause %v, want none", err.Cause)
				}
			}
		})
	}
}

func TestInstanceOfAnotherHost(t *testing.T) {
	w := populated(t)
	x := terminator("x2", "s1", "r1")
	x.InstanceID, x.HostID = "inst", "i1"
	w.must(w.command().Create(x))
	y := terminator("x3", "s1", "r1")
	y.InstanceID, y.HostID = "inst", "i2"
	if _, reason := fieldOf(t, w.refused(w.command().Create(y))); reason != "sibling terminator x2 with shared identity inst belongs to different identity" {
		t.Error(reason)
	}
	y.HostID = "i1"
	w.must(w.command().Create(y))
}

func TestDefaultAuthPolicy(t *testing.T) {
	w := newWorld(t)
	if err := w.refused(w.command().Delete(model.KindAuthPolicy, "default")); err.Kind != fault.EntityCanNotBeDeleted {
		t.Error(err)
	}
	w.must(w.command().Patch(model.KindAuthPolicy, "default", map[string]any{"primary.updb.maxAttempts": 3}))
	p := Get[model.AuthPolicy](w.View(), "default")
	if p.Primary.Updb.MaxAttempts != 3 || !p.Primary.Cert.AllowExpiredCerts || p.Primary.ExtJwt.AllowedSigners != nil {
		t.Errorf("%+v", p)
	}
}
