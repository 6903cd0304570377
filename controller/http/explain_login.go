package http

import (
	"fmt"
	"time"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/state"
)

// login says whether the identity exists, is enabled and can prove itself.
func (x *explanation) login() {
	x.ask(true, ruleLogin, func(r *api.ExplainedRule) {
		i := x.identity
		if i == nil {
			refuse(r, string(policy.IdentityUnknown), "identity "+quoted(x.out.Identity.Name)+" does not exist",
				"weft list identities, or weft create identity "+x.out.Identity.Name)
			return
		}
		r.Sentence = "identity " + quoted(i.Name) + " exists, is enabled and can log in"
		now := x.c.s.cfg.Now()
		switch {
		case i.Disabled(now) && i.DisabledUntil != nil:
			refuse(r, codeLocked, fmt.Sprintf("identity %q is locked until %s", i.Name, i.DisabledUntil.UTC().Format(time.RFC3339)),
				fmt.Sprintf("wait, or: weft update identity %q --disabled=false", i.Name))
		case i.Disabled(now):
			refuse(r, string(policy.IdentityDisabled), fmt.Sprintf("identity %q is disabled", i.Name), fmt.Sprintf("weft update identity %q --disabled=false", i.Name))
		case i.Type == model.IdentityRouter:
			r.Sentence = "identity " + quoted(i.Name) + " belongs to a router, which proves itself"
		default:
			x.factors(r)
		}
	})
}

// factors looks at authenticators, at the auth policy, and at enrollments that
// nobody has used.
func (x *explanation) factors(r *api.ExplainedRule) {
	i, v := x.identity, x.c.state
	rules := state.Get[model.AuthPolicy](v, i.AuthPolicyID)
	if rules == nil {
		rules = state.Get[model.AuthPolicy](v, model.DefaultAuthPolicyID)
	}
	if rules == nil {
		rules = &model.AuthPolicy{}
	}
	usable, has := false, false
	for a := range state.ByIndex[model.Authenticator](v, state.ByIdentity, i.ID) {
		has = true
		allowed := a.Method == model.MethodCert && rules.Primary.Cert.Allowed || a.Method == model.MethodUpdb && rules.Primary.Updb.Allowed
		ref := x.c.ref(x.c.s.links.authenticator, model.KindAuthenticator, a.ID)
		if usable = usable || allowed; allowed {
			note(r, stateOK, &ref, fmt.Sprintf("authenticator %s is allowed by auth policy %q", a.Method, rules.Name))
		} else {
			note(r, stateFailed, &ref, fmt.Sprintf("authenticator %s is not allowed by auth policy %q", a.Method, rules.Name))
		}
	}
	open := false
	for e := range state.ByIndex[model.Enrollment](v, state.ByIdentity, i.ID) {
		ref := x.c.ref(x.c.s.links.enrollment, model.KindEnrollment, e.ID)
		if e.ExpiresAt.Before(x.c.s.cfg.Now()) {
			note(r, stateFailed, &ref, fmt.Sprintf("enrollment %s has expired", e.Method))
			continue
		}
		open = true
		note(r, stateSkipped, &ref, fmt.Sprintf("enrollment %s waits until %s", e.Method, e.ExpiresAt.UTC().Format(time.RFC3339)))
	}
	switch {
	case usable:
	case has:
		refuse(r, codeMethodNotAllowed, fmt.Sprintf("auth policy %q allows none of the authenticators of identity %q", rules.Name, i.Name),
			fmt.Sprintf("weft update auth-policy %q to allow one, or: weft create enrollment ott %q", rules.Name, i.Name))
	case rules.Primary.ExtJwt.Allowed && len(rules.Primary.ExtJwt.AllowedSigners) > 0 && i.ExternalID != nil:
		note(r, stateSkipped, nil, "tokens of external signers are allowed; whether a signer vouches for the identity is not known here")
	case open:
		refuse(r, codeNotEnrolled, fmt.Sprintf("identity %q is not enrolled yet", i.Name), "weft enroll JWT-FILE on its machine, with the token of the enrollment")
	default:
		refuse(r, codeNoAuthenticator, fmt.Sprintf("identity %q has nothing to log in with and no enrollment to use", i.Name),
			fmt.Sprintf("weft create enrollment ott %q", i.Name))
	}
}
