package cli

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/weftnet/weft/client"
)

// authenticatorKind is the kind of authenticators; its update also takes the
// method and --self, as the ecosystem writes them.
type authenticatorKind struct {
	*entity[client.Authenticator, client.AuthenticatorCreate, client.AuthenticatorInput]
}

func (k authenticatorKind) update(t *tool) *cobra.Command {
	var self bool
	var fresh, of string
	e := *k.entity
	method := ""
	e.locate = func(c *call, ref string) (string, error) {
		if of != "" {
			return c.authenticatorOf(of, method)
		}
		return k.entity.find(c, ref)
	}
	cmd := e.update(t)
	cmd.Use = "authenticator [updb|cert] ID|--self"
	cmd.Example = "  weft update authenticator ID --username al\n  weft update authenticator updb --identity alice --password -\n  weft update authenticator updb --self"
	f := cmd.Flags()
	f.BoolVarP(&self, "self", "s", false, "change one's own password; the passwords that are not given are asked for")
	f.StringVar(&fresh, "new-password", "", "new password, with --self, where --password is the current one")
	f.StringVar(&of, "identity", "", "name or id of the identity whose authenticator is meant, instead of an ID")
	cmd.Args = cobra.MaximumNArgs(2)
	change := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 && (args[0] == "updb" || args[0] == "cert") {
			method, args = args[0], args[1:]
		}
		if (len(args) == 1) == (self || of != "") {
			return usageError("give an ID, or --identity, or --self", "it is not clear which authenticator is meant")
		}
		if self {
			current := cmd.Flags().Lookup("password").Value.String()
			return t.run(func(c *call, _ []string) error { return c.changeOwnPassword(current, fresh) })(cmd, nil)
		}
		if of != "" {
			args = []string{of}
		}
		return change(cmd, args)
	}
	return cmd
}

// authenticatorOf returns the id of the one authenticator of an identity.
func (c *call) authenticatorOf(identity, method string) (string, error) {
	id, err := c.id("identities", identity)
	if err != nil {
		return "", err
	}
	filter := `identity="` + id + `"`
	if method != "" {
		filter += ` and method="` + method + `"`
	}
	page, err := c.m.ListAuthenticators(c, &client.ListParams{Filter: filter})
	switch {
	case err != nil:
		return "", err
	case len(page.Items) == 0:
		return "", notFound("authenticator", "authenticators", identity)
	case len(page.Items) > 1:
		return "", &failure{code: "AMBIGUOUS", cause: "the identity has several authenticators", remedy: "give the method, or the ID of one", exit: ExitNotFound}
	}
	return page.Items[0].ID, nil
}

func authenticators() kind {
	return authenticatorKind{&entity[client.Authenticator, client.AuthenticatorCreate, client.AuthenticatorInput]{
		one: "authenticator", many: "authenticators",
		columns: []column[client.Authenticator]{
			{"METHOD", func(d *client.Authenticator) string { return d.Method }},
			{"IDENTITY", func(d *client.Authenticator) string { return refName(&d.Identity, d.IdentityID) }},
			{"USERNAME", func(d *client.Authenticator) string { return d.Username }},
			{"FINGERPRINT", func(d *client.Authenticator) string { return d.Fingerprint }},
		},
		ref:       func(d *client.Authenticator) (string, string) { return d.ID, "" },
		getMany:   (*client.Management).ListAuthenticators,
		getOne:    (*client.Management).DetailAuthenticator,
		post:      (*client.Management).CreateAuthenticator,
		patch:     (*client.Management).PatchAuthenticator,
		drop:      (*client.Management).DeleteAuthenticator,
		arguments: "updb|cert IDENTITY USERNAME|CERT-FILE [PASSWORD]",
		example:   "  weft create authenticator updb alice alice\n  weft create authenticator cert alice alice.pem",
		createFlags: func(f *pflag.FlagSet, in *client.AuthenticatorCreate) {
			tagsFlag(f, &in.Tags, "tags", "tags, key=value")
		},
		updateFlags: func(f *pflag.FlagSet, in *client.AuthenticatorInput) {
			textFlag(f, &in.Username, "username", "u", "new user name")
			textFlag(f, &in.Password, "password", "p", "new password, - to ask for it")
			tagsFlag(f, &in.Tags, "tags", "tags, key=value")
		},
		fillCreate: fillAuthenticator,
		fillUpdate: func(c *call, in *client.AuthenticatorInput) error {
			if in.Password == nil || *in.Password != "-" {
				return nil
			}
			password, err := readSecret(c.cmd, "new password: ")
			in.Password = &password
			return err
		},
	}}
}

func fillAuthenticator(c *call, in *client.AuthenticatorCreate, args []string) error {
	in.Method, in.IdentityID = &args[0], &args[1]
	switch args[0] {
	case "updb":
		in.Username = &args[2]
		if len(args) == 4 {
			in.Password = &args[3]
			break
		}
		password, err := readSecret(c.cmd, "password: ")
		if err != nil {
			return err
		}
		in.Password = &password
	case "cert":
		b, err := os.ReadFile(args[2])
		if err != nil {
			return usageError("check the path", "%s", err)
		}
		in.CertPem = client.Ptr(string(b))
	default:
		return usageError("write updb or cert", "an authenticator of the method %q", args[0])
	}
	return c.idOf("identities", in.IdentityID)
}

