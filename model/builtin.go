package model

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:embed configtypes.json
var builtinConfigTypes []byte

// BuiltinConfigTypes returns the config types that every network begins with.
// Their ids, names and schemas are those that tunnelers and SDKs of the
// ecosystem know. The caller may change the result.
func BuiltinConfigTypes() ([]*ConfigType, error) {
	var out []*ConfigType
	if err := json.Unmarshal(builtinConfigTypes, &out); err != nil {
		return nil, fmt.Errorf("built-in config types: %w", err)
	}
	return out, nil
}

// DefaultAuthPolicy returns the auth policy that every network begins with: all
// methods, expired certificates included, and no lockout.
func DefaultAuthPolicy() *AuthPolicy {
	p := &AuthPolicy{
		Name: "Default",
		Primary: AuthPrimary{
			Cert:   AuthCert{Allowed: true, AllowExpiredCerts: true},
			ExtJwt: AuthExtJwt{Allowed: true},
			Updb:   AuthUpdb{Allowed: true, MinPasswordLength: 5},
		},
	}
	p.ID = DefaultAuthPolicyID
	return p
}
