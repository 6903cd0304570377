package cli

import (
	"os"
	"strings"

	"github.com/spf13/pflag"
)

func cas() kind {
	flags := func(f *pflag.FlagSet, in *object) {
		m := memberFlags{f, in}
		m.list("identityRoles", "role-attributes", "a", "role attributes of the identities that it enrolls, without #")
		m.bool("isAuthEnabled", "auth", "", "its certificates may log in")
		m.bool("isOttCaEnrollmentEnabled", "ottca", "", "it may be named in enrollments of the method ottca")
		m.bool("isAutoCaEnrollmentEnabled", "autoca", "", "its certificates enroll identities by themselves")
		m.text("identityNameFormat", "identity-name-format", "f", "names of enrolled identities, such as '[caName]-[commonName]'")
		m.text("externalIdClaim.location", "location", "l", "where certificates hold the external id: COMMON_NAME, SAN_URI or SAN_EMAIL")
		m.text("externalIdClaim.matcher", "matcher", "m", "which values count: ALL, PREFIX, SUFFIX or SCHEME")
		m.text("externalIdClaim.matcherCriteria", "matcher-criteria", "x", "what the matcher compares with")
		m.text("externalIdClaim.parser", "parser", "p", "how the id is taken from the value: NONE or SPLIT")
		m.text("externalIdClaim.parserCriteria", "parser-criteria", "z", "where SPLIT splits")
		m.number("externalIdClaim.index", "index", "i", "which of several values is the id, from 0")
		m.tags()
	}
	e := objects("ca", "cas", managementBase, "NAME=name", "VERIFIED=isVerified", "AUTH=isAuthEnabled", "OTTCA=isOttCaEnrollmentEnabled",
		"AUTOCA=isAutoCaEnrollmentEnabled", "ATTRIBUTES=identityRoles", "TOKEN=verificationToken")
	e.arguments = "NAME CERT-FILE"
	e.example = "  weft create ca partners partners.pem --auth --autoca -a partner\n  weft verify ca partners --cacert partners.pem --cakey partners.key"
	e.createFlags = flags
	e.updateFlags = withName(flags)
	e.fillCreate = func(_ *call, in *object, args []string) error {
		b, err := os.ReadFile(args[1])
		if err != nil {
			return usageError("check the path", "%s", err)
		}
		in.set("name", args[0])
		in.set("certPem", string(b))
		in.fallback("identityRoles", []string{})
		for _, flag := range []string{"isAuthEnabled", "isOttCaEnrollmentEnabled", "isAutoCaEnrollmentEnabled"} {
			in.fallback(flag, false)
		}
		wholeClaim(in)
		return nil
	}
	return e
}

// wholeClaim completes the claim of an external id: it goes as a whole or not
// at all.
func wholeClaim(in *object) {
	if _, given := (*in)["externalIdClaim"]; !given {
		return
	}
	in.fallback("externalIdClaim.location", "COMMON_NAME")
	in.fallback("externalIdClaim.matcher", "ALL")
	in.fallback("externalIdClaim.matcherCriteria", "")
	in.fallback("externalIdClaim.parser", "NONE")
	in.fallback("externalIdClaim.parserCriteria", "")
	in.fallback("externalIdClaim.index", 0)
}

// withName adds the flag of a new name.
func withName(flags func(*pflag.FlagSet, *object)) func(*pflag.FlagSet, *object) {
	return func(f *pflag.FlagSet, in *object) {
		flags(f, in)
		memberFlags{f, in}.text("name", "name", "n", "new name")
	}
}

