package api

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/weftnet/weft/fault"
)

func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		name          string
		body          *Body
		text          string
		field, reason string
	}{
		{"first in alphabetical order", body[IdentityInput]("identity", Create), `{}`, "isAdmin", "isAdmin in body is required"},
		{"the next", body[IdentityInput]("identity", Create), `{"isAdmin":true,"type":"User"}`, "name", "name in body is required"},
		{"null is absent", body[IdentityInput]("identity", Create), `{"isAdmin":null}`, "isAdmin", "isAdmin in body is required"},
		{"enum", body[IdentityInput]("identity", Create), `{"isAdmin":true,"name":"","type":"x"}`, "type", "type in body should be one of [User Device Service Router Default]"},
		{"empty text is a value", body[IdentityInput]("identity", Create), `{"isAdmin":true,"name":"","type":"User"}`, "", ""},
		{"nothing is required in a patch", body[IdentityInput]("identity", Patch), `{}`, "", ""},
		{"nested", body[AuthPolicyInput]("policy", Create), `{"name":"x","primary":{"cert":{"allowed":true}},"secondary":{}}`, "primary.cert.allowExpiredCerts", "primary.cert.allowExpiredCerts in body is required"},
		{"nested in a patch", body[AuthPolicyInput]("policy", Patch), `{"primary":{"cert":{"allowed":true}}}`, "", ""},
		{"list of objects", body[[]ServiceConfigAssign]("configs", Create), `[{"configId":"a","serviceId":"b"},{"configId":"a"}]`, "1.serviceId", "1.serviceId in body is required"},
		{"number too high", body[EdgeRouterInput]("router", Create), `{"name":"x","cost":65536}`, "cost", "cost in body should be less than or equal to 65535"},
		{"number too low", body[EdgeRouterInput]("router", Create), `{"name":"x","cost":-1}`, "cost", "cost in body should be greater than or equal to 0"},
		{"text too short", body[Authenticate]("auth", Create), `{"username":"abc"}`, "username", "username in body should be at least 4 chars long"},
		{"text too long in a part", body[Authenticate]("auth", Create), `{"envInfo":{"domain":"` + string(make254()) + `"}}`, "envInfo.domain", "envInfo.domain in body should be at most 253 chars long"},
		{"element of a list", body[IdentityInput]("identity", Patch), `{"permissions":["ops","x"]}`, "permissions.1", ""},
		{"value of a map", body[IdentityInput]("identity", Patch), `{"serviceHostingPrecedences":{"s":"x"}}`, "serviceHostingPrecedences.s", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := reflect.New(tt.body.Type)
			if err := json.Unmarshal([]byte(tt.text), v.Interface()); err != nil {
				t.Fatal(err)
			}
			err := NewValidator(tt.body).Check(v.Interface())
			var f *fault.FieldError
			if !errors.As(err, &f) {
				if tt.field != "" || err != nil {
					t.Fatalf("got %v, want a refusal of %q", err, tt.field)
				}
				return
			}
			if f.Field != tt.field || tt.reason != "" && f.Reason != tt.reason || !errors.Is(err, fault.CouldNotValidate) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func make254() []byte {
	b := make([]byte, 254)
	for i := range b {
		b[i] = 'a'
	}
	return b
}

func TestCheckClearsOtherModes(t *testing.T) {
	id := "x"
	in := ConfigInput{ConfigTypeID: &id}
	if err := NewValidator(body[ConfigInput]("config", Patch)).Check(&in); err != nil || in.ConfigTypeID != nil {
		t.Error(err, in.ConfigTypeID)
	}
}

func TestPasswordIsNotEchoed(t *testing.T) {
	p := "abc"
	err := NewValidator(body[OwnAuthenticatorInput]("authenticator", Patch)).Check(&OwnAuthenticatorInput{CurrentPassword: &p})
	var f *fault.FieldError
	if !errors.As(err, &f) || f.Value != nil || f.Field != "currentPassword" {
		t.Errorf("%+v", f)
	}
}
