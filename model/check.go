package model

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/weftnet/weft/fault"
)

// MaxCost is the highest cost of a router or terminator.
const MaxCost = 65535

// Settle brings an entity into the form in which it is stored: sets sorted and
// without duplicates, defaults in place of absent values, empty maps as nil. It
// replaces slices and maps and never changes what they hold.
func Settle(e Entity) {
	m := e.Meta()
	m.Tags = scalars(m.Tags)
	switch e := e.(type) {
	case *Identity:
		settleIdentity(e)
	case *Service:
		e.RoleAttributes = set(e.RoleAttributes)
		e.Configs = set(e.Configs)
		e.TerminatorStrategy = orElse(e.TerminatorStrategy, StrategySmartRouting)
	case *EdgeRouter:
		e.RoleAttributes = set(e.RoleAttributes)
	case *ServicePolicy:
		e.Semantic = orElse(e.Semantic, AllOf)
		e.IdentityRoles, e.ServiceRoles, e.PostureCheckRoles = set(e.IdentityRoles), set(e.ServiceRoles), set(e.PostureCheckRoles)
	case *EdgeRouterPolicy:
		e.Semantic = orElse(e.Semantic, AllOf)
		e.IdentityRoles, e.EdgeRouterRoles = set(e.IdentityRoles), set(e.EdgeRouterRoles)
	case *ServiceEdgeRouterPolicy:
		e.Semantic = orElse(e.Semantic, AllOf)
		e.ServiceRoles, e.EdgeRouterRoles = set(e.ServiceRoles), set(e.EdgeRouterRoles)
	case *MFA:
		e.RecoveryCodes = set(e.RecoveryCodes)
	case *Terminator:
		e.Precedence = orElse(e.Precedence, PrecedenceDefault)
	case *CA:
		settleCA(e)
	case *PostureCheck:
		settlePosture(e)
	case *ExternalJwtSigner:
		settleSigner(e)
	case *AuthPolicy:
		u := &e.Primary.Updb
		u.MinPasswordLength = max(u.MinPasswordLength, 5)
		u.MaxAttempts, u.LockoutDurationMinutes = max(u.MaxAttempts, 0), max(u.LockoutDurationMinutes, 0)
		if s := e.Secondary.RequireExtJwtSigner; s != nil && *s == "" {
			e.Secondary.RequireExtJwtSigner = nil
		}
	}
}

func settleIdentity(i *Identity) {
	i.RoleAttributes, i.Permissions = set(i.RoleAttributes), set(i.Permissions)
	i.AuthPolicyID = orElse(i.AuthPolicyID, DefaultAuthPolicyID)
	i.DefaultHostingPrecedence = orElse(i.DefaultHostingPrecedence, PrecedenceDefault)
	if i.ExternalID != nil && strings.TrimSpace(*i.ExternalID) == "" {
		i.ExternalID = nil
	}
	if i.Type != IdentityRouter { // User, Device and Service are old names
		i.Type = IdentityDefault
	}
}

