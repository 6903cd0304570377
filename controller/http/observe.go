package http

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/controller/audit"
	"github.com/weftnet/weft/controller/events"
	"github.com/weftnet/weft/controller/manage"
	"github.com/weftnet/weft/fault"
	"github.com/weftnet/weft/model/query"
)

// Observed is what operators may see of what happens. Every part may be nil:
// then its operations answer with fault.NotFound.
type Observed struct {
	Audit   *audit.Log
	Events  *events.Hub
	Facts   manage.Facts    // for checks
	Channel *manage.Channel // of the websocket
}

func (s *Server) observeHandlers(h handlers) {
	h["listAudit"], h["streamEvents"], h["validate"] = s.auditList(), s.streamEvents, s.validate
}

// auditList lists records of changes, the newest first.
func (s *Server) auditList() handler {
	l := &listing[audit.Record, api.AuditRecord]{shape: shapeAudit, table: auditTable()}
	return func(c *call) error {
		log := s.cfg.Observed.Audit
		if log == nil {
			return fault.NotFound.Errorf("changes are not recorded").WithRemedy("set audit.enabled: true in the configuration of the controller")
		}
		p, err := l.page(c)
		if err != nil {
			return err
		}
		all, err := log.Len()
		if err != nil {
			return fault.Unhandled.New(err)
		}
		var failed error
		each := func(yield func(*audit.Record) bool) {
			for r, err := range log.Newest(c.ctx) {
				if err != nil {
					failed = err
					return
				}
				if !yield(r) {
					return
				}
			}
		}
		if err := l.answerUnless(c, p, source[audit.Record]{each, all}, &failed); err != nil {
			return fault.Unhandled.New(err)
		}
		return nil
	}
}

// answerUnless is answer that writes nothing when the source has failed.
func (l *listing[T, D]) answerUnless(c *call, p page, src source[T], failed *error) error {
	var kept []*T
	for e := range src.each {
		if p.prog.All() && !p.prog.Sorted() && int64(len(kept)) >= p.offset+p.limit {
			break
		}
		kept = append(kept, e)
	}
	if *failed != nil {
		return *failed
	}
	if !p.prog.All() || p.prog.Sorted() {
		src.all = -1
	}
	src.each = slices.Values(kept)
	return l.answer(c, p, src)
}

func auditTable() *table[audit.Record] {
	return newTable(nil,
		text("id", func(r *audit.Record) string { return r.ID }), text("action", func(r *audit.Record) string { return r.Action }),
		text("authorId", func(r *audit.Record) string { return r.AuthorID }), text("authorName", func(r *audit.Record) string { return r.AuthorName }),
		text("authorType", func(r *audit.Record) string { return r.AuthorType }), text("auth", func(r *audit.Record) string { return r.Auth }),
		text("entityId", func(r *audit.Record) string { return r.Entity }), text("entityName", func(r *audit.Record) string { return r.Name }),
		text("entityType", func(r *audit.Record) string { return r.Kind }), text("operation", func(r *audit.Record) string { return r.Operation }),
		text("remoteAddress", func(r *audit.Record) string { return r.Remote }), text("localAddress", func(r *audit.Record) string { return r.Local }),
		text("sessionId", func(r *audit.Record) string { return r.SessionID }), text("source", func(r *audit.Record) string { return r.Source }),
		moment("at", func(r *audit.Record) time.Time { return r.At }),
		column[audit.Record]{Field: query.Field{Name: "index", Type: query.Int}, value: func(_ *call, r *audit.Record) query.Value { return query.IntOf(int64(r.Index)) }},
		textSet("members", func(_ *call, r *audit.Record) []string { return append(sortedKeys(r.Before), sortedKeys(r.After)...) }),
	)
}

func shapeAudit(_ *call, d *api.AuditRecord, r *audit.Record) {
	*d = api.AuditRecord{
		ID: r.ID, Index: int64(r.Index), At: r.At, AuthorType: r.AuthorType, AuthorID: r.AuthorID, AuthorName: r.AuthorName, Source: r.Source,
		Operation: r.Operation, RemoteAddress: r.Remote, LocalAddress: r.Local, Auth: r.Auth, SessionID: r.SessionID, Action: r.Action,
		EntityType: r.Kind, EntityID: r.Entity, EntityName: r.Name, Before: rawMembers(r.Before), After: rawMembers(r.After), Count: int64(r.Count),
	}
}

