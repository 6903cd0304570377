package http

import (
	"context"
	"strings"
	"testing"

	"github.com/weftnet/weft/controller/auth"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

// fakeFactors accepts the code 123456 for everything.
type fakeFactors struct {
	f        *fixture
	answered []string // session ids
}

func (x *fakeFactors) of(session string) *model.MFA {
	return state.FirstBy[model.MFA](x.f.store.View(), state.ByIdentity, x.f.identityOf(session))
}

// identityOf returns the identity of the caller with a session.
func (f *fixture) identityOf(session string) string {
	for _, c := range f.callers {
		if c.SessionID == session {
			return c.IdentityID
		}
	}
	return ""
}

func (x *fakeFactors) write(cmd *state.Command) error {
	text, err := cmd.Encode()
	if err != nil {
		return err
	}
	_, result, err := x.f.Propose(context.Background(), text)
	if refusal, ok := result.(error); ok {
		return refusal
	}
	return err
}

func (x *fakeFactors) judge(session, code string) (*model.MFA, error) {
	m := x.of(session)
	if m == nil {
		return nil, fault.NotFound.New(nil)
	}
	if code != "123456" {
		return nil, fault.MFAInvalidToken.New(nil)
	}
	return m, nil
}

func (x *fakeFactors) StartMFA(_ context.Context, session string, cmd *state.Command) (string, error) {
	if x.of(session) != nil {
		return "", fault.MFAExists.New(nil)
	}
	m := &model.MFA{IdentityID: x.f.identityOf(session), Secret: "NVMRVDOCKJUUW4SM", RecoveryCodes: []string{"7SOYEG", "CGKP3H"}}
	m.ID = "theMfa"
	return m.ID, x.write(cmd.Create(m))
}

func (x *fakeFactors) VerifyMFA(_ context.Context, session string, cmd *state.Command, code string) error {
	m, err := x.judge(session, code)
	if err == nil {
		err = x.write(cmd.Patch(model.KindMFA, m.ID, map[string]any{"isVerified": true}))
	}
	return err
}

func (x *fakeFactors) RemoveMFA(_ context.Context, session string, cmd *state.Command, code string) error {
	m, err := x.judge(session, code)
	if err == nil {
		err = x.write(cmd.Delete(model.KindMFA, m.ID))
	}
	return err
}

func (x *fakeFactors) RecoveryCodes(_ context.Context, session, code string) (*model.MFA, error) {
	return x.judge(session, code)
}

func (x *fakeFactors) RenewRecoveryCodes(_ context.Context, session string, _ *state.Command, code string) error {
	_, err := x.judge(session, code)
	return err
}

func (x *fakeFactors) AnswerMFA(_ context.Context, session string, _ *state.Command, code string) error {
	_, err := x.judge(session, code)
	if err == nil {
		x.answered = append(x.answered, session)
	}
	return err
}

func (x *fakeFactors) ProvisioningURL(m *model.MFA) string {
	return "otpauth://totp/openziti.io:admin?issuer=openziti.io&secret=" + m.Secret
}

func (x *fakeFactors) ProvisioningImage(*model.MFA) ([]byte, error) { return []byte("\x89PNG"), nil }

// TestMFAOperations compares the answers with what the ecosystem's clients know.
func TestMFAOperations(t *testing.T) {
	for _, base := range []string{"/edge/client/v1", "/edge/management/v1"} {
		f := newFixture(t)
		own := base + "/current-identity/mfa"
		step := func(method, path string, body any, status int, has ...string) {
			t.Helper()
			text := f.do(method, path, body).status(status).ResponseRecorder.Body.String()
			for _, h := range has {
				want, absent := strings.CutPrefix(h, "!")
				if strings.Contains(text, want) == absent {
					t.Errorf("%s %s: %s: want %s", method, path, text, h)
				}
			}
		}
		code := map[string]any{"code": "123456"}
		step("GET", own, nil, 404, `"NOT_FOUND"`)
		step("GET", own+"/qr-code", nil, 404, `"NOT_FOUND"`)
		step("POST", own, map[string]any{}, 201, `"_links":{"self":{"href":"./current-identity/mfa"}},"id":"theMfa"`)
		step("POST", own, nil, 409, `"MFA_EXISTS"`)
		step("GET", own, nil, 200, `"isVerified":false`, `"recoveryCodes":["7SOYEG","CGKP3H"]`, `secret=NVMRVDOCKJUUW4SM`,
			`"_links":{"self":{"href":"./current-identity/mfa"},"current-identity":{"href":"./current-identity"},"qr":{"href":"./current-identity/mfa/qr-code"},"verify":{"href":"./current-identity/mfa/verify"}}`)
		step("GET", own+"/qr-code", nil, 200, "PNG")
		step("POST", own+"/verify", map[string]any{"code": "000000"}, 400, `"MFA_INVALID_TOKEN"`)
		step("POST", own+"/verify", map[string]any{}, 400, `"COULD_NOT_VALIDATE"`, `"field":"code"`)
		step("POST", own+"/verify", map[string]any{"code": 5}, 400, `"code"`)
		step("POST", own+"/verify", code, 200, `{"data":{},"meta":{}}`)
		step("GET", own, nil, 200, `"isVerified":true`, `"recoveryCodes":null`, "!NVMRVDOCKJUUW4SM", "!provisioningUrl",
			`"recovery-codes":{"href":"./current-identity/mfa/recovery-codes"}`)
		step("GET", own+"/qr-code", nil, 404)
		step("GET", own+"/recovery-codes", nil, 400, `"MFA_INVALID_TOKEN"`)
		step("GET", own+"/recovery-codes", code, 200, `"7SOYEG"`, "!NVMRVDOCKJUUW4SM")
		step("POST", own+"/recovery-codes", code, 200)
		step("POST", base+"/authenticate/mfa", code, 200, `{"data":{},"meta":{}}`)
		step("POST", base+"/current-api-session/totp-token", code, 400, `"INVALID_BACKING_TOKEN_TYPE"`)
		step("GET", "/edge/management/v1/identities/"+f.admin, nil, 200, `"isMfaEnabled":true`, "!NVMRVDOCKJUUW4SM", "!7SOYEG")
		step("DELETE", own, nil, 400, `"MFA_INVALID_TOKEN"`)
		f.do("DELETE", own, nil, "mfa-validation-code", "123456").status(200)
		step("GET", own, nil, 404)
		step("POST", own, nil, 201)
		step("DELETE", "/edge/management/v1/identities/"+f.admin+"/mfa", nil, 200, `{"data":{},"meta":{}}`)
		step("DELETE", "/edge/management/v1/identities/"+f.admin+"/mfa", nil, 200)
		step("DELETE", "/edge/management/v1/identities/nobody/mfa", nil, 404)
		step("GET", own, nil, 404)
	}
}

// fakePostures keeps the posture of one session.
type fakePostures struct{ told auth.Posture }

func (p *fakePostures) TellPosture(_ string, change func(*auth.Posture)) error {
	change(&p.told)
	return nil
}

func TestPostureResponses(t *testing.T) {
	f := newFixture(t)
	p := f.server.cfg.Postures.(*fakePostures)
	one := func(status int, body obj) *answer {
		t.Helper()
		return f.do("POST", c("/posture-response"), body).status(status)
	}
	one(201, obj{"id": "0", "typeId": "OS", "type": "Linux", "version": "6.1.0", "build": "1"}).is("data.services", "[]")
	one(201, obj{"id": "m", "typeId": "MAC", "macAddresses": []string{"00:1A-22:33:44:55"}})
	one(201, obj{"id": "d", "typeId": "DOMAIN", "domain": "corp.example"})
	for range 2 {
		one(201, obj{"id": "p", "typeId": "PROCESS", "path": "/bin/x", "isRunning": true, "hash": "ab", "signerFingerprints": []string{"cd"}})
	}
	one(201, obj{"id": "e", "typeId": "ENDPOINT_STATE", "woken": true, "unlocked": false})
	if x := p.told; x.OS.Version != "6.1.0" || x.MAC.Addresses[0] != "001a22334455" || x.Domain.Domain != "corp.example" ||
		len(x.Processes) != 1 || !x.Processes[0].IsRunning || x.WokenAt == nil || x.UnlockAt != nil {
		t.Errorf("told: %+v", x)
	}
	one(400, obj{"id": "0", "typeId": "OS", "type": "Linux"}).is("error.cause.field", "version")
	one(400, obj{"id": "0", "typeId": "MAC"}).is("error.cause.field", "macAddresses")
	one(400, obj{"id": "0", "typeId": "DOMAIN"}).is("error.cause.field", "domain")
	one(400, obj{"id": "0", "typeId": "PROCESS"}).is("error.cause.field", "path")
	one(400, obj{"id": "0", "typeId": "TELEPATHY"}).is("error.cause.field", "typeId")
	one(400, obj{"typeId": "DOMAIN", "domain": "x"}).is("error.cause.field", "id")
	one(400, obj{"id": "x", "typeId": "ENDPOINT_STATE", "woken": "2026-11-20T12:00:00Z"})
	bulk := []obj{{"id": "0", "typeId": "DOMAIN", "domain": "other"}, {"id": "0", "typeId": "OS"}}
	f.do("POST", c("/posture-response-bulk"), bulk).status(400).is("error.cause.field", "1.type")
	if p.told.Domain.Domain != "corp.example" {
		t.Error("part of a list that was refused was taken")
	}
	f.do("POST", c("/posture-response-bulk"), bulk[:1]).status(200)
	if p.told.Domain.Domain != "other" {
		t.Error("the list was not taken")
	}
}
