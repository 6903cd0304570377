package interop

import (
	"testing"

	"github.com/openziti/sdk-golang/ziti"
	"github.com/openziti/sdk-golang/ziti/enroll"
)

// TestThirdPartyCertificates enrols with the SDK by certificates of an authority
// that is not the network's, with a token and without, and connects with them.
func TestThirdPartyCertificates(t *testing.T) {
	n := sharedNetwork(t)
	o := newOperations(n)
	authority := newAuthority(t, "sdk authority")
	o.vars["caPem"] = authority.json()
	manager := o.asManager(t, o.login(t, adminUser, adminPassword), nil)
	manager.run(t,
		step{op: "CreateCa", with: with{"Ca": `{"name":"sdk-ca","certPem":"$caPem","isAuthEnabled":true,"isAutoCaEnrollmentEnabled":true,` +
			`"isOttCaEnrollmentEnabled":true,"identityRoles":["thirdca-dial"],"identityNameFormat":"[caName]-[commonName]"}`}, keep: "ca=data.id"},
		step{op: "DetailCa", with: with{"ID": "$ca"}, keep: "proof=data.verificationToken"})
	manager.run(t,
		step{op: "VerifyCa", with: with{"ID": "$ca", "Certificate": pemOf("CERTIFICATE", authority.issue(t, o.vars["proof"]).Certificate[0])}},
		step{op: "CreateIdentity", with: with{"Identity": `{"name":"thirdca","isAdmin":false,"type":"Default","roleAttributes":["thirdca-dial"],"enrollment":{"ottca":"$ca"}}`}, keep: "who=data.id"},
		step{op: "DetailIdentity", with: with{"ID": "$who"}, keep: "ottca=data.enrollment.ottca.jwt"})
	auto, err := manager.call("GetCaJWT", with{"ID": "$ca"})
	if err != nil {
		t.Fatal(plain(err))
	}
	id, _, _ := n.service(t, "thirdca", true)
	serve(t, ours().listen(t, n, "thirdca"))
	n.waitTerminators(t, id, 1)
	for name, jwt := range map[string]string{"thirdca": o.vars["ottca"], "sdk-ca-auto": auto.(string)} {
		t.Run(name, func(t *testing.T) {
			certFile, keyFile := files(t, authority.issue(t, "auto"))
			claims, token, err := enroll.ParseToken(jwt)
			if err != nil {
				t.Fatal(err)
			}
			flags := enroll.EnrollmentFlags{Token: claims, JwtToken: token, JwtString: jwt, KeyAlg: "EC", CertFile: certFile, KeyFile: keyFile}
			cfg, err := enroll.Enroll(flags)
			if err != nil {
				t.Fatal(err)
			}
			ctx := contextOf(t, cfg)
			if who, err := ctx.GetCurrentIdentity(); err != nil || *who.Name != name {
				t.Fatalf("current identity %v, %v", who, err)
			}
			c, err := ctx.Dial("thirdca")
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			echo(t, c)
			if _, err := enroll.Enroll(flags); err == nil {
				t.Error("enrolled twice by one certificate")
			} else {
				t.Logf("again: %v", err)
			}
		})
	}
	manager.run(t, step{op: "DeleteCa", with: with{"ID": "$ca"}})
}

func newContext(t *testing.T, cfg *ziti.Config) ziti.Context {
	t.Helper()
	ctx, err := ziti.NewContext(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ctx.Close)
	return ctx
}
