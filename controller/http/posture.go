package http

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/controller/auth"
	"github.com/weftnet/weft/fault"
)

// Postures keep what the clients of sessions tell about their machines.
type Postures interface {
	TellPosture(sessionID string, change func(p *auth.Posture)) error
}

// maxPostureList bounds lists of addresses and fingerprints.
const maxPostureList = 256

// tellPosture handles one posture response.
func (s *Server) tellPosture(c *call) error {
	return s.tell(c, []api.PostureResponse{*c.body.(*api.PostureResponse)}, func(int) string { return "" })
}

// tellPostures handles a list of them: all are taken or, if one is wrong, none.
func (s *Server) tellPostures(c *call) error {
	return s.tell(c, *c.body.(*[]api.PostureResponse), func(i int) string { return fmt.Sprintf("%d.", i) })
}

func (s *Server) tell(c *call, all []api.PostureResponse, at func(i int) string) error {
	for i := range all {
		if err := checkPosture(at(i), &all[i]); err != nil {
			return err
		}
	}
	now := s.cfg.Now().UTC().Truncate(time.Millisecond)
	err := s.cfg.Postures.TellPosture(c.caller.SessionID, func(p *auth.Posture) {
		for i := range all {
			applyPosture(p, &all[i], now)
		}
	})
	if err != nil {
		return err
	}
	return c.detail(&api.PostureServices{})
}

// checkPosture refuses a response without the members of its type.
func checkPosture(prefix string, r *api.PostureResponse) error {
	missing := ""
	switch need := func(ok bool, name string) {
		if !ok && missing == "" {
			missing = prefix + name
		}
	}; *r.TypeID {
	case "OS":
		need(r.Type != nil, "type")
		need(r.Version != nil, "version")
	case "DOMAIN":
		need(r.Domain != nil, "domain")
	case "MAC":
		need(r.MacAddresses != nil, "macAddresses")
	case "PROCESS":
		need(r.Path != nil, "path")
	}
	if missing != "" {
		return fault.CouldNotValidate.Field(missing, missing+" in body is required", nil)
	}
	if len(r.MacAddresses) > maxPostureList || len(r.SignerFingerprints) > maxPostureList {
		return fault.CouldNotValidate.Field(prefix+"macAddresses", fmt.Sprintf("at most %d entries are taken", maxPostureList), nil)
	}
	return nil
}

// applyPosture replaces the part that a response carries. Times of waking and
// unlocking only move forward.
func applyPosture(p *auth.Posture, r *api.PostureResponse, now time.Time) {
	told := auth.PostureTold{At: now, CheckID: *r.ID}
	switch *r.TypeID {
	case "OS":
		p.OS = &auth.PostureOS{PostureTold: told, Type: *r.Type, Version: *r.Version, Build: optionalText(r.Build)}
	case "DOMAIN":
		p.Domain = &auth.PostureDomain{PostureTold: told, Domain: *r.Domain}
	case "MAC":
		m := &auth.PostureMAC{PostureTold: told, Addresses: make([]string, len(r.MacAddresses))}
		for i, a := range r.MacAddresses {
			m.Addresses[i] = strings.ToLower(strings.NewReplacer(":", "", "-", "", ".", "").Replace(a))
		}
		p.MAC = m
	case "PROCESS":
		one := auth.PostureProcess{PostureTold: told, Path: *r.Path, Hash: optionalText(r.Hash), IsRunning: r.IsRunning != nil && *r.IsRunning, SignerFingerprints: r.SignerFingerprints}
		list := slices.Clone(p.Processes)
		i := slices.IndexFunc(list, func(x auth.PostureProcess) bool { return x.CheckID == one.CheckID && x.Path == one.Path })
		if i < 0 {
			list = append(list, one)
		} else {
			list[i] = one
		}
		p.Processes = list
	case "ENDPOINT_STATE":
		if r.Woken != nil && *r.Woken {
			p.WokenAt = &now
		}
		if r.Unlocked != nil && *r.Unlocked {
			p.UnlockAt = &now
		}
	}
}

func optionalText(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
