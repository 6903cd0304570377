package interop

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openziti/edge-api/rest_management_api_client/edge_router"
	"github.com/openziti/edge-api/rest_management_api_client/identity"
	"github.com/openziti/edge-api/rest_management_api_client/service"
	"github.com/openziti/edge-api/rest_management_api_client/service_policy"
	"github.com/openziti/edge-api/rest_management_api_client/terminator"
	"github.com/openziti/edge-api/rest_model"
	"github.com/openziti/sdk-golang/ziti"
	"github.com/openziti/sdk-golang/ziti/enroll"
)

func ptr[T any](v T) *T { return &v }

// waitRouter waits until the API shows the router online.
func (n *network) waitRouter() error {
	var last error
	ok := eventually(func() bool {
		res, err := n.admin.API.EdgeRouter.ListEdgeRouters(edge_router.NewListEdgeRoutersParams(), nil)
		if last = err; err != nil {
			return false
		}
		for _, r := range res.Payload.Data {
			if r.IsOnline != nil && *r.IsOnline {
				return true
			}
		}
		return false
	})
	if !ok {
		return fmt.Errorf("the router is not online: %v", last)
	}
	return nil
}

// routerID is the id of the network's only router.
func (n *network) routerID(t *testing.T) string {
	t.Helper()
	res, err := n.admin.API.EdgeRouter.ListEdgeRouters(edge_router.NewListEdgeRoutersParams(), nil)
	if err != nil || len(res.Payload.Data) == 0 {
		t.Fatalf("list edge routers: %v", err)
	}
	return *res.Payload.Data[0].ID
}

// identity creates an identity and returns its id and enrolment token.
func (n *network) identity(t *testing.T, name string, attributes ...string) (id, jwt string) {
	t.Helper()
	name += n.mark
	attrs := rest_model.Attributes(n.withRoles(attributes))
	kind := rest_model.IdentityTypeDevice
	created, err := n.admin.API.Identity.CreateIdentity(identity.NewCreateIdentityParams().WithIdentity(&rest_model.IdentityCreate{
		Name: &name, IsAdmin: ptr(false), Type: &kind, RoleAttributes: &attrs,
		Enrollment: &rest_model.IdentityCreateEnrollment{Ott: true},
	}), nil)
	if err != nil {
		t.Fatalf("create identity %s: %v", name, err)
	}
	id = created.Payload.Data.ID
	detail, err := n.admin.API.Identity.DetailIdentity(identity.NewDetailIdentityParams().WithID(id), nil)
	if err != nil {
		t.Fatalf("read identity %s: %v", name, err)
	}
	return id, detail.Payload.Data.Enrollment.Ott.JWT
}

// withRoles adds the attributes by which identities may use routers.
func (n *network) withRoles(attributes []string) []string {
	all := append(slices.Clone(attributes), n.extra...)
	for end, role := range n.roles {
		if n.extra == nil && slices.ContainsFunc(attributes, func(a string) bool { return strings.HasSuffix(a, end) }) {
			all = append(all, role)
		}
	}
	return all
}

// enrol enrols with the third-party SDK.
func enrol(t *testing.T, jwt string) *ziti.Config {
	t.Helper()
	claims, token, err := enroll.ParseToken(jwt)
	if err != nil {
		t.Fatalf("parse enrolment token: %v", err)
	}
	cfg, err := enroll.Enroll(enroll.EnrollmentFlags{Token: claims, JwtToken: token, JwtString: jwt, KeyAlg: "EC"})
	if err != nil {
		t.Fatalf("enrol: %v", err)
	}
	return cfg
}

// client returns a context of the third-party SDK for a new identity.
func (n *network) client(t *testing.T, name string, attributes ...string) ziti.Context {
	t.Helper()
	_, jwt := n.identity(t, name, attributes...)
	return contextOf(t, enrol(t, jwt))
}

func contextOf(t *testing.T, cfg *ziti.Config) ziti.Context {
	t.Helper()
	ctx := newContext(t, cfg)
	if err := ctx.Authenticate(); err != nil {
		t.Fatalf("authenticate: %v", err)
	}
	return ctx
}

// service creates a service and both policies that open it to identities with
// the attributes name-dial and name-host. It returns the ids of all three.
func (n *network) service(t *testing.T, name string, encrypted bool) (id, dial, bind string) {
	t.Helper()
	created, err := n.admin.API.Service.CreateService(service.NewCreateServiceParams().WithService(&rest_model.ServiceCreate{
		Name: &name, EncryptionRequired: &encrypted, RoleAttributes: []string{name},
	}), nil)
	if err != nil {
		t.Fatalf("create service %s: %v", name, err)
	}
	dial = n.policy(t, name+"-dial", rest_model.DialBindDial, name)
	bind = n.policy(t, name+"-host", rest_model.DialBindBind, name)
	return created.Payload.Data.ID, dial, bind
}

func (n *network) policy(t *testing.T, name string, kind rest_model.DialBind, service string) string {
	t.Helper()
	semantic := rest_model.SemanticAnyOf
	created, err := n.admin.API.ServicePolicy.CreateServicePolicy(service_policy.NewCreateServicePolicyParams().WithPolicy(&rest_model.ServicePolicyCreate{
		Name: &name, Type: &kind, Semantic: &semantic, IdentityRoles: rest_model.Roles{"#" + name}, ServiceRoles: rest_model.Roles{"#" + service},
	}), nil)
	if err != nil {
		t.Fatalf("create policy %s: %v", name, err)
	}
	return created.Payload.Data.ID
}

func (n *network) deletePolicy(t *testing.T, id string) {
	t.Helper()
	if _, err := n.admin.API.ServicePolicy.DeleteServicePolicy(service_policy.NewDeleteServicePolicyParams().WithID(id), nil); err != nil {
		t.Fatalf("delete policy: %v", err)
	}
}

// terminators counts the terminators of a service.
func (n *network) terminators(t *testing.T, serviceID string) int {
	t.Helper()
	res, err := n.admin.API.Terminator.ListTerminators(terminator.NewListTerminatorsParams().WithFilter(ptr(fmt.Sprintf("service=%q", serviceID))), nil)
	if err != nil {
		t.Fatalf("list terminators: %v", err)
	}
	return len(res.Payload.Data)
}

func (n *network) waitTerminators(t *testing.T, serviceID string, want int) {
	t.Helper()
	if !eventually(func() bool { return n.terminators(t, serviceID) == want }) {
		t.Fatalf("service has %d terminators, want %d", n.terminators(t, serviceID), want)
	}
}

func inAnHour() time.Time { return time.Now().Add(time.Hour) }
