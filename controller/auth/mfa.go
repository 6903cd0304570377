package auth

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base32"
	"errors"
	"fmt"
	"image/png"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/pquerna/otp"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/id"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

const (
	secretBytes       = 10 // 16 characters of base32
	recoveryCodes     = 20
	recoveryCodeChars = 6
	qrSize            = 256 // pixels on each side
	defaultTOTPIssuer = "openziti.io"
)

var base32Text = base32.StdEncoding.WithPadding(base32.NoPadding)

// MFAOf returns the enrolment of an identity in one-time codes, nil if there is
// none.
func MFAOf(v *state.View, identityID string) *model.MFA {
	return state.FirstBy[model.MFA](v, state.ByIdentity, identityID)
}

// verified returns the enrolment that demands codes at login, nil if none does.
func verified(v *state.View, identityID string) *model.MFA {
	if m := MFAOf(v, identityID); m != nil && m.IsVerified {
		return m
	}
	return nil
}

// StartMFA enrols the identity of a session in one-time codes and returns the
// id of the enrolment; codes are demanded once VerifyMFA was passed. cmd is
// completed and written. The refusal is fault.MFAExists.
func (a *Auth) StartMFA(ctx context.Context, sessionID string, cmd *state.Command) (string, error) {
	rec, err := a.recordOf(sessionID)
	if err != nil {
		return "", err
	}
	if MFAOf(a.deps.Store.View(), rec.IdentityID) != nil {
		return "", fault.MFAExists.New(nil)
	}
	m := &model.MFA{IdentityID: rec.IdentityID, Secret: randomText(secretBytes), RecoveryCodes: newRecoveryCodes()}
	m.ID = id.New()
	if err := a.write(ctx, cmd.Create(m)); err != nil {
		if MFAOf(a.deps.Store.View(), rec.IdentityID) != nil { // another was faster
			return "", fault.MFAExists.New(nil)
		}
		return "", err
	}
	a.log.Info("enrolment in one-time codes begun", "identityId", rec.IdentityID, "sessionId", sessionID)
	return m.ID, nil
}

// VerifyMFA puts the enrolment in force by a first code, which also satisfies
// the session. Refusals: fault.NotFound without an enrolment that waits for it,
// and those of a wrong code, which are fault.MFAInvalidToken and, after many,
// fault.RateLimited.
func (a *Auth) VerifyMFA(ctx context.Context, sessionID string, cmd *state.Command, code string) error {
	rec, err := a.recordOf(sessionID)
	if err != nil {
		return err
	}
	m := MFAOf(a.deps.Store.View(), rec.IdentityID)
	if m == nil || m.IsVerified {
		return noMFA()
	}
	use, err := a.redeem(ctx, m, sessionID, forVerify, code)
	if err != nil {
		return err
	}
	cmd.Expect(model.KindMFA, m.ID, map[string]any{"isVerified": false}).Patch(model.KindMFA, m.ID, map[string]any{"isVerified": true})
	if err := a.settle(ctx, cmd, use); err != nil {
		return err
	}
	a.factorPassed(sessionID, true)
	a.log.Info("one-time codes are in force", "identityId", rec.IdentityID, "sessionId", sessionID)
	return nil
}

// RemoveMFA ends the enrolment of the session's identity. An unverified one
// needs no code. Refusals as of VerifyMFA; recovery codes are accepted.
func (a *Auth) RemoveMFA(ctx context.Context, sessionID string, cmd *state.Command, code string) error {
	rec, err := a.recordOf(sessionID)
	if err != nil {
		return err
	}
	m := MFAOf(a.deps.Store.View(), rec.IdentityID)
	if m == nil {
		return noMFA()
	}
	var use attempt
	if m.IsVerified {
		if use, err = a.redeem(ctx, m, sessionID, forRemoval, code); err != nil {
			return err
		}
	}
	cmd.Expect(model.KindMFA, m.ID, unchanged(m)).Delete(model.KindMFA, m.ID)
	if err := a.settle(ctx, cmd, use); err != nil {
		return err
	}
	a.log.Info("one-time codes removed", "identityId", rec.IdentityID, "sessionId", sessionID)
	return nil
}

// RecoveryCodes returns the verified enrolment, with the recovery codes that
// are left, to who has a current code; recovery codes do not count. Refusals as
// of VerifyMFA.
func (a *Auth) RecoveryCodes(ctx context.Context, sessionID, code string) (*model.MFA, error) {
	rec, err := a.recordOf(sessionID)
	if err != nil {
		return nil, err
	}
	m := verified(a.deps.Store.View(), rec.IdentityID)
	if m == nil {
		return nil, noMFA()
	}
	_, err = a.redeem(ctx, m, sessionID, forListing, code)
	return m, err
}

// RenewRecoveryCodes replaces all recovery codes. Refusals as of VerifyMFA;
// recovery codes are accepted.
func (a *Auth) RenewRecoveryCodes(ctx context.Context, sessionID string, cmd *state.Command, code string) error {
	rec, err := a.recordOf(sessionID)
	if err != nil {
		return err
	}
	m := verified(a.deps.Store.View(), rec.IdentityID)
	if m == nil {
		return noMFA()
	}
	use, err := a.redeem(ctx, m, sessionID, forRenewal, code)
	if err != nil {
		return err
	}
	cmd.Expect(model.KindMFA, m.ID, unchanged(m)).Patch(model.KindMFA, m.ID, map[string]any{"recoveryCodes": newRecoveryCodes()})
	return a.settle(ctx, cmd, use)
}

