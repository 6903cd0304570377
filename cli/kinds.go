package cli

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"github.com/weftnet/weft/client"
)

// kinds returns the declarations of all kinds in the order of the help texts.
func kinds() []kind {
	return []kind{
		identities(), services(), configs(), configTypes(), edgeRouters(),
		servicePolicies(), edgeRouterPolicies(), serviceEdgeRouterPolicies(),
		routers(), links(), circuits(), terminators(), authenticators(), enrollments(), authPolicies(),
		cas(), extJwtSigners(), postureChecks(), revocations(), transitRouters(),
		apiSessions(), sessions(), controllers(), postureCheckTypes(), identityTypes(), specs(), networkJWTs(),
	}
}

func identities() kind {
	flags := func(f *pflag.FlagSet, in *client.IdentityInput) {
		listFlag(f, &in.RoleAttributes, "role-attributes", "a", "role attributes, without #")
		boolFlag(f, &in.IsAdmin, "admin", "A", "may manage the network")
		textFlag(f, &in.ExternalID, "external-id", "", "id by which an external token or certificate names it")
		textFlag(f, &in.AuthPolicyID, "auth-policy", "P", "name or id of the auth policy")
		listFlag(f, &in.Permissions, "permissions", "", "management permissions, such as service.read")
		intFlag(f, &in.DefaultHostingCost, "default-hosting-cost", "cost of the services it hosts, 0 to 65535")
		textFlag(f, &in.DefaultHostingPrecedence, "default-hosting-precedence", "", "default, required or failed")
		f.Var(pairs[int]{&in.ServiceHostingCosts, strconv.Atoi}, "service-costs", "cost of single services that it hosts, SERVICE=COST")
		f.Var(pairs[string]{&in.ServiceHostingPrecedences, asText}, "service-precedences", "precedence of single services that it hosts, SERVICE=PRECEDENCE")
		tagsFlag(f, &in.AppData, "app-data", "data for applications, key=value")
		tagsFlag(f, &in.Tags, "tags", "tags, key=value")
	}
	resolve := func(c *call, in *client.IdentityInput) error {
		return errors.Join(idKeys(c, in.ServiceHostingCosts), idKeys(c, in.ServiceHostingPrecedences), c.idOf("auth-policies", in.AuthPolicyID))
	}
	return &entity[client.Identity, client.IdentityInput, client.IdentityInput]{
		one: "identity", many: "identities",
		columns: []column[client.Identity]{
			{"NAME", func(d *client.Identity) string { return d.Name }},
			{"TYPE", func(d *client.Identity) string { return d.TypeID }},
			{"ADMIN", func(d *client.Identity) string { return yesNo(d.IsAdmin) }},
			{"ATTRIBUTES", func(d *client.Identity) string { return words(d.RoleAttributes) }},
			{"ENROLLED", func(d *client.Identity) string {
				return yesNo(d.Authenticators.Cert != nil || d.Authenticators.Updb != nil)
			}},
			{"CONNECTED", func(d *client.Identity) string { return yesNo(d.HasEdgeRouterConnection) }},
			{"DISABLED", func(d *client.Identity) string { return yesNo(d.Disabled) }},
		},
		ref: func(d *client.Identity) (string, string) { return d.ID, d.Name },
		getMany: func(m *client.Management, ctx context.Context, p *client.ListParams) (*client.Page[client.Identity], error) {
			return m.ListIdentities(ctx, &client.ListIdentitiesParams{ListParams: *p})
		},
		getOne:    (*client.Management).DetailIdentity,
		post:      (*client.Management).CreateIdentity,
		patch:     (*client.Management).PatchIdentity,
		drop:      (*client.Management).DeleteIdentity,
		arguments: "[TYPE] NAME",
		example:   "  weft create identity alice -a staff --jwt alice.jwt\n  weft create identity bob --updb bob --jwt bob.jwt\n  weft create identity ops -A --dry-run",
		createDoc: "TYPE is for scripts of the ecosystem: user, device and service, which are all the same as default.",
		createFlags: func(f *pflag.FlagSet, in *client.IdentityInput) {
			flags(f, in)
			in.Enrollment = &client.IdentityEnrollmentInput{}
			textFlag(f, &in.Enrollment.Updb, "updb", "u", "enroll with this user name and a password instead of a certificate")
		},
		updateFlags: func(f *pflag.FlagSet, in *client.IdentityInput) {
			flags(f, in)
			textFlag(f, &in.Name, "name", "n", "new name")
		},
		fillCreate: func(c *call, in *client.IdentityInput, args []string) error {
			in.Name, in.Type = &args[len(args)-1], client.Ptr("Default")
			if len(args) == 2 {
				if !slices.Contains([]string{"default", "user", "device", "service"}, strings.ToLower(args[0])) {
					return usageError("write weft create identity "+quoteArgument(args[1]), "%q is no type of identities: user, device, service or default", args[0])
				}
				in.Type = client.Ptr(capital(args[0]))
			}
			if in.IsAdmin == nil {
				in.IsAdmin = client.Ptr(false)
			}
			if in.Enrollment.Updb == nil {
				in.Enrollment.Ott = client.Ptr(true)
			}
			return resolve(c, in)
		},
		fillUpdate: resolve,
		afterUpdate: func(f *pflag.FlagSet) func(*call, string) error {
			var disabled *bool
			boolFlag(f, &disabled, "disabled", "", "disable it and end its sessions, or with =false enable it again")
			return func(c *call, id string) error {
				switch {
				case disabled == nil:
					return nil
				case *disabled:
					return c.m.DisableIdentity(c, id, &client.DisableParams{DurationMinutes: client.Ptr(int64(0))})
				}
				return c.m.EnableIdentity(c, id)
			}
		},
		jwt: func(d *client.Identity) string {
			for _, e := range []*client.IdentityEnrollment{d.Enrollment.Ott, d.Enrollment.Updb, d.Enrollment.Ottca} {
				if e != nil {
					return e.JWT
				}
			}
			return ""
		},
	}
}

