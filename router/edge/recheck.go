package edge

import (
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/wire/ctrl"
	"github.com/weftnet/weft/wire/edge"
)

// Recheck ends the circuits and terminators that have lost access, after a
// change of policies that concerns the given pairs; nil means all of them.
func (s *Server) Recheck(concerned func(identityID, serviceID string) bool) {
	dir := s.cfg.Directory
	for _, c := range s.cfg.Table.All() {
		if concerned != nil && !concerned(c.IdentityID, c.ServiceID) || !dialedHere(c) {
			continue
		}
		if err := dir.Access(policy.Dial, c.IdentityID, c.ServiceID); err != nil {
			s.log.Info("circuit ended: access lost", "circuit", c.ID, "identity", c.IdentityID, "service", c.ServiceID, "reason", err)
			c.EndBecause(forward.AccessLost, "dial access lost", err.Error(), true)
		}
	}
	for _, t := range s.allTerminators() {
		if concerned != nil && !concerned(t.key.identity, t.key.service) {
			continue
		}
		if err := dir.Access(policy.Bind, t.key.identity, t.key.service); err != nil {
			s.log.Info("terminator ended: access lost", "terminator", t.id, "identity", t.key.identity, "service", t.key.service, "reason", err)
			s.loseBind(t, lostBind(err))
		}
	}
}

// RefuseTerminator ends a terminator that a controller had accepted and no
// longer wants. An unknown id is ignored.
func (s *Server) RefuseTerminator(id string, why *RefusedError) {
	if t := s.terminator(id); t != nil {
		e := refusalOf(&ctrl.Refusal{Code: why.Code, Message: why.Message, Remedy: why.Remedy})
		t.end("received error from controller: "+e.Message, e)
	}
}

// loseBind ends a terminator that lost its right and what it serves.
func (s *Server) loseBind(t *terminator, why *edge.StructuredError) {
	for _, c := range s.cfg.Table.All() {
		if id, _ := c.Host(); id == t.id {
			c.EndBecause(forward.PeerGone, "the host may not serve this any more: "+why.Message, "", true)
		}
	}
	t.end(why.Message, why)
}

// dialedHere reports whether the dialer of a circuit is a client of this router.
func dialedHere(c *forward.Circuit) bool {
	_, ok := c.Destination(forward.Initiator).(end)
	return ok
}

// RecheckSessions closes the connections whose session is no longer good:
// ended, expired, or of an identity that was deleted or disabled. It ends the
// circuits and terminators of service sessions that have ended.
func (s *Server) RecheckSessions() {
	for _, c := range s.allClients() {
		if err := s.cfg.Directory.Alive(c.session); err != nil {
			s.log.Info("connection closed: the session has ended", "identity", c.session.IdentityID, "session", c.session.ID, "reason", err)
			_ = c.ch.Close()
		}
	}
	s.recheckServiceSessions()
}

func (s *Server) recheckServiceSessions() {
	dir := s.cfg.Directory
	for _, c := range s.cfg.Table.All() {
		if c.ServiceSessionID == "" {
			continue
		}
		if err := dir.ServiceAlive(c.ServiceSessionID); err != nil {
			s.log.Info("circuit ended: its service session has ended", "circuit", c.ID, "identity", c.IdentityID, "service", c.ServiceID)
			c.EndBecause(forward.SessionEnded, err.Error(), "", true)
		}
	}
	for _, t := range s.allTerminators() {
		s.checkServiceSession(t)
	}
}

// checkServiceSession ends a terminator whose service session has ended.
func (s *Server) checkServiceSession(t *terminator) {
	if err := s.cfg.Directory.ServiceAlive(t.serviceSession); err != nil {
		s.log.Info("terminator ended: its service session has ended", "terminator", t.id, "identity", t.key.identity, "service", t.key.service)
		s.loseBind(t, &edge.StructuredError{Message: err.Error(), Code: edge.CodeInvalidSession, RetryHint: edge.RetryStartOver})
	}
}