// AnswerMFA satisfies the factor of a session by a code or a recovery code. The
// refusals are fault.MFANotEnrolled and those of a wrong code.
func (a *Auth) AnswerMFA(ctx context.Context, sessionID string, cmd *state.Command, code string) error {
	rec, err := a.recordOf(sessionID)
	if err != nil {
		return err
	}
	m := verified(a.deps.Store.View(), rec.IdentityID)
	if m == nil {
		return fault.MFANotEnrolled.New(nil)
	}
	use, err := a.redeem(ctx, m, sessionID, forLogin, code)
	if err != nil {
		return err
	}
	if use.recovery {
		left := slices.DeleteFunc(slices.Clone(m.RecoveryCodes), func(c string) bool { return c == normal(code) })
		cmd.Expect(model.KindMFA, m.ID, unchanged(m)).Patch(model.KindMFA, m.ID, map[string]any{"recoveryCodes": left})
		if err := a.settle(ctx, cmd, use); err != nil {
			return err
		}
		a.log.Info("recovery code used", "identityId", rec.IdentityID, "sessionId", sessionID, "left", len(left))
	}
	a.factorPassed(sessionID, false)
	return nil
}

// unchanged are the fields on which a recovery code was judged: of several uses
// at once only one may count.
func unchanged(m *model.MFA) map[string]any {
	return map[string]any{"isVerified": m.IsVerified, "recoveryCodes": m.RecoveryCodes}
}

// settle writes the work of an accepted code. When the enrolment has changed
// meanwhile, the code counts as a wrong one.
func (a *Auth) settle(ctx context.Context, cmd *state.Command, use attempt) error {
	err := a.write(ctx, cmd)
	if err == nil {
		return nil
	}
	if use.mfa != nil {
		a.codes.giveBack(use)
	}
	if errors.Is(err, fault.Unauthorized) || errors.Is(err, fault.NotFound) {
		return fault.MFAInvalidToken.Errorf("the enrollment in one-time codes has changed meanwhile")
	}
	return err
}

func noMFA() error { return fault.NotFound.New(nil) }

// recordOf returns the record of a live session.
func (a *Auth) recordOf(sessionID string) (*record, error) {
	if e := a.sessions.get(sessionID); e != nil {
		return e.record.Load(), nil
	}
	return nil, unauthorized(wwwSession, nil)
}

// redeem judges a code. Recovery codes count where they give access or take
// the factor away, not where they would show themselves or prove the secret.
func (a *Auth) redeem(ctx context.Context, m *model.MFA, sessionID, purpose, code string) (attempt, error) {
	now := a.now()
	use := attempt{mfa: m, session: sessionID, purpose: purpose, steps: stepsOf(m.Secret, code, now), at: now}
	if purpose == forLogin || purpose == forRenewal || purpose == forRemoval {
		use.recovery = len(use.steps) == 0 && slices.Contains(m.RecoveryCodes, normal(code))
	}
	ok, wait := a.codes.judge(use)
	if ok {
		return use, nil
	}
	if wait > 0 {
		left := wait.Round(time.Second)
		return use, fault.RateLimited.Errorf("too many wrong codes, none is looked at for another %s", left).
			WithRemedy("wait %s, then send the current code once; if it was not you, change the password", left)
	}
	a.log.Warn("wrong one-time code", "identityId", m.IdentityID, "sessionId", sessionID, "purpose", purpose)
	a.wrongCode(ctx, sessionID)
	return use, fault.MFAInvalidToken.New(nil)
}

// wrongCode ends a session that waits for a factor after too many wrong codes.
func (a *Auth) wrongCode(ctx context.Context, sessionID string) {
	e := a.sessions.get(sessionID)
	if e == nil || e.wrong.Add(1) < freeMistakes || len(e.record.Load().Queries) == 0 {
		return
	}
	if err := a.End(ctx, sessionID, "too many wrong one-time codes"); err != nil && !errors.Is(err, fault.NotFound) {
		a.log.Error("session could not be ended", "sessionId", sessionID, "error", err)
	}
}

// normal is the form in which recovery codes are compared.
func normal(code string) string { return strings.ToUpper(strings.TrimSpace(code)) }

func newRecoveryCodes() []string {
	out := make([]string, 0, recoveryCodes)
	for len(out) < recoveryCodes {
		c := randomText(secretBytes)[:recoveryCodeChars]
		if !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	slices.Sort(out)
	return out
}

// randomText returns the base32 text of n random bytes.
func randomText(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return base32Text.EncodeToString(b)
}

// ProvisioningURL is what authenticator programs are set up with; it contains
// the secret.
func (a *Auth) ProvisioningURL(m *model.MFA) string {
	name := m.IdentityID
	if i := state.Get[model.Identity](a.deps.Store.View(), m.IdentityID); i != nil {
		name = i.Name
	}
	issuer := a.cfg.TOTPIssuer
	return fmt.Sprintf("otpauth://totp/%s:%s?issuer=%s&secret=%s", url.PathEscape(issuer), url.PathEscape(name), url.QueryEscape(issuer), m.Secret)
}

// ProvisioningImage is the ProvisioningURL as a QR code, a PNG image.
func (a *Auth) ProvisioningImage(m *model.MFA) ([]byte, error) {
	key, err := otp.NewKeyFromURL(a.ProvisioningURL(m))
	if err != nil {
		return nil, fmt.Errorf("auth: provisioning url: %w", err)
	}
	img, err := key.Image(qrSize, qrSize)
	if err != nil {
		return nil, fmt.Errorf("auth: qr code: %w", err)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return nil, fmt.Errorf("auth: qr code: %w", err)
	}
	return b.Bytes(), nil
}
