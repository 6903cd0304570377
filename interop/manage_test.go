package interop

import (
	"fmt"
	"testing"

	"github.com/go-openapi/strfmt"
	"github.com/openziti/edge-api/rest_management_api_client/api_session"
	"github.com/openziti/edge-api/rest_management_api_client/auth_policy"
	"github.com/openziti/edge-api/rest_management_api_client/authenticator"
	"github.com/openziti/edge-api/rest_management_api_client/config"
	"github.com/openziti/edge-api/rest_management_api_client/edge_router"
	"github.com/openziti/edge-api/rest_management_api_client/edge_router_policy"
	"github.com/openziti/edge-api/rest_management_api_client/enrollment"
	"github.com/openziti/edge-api/rest_management_api_client/identity"
	"github.com/openziti/edge-api/rest_management_api_client/role_attributes"
	"github.com/openziti/edge-api/rest_management_api_client/service"
	"github.com/openziti/edge-api/rest_management_api_client/service_edge_router_policy"
	"github.com/openziti/edge-api/rest_management_api_client/service_policy"
	"github.com/openziti/edge-api/rest_management_api_client/session"
	"github.com/openziti/edge-api/rest_management_api_client/terminator"
	"github.com/openziti/edge-api/rest_model"
)

// crud is one entity as the management client sees it. Steps that the entity
// does not have are nil. read and list return the name, or what stands for it.
type crud struct {
	create func() (string, error)
	read   func(id string) (string, error)
	list   func(filter string) (int, error)
	patch  func(id string) error
	update func(id string) error
	remove func(id string) error

	created, patched, updated string // what read returns after each step
}

// TestManagementClient creates, reads, lists, patches, updates and deletes every
// entity with the third-party management client.
func TestManagementClient(t *testing.T) {
	n := sharedNetwork(t)
	for name, c := range entities(t, n) {
		t.Run(name, func(t *testing.T) { c.run(t) })
	}
}

func (c crud) run(t *testing.T) {
	id, err := c.create()
	if err != nil {
		t.Fatalf("create: %v", err)
	}
	c.expect(t, id, c.created)
	if n, err := c.list(fmt.Sprintf("id=%q", id)); err != nil || n != 1 {
		t.Fatalf("list by id found %d, error %v", n, err)
	}
	if c.patch != nil {
		if err := c.patch(id); err != nil {
			t.Fatalf("patch: %v", err)
		}
		c.expect(t, id, c.patched)
	}
	if c.update != nil {
		if err := c.update(id); err != nil {
			t.Fatalf("update: %v", err)
		}
		c.expect(t, id, c.updated)
	}
	if err := c.remove(id); err != nil {
		t.Fatalf("delete: %v", err)
	}
	if _, err := c.read(id); err == nil {
		t.Fatal("still there after delete")
	}
	if err := c.remove(id); err == nil {
		t.Fatal("a second delete succeeded")
	}
}

func (c crud) expect(t *testing.T, id, want string) {
	t.Helper()
	if got, err := c.read(id); err != nil || got != want {
		t.Fatalf("read %q, want %q, error %v", got, want, err)
	}
}