func authPolicies() kind {
	return &entity[client.AuthPolicy, client.AuthPolicyInput, client.AuthPolicyInput]{
		one: "auth-policy", many: "auth-policies",
		columns: []column[client.AuthPolicy]{
			{"NAME", func(d *client.AuthPolicy) string { return d.Name }},
			{"CERT", func(d *client.AuthPolicy) string { return yesNo(d.Primary.Cert.Allowed) }},
			{"PASSWORD", func(d *client.AuthPolicy) string { return yesNo(d.Primary.Updb.Allowed) }},
			{"EXT-JWT", func(d *client.AuthPolicy) string { return yesNo(d.Primary.ExtJwt.Allowed) }},
			{"TOTP", func(d *client.AuthPolicy) string { return yesNo(d.Secondary.RequireTotp) }},
		},
		ref:       func(d *client.AuthPolicy) (string, string) { return d.ID, d.Name },
		getMany:   (*client.Management).ListAuthPolicies,
		getOne:    (*client.Management).DetailAuthPolicy,
		post:      (*client.Management).CreateAuthPolicy,
		patch:     (*client.Management).PatchAuthPolicy,
		drop:      (*client.Management).DeleteAuthPolicy,
		arguments: "NAME",
		example:   "  weft create auth-policy strict --primary-updb-allowed=false",
		createFlags: func(f *pflag.FlagSet, in *client.AuthPolicyInput) {
			*in = defaultAuthPolicy()
			authPolicyFlags(f, in)
		},
		updateFlags: func(f *pflag.FlagSet, in *client.AuthPolicyInput) {
			in.Primary = &client.AuthPrimaryInput{Cert: &client.AuthCertInput{}, ExtJwt: &client.AuthExtJwtInput{}, Updb: &client.AuthUpdbInput{}}
			in.Secondary = &client.AuthSecondaryInput{}
			authPolicyFlags(f, in)
			textFlag(f, &in.Name, "name", "n", "new name")
		},
		fillCreate: func(_ *call, in *client.AuthPolicyInput, args []string) error {
			in.Name = &args[0]
			return nil
		},
		fillUpdate: func(_ *call, in *client.AuthPolicyInput) error {
			prune(in)
			return nil
		},
	}
}

// prune drops parts in which nothing was given: sent as {} they would reset.
func prune(in *client.AuthPolicyInput) {
	p := in.Primary
	if *p.Cert == (client.AuthCertInput{}) {
		p.Cert = nil
	}
	if *p.Updb == (client.AuthUpdbInput{}) {
		p.Updb = nil
	}
	if p.ExtJwt.Allowed == nil && p.ExtJwt.AllowedSigners == nil {
		p.ExtJwt = nil
	}
	if *p == (client.AuthPrimaryInput{}) {
		in.Primary = nil
	}
	if *in.Secondary == (client.AuthSecondaryInput{}) {
		in.Secondary = nil
	}
}

func authPolicyFlags(f *pflag.FlagSet, in *client.AuthPolicyInput) {
	boolFlag(f, &in.Primary.Cert.Allowed, "primary-cert-allowed", "", "log in by client certificate")
	boolFlag(f, &in.Primary.Cert.AllowExpiredCerts, "primary-cert-expired-allowed", "", "log in by an expired certificate")
	boolFlag(f, &in.Primary.Updb.Allowed, "primary-updb-allowed", "", "log in by user name and password")
	longFlag(f, &in.Primary.Updb.MinPasswordLength, "primary-updb-min-length", "least length of passwords")
	longFlag(f, &in.Primary.Updb.MaxAttempts, "primary-updb-max-attempts", "wrong passwords before the lock, 0 for no lock")
	longFlag(f, &in.Primary.Updb.LockoutDurationMinutes, "primary-updb-lockout-minutes", "length of the lock, 0 for ever")
	boolFlag(f, &in.Primary.Updb.RequireMixedCase, "primary-updb-req-mixed", "", "passwords need both cases")
	boolFlag(f, &in.Primary.Updb.RequireNumberChar, "primary-updb-req-numbers", "", "passwords need a digit")
	boolFlag(f, &in.Primary.Updb.RequireSpecialChar, "primary-updb-req-special", "", "passwords need a special character")
	boolFlag(f, &in.Primary.ExtJwt.Allowed, "primary-ext-jwt-allowed", "", "log in by a token of an external signer")
	listFlag(f, &in.Primary.ExtJwt.AllowedSigners, "primary-ext-jwt-allowed-signers", "", "ids of the signers")
	boolFlag(f, &in.Secondary.RequireTotp, "secondary-req-totp", "", "require a one-time code")
	textFlag(f, &in.Secondary.RequireExtJwtSigner, "secondary-req-ext-jwt-signer", "", "id of a signer whose token is required")
	tagsFlag(f, &in.Tags, "tags", "tags, key=value")
}

// defaultAuthPolicy allows certificates and passwords, like the policy that
// every network begins with.
func defaultAuthPolicy() client.AuthPolicyInput {
	no, yes := client.Ptr[bool], client.Ptr[bool]
	return client.AuthPolicyInput{
		Primary: &client.AuthPrimaryInput{
			Cert:   &client.AuthCertInput{Allowed: yes(true), AllowExpiredCerts: no(false)},
			ExtJwt: &client.AuthExtJwtInput{Allowed: no(false), AllowedSigners: []string{}},
			Updb: &client.AuthUpdbInput{Allowed: yes(true), MinPasswordLength: client.Ptr(int64(5)), MaxAttempts: client.Ptr(int64(0)),
				LockoutDurationMinutes: client.Ptr(int64(0)), RequireMixedCase: no(false), RequireNumberChar: no(false), RequireSpecialChar: no(false)},
		},
		Secondary: &client.AuthSecondaryInput{RequireTotp: no(false)},
	}
}
