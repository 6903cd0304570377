package app

import (
	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/controller/auth"
)

// postures shows what clients have told about their machines to the REST APIs.
type postures struct{ *auth.Auth }

// PostureData returns what the live sessions of an identity have told: of the
// machine, what the session that began last and has told it says.
func (p postures) PostureData(identityID string) *api.PostureData {
	all := p.PosturesOf(identityID)
	if len(all) == 0 {
		return nil
	}
	out := &api.PostureData{APISessions: make(map[string]api.PostureSession, len(all))}
	for _, one := range all {
		s := one.Session
		shown := api.PostureSession{Mfa: api.PostureMfa{APISessionID: s.ID, PassedMfa: s.IsMfaComplete},
			EndpointState: &api.PostureEndpoint{UnlockedAt: one.Posture.UnlockAt, WokenAt: one.Posture.WokenAt}}
		if s.IsMfaComplete {
			at := s.UpdatedAt
			shown.Mfa.PassedAt = &at
		}
		out.APISessions[s.ID] = shown
		machine(out, one.Posture)
	}
	return out
}

// machine fills in the parts that no later session has told.
func machine(d *api.PostureData, p auth.Posture) {
	base := func(t auth.PostureTold) api.PostureBase {
		at := t.At
		return api.PostureBase{LastUpdatedAt: &at, PostureCheckID: t.CheckID}
	}
	if x := p.OS; x != nil && d.Os.LastUpdatedAt == nil {
		d.Os = api.PostureOs{PostureBase: base(x.PostureTold), Build: given(x.Build), Type: given(x.Type), Version: given(x.Version)}
	}
	if x := p.Domain; x != nil && d.Domain.LastUpdatedAt == nil {
		d.Domain = api.PostureDomain{PostureBase: base(x.PostureTold), Domain: given(x.Domain)}
	}
	if x := p.MAC; x != nil && d.Mac.LastUpdatedAt == nil {
		d.Mac = api.PostureMac{PostureBase: base(x.PostureTold), Addresses: x.Addresses}
	}
	if len(d.Processes) > 0 {
		return
	}
	for _, x := range p.Processes {
		d.Processes = append(d.Processes, api.PostureProcessData{PostureBase: base(x.PostureTold), BinaryHash: x.Hash,
			IsRunning: x.IsRunning, SignerFingerprints: x.SignerFingerprints})
	}
}

func given(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
