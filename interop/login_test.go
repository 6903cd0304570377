package interop

import (
	"net/url"
	"testing"

	"github.com/openziti/edge-api/rest_management_api_client/authenticator"
	"github.com/openziti/edge-api/rest_model"
	edgeapis "github.com/openziti/sdk-golang/edge-apis"
	"github.com/openziti/sdk-golang/ziti"
	"github.com/openziti/sdk-golang/ziti/enroll"
)

// TestEnrolOnce enrols twice with one token: the second time is refused.
func TestEnrolOnce(t *testing.T) {
	n := sharedNetwork(t)
	_, jwt := n.identity(t, "enrol-once")
	enrol(t, jwt)
	claims, token, err := enroll.ParseToken(jwt)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := enroll.Enroll(enroll.EnrollmentFlags{Token: claims, JwtToken: token, JwtString: jwt, KeyAlg: "EC"}); err == nil {
		t.Fatal("a used token enrolled again")
	}
}

// TestEnrolRSA enrols with an RSA key.
func TestEnrolRSA(t *testing.T) {
	n := sharedNetwork(t)
	_, jwt := n.identity(t, "enrol-rsa")
	claims, token, err := enroll.ParseToken(jwt)
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := enroll.Enroll(enroll.EnrollmentFlags{Token: claims, JwtToken: token, JwtString: jwt, KeyAlg: "RSA"})
	if err != nil {
		t.Fatal(err)
	}
	who, err := contextOf(t, cfg).GetCurrentIdentity()
	if err != nil || *who.Name != "enrol-rsa" {
		t.Fatalf("current identity: %v, %v", who, err)
	}
}

// TestPasswordLogin hosts and dials by an identity that has only a password: its
// certificate for the router belongs to the session.
func TestPasswordLogin(t *testing.T) {
	n := sharedNetwork(t)
	id, _, _ := n.service(t, "password", true)
	hostID, _ := n.identity(t, "password-host", "password-host")
	dialID, _ := n.identity(t, "password-dial", "password-dial")
	l, err := n.passwordClient(t, hostID, "host-user").Listen("password")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	serve(t, l)
	n.waitTerminators(t, id, 1)
	c, err := n.passwordClient(t, dialID, "dial-user").Dial("password")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	echo(t, c)
}

func (n *network) passwordClient(t *testing.T, identityID, user string) ziti.Context {
	t.Helper()
	if _, err := n.admin.API.Authenticator.CreateAuthenticator(authenticator.NewCreateAuthenticatorParams().WithAuthenticator(&rest_model.AuthenticatorCreate{
		IdentityID: &identityID, Method: ptr("updb"), Username: user, Password: user + "-password"}), nil); err != nil {
		t.Fatal(err)
	}
	cred := edgeapis.NewUpdbCredentials(user, user+"-password")
	cred.CaPool = n.cas
	return contextOf(t, &ziti.Config{ZtAPI: n.url() + edgeapis.ClientApiPath, Credentials: cred})
}

// TestWrongPassword is refused.
func TestWrongPassword(t *testing.T) {
	n := sharedNetwork(t)
	u, err := url.Parse(n.url() + edgeapis.ManagementApiPath)
	if err != nil {
		t.Fatal(err)
	}
	cred := edgeapis.NewUpdbCredentials(adminUser, "not the password")
	cred.CaPool = n.cas
	if _, err := edgeapis.NewManagementApiClient([]*url.URL{u}, n.cas, nil).Authenticate(cred, nil); err == nil {
		t.Fatal("a wrong password logged in")
	}
}
