package http

import (
	"errors"
	"net/http"
	"time"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/id"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/state"
)

// PostureSource is what clients have told about their machines.
type PostureSource interface {
	// PostureData returns what is known of an identity, nil for nothing.
	PostureData(identityID string) *api.PostureData
}

// failedRequests handles GET /identities/{id}/failed-service-requests.
func (s *Server) failedRequests(c *call) error {
	e, err := s.identities.get(c, c.id())
	if err != nil {
		return err
	}
	return c.array(func(yield func(any) bool) {
		for _, r := range s.cfg.Watcher.refusalsOf(e.ID) {
			d := api.FailedServiceRequest{APISessionID: r.SessionID, Code: r.Code, Reason: r.Reason, PolicyFailures: r.Policies,
				ServiceID: r.ServiceID, ServiceName: c.serviceRef(r.ServiceID).Name, SessionType: r.Action, When: r.At}
			if !yield(&d) {
				return
			}
		}
	})
}

// refused remembers that the caller was refused a service, and returns the
// refusal.
func (c *call) refused(err error, action, service string) error {
	var f *fault.Error
	if err == nil || !errors.As(err, &f) || c.state.Get(model.KindService, service) == nil {
		return err
	}
	r := Refusal{At: c.s.cfg.Now(), IdentityID: c.caller.IdentityID, SessionID: c.caller.SessionID, ServiceID: service, Action: action,
		Code: f.Kind.Code, Reason: f.Kind.Message}
	if f.Cause != nil {
		r.Reason = f.Cause.Error()
	}
	r.Policies = c.postureFailures(c.caller.IdentityID, action, service)
	c.s.cfg.Watcher.Refused(r)
	return err
}

// postureFailures returns the policies that would grant a service if their
// posture checks passed.
func (c *call) postureFailures(identity, action, service string) []api.PolicyFailure {
	relation := policy.MayDial
	if action == model.Bind {
		relation = policy.MayBind
	}
	var out []api.PolicyFailure
	for _, p := range c.policy.Granting(relation, identity, service) {
		checks := c.policy.Posture(p.Key())
		if len(checks) == 0 {
			continue
		}
		f := api.PolicyFailure{PolicyID: p.Key(), PolicyName: c.ref(c.s.links.servicePolicy, model.KindServicePolicy, p.Key()).Name}
		for _, check := range checks {
			x := api.PostureFailure{PostureCheckID: check.ID, PostureCheckName: check.Name}
			if e := state.Get[model.PostureCheck](c.state, check.ID); e != nil {
				x.PostureCheckType = e.TypeID
			}
			f.Checks = append(f.Checks, x)
		}
		out = append(out, f)
	}
	return out
}

// postureData handles GET /identities/{id}/posture-data.
func (s *Server) postureData(c *call) error {
	e, err := s.identities.get(c, c.id())
	if err != nil {
		return err
	}
	var d *api.PostureData
	if s.cfg.Posture != nil {
		d = s.cfg.Posture.PostureData(e.ID)
	}
	if d == nil {
		d = &api.PostureData{}
	}
	return c.detail(d)
}

// Limits of the time that an identity is traced.
const (
	defaultTrace = 10 * time.Minute
	longestTrace = 24 * time.Hour
)

// traceIdentity handles PUT /identities/{id}/trace: until its end, every request
// of the identity, its circuits and what it is refused are written into the log.
func (s *Server) traceIdentity(c *call) error {
	e, err := s.identities.get(c, c.id())
	if err != nil {
		return err
	}
	if err := permitIdentity(c, e, nil); err != nil {
		return err
	}
	in := c.body.(*api.TraceSpec)
	lasts := defaultTrace
	if in.Duration != nil && *in.Duration != "" {
		lasts, err = time.ParseDuration(*in.Duration)
		if err != nil || lasts <= 0 || lasts > longestTrace {
			return fault.CouldNotValidate.Field("duration", "duration in body must be a time such as 10m, above 0 and at most 24h", *in.Duration)
		}
	}
	d := api.TraceDetail{Enabled: in.Enabled != nil && *in.Enabled}
	until := s.cfg.Now().UTC().Truncate(time.Millisecond)
	if d.Enabled {
		until = until.Add(lasts)
		d.TraceID, d.Until = value(in.TraceID), &until
		if d.TraceID == "" {
			d.TraceID = id.Short()
		}
	}
	if !s.cfg.Watcher.trace(e.ID, d.TraceID, until) {
		return fault.TooManyRequests.Errorf("%d identities are traced already", tracesKept)
	}
	b := append(c.out[:0], `{"data":`...)
	b = c.ep.encode.Append(b, &d)
	c.out = append(b, `,"meta":null}`+"\n"...)
	c.send(http.StatusOK)
	return nil
}