func rawMembers(m map[string]json.RawMessage) api.Raw {
	if len(m) == 0 {
		return api.Raw("null")
	}
	text, err := json.Marshal(m)
	if err != nil {
		return api.Raw("null")
	}
	return text
}

// validate runs a check.
func (s *Server) validate(c *call) error {
	in := c.body.(*api.ValidationRequest)
	if s.cfg.Observed.Facts == nil {
		return fault.NotFound.New(nil)
	}
	r := manage.Request{
		Kind: *in.Kind, Filter: given1(in.Filter), Identities: given1(in.IdentityFilter), Fix: given1(in.Fix), Controller: given1(in.Controller),
		PerHost: uint64(given1(in.PerHost)), PerServiceAndHost: uint64(given1(in.PerServiceAndHost)),
	}
	details, err := manage.Check(c.ctx, s.cfg.Observed.Facts, r)
	if err != nil {
		return err
	}
	out := &api.Validation{Kind: r.Kind, Valid: true, Details: []api.ValidationDetail{}}
	for _, d := range details {
		out.Valid = out.Valid && d.Valid()
		shown := api.ValidationDetail{Type: d.Type, ID: d.ID, Name: d.Name, OK: d.OK, Message: d.Message, Errors: d.Errors, Fixed: d.Fixed, Items: []api.ValidationItem{}}
		for _, i := range d.Items {
			shown.Items = append(shown.Items, api.ValidationItem{ID: i.ID, Valid: i.Valid, ControllerState: i.Controller, RouterState: i.Router, Messages: append([]string{}, i.Messages...)})
		}
		out.Details = append(out.Details, shown)
	}
	return c.detail(out)
}

func given1[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// Bounds of a stream of events.
const (
	streamQueue = 4096
	streamWrite = 10 * time.Second // for one event
	streamAlive = 15 * time.Second // between two signs of life
)

// streamEvents streams events until the client goes, its login ends, or it is
// too slow.
func (s *Server) streamEvents(c *call) error {
	hub := s.cfg.Observed.Events
	if hub == nil {
		return fault.NotFound.New(nil)
	}
	subs, filter, err := c.eventParams()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(c.ctx)
	defer cancel(nil)
	out := newEventStream(c.w)
	ended := make(chan struct{})
	begun := false
	sub := events.Sub{Name: "stream of " + c.caller.IdentityID, Subscriptions: subs, Queue: streamQueue, Deliver: func(kind string, object []byte) error {
		if filter != nil && !filter.Match(object) {
			return nil
		}
		return out.event(kind, object)
	}}
	err = hub.Subscribe(ctx, sub, func() {
		begun = true
		out.begin()
		go func() {
			defer close(ended)
			s.keepStream(ctx, cancel, c, out)
		}()
	})
	if !begun {
		return fault.CouldNotValidate.Field("type", err.Error(), c.r.URL.RawQuery)
	}
	cancel(err)
	<-ended
	out.end(err)
	return nil
}

// keepStream gives signs of life and looks whether the login goes on.
func (s *Server) keepStream(ctx context.Context, cancel context.CancelCauseFunc, c *call, out *eventStream) {
	tick := time.NewTicker(streamAlive)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			caller, err := s.cfg.Auth.Authenticate(c.r)
			if err == nil {
				err = c.ep.permitted(caller)
			}
			if err == nil {
				err = out.comment()
			}
			if err != nil {
				cancel(err)
				return
			}
		}
	}
}

