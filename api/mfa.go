package api

import "time"

// MFA is the caller's enrolment in one-time codes. Secrets are shown until it
// is verified: provisioningUrl and recoveryCodes, which is null afterwards.
type MFA struct {
	Base
	IsVerified      bool     `json:"isVerified"`
	ProvisioningURL string   `json:"provisioningUrl,omitempty"` // otpauth URL with the secret
	RecoveryCodes   []string `json:"recoveryCodes" api:"null"`
}

// MFARecoveryCodes are the recovery codes that are left.
type MFARecoveryCodes struct {
	Base
	RecoveryCodes []string `json:"recoveryCodes"`
}

// MFACode is a one-time code or, where it is accepted, a recovery code.
type MFACode struct {
	Code *string `json:"code" api:"req=c,max=64"`
}

// TotpToken proves that a one-time code was given in the caller's session.
type TotpToken struct {
	IssuedAt time.Time `json:"issuedAt"`
	Token    string    `json:"token"`
}

// HeaderMFACode carries the code of requests that have no body.
const HeaderMFACode = "mfa-validation-code"

// secondFactors returns the operations with one-time codes.
func secondFactors() []Operation {
	const tag, own = "MFA", "/current-identity/mfa"
	partial, full := Access{Rule: AuthenticatedOrPartial}, Access{Rule: Authenticated}
	code := body[MFACode]("mfaValidation", Create)
	maybe := body[MFACode]("mfaValidation", Create)
	maybe.Required = false
	header := []Param{{Name: HeaderMFACode, In: "header", Type: "string", Doc: "Current code."}}
	return []Operation{
		{API: Both, Method: "POST", Path: "/authenticate/mfa", ID: "authenticateMfa", Tag: "Authentication",
			Doc: "Satisfies the MFA query of the caller's session by a one-time code or a recovery code.", Access: partial, Body: code, Result: nothing()},
		{API: Both, Method: "GET", Path: own, ID: "detailMfa", Tag: tag,
			Doc: "Shows the caller's enrollment in one-time codes; its secret only until it is verified.", Access: partial, Result: detailOf[MFA]()},
		{API: Both, Method: "POST", Path: own, ID: "enrollMfa", Tag: tag,
			Doc: "Begins the caller's enrollment in one-time codes; it counts once it is verified.", Access: partial, Result: location()},
		{API: Both, Method: "DELETE", Path: own, ID: "deleteMfa", Tag: tag,
			Doc:    "Removes the caller's enrollment in one-time codes; a verified one only with a current code or a recovery code.",
			Access: full, Params: header, Result: nothing()},
		{API: Both, Method: "POST", Path: own + "/verify", ID: "verifyMfa", Tag: tag,
			Doc: "Puts the caller's enrollment in force by a first code.", Access: partial, Body: code, Result: nothing()},
		{API: Both, Method: "GET", Path: own + "/qr-code", ID: "detailMfaQrCode", Tag: tag,
			Doc: "Shows the provisioning URL of an unverified enrollment as a QR code.", Access: partial,
			Result: Result{Text, nil, 200}, Produces: []string{"image/png"}},
		{API: Both, Method: "GET", Path: own + "/recovery-codes", ID: "detailMfaRecoveryCodes", Tag: tag,
			Doc: "Shows the recovery codes that are left to who has a current code.", Access: full, Params: header, Body: maybe, Result: detailOf[MFARecoveryCodes]()},
		{API: Both, Method: "POST", Path: own + "/recovery-codes", ID: "createMfaRecoveryCodes", Tag: tag,
			Doc: "Replaces all recovery codes; needs a current code or a recovery code.", Access: full, Body: code, Result: nothing()},
		{API: Both, Method: "POST", Path: "/current-api-session/totp-token", ID: "createTotpToken", Tag: "Current API Session",
			Doc: "Makes a token that proves a one-time code to routers. Only for sessions whose token is a JWT.", Access: full, Body: code, Result: detailOf[TotpToken]()},
	}
}