func extJwtSigners() kind {
	flags := func(f *pflag.FlagSet, in *object) {
		m := memberFlags{f, in}
		m.text("audience", "audience", "a", "audience that tokens must have")
		m.text("jwksEndpoint", "jwks-endpoint", "u", "URL of the signer's keys")
		m.file("certPem", "cert-file", "p", "PEM file of the signer's certificate, instead of --jwks-endpoint")
		m.text("certPem", "cert-pem", "", "the certificate as PEM")
		m.text("kid", "kid", "k", "key id of the certificate")
		m.text("claimsProperty", "claims-property", "c", "claim that names the identity (default sub)")
		m.bool("useExternalId", "use-external-id", "x", "the claim holds the external id of the identity, not its id")
		m.bool("enabled", "enabled", "e", "tokens are accepted")
		m.text("externalAuthUrl", "external-auth-url", "y", "where clients log in")
		m.text("clientId", "client-id", "", "client id of OIDC that clients use")
		m.list("scopes", "scopes", "s", "scopes of OIDC that clients ask for")
		m.text("targetToken", "target-token", "", "token that clients send: ACCESS or ID")
		m.bool("enrollToCertEnabled", "enroll-to-cert", "", "a token enrolls an identity with a certificate")
		m.bool("enrollToTokenEnabled", "enroll-to-token", "", "a token enrolls an identity that logs in by tokens")
		m.text("enrollNameClaimsSelector", "enroll-name-claims-selector", "", "claim that names a new identity (default /sub)")
		m.text("enrollAttributeClaimsSelector", "enroll-attribute-claims-selector", "", "claim with the role attributes of a new identity")
		m.text("enrollAuthPolicyId", "enroll-auth-policy", "", "name or id of the auth policy of a new identity")
		m.tags()
	}
	e := objects("ext-jwt-signer", "external-jwt-signers", managementBase, "NAME=name", "ISSUER=issuer", "AUDIENCE=audience", "ENABLED=enabled",
		"CLAIM=claimsProperty", "EXTERNAL-ID=useExternalId", "TOKEN=targetToken")
	e.aliases = []string{"external-jwt-signer", "ext-jwt-signers"}
	e.arguments = "NAME ISSUER"
	e.example = "  weft create ext-jwt-signer idp https://idp.example -u https://idp.example/keys -a weft -c email -x"
	e.createFlags = flags
	e.updateFlags = func(f *pflag.FlagSet, in *object) {
		withName(flags)(f, in)
		memberFlags{f, in}.text("issuer", "issuer", "i", "issuer of the tokens")
	}
	e.fillCreate = func(c *call, in *object, args []string) error {
		in.set("name", args[0])
		in.set("issuer", args[1])
		in.fallback("enabled", true)
		in.fallback("audience", nil)
		return e.fillUpdate(c, in)
	}
	e.fillUpdate = func(c *call, in *object) error { return c.memberID(in, "enrollAuthPolicyId", "auth-policies") }
	return e
}

// memberID replaces a name in a member by the id.
func (c *call) memberID(in *object, path, many string) error {
	v, _ := member(map[string]any(*in), path)
	name, ok := v.(string)
	if !ok || name == "" {
		return nil
	}
	id, err := c.id(many, name)
	if err == nil {
		in.set(path, id)
	}
	return err
}

func revocations() kind {
	e := objects("revocation", "revocations", managementBase, "TYPE=type", "EXPIRES=expiresAt", "CREATED=createdAt")
	e.patch, e.drop = nil, nil
	e.arguments = "jti|identity|api-session ID"
	e.example = "  weft create revocation identity alice\n  weft create revocation jti 7f5b3d5e-8a51-4a3e-9d53-0c5d5b0c9c77"
	e.createFlags = func(f *pflag.FlagSet, in *object) { memberFlags{f, in}.tags() }
	e.fillCreate = func(c *call, in *object, args []string) error {
		kind := strings.ToUpper(strings.ReplaceAll(args[0], "-", "_"))
		in.set("type", kind)
		in.set("id", args[1])
		switch kind {
		case "IDENTITY":
			return c.memberID(in, "id", "identities")
		case "JTI", "API_SESSION":
			return nil
		}
		return usageError("write jti, identity or api-session", "a revocation of the type %q", args[0])
	}
	return e
}