func edgeRouters() kind {
	flags := func(f *pflag.FlagSet, in *client.EdgeRouterInput) {
		listFlag(f, &in.RoleAttributes, "role-attributes", "a", "role attributes, without #")
		boolFlag(f, &in.IsTunnelerEnabled, "tunneler-enabled", "t", "has an identity of its own, to host and intercept services")
		boolFlag(f, &in.Disabled, "disabled", "", "may not connect")
		boolFlag(f, &in.NoTraversal, "no-traversal", "", "carries no traffic between other routers")
		intFlag(f, &in.Cost, "cost", "cost of paths through it, 0 to 65535")
		tagsFlag(f, &in.AppData, "app-data", "data for applications, key=value")
		tagsFlag(f, &in.Tags, "tags", "tags, key=value")
	}
	return &entity[client.EdgeRouter, client.EdgeRouterInput, client.EdgeRouterInput]{
		one: "edge-router", many: "edge-routers", aliases: []string{"er", "ers"},
		columns: []column[client.EdgeRouter]{
			{"NAME", func(d *client.EdgeRouter) string { return d.Name }},
			{"ONLINE", func(d *client.EdgeRouter) string { return yesNo(d.IsOnline) }},
			{"ENROLLED", func(d *client.EdgeRouter) string { return yesNo(d.IsVerified) }},
			{"ATTRIBUTES", func(d *client.EdgeRouter) string { return words(d.RoleAttributes) }},
			{"COST", func(d *client.EdgeRouter) string { return number(d.Cost) }},
			{"VERSION", func(d *client.EdgeRouter) string { return d.VersionInfo.Version }},
			{"DISABLED", func(d *client.EdgeRouter) string { return yesNo(d.Disabled) }},
		},
		ref: func(d *client.EdgeRouter) (string, string) { return d.ID, d.Name },
		getMany: func(m *client.Management, ctx context.Context, p *client.ListParams) (*client.Page[client.EdgeRouter], error) {
			return m.ListEdgeRouters(ctx, &client.ListEdgeRoutersParams{ListParams: *p})
		},
		getOne:      (*client.Management).DetailEdgeRouter,
		post:        (*client.Management).CreateEdgeRouter,
		patch:       (*client.Management).PatchEdgeRouter,
		drop:        (*client.Management).DeleteEdgeRouter,
		arguments:   "NAME",
		example:     "  weft create edge-router r2 -a public --jwt r2.jwt",
		createFlags: flags,
		updateFlags: func(f *pflag.FlagSet, in *client.EdgeRouterInput) {
			flags(f, in)
			textFlag(f, &in.Name, "name", "n", "new name")
		},
		fillCreate: func(_ *call, in *client.EdgeRouterInput, args []string) error {
			in.Name = &args[0]
			return nil
		},
		jwt: func(d *client.EdgeRouter) string {
			if d.EnrollmentJWT == nil {
				return ""
			}
			return *d.EnrollmentJWT
		},
	}
}

