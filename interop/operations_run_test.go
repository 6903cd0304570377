package interop

import (
	"maps"
	"slices"
	"testing"
)

// TestOperations calls every operation of both APIs with the third-party
// generated clients, which refuse statuses and shapes that they do not know.
func TestOperations(t *testing.T) {
	n := ownNetwork(t) // its names are fixed, and snapshots are once a minute
	o := newOperations(n)
	authority := newAuthority(t, "interop authority")
	maps.Copy(o.vars, map[string]string{"router": n.routerID(t), "caPem": authority.json(), "csr": jsonText(newRequest(t).csr),
		"later": inAnHour().UTC().Format("2006-01-02T15:04:05.000Z")})
	admin := o.login(t, adminUser, adminPassword)
	manager := o.asManager(t, admin, nil)
	tables := entityTables()
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		t.Run(name, func(t *testing.T) { manager.run(t, tables[name]...) })
	}
	t.Run("relations", func(t *testing.T) { manager.run(t, relationSteps()...) })
	t.Run("fixed", func(t *testing.T) { manager.run(t, fixedSteps()...) })
	t.Run("settings", func(t *testing.T) { manager.run(t, settingsSteps()...) })
	t.Run("own", func(t *testing.T) { testOwn(t, o, manager) })
	t.Run("authority at work", func(t *testing.T) { testAuthority(t, o, manager, authority) })
	t.Run("client", func(t *testing.T) { testClientAPI(t, o, manager) })
	t.Run("enrolment", func(t *testing.T) { testEnrolment(t, o, manager) })
	if !t.Failed() {
		o.management.report(t)
		o.client.report(t)
	}
}

// testOwn is a login by password that looks after itself, on both APIs.
func testOwn(t *testing.T, o *operations, manager *caller) {
	manager.run(t,
		step{op: "CreateIdentity", with: with{"Identity": `{"name":"own","isAdmin":false,"type":"Default"}`}, keep: "who=data.id"},
		step{op: "CreateAuthenticator", with: with{"Authenticator": `{"identityId":"$who","method":"updb","username":"own-user","password":"own-password"}`}})
	for _, as := range []func(*testing.T, string) *caller{
		func(t *testing.T, token string) *caller { return o.asManager(t, token, nil) },
		func(t *testing.T, token string) *caller { return o.asClient(t, token, nil) },
	} {
		c := as(t, o.login(t, "own-user", "own-password"))
		c.run(t, ownSteps()...)
		for _, s := range factorSteps() {
			if o.vars["provisioning"] != "" {
				o.vars["code"] = codeOfNow(t, o.vars["provisioning"])
			}
			c.run(t, s)
		}
		delete(o.vars, "provisioning")
		c.run(t, step{op: "EnrollMfa"})
		manager.run(t, step{op: "RemoveIdentityMfa", with: with{"ID": "$who"}})
		c.run(t, step{op: "DetailMfa", code: 404}, step{op: "DeleteCurrentAPISession"}, step{op: "GetCurrentIdentity", code: 401})
	}
	manager.run(t, step{op: "DeleteIdentity", with: with{"ID": "$who"}})
}
