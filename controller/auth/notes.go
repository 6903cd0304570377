package auth

import (
	"context"
	"reflect"

	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/state"
)

// note is what a login tells about its identity and authenticator. Saving it is
// nobody's condition: when the queue is full the note is dropped, and the next
// login makes it again.
type note struct {
	identityID      string
	authenticatorID string
	identity        map[string]any // fields to patch
	authenticator   map[string]any
}

func (a *Auth) note(r LoginRequest, p *passed) {
	n := note{identityID: p.identity.ID, authenticatorID: p.authenticator.ID, identity: map[string]any{}, authenticator: map[string]any{}}
	if r.EnvInfo != nil && !reflect.DeepEqual(r.EnvInfo, p.identity.EnvInfo) {
		n.identity["envInfo"] = r.EnvInfo
	}
	if r.SdkInfo != nil && !reflect.DeepEqual(r.SdkInfo, p.identity.SdkInfo) {
		n.identity["sdkInfo"] = r.SdkInfo
	}
	if len(p.chain) > 0 {
		if p.authenticator.CertPem == "" {
			n.authenticator["certPem"] = pki.EncodeCertificates(p.chain[0])
		}
		if toRoot := !p.improper; toRoot != p.authenticator.LastAuthResolvedToRoot {
			n.authenticator["lastAuthResolvedToRoot"] = toRoot
		}
	}
	if len(n.identity)+len(n.authenticator) == 0 {
		return
	}
	select {
	case a.notes <- n:
	default:
	}
}

// saveNotes writes what has gathered, many notes in one command.
func (a *Auth) saveNotes(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case n := <-a.notes:
			c := a.command().Each()
			n.into(c)
			for more := true; more && len(c.Ops) < 200; {
				select {
				case n = <-a.notes:
					n.into(c)
				default:
					more = false
				}
			}
			if err := a.write(ctx, c); err != nil && ctx.Err() == nil {
				a.log.Warn("details of logins could not be saved", "error", err)
			}
		}
	}
}

func (n note) into(c *state.Command) {
	if len(n.identity) > 0 {
		c.Patch(model.KindIdentity, n.identityID, n.identity)
	}
	if len(n.authenticator) > 0 {
		c.Patch(model.KindAuthenticator, n.authenticatorID, n.authenticator)
	}
}
