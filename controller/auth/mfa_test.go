package auth

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

// enrolled is a user with one-time codes in force, and the session that
// enrolled.
func enrolled(t *testing.T, b *bench, a *Auth) (*model.MFA, *Session) {
	t.Helper()
	b.identity("i1")
	b.password(a, "i1", "alice", "secret")
	s := login(t, a, "alice", "secret")
	if _, err := a.StartMFA(t.Context(), s.ID, b.user()); err != nil {
		t.Fatal(err)
	}
	m := MFAOf(b.store.View(), "i1")
	if err := a.VerifyMFA(t.Context(), s.ID, b.user(), b.code(m, 0)); err != nil {
		t.Fatal(err)
	}
	b.clock.Advance(10 * codePeriod * time.Second)
	return MFAOf(b.store.View(), "i1"), s
}

// user begins a command of somebody who is not the system.
func (b *bench) user() *state.Command {
	return state.NewCommand(b.clock.Now(), state.Author{}, state.Source{})
}

// code returns the code of a time step before or after the current one.
func (b *bench) code(m *model.MFA, steps int) string {
	c, err := totp.GenerateCode(m.Secret, b.clock.Now().Add(time.Duration(steps)*codePeriod*time.Second))
	if err != nil {
		b.t.Fatal(err)
	}
	return c
}

func wantErr(t *testing.T, what string, err error, want error) {
	t.Helper()
	if want == nil && err != nil || want != nil && !errors.Is(err, want) {
		t.Fatalf("%s: %v, want %v", what, err, want)
	}
}

func TestSecondFactor(t *testing.T) {
	b := newBench(t)
	a := b.start()
	m, first := enrolled(t, b, a)
	if s, err := a.Session(first.ID); err != nil || s.Partial() || !s.IsMfaComplete || !s.IsMfaRequired {
		t.Fatalf("session that enrolled: %+v %v", s, err)
	}
	s := login(t, a, "alice", "secret")
	if !s.Partial() || s.AuthQueries[0].TypeID != "MFA" || s.AuthQueries[0].HTTPURL != "./authenticate/mfa" || !s.IsMfaRequired || s.IsMfaComplete {
		t.Fatalf("login with codes in force: %+v", s)
	}
	p, err := a.Authenticate(request(s.Token))
	if err != nil || p.Full() == nil || a.AliveFor(s.ID, "i1") {
		t.Fatalf("partial session: %v %v", p, err)
	}
	for _, steps := range []int{-3, 3} {
		wantErr(t, "code out of time", a.AnswerMFA(t.Context(), s.ID, b.user(), b.code(m, steps)), fault.MFAInvalidToken)
	}
	wantErr(t, "code", a.AnswerMFA(t.Context(), s.ID, b.user(), b.code(m, -2)), nil)
	if p, err = a.Authenticate(request(s.Token)); err != nil || p.Full() != nil || !p.Session.IsMfaComplete || !a.AliveFor(s.ID, "i1") {
		t.Fatalf("the same token after the code: %+v %v", p, err)
	}
	other := login(t, a, "alice", "secret")
	wantErr(t, "code of an earlier step than one that was used", a.AnswerMFA(t.Context(), other.ID, b.user(), b.code(m, -2)), fault.MFAInvalidToken)
	wantErr(t, "later code", a.AnswerMFA(t.Context(), other.ID, b.user(), b.code(m, 2)), nil)
}

func TestCodesWorkOncePerPurpose(t *testing.T) {
	b := newBench(t)
	a := b.start()
	m, s := enrolled(t, b, a)
	ctx, code := t.Context(), b.code(m, 0)
	list := func(session string) error { _, err := a.RecoveryCodes(ctx, session, code); return err }
	wantErr(t, "list", list(s.ID), nil)
	wantErr(t, "list again", list(s.ID), fault.MFAInvalidToken)
	wantErr(t, "renew", a.RenewRecoveryCodes(ctx, s.ID, b.user(), code), nil)
	wantErr(t, "login of another session", a.AnswerMFA(ctx, login(t, a, "alice", "secret").ID, b.user(), code), fault.MFAInvalidToken)
	if fresh := MFAOf(b.store.View(), "i1"); fresh.RecoveryCodes[0] == m.RecoveryCodes[0] && fresh.RecoveryCodes[1] == m.RecoveryCodes[1] {
		t.Error("recovery codes were not renewed")
	}
	wantErr(t, "remove", a.RemoveMFA(ctx, s.ID, b.user(), code), nil)
	wantErr(t, "remove again", a.RemoveMFA(ctx, s.ID, b.user(), code), fault.NotFound)
	wantErr(t, "answer without enrolment", a.AnswerMFA(ctx, s.ID, b.user(), code), fault.MFANotEnrolled)
	eventually(t, "the removal to reach the session", func() bool { x, err := a.Session(s.ID); return err == nil && !x.IsMfaComplete && !x.IsMfaRequired })
	if x := login(t, a, "alice", "secret"); x.Partial() {
		t.Error("a code is asked for after the removal")
	}
}