// Check returns the refusal of the first field of e that breaks a rule, nil when
// all is well. It looks at e alone: uniqueness and references are decided when
// the entity is written.
func Check(e Entity) error {
	switch e := e.(type) {
	case *Identity:
		return firstOf(named(e.Name), attributes("roleAttributes", e.RoleAttributes), cost("defaultHostingCost", e.DefaultHostingCost),
			precedence("defaultHostingPrecedence", e.DefaultHostingPrecedence), hosting(e))
	case *Service:
		return firstOf(named(e.Name), attributes("roleAttributes", e.RoleAttributes), strategy(e.TerminatorStrategy))
	case *Config:
		return firstOf(named(e.Name), object("data", e.Data, true))
	case *ConfigType:
		if e.Name == "all" {
			return fault.CouldNotValidate.Field("name", "all is a keyword and may not be used as a config type name", e.Name)
		}
		return firstOf(named(e.Name), object("schema", e.Schema, false))
	case *EdgeRouter:
		return firstOf(named(e.Name), attributes("roleAttributes", e.RoleAttributes), cost("cost", e.Cost))
	case *ServicePolicy:
		return firstOf(named(e.Name), oneOf("type", e.Type, Dial, Bind), oneOf("semantic", e.Semantic, AllOf, AnyOf))
	case *EdgeRouterPolicy:
		return firstOf(named(e.Name), oneOf("semantic", e.Semantic, AllOf, AnyOf))
	case *ServiceEdgeRouterPolicy:
		return firstOf(named(e.Name), oneOf("semantic", e.Semantic, AllOf, AnyOf))
	case *AuthPolicy:
		return named(e.Name)
	case *Terminator:
		return firstOf(required("binding", e.Binding), required("address", e.Address), cost("cost", e.Cost),
			precedence("precedence", e.Precedence))
	case *Authenticator:
		return oneOf("method", e.Method, MethodUpdb, MethodCert)
	case *Enrollment:
		return firstOf(required("token", e.Token), oneOf("method", e.Method, MethodOtt, MethodOttCa, MethodUpdb, MethodErott, MethodTrott))
	case *MFA:
		return firstOf(required("identityId", e.IdentityID), required("secret", e.Secret))
	case *Revocation:
		return oneOf("type", e.Type, RevokeJTI, RevokeAPISession, RevokeIdentity)
	case *CA:
		return checkCA(e)
	case *PostureCheck:
		return checkPosture(e)
	case *ExternalJwtSigner:
		return checkSigner(e)
	}
	return nil
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func named(name string) error { return required("name", name) }

func required(field, value string) error {
	if value == "" {
		return fault.CouldNotValidate.Field(field, field+" is required", value)
	}
	return nil
}

func oneOf(field, value string, allowed ...string) error {
	if !slices.Contains(allowed, value) {
		return fault.CouldNotValidate.Field(field, fmt.Sprintf("%s in body should be one of [%s]", field, strings.Join(allowed, " ")), value)
	}
	return nil
}

func cost(field string, v int) error {
	if v < 0 {
		return fault.CouldNotValidate.Field(field, field+" in body should be greater than or equal to 0", v)
	}
	if v > MaxCost {
		return fault.CouldNotValidate.Field(field, fmt.Sprintf("%s in body should be less than or equal to %d", field, MaxCost), v)
	}
	return nil
}

func precedence(field, v string) error {
	return oneOf(field, v, PrecedenceDefault, PrecedenceRequired, PrecedenceFailed)
}

// hosting checks the values per service, in the order of their ids so that the
// first refusal is always the same.
func hosting(i *Identity) error {
	for _, id := range sortedKeys(i.ServiceHostingCosts) {
		if err := cost("serviceHostingCosts."+id, i.ServiceHostingCosts[id]); err != nil {
			return err
		}
	}
	for _, id := range sortedKeys(i.ServiceHostingPrecedences) {
		if err := precedence("serviceHostingPrecedences."+id, i.ServiceHostingPrecedences[id]); err != nil {
			return err
		}
	}
	return nil
}

func strategy(s string) error {
	switch s {
	case StrategySmartRouting, StrategyWeighted, StrategyRandom, StrategySticky:
		return nil
	}
	return fault.NotFound.Errorf("terminatorStrategy with name %s not found", s)
}

func attributes(field string, values []string) error {
	for _, a := range values {
		if strings.HasPrefix(a, "#") || strings.HasPrefix(a, "@") {
			return fault.CouldNotValidate.Field(field, "role attributes may not be prefixed with "+a[:1], values)
		}
	}
	return nil
}

func object(field string, raw []byte, must bool) error {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) > 0 && raw[0] == '{':
		return nil
	case len(raw) == 0 || bytes.Equal(raw, []byte("null")):
		if !must {
			return nil
		}
		return fault.CouldNotValidate.Field(field, field+" in body is required", nil)
	}
	return fault.CouldNotValidate.Field(field, field+" in body must be of type object", string(raw))
}

// scalars drops what a tag may not be.
func scalars(t Tags) Tags {
	for _, v := range t {
		if !scalar(v) {
			out := Tags{}
			for k, v := range t {
				if scalar(v) {
					out[k] = v
				}
			}
			return out
		}
	}
	return t
}

func scalar(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return false
	}
	return true
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