func apiSessions() kind {
	return &entity[client.APISession, struct{}, struct{}]{
		one: "api-session", many: "api-sessions",
		columns: []column[client.APISession]{
			{"IDENTITY", func(d *client.APISession) string { return d.Identity.Name }},
			{"ADDRESS", func(d *client.APISession) string { return d.IPAddress }},
			{"CREATED", func(d *client.APISession) string { return when(d.CreatedAt) }},
			{"LAST-ACTIVITY", func(d *client.APISession) string { return when(d.LastActivityAt) }},
		},
		ref:     func(d *client.APISession) (string, string) { return d.ID, "" },
		getMany: (*client.Management).ListAPISessions,
		getOne:  (*client.Management).DetailAPISessions,
		drop:    (*client.Management).DeleteAPISessions,
	}
}

func sessions() kind {
	return &entity[client.Session, struct{}, struct{}]{
		one: "session", many: "sessions",
		columns: []column[client.Session]{
			{"TYPE", func(d *client.Session) string { return d.Type }},
			{"SERVICE", func(d *client.Session) string { return refName(d.Service, d.ServiceID) }},
			{"API-SESSION", func(d *client.Session) string { return d.APISessionID }},
			{"IDENTITY", func(d *client.Session) string { return d.IdentityID }},
			{"CREATED", func(d *client.Session) string {
				if d.CreatedAt == nil {
					return ""
				}
				return when(*d.CreatedAt)
			}},
		},
		ref:     func(d *client.Session) (string, string) { return d.ID, "" },
		getMany: (*client.Management).ListSessions,
		getOne:  (*client.Management).DetailSession,
		drop:    (*client.Management).DeleteSession,
	}
}

func enrollments() kind {
	var life time.Duration
	return &entity[client.Enrollment, client.EnrollmentCreate, struct{}]{
		one: "enrollment", many: "enrollments",
		columns: []column[client.Enrollment]{
			{"METHOD", func(d *client.Enrollment) string { return d.Method }},
			{"OF", func(d *client.Enrollment) string {
				return refName(first(d.Identity, d.EdgeRouter, d.TransitRouter), d.IdentityID+d.EdgeRouterID+d.TransitRouterID)
			}},
			{"EXPIRES", func(d *client.Enrollment) string { return when(d.ExpiresAt) }},
		},
		ref:       func(d *client.Enrollment) (string, string) { return d.ID, "" },
		getMany:   (*client.Management).ListEnrollments,
		getOne:    (*client.Management).DetailEnrollment,
		post:      (*client.Management).CreateEnrollment,
		drop:      (*client.Management).DeleteEnrollment,
		arguments: "ott|ottca|updb IDENTITY [CA|USERNAME]",
		example:   "  weft create enrollment ott alice --jwt alice.jwt\n  weft create enrollment ottca alice partners --jwt alice.jwt\n  weft create enrollment updb alice alice --jwt alice.jwt",
		createFlags: func(f *pflag.FlagSet, _ *client.EnrollmentCreate) {
			f.DurationVar(&life, "duration", 24*time.Hour, "how long the token is good for")
		},
		fillCreate: func(c *call, in *client.EnrollmentCreate, args []string) error {
			in.Method, in.IdentityID = &args[0], &args[1]
			if err := fillEnrollment(c, in, args); err != nil {
				return err
			}
			in.ExpiresAt = client.Ptr(time.Now().Add(life).UTC())
			return c.idOf("identities", in.IdentityID)
		},
		jwt: func(d *client.Enrollment) string { return d.JWT },
	}
}

// fillEnrollment puts in what the method needs.
func fillEnrollment(c *call, in *client.EnrollmentCreate, args []string) error {
	switch method, given := args[0], len(args) == 3; {
	case method == "ott" && !given:
		return nil
	case method == "updb" && given:
		in.Username = &args[2]
		return nil
	case method == "ottca" && given:
		in.CaID = &args[2]
		return c.idOf("cas", in.CaID)
	}
	return usageError("write ott IDENTITY, ottca IDENTITY CA or updb IDENTITY USERNAME", "an enrollment by %s", strings.Join(args, " "))
}