func TestRecoveryCodesWorkOnce(t *testing.T) {
	b := newBench(t)
	a := b.start()
	m, s := enrolled(t, b, a)
	wantErr(t, "listing by a recovery code", func() error { _, err := a.RecoveryCodes(t.Context(), s.ID, m.RecoveryCodes[0]); return err }(), fault.MFAInvalidToken)
	var good atomic.Int32
	var wait sync.WaitGroup
	for range 4 {
		session := login(t, a, "alice", "secret")
		wait.Go(func() {
			if a.AnswerMFA(context.Background(), session.ID, b.user(), m.RecoveryCodes[3]) == nil {
				good.Add(1)
			}
		})
	}
	wait.Wait()
	if good.Load() != 1 {
		t.Fatalf("one recovery code was accepted %d times", good.Load())
	}
	if left := MFAOf(b.store.View(), "i1").RecoveryCodes; len(left) != recoveryCodes-1 {
		t.Errorf("%d recovery codes are left", len(left))
	}
}

func TestGuessingOfCodes(t *testing.T) {
	b := newBench(t)
	a := b.start()
	m, full := enrolled(t, b, a)
	wrong := func(session string) error { return a.AnswerMFA(t.Context(), session, b.user(), "abcdef") }
	s := login(t, a, "alice", "secret")
	var wait sync.WaitGroup
	for range freeMistakes {
		wait.Go(func() { _ = wrong(s.ID) })
	}
	wait.Wait()
	wantRefused(t, a, s.Token) // five wrong codes end the partial session
	again := login(t, a, "alice", "secret")
	wantErr(t, "sixth", wrong(again.ID), fault.MFAInvalidToken)
	wantErr(t, "right code in the wait", a.AnswerMFA(t.Context(), again.ID, b.user(), b.code(m, 0)), fault.RateLimited)
	wantErr(t, "recovery code in the wait", a.AnswerMFA(t.Context(), again.ID, b.user(), m.RecoveryCodes[0]), fault.RateLimited)
	wantErr(t, "another session in the wait", wrong(full.ID), fault.RateLimited)
	b.clock.Advance(firstWait)
	wantErr(t, "after the wait", wrong(again.ID), fault.MFAInvalidToken)
	b.clock.Advance(firstWait)
	wantErr(t, "the wait doubles", wrong(again.ID), fault.RateLimited)
	b.clock.Advance(firstWait)
	wantErr(t, "right code", a.AnswerMFA(t.Context(), again.ID, b.user(), b.code(m, 0)), nil)
	wantErr(t, "counts begin anew", wrong(full.ID), fault.MFAInvalidToken)
	wantErr(t, "counts begin anew", wrong(full.ID), fault.MFAInvalidToken)
}

func TestRestartKeepsUsedCodes(t *testing.T) {
	b := newBench(t)
	a := b.open()
	m, s := enrolled(t, b, a)
	code := b.code(m, 0)
	partial := login(t, a, "alice", "secret")
	wantErr(t, "login", a.AnswerMFA(t.Context(), partial.ID, b.user(), code), nil)
	for range freeMistakes + 1 {
		_ = a.AnswerMFA(t.Context(), s.ID, b.user(), "wrong!")
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	a = b.start()
	if x, err := a.Session(partial.ID); err != nil || x.Partial() || !x.IsMfaComplete {
		t.Fatalf("session after a restart: %+v %v", x, err)
	}
	next := login(t, a, "alice", "secret")
	wantErr(t, "code in the wait of before the restart", a.AnswerMFA(t.Context(), next.ID, b.user(), b.code(m, 1)), fault.RateLimited)
	b.clock.Advance(firstWait)
	wantErr(t, "code of before the restart", a.AnswerMFA(t.Context(), next.ID, b.user(), code), fault.MFAInvalidToken)
}

func TestPolicyDemandsCodes(t *testing.T) {
	b := newBench(t)
	a := b.start()
	b.identity("i1")
	b.password(a, "i1", "alice", "secret")
	early := login(t, a, "alice", "secret")
	b.apply(b.command().Patch(model.KindAuthPolicy, b.policy.ID, map[string]any{"secondary.requireTotp": true}))
	s := login(t, a, "alice", "secret")
	if !s.Partial() || s.IsMfaRequired {
		t.Fatalf("login under a policy that demands codes: %+v", s)
	}
	if x, _ := a.Session(early.ID); x.Partial() {
		t.Error("the demand of a policy reached an earlier session")
	}
	_, err := a.StartMFA(t.Context(), s.ID, b.user())
	wantErr(t, "enrolment", err, nil)
	_, err = a.StartMFA(t.Context(), early.ID, b.user())
	wantErr(t, "second enrolment", err, fault.MFAExists)
	m := MFAOf(b.store.View(), "i1")
	wantErr(t, "recovery code as first code", a.VerifyMFA(t.Context(), s.ID, b.user(), m.RecoveryCodes[0]), fault.MFAInvalidToken)
	wantErr(t, "first code", a.VerifyMFA(t.Context(), s.ID, b.user(), b.code(m, 0)), nil)
	wantErr(t, "verified twice", a.VerifyMFA(t.Context(), s.ID, b.user(), b.code(m, 1)), fault.NotFound)
	if x, _ := a.Session(s.ID); x.Partial() || !x.IsMfaComplete {
		t.Errorf("session after the enrolment: %+v", x)
	}
	png, err := a.ProvisioningImage(m)
	if err != nil || len(png) < 100 || string(png[1:4]) != "PNG" {
		t.Errorf("QR code: %d bytes, %v", len(png), err)
	}
	if want := "otpauth://totp/openziti.io:i1?issuer=openziti.io&secret=" + m.Secret; a.ProvisioningURL(m) != want {
		t.Errorf("url %s, want %s", a.ProvisioningURL(m), want)
	}
	b.apply(b.command().Delete(model.KindIdentity, "i1"))
	if b.store.View().Count(model.KindMFA) != 0 {
		t.Error("the enrolment outlives its identity")
	}
}