func entities(t *testing.T, n *network) map[string]crud {
	api := n.admin.API
	semantic := rest_model.SemanticAllOf
	owner, _ := n.identity(t, "crud-owner")
	device := rest_model.IdentityTypeDevice
	svc, err := api.Service.CreateService(service.NewCreateServiceParams().WithService(&rest_model.ServiceCreate{
		Name: ptr("crud-service"), EncryptionRequired: ptr(false)}), nil)
	if err != nil {
		t.Fatal(err)
	}
	serviceID, routerID := svc.Payload.Data.ID, n.routerID(t)
	return map[string]crud{
		"identity": {
			created: "crud-1", patched: "crud-2", updated: "crud-3",
			create: func() (string, error) {
				r, err := api.Identity.CreateIdentity(identity.NewCreateIdentityParams().WithIdentity(&rest_model.IdentityCreate{Name: ptr("crud-1"), IsAdmin: ptr(false), Type: &device}), nil)
				if err != nil {
					return "", err
				}
				return r.Payload.Data.ID, nil
			},
			read: func(id string) (string, error) {
				r, err := api.Identity.DetailIdentity(identity.NewDetailIdentityParams().WithID(id), nil)
				if err != nil {
					return "", err
				}
				return *r.Payload.Data.Name, nil
			},
			list: func(f string) (int, error) {
				r, err := api.Identity.ListIdentities(identity.NewListIdentitiesParams().WithFilter(&f), nil)
				if err != nil {
					return 0, err
				}
				return len(r.Payload.Data), nil
			},
			patch: func(id string) error {
				_, err := api.Identity.PatchIdentity(identity.NewPatchIdentityParams().WithID(id).WithIdentity(&rest_model.IdentityPatch{Name: ptr("crud-2")}), nil)
				return err
			},
			update: func(id string) error {
				_, err := api.Identity.UpdateIdentity(identity.NewUpdateIdentityParams().WithID(id).WithIdentity(&rest_model.IdentityUpdate{Name: ptr("crud-3"), IsAdmin: ptr(false), Type: &device}), nil)
				return err
			},
			remove: func(id string) error {
				_, err := api.Identity.DeleteIdentity(identity.NewDeleteIdentityParams().WithID(id), nil)
				return err
			},
		},
		"service": {
			created: "crud-1", patched: "crud-2", updated: "crud-3",
			create: func() (string, error) {
				r, err := api.Service.CreateService(service.NewCreateServiceParams().WithService(&rest_model.ServiceCreate{Name: ptr("crud-1"), EncryptionRequired: ptr(true)}), nil)
				if err != nil {
					return "", err
				}
				return r.Payload.Data.ID, nil
			},
			read: func(id string) (string, error) {
				r, err := api.Service.DetailService(service.NewDetailServiceParams().WithID(id), nil)
				if err != nil {
					return "", err
				}
				return *r.Payload.Data.Name, nil
			},
			list: func(f string) (int, error) {
				r, err := api.Service.ListServices(service.NewListServicesParams().WithFilter(&f), nil)
				if err != nil {
					return 0, err
				}
				return len(r.Payload.Data), nil
			},
			patch: func(id string) error {
				_, err := api.Service.PatchService(service.NewPatchServiceParams().WithID(id).WithService(&rest_model.ServicePatch{Name: "crud-2"}), nil)
				return err
			},
			update: func(id string) error {
				_, err := api.Service.UpdateService(service.NewUpdateServiceParams().WithID(id).WithService(&rest_model.ServiceUpdate{Name: ptr("crud-3")}), nil)
				return err
			},
			remove: func(id string) error {
				_, err := api.Service.DeleteService(service.NewDeleteServiceParams().WithID(id), nil)
				return err
			},
		},
		"config": {
			created: "crud-1", patched: "crud-2", updated: "crud-3",
			create: func() (string, error) {
				r, err := api.Config.CreateConfig(config.NewCreateConfigParams().WithConfig(&rest_model.ConfigCreate{Name: ptr("crud-1"), ConfigTypeID: ptr("NH5p4FpGR"),
					Data: map[string]any{"protocol": "tcp", "address": "localhost", "port": 80}}), nil)
				if err != nil {
					return "", err
				}
				return r.Payload.Data.ID, nil
			},
			read: func(id string) (string, error) {
				r, err := api.Config.DetailConfig(config.NewDetailConfigParams().WithID(id), nil)
				if err != nil {
					return "", err
				}
				return *r.Payload.Data.Name, nil
			},
			list: func(f string) (int, error) {
				r, err := api.Config.ListConfigs(config.NewListConfigsParams().WithFilter(&f), nil)
				if err != nil {
					return 0, err
				}
				return len(r.Payload.Data), nil
			},
			patch: func(id string) error {
				_, err := api.Config.PatchConfig(config.NewPatchConfigParams().WithID(id).WithConfig(&rest_model.ConfigPatch{Name: "crud-2"}), nil)
				return err
			},
			update: func(id string) error {
				_, err := api.Config.UpdateConfig(config.NewUpdateConfigParams().WithID(id).WithConfig(&rest_model.ConfigUpdate{Name: ptr("crud-3"),
					Data: map[string]any{"protocol": "udp", "address": "localhost", "port": 53}}), nil)
				return err
			},
			remove: func(id string) error {
				_, err := api.Config.DeleteConfig(config.NewDeleteConfigParams().WithID(id), nil)
				return err
			},
		},
		"config-type": {
			created: "crud-1", patched: "crud-2", updated: "crud-3",
			create: func() (string, error) {
				r, err := api.Config.CreateConfigType(config.NewCreateConfigTypeParams().WithConfigType(&rest_model.ConfigTypeCreate{Name: ptr("crud-1"),
					Schema: map[string]any{"type": "object"}}), nil)
				if err != nil {
					return "", err
				}
				return r.Payload.Data.ID, nil
			},
			read: func(id string) (string, error) {
				r, err := api.Config.DetailConfigType(config.NewDetailConfigTypeParams().WithID(id), nil)
				if err != nil {
					return "", err
				}
				return *r.Payload.Data.Name, nil
			},
			list: func(f string) (int, error) {
				r, err := api.Config.ListConfigTypes(config.NewListConfigTypesParams().WithFilter(&f), nil)
				if err != nil {
					return 0, err
				}
				return len(r.Payload.Data), nil
			},
			patch: func(id string) error {
				_, err := api.Config.PatchConfigType(config.NewPatchConfigTypeParams().WithID(id).WithConfigType(&rest_model.ConfigTypePatch{Name: "crud-2"}), nil)
				return err
			},
			update: func(id string) error {
				_, err := api.Config.UpdateConfigType(config.NewUpdateConfigTypeParams().WithID(id).WithConfigType(&rest_model.ConfigTypeUpdate{Name: ptr("crud-3")}), nil)
				return err
			},
			remove: func(id string) error {
				_, err := api.Config.DeleteConfigType(config.NewDeleteConfigTypeParams().WithID(id), nil)
				return err
			},
		},
		"edge-router": {
			created: "crud-1", patched: "crud-2", updated: "crud-3",
			create: func() (string, error) {
				r, err := api.EdgeRouter.CreateEdgeRouter(edge_router.NewCreateEdgeRouterParams().WithEdgeRouter(&rest_model.EdgeRouterCreate{Name: ptr("crud-1")}), nil)
				if err != nil {
					return "", err
				}
				return r.Payload.Data.ID, nil
			},
			read: func(id string) (string, error) {
				r, err := api.EdgeRouter.DetailEdgeRouter(edge_router.NewDetailEdgeRouterParams().WithID(id), nil)
				if err != nil {
					return "", err
				}
				if r.Payload.Data.EnrollmentJWT == nil || *r.Payload.Data.EnrollmentJWT == "" {
					return "", fmt.Errorf("no enrolment token")
				}
				return *r.Payload.Data.Name, nil
			},
			list: func(f string) (int, error) {
				r, err := api.EdgeRouter.ListEdgeRouters(edge_router.NewListEdgeRoutersParams().WithFilter(&f), nil)
				if err != nil {
					return 0, err
				}
				return len(r.Payload.Data), nil
			},
			patch: func(id string) error {
				_, err := api.EdgeRouter.PatchEdgeRouter(edge_router.NewPatchEdgeRouterParams().WithID(id).WithEdgeRouter(&rest_model.EdgeRouterPatch{Name: ptr("crud-2")}), nil)
				return err
			},
			update: func(id string) error {
				_, err := api.EdgeRouter.UpdateEdgeRouter(edge_router.NewUpdateEdgeRouterParams().WithID(id).WithEdgeRouter(&rest_model.EdgeRouterUpdate{Name: ptr("crud-3")}), nil)
				return err
			},
			remove: func(id string) error {
				_, err := api.EdgeRouter.DeleteEdgeRouter(edge_router.NewDeleteEdgeRouterParams().WithID(id), nil)
				return err
			},
		},
		"service-policy": {
			created: "crud-1", patched: "crud-2", updated: "crud-3",
			create: func() (string, error) {
				kind := rest_model.DialBindDial
				r, err := api.ServicePolicy.CreateServicePolicy(service_policy.NewCreateServicePolicyParams().WithPolicy(&rest_model.ServicePolicyCreate{Name: ptr("crud-1"), Type: &kind, Semantic: &semantic,
					IdentityRoles: rest_model.Roles{"@" + owner}, ServiceRoles: rest_model.Roles{"@" + serviceID}}), nil)
				if err != nil {
					return "", err
				}
				return r.Payload.Data.ID, nil
			},
			read: func(id string) (string, error) {
				r, err := api.ServicePolicy.DetailServicePolicy(service_policy.NewDetailServicePolicyParams().WithID(id), nil)
				if err != nil {
					return "", err
				}
				return *r.Payload.Data.Name, nil
			},
			list: func(f string) (int, error) {
				r, err := api.ServicePolicy.ListServicePolicies(service_policy.NewListServicePoliciesParams().WithFilter(&f), nil)
				if err != nil {
					return 0, err
				}
				return len(r.Payload.Data), nil
			},
			patch: func(id string) error {
				_, err := api.ServicePolicy.PatchServicePolicy(service_policy.NewPatchServicePolicyParams().WithID(id).WithPolicy(&rest_model.ServicePolicyPatch{Name: "crud-2"}), nil)
				return err
			},
			update: func(id string) error {
				kind := rest_model.DialBindBind
				_, err := api.ServicePolicy.UpdateServicePolicy(service_policy.NewUpdateServicePolicyParams().WithID(id).WithPolicy(&rest_model.ServicePolicyUpdate{Name: ptr("crud-3"), Type: &kind, Semantic: &semantic}), nil)
				return err
			},
			remove: func(id string) error {
				_, err := api.ServicePolicy.DeleteServicePolicy(service_policy.NewDeleteServicePolicyParams().WithID(id), nil)
				return err
			},
		},
		"edge-router-policy": {
			created: "crud-1", patched: "crud-2", updated: "crud-3",
			create: func() (string, error) {
				r, err := api.EdgeRouterPolicy.CreateEdgeRouterPolicy(edge_router_policy.NewCreateEdgeRouterPolicyParams().WithPolicy(&rest_model.EdgeRouterPolicyCreate{Name: ptr("crud-1"), Semantic: &semantic,
					EdgeRouterRoles: rest_model.Roles{"#all"}, IdentityRoles: rest_model.Roles{"#none"}}), nil)
				if err != nil {
					return "", err
				}
				return r.Payload.Data.ID, nil
			},
			read: func(id string) (string, error) {
				r, err := api.EdgeRouterPolicy.DetailEdgeRouterPolicy(edge_router_policy.NewDetailEdgeRouterPolicyParams().WithID(id), nil)
				if err != nil {
					return "", err
				}
				return *r.Payload.Data.Name, nil
			},
			list: func(f string) (int, error) {
				r, err := api.EdgeRouterPolicy.ListEdgeRouterPolicies(edge_router_policy.NewListEdgeRouterPoliciesParams().WithFilter(&f), nil)
				if err != nil {
					return 0, err
				}
				return len(r.Payload.Data), nil
			},
			patch: func(id string) error {
				_, err := api.EdgeRouterPolicy.PatchEdgeRouterPolicy(edge_router_policy.NewPatchEdgeRouterPolicyParams().WithID(id).WithPolicy(&rest_model.EdgeRouterPolicyPatch{Name: "crud-2"}), nil)
				return err
			},
			update: func(id string) error {
				_, err := api.EdgeRouterPolicy.UpdateEdgeRouterPolicy(edge_router_policy.NewUpdateEdgeRouterPolicyParams().WithID(id).WithPolicy(&rest_model.EdgeRouterPolicyUpdate{Name: ptr("crud-3"), Semantic: &semantic}), nil)
				return err
			},
			remove: func(id string) error {
				_, err := api.EdgeRouterPolicy.DeleteEdgeRouterPolicy(edge_router_policy.NewDeleteEdgeRouterPolicyParams().WithID(id), nil)
				return err
			},
		},
		"service-edge-router-policy": {
			created: "crud-1", patched: "crud-2", updated: "crud-3",
			create: func() (string, error) {
				r, err := api.ServiceEdgeRouterPolicy.CreateServiceEdgeRouterPolicy(service_edge_router_policy.NewCreateServiceEdgeRouterPolicyParams().WithPolicy(&rest_model.ServiceEdgeRouterPolicyCreate{Name: ptr("crud-1"), Semantic: &semantic,
					EdgeRouterRoles: rest_model.Roles{"#all"}, ServiceRoles: rest_model.Roles{"#none"}}), nil)
				if err != nil {
					return "", err
				}
				return r.Payload.Data.ID, nil
			},
			read: func(id string) (string, error) {
				r, err := api.ServiceEdgeRouterPolicy.DetailServiceEdgeRouterPolicy(service_edge_router_policy.NewDetailServiceEdgeRouterPolicyParams().WithID(id), nil)
				if err != nil {
					return "", err
				}
				return *r.Payload.Data.Name, nil
			},
			list: func(f string) (int, error) {
				r, err := api.ServiceEdgeRouterPolicy.ListServiceEdgeRouterPolicies(service_edge_router_policy.NewListServiceEdgeRouterPoliciesParams().WithFilter(&f), nil)
				if err != nil {
					return 0, err
				}
				return len(r.Payload.Data), nil
			},
			patch: func(id string) error {
				_, err := api.ServiceEdgeRouterPolicy.PatchServiceEdgeRouterPolicy(service_edge_router_policy.NewPatchServiceEdgeRouterPolicyParams().WithID(id).WithPolicy(&rest_model.ServiceEdgeRouterPolicyPatch{Name: "crud-2"}), nil)
				return err
			},
			update: func(id string) error {
				_, err := api.ServiceEdgeRouterPolicy.UpdateServiceEdgeRouterPolicy(service_edge_router_policy.NewUpdateServiceEdgeRouterPolicyParams().WithID(id).WithPolicy(&rest_model.ServiceEdgeRouterPolicyUpdate{Name: ptr("crud-3"), Semantic: &semantic}), nil)
				return err
			},
			remove: func(id string) error {
				_, err := api.ServiceEdgeRouterPolicy.DeleteServiceEdgeRouterPolicy(service_edge_router_policy.NewDeleteServiceEdgeRouterPolicyParams().WithID(id), nil)
				return err
			},
		},
		"terminator": {
			created: "tcp:localhost:1", patched: "tcp:localhost:2", updated: "tcp:localhost:3",
			create: func() (string, error) {
				r, err := api.Terminator.CreateTerminator(terminator.NewCreateTerminatorParams().WithTerminator(&rest_model.TerminatorCreate{
					Service: &serviceID, Router: &routerID, Binding: ptr("transport"), Address: ptr("tcp:localhost:1")}), nil)
				if err != nil {
					return "", err
				}
				return r.Payload.Data.ID, nil
			},
			read: func(id string) (string, error) {
				r, err := api.Terminator.DetailTerminator(terminator.NewDetailTerminatorParams().WithID(id), nil)
				if err != nil {
					return "", err
				}
				return *r.Payload.Data.Address, nil
			},
			list: func(f string) (int, error) {
				r, err := api.Terminator.ListTerminators(terminator.NewListTerminatorsParams().WithFilter(&f), nil)
				if err != nil {
					return 0, err
				}
				return len(r.Payload.Data), nil
			},
			patch: func(id string) error {
				_, err := api.Terminator.PatchTerminator(terminator.NewPatchTerminatorParams().WithID(id).WithTerminator(&rest_model.TerminatorPatch{Address: "tcp:localhost:2"}), nil)
				return err
			},
			update: func(id string) error {
				_, err := api.Terminator.UpdateTerminator(terminator.NewUpdateTerminatorParams().WithID(id).WithTerminator(&rest_model.TerminatorUpdate{
					Service: &serviceID, Router: &routerID, Binding: ptr("transport"), Address: ptr("tcp:localhost:3")}), nil)
				return err
			},
			remove: func(id string) error {
				_, err := api.Terminator.DeleteTerminator(terminator.NewDeleteTerminatorParams().WithID(id), nil)
				return err
			},
		},
		"authenticator": {
			created: "crud-user", patched: "crud-user2", updated: "crud-user3",
			create: func() (string, error) {
				r, err := api.Authenticator.CreateAuthenticator(authenticator.NewCreateAuthenticatorParams().WithAuthenticator(&rest_model.AuthenticatorCreate{
					IdentityID: &owner, Method: ptr("updb"), Username: "crud-user", Password: "crud-password"}), nil)
				if err != nil {
					return "", err
				}
				return r.Payload.Data.ID, nil
			},
			read: func(id string) (string, error) {
				r, err := api.Authenticator.DetailAuthenticator(authenticator.NewDetailAuthenticatorParams().WithID(id), nil)
				if err != nil {
					return "", err
				}
				return r.Payload.Data.Username, nil
			},
			list: func(f string) (int, error) {
				r, err := api.Authenticator.ListAuthenticators(authenticator.NewListAuthenticatorsParams().WithFilter(&f), nil)
				if err != nil {
					return 0, err
				}
				return len(r.Payload.Data), nil
			},
			patch: func(id string) error {
				_, err := api.Authenticator.PatchAuthenticator(authenticator.NewPatchAuthenticatorParams().WithID(id).WithAuthenticator(&rest_model.AuthenticatorPatch{Username: ptr(rest_model.UsernameNullable("crud-user2"))}), nil)
				return err
			},
			update: func(id string) error {
				_, err := api.Authenticator.UpdateAuthenticator(authenticator.NewUpdateAuthenticatorParams().WithID(id).WithAuthenticator(&rest_model.AuthenticatorUpdate{
					Username: ptr(rest_model.Username("crud-user3")), Password: ptr(rest_model.Password("crud-password3"))}), nil)
				return err
			},
			remove: func(id string) error {
				_, err := api.Authenticator.DeleteAuthenticator(authenticator.NewDeleteAuthenticatorParams().WithID(id), nil)
				return err
			},
		},
		"enrollment": {
			created: "ott",
			create: func() (string, error) {
				expires := strfmt.DateTime(inAnHour())
				r, err := api.Enrollment.CreateEnrollment(enrollment.NewCreateEnrollmentParams().WithEnrollment(&rest_model.EnrollmentCreate{
					IdentityID: ptr(unenrolled(t, n)), Method: ptr("ott"), ExpiresAt: &expires}), nil)
				if err != nil {
					return "", err
				}
				return r.Payload.Data.ID, nil
			},
			read: func(id string) (string, error) {
				r, err := api.Enrollment.DetailEnrollment(enrollment.NewDetailEnrollmentParams().WithID(id), nil)
				if err != nil {
					return "", err
				}
				return *r.Payload.Data.Method, nil
			},
			list: func(f string) (int, error) {
				r, err := api.Enrollment.ListEnrollments(enrollment.NewListEnrollmentsParams().WithFilter(&f), nil)
				if err != nil {
					return 0, err
				}
				return len(r.Payload.Data), nil
			},
			remove: func(id string) error {
				_, err := api.Enrollment.DeleteEnrollment(enrollment.NewDeleteEnrollmentParams().WithID(id), nil)
				return err
			},
		},
		"auth-policy": {
			created: "crud-1", patched: "crud-2", updated: "crud-3",
			create: func() (string, error) {
				r, err := api.AuthPolicy.CreateAuthPolicy(auth_policy.NewCreateAuthPolicyParams().WithAuthPolicy(&rest_model.AuthPolicyCreate{
					Name: ptr("crud-1"), Primary: primary(), Secondary: &rest_model.AuthPolicySecondary{RequireTotp: ptr(false)}}), nil)
				if err != nil {
					return "", err
				}
				return r.Payload.Data.ID, nil
			},
			read: func(id string) (string, error) {
				r, err := api.AuthPolicy.DetailAuthPolicy(auth_policy.NewDetailAuthPolicyParams().WithID(id), nil)
				if err != nil {
					return "", err
				}
				return *r.Payload.Data.Name, nil
			},
			list: func(f string) (int, error) {
				r, err := api.AuthPolicy.ListAuthPolicies(auth_policy.NewListAuthPoliciesParams().WithFilter(&f), nil)
				if err != nil {
					return 0, err
				}
				return len(r.Payload.Data), nil
			},
			patch: func(id string) error {
				_, err := api.AuthPolicy.PatchAuthPolicy(auth_policy.NewPatchAuthPolicyParams().WithID(id).WithAuthPolicy(&rest_model.AuthPolicyPatch{Name: ptr("crud-2")}), nil)
				return err
			},
			update: func(id string) error {
				_, err := api.AuthPolicy.UpdateAuthPolicy(auth_policy.NewUpdateAuthPolicyParams().WithID(id).WithAuthPolicy(&rest_model.AuthPolicyUpdate{AuthPolicyCreate: rest_model.AuthPolicyCreate{
					Name: ptr("crud-3"), Primary: primary(), Secondary: &rest_model.AuthPolicySecondary{RequireTotp: ptr(false)}}}), nil)
				return err
			},
			remove: func(id string) error {
				_, err := api.AuthPolicy.DeleteAuthPolicy(auth_policy.NewDeleteAuthPolicyParams().WithID(id), nil)
				return err
			},
		},
	}
}