func transitRouters() kind {
	flags := func(f *pflag.FlagSet, in *object) {
		m := memberFlags{f, in}
		m.number("cost", "cost", "", "cost of paths through it, 0 to 65535")
		m.bool("noTraversal", "no-traversal", "", "carries no traffic between other routers")
		m.bool("disabled", "disabled", "", "may not connect")
		m.tags()
	}
	e := objects("transit-router", "transit-routers", managementBase, "NAME=name", "ONLINE=isOnline", "ENROLLED=isVerified", "COST=cost", "VERSION=versionInfo.version", "DISABLED=disabled")
	e.aliases = []string{"tr", "trs"}
	e.arguments, e.example = "NAME", "  weft create transit-router t1 --jwt t1.jwt"
	e.createFlags, e.updateFlags = flags, withName(flags)
	e.fillCreate = func(_ *call, in *object, args []string) error {
		in.set("name", args[0])
		return nil
	}
	e.jwt = func(d *object) string { return d.text("enrollmentJwt") }
	return e
}

func controllers() kind {
	e := readOnly(objects("controller", "controllers", managementBase, "NAME=name", "ONLINE=isOnline", "ADDRESS=ctrlAddress", "LAST-JOINED=lastJoinedAt", "FINGERPRINT=fingerprint"))
	e.getOne = nil
	return e
}

func postureCheckTypes() kind {
	return readOnly(objects("posture-check-type", "posture-check-types", managementBase, "NAME=name", "OPERATING-SYSTEMS=operatingSystems"))
}

func identityTypes() kind {
	return readOnly(objects("identity-type", "identity-types", managementBase, "NAME=name"))
}

func specs() kind {
	e := readOnly(objects("spec", "specs", managementBase, "NAME=name"))
	e.getOne = nil // see showSpec
	return e
}

func networkJWTs() kind {
	e := readOnly(objects("network-jwt", "network-jwts", managementBase, "NAME=name", "TOKEN=token"))
	e.getOne = nil
	e.ref = func(d *object) (string, string) { return d.text("name"), d.text("name") }
	return e
}

func fabricServices() kind {
	flags := func(f *pflag.FlagSet, in *object) {
		m := memberFlags{f, in}
		m.text("terminatorStrategy", "terminator-strategy", "", "smartrouting, weighted, random or sticky")
		m.f.Var(setter{in, "maxIdleTimeMillis", parseMillis, "duration"}, "max-idle-time", "close circuits that are silent for so long, such as 5m")
		m.tags()
	}
	e := objects("service", "services", fabricBase, "NAME=name", "STRATEGY=terminatorStrategy", "MAX-IDLE=maxIdleTimeMillis")
	e.arguments, e.example = "NAME", "  weft fabric create service db --max-idle-time 5m"
	e.createFlags, e.updateFlags = flags, withName(flags)
	e.fillCreate = func(_ *call, in *object, args []string) error {
		in.set("name", args[0])
		return nil
	}
	return e
}

func fabricTerminators() kind {
	e := objects("terminator", "terminators", fabricBase, "SERVICE=service", "ROUTER=router", "BINDING=binding", "ADDRESS=address",
		"INSTANCE=identity", "COST=cost", "DYNAMIC=dynamicCost", "PRECEDENCE=precedence")
	e.arguments, e.example = "SERVICE ROUTER ADDRESS", "  weft fabric create terminator web r1 tcp:localhost:8080"
	flags := func(f *pflag.FlagSet, in *object) {
		m := memberFlags{f, in}
		m.text("binding", "binding", "", "binding of the router that serves it (default transport)")
		m.number("cost", "cost", "", "cost, 0 to 65535")
		m.text("precedence", "precedence", "p", "default, required or failed")
		m.tags()
	}
	e.createFlags = flags
	e.updateFlags = func(f *pflag.FlagSet, in *object) {
		flags(f, in)
		memberFlags{f, in}.text("address", "address", "", "new address")
		memberFlags{f, in}.text("router", "router", "", "name or id of another router")
	}
	e.fillCreate = func(c *call, in *object, args []string) error {
		in.set("service", args[0])
		in.set("router", args[1])
		in.set("address", args[2])
		in.fallback("binding", "transport")
		if err := c.memberID(in, "service", "services"); err != nil {
			return err
		}
		return c.memberID(in, "router", "routers")
	}
	e.fillUpdate = func(c *call, in *object) error { return c.memberID(in, "router", "routers") }
	return e
}
