package interop

import (
	"context"
	"net"
	"net/url"
	"testing"
	"time"

	"github.com/openziti/edge-api/rest_management_api_client/auth_policy"
	"github.com/openziti/edge-api/rest_management_api_client/identity"
	"github.com/openziti/edge-api/rest_management_api_client/posture_checks"
	"github.com/openziti/edge-api/rest_management_api_client/service_policy"
	"github.com/openziti/edge-api/rest_model"
	edgeapis "github.com/openziti/sdk-golang/edge-apis"
	"github.com/openziti/sdk-golang/ziti"
	"github.com/pquerna/otp/totp"
)

// TestSecondFactor: an identity whose policy demands one-time codes enrols its
// authenticator with the third-party SDK; from then on the SDK asks its owner
// for a code at every login, and does nothing before it has one that is right.
func TestSecondFactor(t *testing.T) {
	n := sharedNetwork(t)
	id, _, _ := n.service(t, "factor", true)
	serve(t, ours().listen(t, n, "factor"))
	n.waitTerminators(t, id, 1)
	who, jwt := n.identity(t, "factor-dial", "factor-dial")
	cfg := enrol(t, jwt)
	first := contextOf(t, cfg)
	mfa, err := first.EnrollZitiMfa()
	if err != nil {
		t.Fatalf("enrol a second factor: %v", err)
	}
	if err := first.VerifyZitiMfa("000000"); err == nil {
		t.Error("a wrong code was verified")
	}
	if err := first.VerifyZitiMfa(codeOfNow(t, mfa.ProvisioningURL)); err != nil {
		t.Fatalf("verify: %v", err)
	}
	n.demandCodes(t, who)

	t.Run("nobody answers", func(t *testing.T) {
		ctx := newContext(t, cfg)
		asked := make(chan struct{}, 9)
		ctx.Events().AddAuthQueryListener(func(ziti.Context, *rest_model.AuthQueryDetail) { asked <- struct{}{} })
		t.Logf("login: %v", ctx.Authenticate())
		<-asked
		_, err := ctx.Dial("factor")
		if err == nil {
			t.Error("dialled without the second factor")
		}
		t.Logf("dial: %v", err)
	})
	t.Run("right and wrong codes", func(t *testing.T) {
		ctx := newContext(t, cfg)
		answers := make(chan error, 9)
		full := make(chan struct{}, 9)
		ctx.Events().AddAuthenticationStateFullListener(func(ziti.Context, edgeapis.ApiSession) { full <- struct{}{} })
		ctx.Events().AddMfaTotpCodeListener(func(_ ziti.Context, q *rest_model.AuthQueryDetail, respond ziti.MfaCodeResponse) {
			if q == nil || q.Provider == nil || *q.Provider != rest_model.MfaProvidersZiti {
				t.Errorf("query %+v", q)
			}
			answers <- respond("000000")
			answers <- respond(codeAt(t, mfa.ProvisioningURL, 30*time.Second)) // the code of now has been used up
		})
		_ = ctx.Authenticate()
		if err := <-answers; err == nil {
			t.Error("a wrong code was taken")
		} else {
			t.Logf("wrong code: %v", err)
		}
		if err := <-answers; err != nil {
			t.Fatalf("right code: %v", err)
		}
		<-full
		c, err := ctx.Dial("factor")
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		echo(t, c)
	})
}

// demandCodes gives the identity a policy of logins that demands a second factor.
func (n *network) demandCodes(t *testing.T, id string) {
	t.Helper()
	yes, no, policy := ptr(true), ptr(false), "codes-"+id
	created, err := n.admin.API.AuthPolicy.CreateAuthPolicy(auth_policy.NewCreateAuthPolicyParams().WithAuthPolicy(&rest_model.AuthPolicyCreate{
		Name: &policy, Secondary: &rest_model.AuthPolicySecondary{RequireTotp: yes}, Primary: &rest_model.AuthPolicyPrimary{
			Cert:   &rest_model.AuthPolicyPrimaryCert{Allowed: yes, AllowExpiredCerts: no},
			ExtJWT: &rest_model.AuthPolicyPrimaryExtJWT{Allowed: no, AllowedSigners: []string{}},
			Updb: &rest_model.AuthPolicyPrimaryUpdb{Allowed: no, LockoutDurationMinutes: ptr(int64(0)), MaxAttempts: ptr(int64(5)),
				MinPasswordLength: ptr(int64(5)), RequireMixedCase: no, RequireNumberChar: no, RequireSpecialChar: no}}}), nil)
	if err != nil {
		t.Fatal(plain(err))
	}
	if _, err := n.admin.API.Identity.PatchIdentity(identity.NewPatchIdentityParams().WithID(id).WithIdentity(
		&rest_model.IdentityPatch{AuthPolicyID: &created.Payload.Data.ID}), nil); err != nil {
		t.Fatal(plain(err))
	}
}

// TestPostureDemanded: a service whose policy demands a posture check is refused.
// The third-party SDK knows no such refusal: it tries until its time is up and
// logs the status, so the reason is with what the identity was refused.
func TestPostureDemanded(t *testing.T) {
	n := sharedNetwork(t)
	id, policy, _ := n.service(t, "checked", true)
	serve(t, ours().listen(t, n, "checked"))
	n.waitTerminators(t, id, 1)
	check := &rest_model.PostureCheckDomainCreate{Domains: []string{"example.net"}}
	check.SetName(ptr("checked"))
	if _, err := n.admin.API.PostureChecks.CreatePostureCheck(posture_checks.NewCreatePostureCheckParams().WithPostureCheck(check), nil); err != nil {
		t.Fatal(plain(err))
	}
	who, jwt := n.identity(t, "checked-dial", "checked-dial")
	ctx := contextOf(t, enrol(t, jwt))
	dial := func(c context.Context) (net.Conn, error) { return ctx.DialContext(c, "checked") }
	if err := tryEcho(dial); err != nil {
		t.Fatal(err)
	}
	all := rest_model.Roles{"#all"}
	if _, err := n.admin.API.ServicePolicy.PatchServicePolicy(service_policy.NewPatchServicePolicyParams().WithID(policy).WithPolicy(
		&rest_model.ServicePolicyPatch{PostureCheckRoles: all}), nil); err != nil {
		t.Fatal(plain(err))
	}
	var refused error
	if !eventually(func() bool { refused = tryEcho(dial); return refused != nil }) {
		t.Fatal("the service is still open")
	}
	t.Logf("dial: %v", refused)
	o := newOperations(n)
	o.vars["who"] = who
	o.asManager(t, o.login(t, adminUser, adminPassword), nil).run(t, step{op: "GetIdentityFailedServiceRequests", with: with{"ID": "$who"}, loose: true,
		want: []string{"data.0.serviceName=checked", "data.0.code=INVALID_POSTURE", "data.0.policyFailures.0.checks.0.postureCheckName=checked"}})
}

// codeAt is the code of a time from now.
func codeAt(t *testing.T, provisioning string, from time.Duration) string {
	t.Helper()
	u, err := url.Parse(provisioning)
	if err != nil {
		t.Fatal(err)
	}
	code, err := totp.GenerateCode(u.Query().Get("secret"), time.Now().Add(from))
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// codeOfNow is the code of an authenticator app that has read the address.
func codeOfNow(t *testing.T, provisioning string) string {
	t.Helper()
	return codeAt(t, provisioning, 0)
}