func primary() *rest_model.AuthPolicyPrimary {
	return &rest_model.AuthPolicyPrimary{
		Cert:   &rest_model.AuthPolicyPrimaryCert{Allowed: ptr(true), AllowExpiredCerts: ptr(true)},
		ExtJWT: &rest_model.AuthPolicyPrimaryExtJWT{Allowed: ptr(false), AllowedSigners: []string{}},
		Updb: &rest_model.AuthPolicyPrimaryUpdb{Allowed: ptr(true), LockoutDurationMinutes: ptr(int64(0)), MaxAttempts: ptr(int64(5)), MinPasswordLength: ptr(int64(5)),
			RequireMixedCase: ptr(false), RequireNumberChar: ptr(false), RequireSpecialChar: ptr(false)},
	}
}

// unenrolled is the id of an identity without an open enrollment.
func unenrolled(t *testing.T, n *network) string {
	t.Helper()
	kind := rest_model.IdentityTypeDevice
	r, err := n.admin.API.Identity.CreateIdentity(identity.NewCreateIdentityParams().WithIdentity(&rest_model.IdentityCreate{
		Name: ptr("unenrolled"), IsAdmin: ptr(false), Type: &kind}), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r.Payload.Data.ID
}

// TestSessionsAreListed shows the sessions of a connected client, and ends them.
func TestSessionsAreListed(t *testing.T) {
	n := sharedNetwork(t)
	api := n.admin.API
	id, _, _ := n.service(t, "sessions", true)
	who, jwt := n.identity(t, "sessions-client", "sessions-dial", "sessions-host")
	ctx := contextOf(t, enrol(t, jwt))
	l, err := ctx.Listen("sessions")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	n.waitTerminators(t, id, 1)
	filter := fmt.Sprintf("service=%q", id)
	sessions, err := api.Session.ListSessions(session.NewListSessionsParams().WithFilter(&filter), nil)
	if err != nil || len(sessions.Payload.Data) != 1 {
		t.Fatalf("sessions: %v, %v", sessions, err)
	}
	filter = fmt.Sprintf("identity=%q", who)
	logins, err := api.APISession.ListAPISessions(api_session.NewListAPISessionsParams().WithFilter(&filter), nil)
	if err != nil || len(logins.Payload.Data) == 0 {
		t.Fatalf("api sessions: %v, %v", logins, err)
	}
	for _, s := range logins.Payload.Data {
		if _, err := api.APISession.DeleteAPISessions(api_session.NewDeleteAPISessionsParams().WithID(*s.ID), nil); err != nil {
			t.Fatal(err)
		}
	}
	attributes, err := api.RoleAttributes.ListIdentityRoleAttributes(role_attributes.NewListIdentityRoleAttributesParams(), nil)
	if err != nil || len(attributes.Payload.Data) == 0 {
		t.Fatalf("role attributes: %v, %v", attributes, err)
	}
}