// eventParams reads what a stream is asked for.
func (c *call) eventParams() ([]conf.EventSubscription, *events.Filter, error) {
	q := c.r.URL.Query()
	types := q["type"]
	if len(types) == 0 {
		for _, t := range conf.EventTypes() {
			if t.Name != "trace" && t.Name != "audit" && c.caller.maySee(t.Name) {
				types = append(types, t.Name)
			}
		}
	}
	if len(types) > 1 && len(q["include"]) > 0 {
		return nil, nil, fault.CouldNotValidate.Field("include", "include belongs to one type of events", q["include"])
	}
	version, err := strconv.Atoi(cmp.Or(q.Get("usageVersion"), "3"))
	if err != nil || version != 2 && version != 3 {
		return nil, nil, fault.CouldNotValidate.Field("usageVersion", "usageVersion in query should be 2 or 3", q.Get("usageVersion"))
	}
	interval, err := time.ParseDuration(cmp.Or(q.Get("interval"), "5m"))
	if err != nil || interval < time.Second {
		return nil, nil, fault.CouldNotValidate.Field("interval", "interval in query should be a duration of at least 1s", q.Get("interval"))
	}
	var filter *events.Filter
	if text := q.Get("filter"); text != "" {
		if filter, err = events.NewFilter(text); err != nil {
			return nil, nil, err
		}
	}
	var out []conf.EventSubscription
	for _, t := range types {
		if conf.EventTypeOf(t) == nil {
			return nil, nil, fault.CouldNotValidate.Field("type", fmt.Sprintf("there is no event type %q", t), t)
		}
		if !c.caller.maySee(conf.EventTypeOf(t).Name) {
			return nil, nil, fault.Unauthorized.Errorf("events of the type %s show every kind of entity: they are for admins and the permission %s", t, adminReadonly)
		}
		out = append(out, conf.EventSubscription{
			Type: t, Include: conf.Strings(q["include"]), PropagateAlways: true, Interval: interval, Version: version,
			SourceFilter: q.Get("sourceFilter"), MetricFilter: q.Get("metricFilter"),
		})
	}
	return out, filter, nil
}

// eventStream writes server-sent events. It is used by one goroutine at a time
// per method, and locks.
type eventStream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	lock    chan struct{}
}

func newEventStream(w http.ResponseWriter) *eventStream {
	return &eventStream{w, http.NewResponseController(w), make(chan struct{}, 1)}
}

func (e *eventStream) begin() {
	h := e.w.Header()
	h["Content-Type"] = []string{"text/event-stream"}
	h["Cache-Control"] = []string{"no-store"}
	_ = e.control.SetReadDeadline(time.Time{}) // nothing more is read, and the client may stay as long as it wants
	_ = e.comment()                            // that the client is gone is noticed soon enough
}

func (e *eventStream) write(text []byte) error {
	e.lock <- struct{}{}
	defer func() { <-e.lock }()
	if err := e.control.SetWriteDeadline(time.Now().Add(streamWrite)); err != nil {
		return err
	}
	if _, err := e.w.Write(text); err != nil {
		return err
	}
	return e.control.Flush()
}

func (e *eventStream) comment() error { return e.write([]byte(": weft\n\n")) }

func (e *eventStream) event(kind string, object []byte) error {
	var b bytes.Buffer
	b.WriteString("event: " + kind + "\ndata: ")
	b.Write(object)
	b.WriteString("\n\n")
	return e.write(b.Bytes())
}

// end tells the reason, if it is worth telling.
func (e *eventStream) end(reason error) {
	if reason == nil || errors.Is(reason, context.Canceled) {
		return
	}
	text, err := json.Marshal(map[string]string{"reason": reason.Error()})
	if err == nil {
		_ = e.event("end", text) // the client may be gone
	}
}

// channelPath is where the websocket of the fabric API is.
const channelPath = api.FabricBase + "/ws-api"

// channelOr serves the management channel, and everything else by next.
func (s *Server) channelOr(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		channel := s.cfg.Observed.Channel
		if r.URL.Path != channelPath || channel == nil {
			next.ServeHTTP(w, r)
			return
		}
		c := &call{s: s, w: w, r: unproxied(r), api: api.Fabric}
		if err := c.mayManage(); err != nil {
			c.fail(err)
			return
		}
		sees := c.caller.maySee
		if r.Header.Get("Upgrade") == "" {
			c.fail(fault.CouldNotValidate.Errorf("%s is for websockets", channelPath).WithRemedy("open it as a websocket"))
			return
		}
		if !channel.Serve(w, r, c.mayManage, sees) {
			c.fail(fault.TooManyRequests.Errorf("there are too many management channels"))
		}
	})
}

// mayManage decides whether the caller may have a management channel, and finds
// out who that is.
func (c *call) mayManage() error {
	caller, err := c.s.cfg.Auth.Authenticate(c.r)
	switch {
	case err != nil:
		return err
	case caller.Partial || !caller.may("ops"):
		return fault.Unauthorized.New(nil)
	}
	c.caller = caller
	return nil
}
