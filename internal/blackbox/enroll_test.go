package blackbox

import (
	"bytes"
	"context"
	"crypto/x509/pkix"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/sdk"
)

// csr makes a certificate request for a new key.
func csr(t *testing.T, commonName string) string {
	t.Helper()
	key, err := pki.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	text, err := pki.NewCSR(key, pkix.Name{CommonName: commonName})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// enrolment is one way to use a one-time token.
type enrolment struct {
	method string
	token  string // the one-time token itself
	body   func() (contentType, body string)
	// used reports how often the token has been used, as the administrator sees it.
	used func() int
}

// enrolments makes one enrolment of each method.
func enrolments(t *testing.T, n *network) []enrolment {
	t.Helper()
	authenticators := func(id string) int {
		var list []struct{ ID string }
		if err := n.admin.call("GET", "/identities/"+id+"/authenticators", nil, &list); err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	identity := func(enrollment map[string]any, method string) (id, token string) {
		id = n.admin.mustCreate(t, "identities", map[string]any{"name": unique("replay"), "type": "Default", "isAdmin": false, "enrollment": enrollment})
		var detail struct {
			Enrollment map[string]struct{ Token string }
		}
		if err := n.admin.call("GET", "/identities/"+id, nil, &detail); err != nil {
			t.Fatal(err)
		}
		return id, detail.Enrollment[method].Token
	}
	ottID, ott := identity(map[string]any{"ott": true}, "ott")
	name := unique("user")
	updbID, updb := identity(map[string]any{"updb": name}, "updb")
	routerID := n.admin.mustCreate(t, "edge-routers", map[string]any{"name": unique("router")})
	router := func() (detail struct {
		EnrollmentToken string
		IsVerified      bool
	}) {
		if err := n.admin.call("GET", "/edge-routers/"+routerID, nil, &detail); err != nil {
			t.Fatal(err)
		}
		return detail
	}
	t.Cleanup(func() { _ = n.admin.call("DELETE", "/edge-routers/"+routerID, nil, nil) })
	return []enrolment{
		{"ott", ott, func() (string, string) { return "application/x-pem-file", csr(t, ottID) }, func() int { return authenticators(ottID) }},
		{"updb", updb, func() (string, string) {
			return "application/json", fmt.Sprintf(`{"username":%q,"password":"password-%d"}`, name, serial.Add(1))
		}, func() int { return authenticators(updbID) }},
		{"erott", router().EnrollmentToken, func() (string, string) {
			quote := func(s string) string { return strings.ReplaceAll(s, "\n", `\n`) }
			return "application/json", fmt.Sprintf(`{"certCsr":"%s","serverCertCsr":"%s"}`, quote(csr(t, routerID)), quote(csr(t, routerID)))
		}, func() int {
			if router().IsVerified {
				return 1
			}
			return 0
		}},
	}
}

// use spends the token once.
func (e *enrolment) use(n *network) error {
	contentType, body := e.body()
	return n.client(nil).send("POST", "/enroll?method="+e.method+"&token="+e.token, contentType, bytes.NewBufferString(body), nil)
}

// TestReplayedEnrolment: a token works once, also when it is used many times at
// the same moment.
func TestReplayedEnrolment(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	for _, e := range enrolments(t, n) {
		t.Run(e.method+"/one after another", func(t *testing.T) {
			t.Parallel()
			if err := e.use(n); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				wantRefusal(t, e.use(n), 400, "INVALID_ENROLLMENT_TOKEN")
			}
			if used := e.used(); used != 1 {
				t.Errorf("used %d times", used)
			}
		})
	}
	for _, e := range enrolments(t, n) {
		t.Run(e.method+"/at once", func(t *testing.T) {
			t.Parallel()
			const clients = 16
			errs := make([]error, clients)
			var all sync.WaitGroup
			for i := range errs {
				all.Go(func() { errs[i] = e.use(n) })
			}
			all.Wait()
			good := 0
			for _, err := range errs {
				if err == nil {
					good++
					continue
				}
				wantRefusal(t, err, 400, "INVALID_ENROLLMENT_TOKEN")
			}
			if used := e.used(); good != 1 || used != 1 {
				t.Errorf("%d clients were told that it worked, the token was used %d times", good, used)
			}
		})
	}
	t.Cleanup(func() { n.unharmed(t) })
}

// TestForgedEnrolment: the client does not enrol with a controller that cannot
// prove to be the one that signed the token.
func TestForgedEnrolment(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	_, token, err := n.newIdentity(unique("forged"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	parts := strings.Split(token, ".")
	if _, err := sdk.Enroll(ctx, parts[0]+"."+parts[1]+"."+alter(parts[2]), sdk.EnrollOptions{}); err == nil {
		t.Fatal("a token with a wrong signature was accepted")
	}
	if _, err := sdk.Enroll(ctx, token, sdk.EnrollOptions{}); err != nil {
		t.Fatalf("the attempt used the token up: %v", err)
	}
	n.unharmed(t)
}

// TestExpiredEnrolment: a token that has expired says so and makes nothing.
func TestExpiredEnrolment(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	id := n.admin.mustCreate(t, "identities", map[string]any{"name": unique("late"), "type": "Default", "isAdmin": false})
	soon := time.Now().Add(time.Second)
	made := n.admin.mustCreate(t, "enrollments", map[string]any{"identityId": id, "method": "ott", "expiresAt": soon.UTC().Format(time.RFC3339Nano)})
	var detail struct{ Token string }
	if err := n.admin.call("GET", "/enrollments/"+made, nil, &detail); err != nil {
		t.Fatal(err)
	}
	<-time.After(time.Until(soon.Add(10 * time.Millisecond)))
	err := n.client(nil).send("POST", "/enroll?method=ott&token="+detail.Token, "application/x-pem-file", bytes.NewBufferString(csr(t, id)), nil)
	wantRefusal(t, err, 400, "ENROLLMENT_EXPIRED")
	n.unharmed(t)
}

// TestGreedyCSR: what an enrolling device writes into its request gives it no
// other name than its own.
func TestGreedyCSR(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	id, token, err := n.newIdentity(unique("greedy"))
	if err != nil {
		t.Fatal(err)
	}
	e, err := sdk.ParseEnrollment(token)
	if err != nil {
		t.Fatal(err)
	}
	key, err := pki.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	request, err := pki.NewCSR(key, pkix.Name{CommonName: n.RouterID, Organization: []string{"controllers"}}, "localhost", "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	var answer struct{ Cert string }
	if err := n.client(nil).send("POST", "/enroll?method=ott&token="+e.Token, "application/x-pem-file", bytes.NewBufferString(request), &answer); err != nil {
		t.Fatal(err)
	}
	certs, err := pki.ParseCertificates([]byte(answer.Cert))
	if err != nil {
		t.Fatal(err)
	}
	leaf := certs[0]
	if leaf.Subject.CommonName != id || leaf.IsCA {
		t.Errorf("the certificate is for %q, want %q", leaf.Subject.CommonName, id)
	}
	if len(leaf.DNSNames) > 0 || len(leaf.IPAddresses) > 0 {
		t.Errorf("the certificate of an identity carries names of servers: %v %v", leaf.DNSNames, leaf.IPAddresses)
	}
	if u, err := pki.SPIFFE(leaf); err != nil || u.Path != "/identity/"+id {
		t.Errorf("SPIFFE id %v, %v", u, err)
	}
	n.unharmed(t)
}
