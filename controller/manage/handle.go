package manage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/controller/events"
	"github.com/weftnet/weft/wire/message"
	"github.com/weftnet/weft/wire/mgmt"
)

// handle handles one request. What takes time is done beside.
func (s *session) handle(m *message.Message) error {
	switch m.Type {
	case mgmt.StreamEvents:
		return s.streamEvents(m)
	case mgmt.StreamTraces:
		return s.streamTraces(m)
	case mgmt.TogglePipeTraces:
		return s.result(m, errors.New("messages of circuits are not traced: use stream traces for those between controller and routers"))
	case mgmt.Inspect:
		return s.beside(m, s.inspect)
	}
	if check, ok := checks[m.Type]; ok {
		return s.beside(m, func(ctx context.Context, m *message.Message) error { return s.check(ctx, m, check) })
	}
	return s.result(m, fmt.Errorf("there is no request with content type %d", m.Type))
}

// beside has a request handled by a goroutine of its own.
func (s *session) beside(m *message.Message, do func(context.Context, *message.Message) error) error {
	select {
	case s.slots <- struct{}{}:
	default:
		return s.result(m, errors.New("too many requests at once"))
	}
	request := *m // its memory is that of one read
	s.work.Go(func() {
		defer func() { <-s.slots }()
		ctx, cancel := context.WithTimeout(s.ctx, checkTime)
		defer cancel()
		if err := do(ctx, &request); err != nil {
			s.cancel(err)
		}
	})
	return nil
}

// subscriptionJSON is a subscription as the ecosystem's tools write it.
type subscriptionJSON struct {
	Type    string `json:"type"`
	Options struct {
		Include         list     `json:"include"`
		PropagateAlways bool     `json:"propagateAlways"`
		ParentEvents    bool     `json:"includeParentEvents"`
		Interval        duration `json:"interval"`
		SourceFilter    string   `json:"sourceFilter"`
		MetricFilter    string   `json:"metricFilter"`
		Version         int      `json:"version"`
	} `json:"options"`
}

// list is a list of texts or one text.
type list []string

// UnmarshalJSON reads it.
func (l *list) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*l = list{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(l))
}

// duration is a text such as 5m.
type duration time.Duration

// UnmarshalJSON reads it.
func (d *duration) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	v, err := time.ParseDuration(text)
	if err == nil && v < time.Second {
		err = errors.New("interval: at least 1s")
	}
	*d = duration(v)
	return err
}

func (j *subscriptionJSON) subscription() (conf.EventSubscription, error) {
	o := j.Options
	out := conf.EventSubscription{
		Type: j.Type, Include: conf.Strings(o.Include), PropagateAlways: o.PropagateAlways, ParentEvents: o.ParentEvents,
		Interval: time.Duration(o.Interval), SourceFilter: o.SourceFilter, MetricFilter: o.MetricFilter, Version: o.Version,
	}
	if o.Version != 0 && o.Version != 2 && o.Version != 3 {
		return out, errors.New("version: 2 or 3")
	}
	return out, nil
}

// streamEvents subscribes to events.
func (s *session) streamEvents(m *message.Message) error {
	var in struct {
		Format        string             `json:"format"`
		Subscriptions []subscriptionJSON `json:"subscriptions"`
	}
	if err := json.Unmarshal(m.Body, &in); err != nil {
		return s.result(m, fmt.Errorf("the request is no JSON of subscriptions: %w", err))
	}
	if in.Format != "" && in.Format != "json" && in.Format != "plain" {
		return s.result(m, fmt.Errorf("format: there is no format %q, use json or plain", in.Format))
	}
	var subs []conf.EventSubscription
	for i := range in.Subscriptions {
		sub, err := in.Subscriptions[i].subscription()
		if err != nil {
			return s.result(m, err)
		}
		if known := conf.EventTypeOf(sub.Type); known != nil && !s.sees(known.Name) {
			return s.result(m, fmt.Errorf("events of the type %s are for admins: they show every kind of entity", sub.Type))
		}
		subs = append(subs, sub)
	}
	return s.subscribe(m, events.Sub{Subscriptions: subs, Plain: in.Format == "plain", Deliver: func(kind string, object []byte) error {
		e := message.New(mgmt.Event, object)
		e.Headers.PutString(mgmt.HeaderEventType, kind)
		return s.send(e)
	}}, true)
}

// subscribe follows events until the connection ends. Who is too slow is closed.
func (s *session) subscribe(m *message.Message, sub events.Sub, answered bool) error {
	select {
	case s.streams <- struct{}{}:
	default:
		return s.result(m, errors.New("too many subscriptions"))
	}
	request := &message.Message{Type: m.Type, Seq: m.Seq}
	sub.Name, sub.Queue = "management channel", streamQueue
	s.work.Go(func() {
		defer func() { <-s.streams }()
		ready := false
		err := s.c.cfg.Hub.Subscribe(s.ctx, sub, func() {
			ready = true
			if !answered {
				return
			}
			if err := s.result(request, nil); err != nil {
				s.cancel(err)
			}
		})
		if !ready {
			err = s.result(request, err)
		}
		if err != nil {
			s.cancel(err)
		}
	})
	return nil
}

// streamTraces follows the messages between this controller and its routers,
// without their bodies. There is no answer.
func (s *session) streamTraces(m *message.Message) error {
	f, err := mgmt.Parse(m.Body)
	if err != nil {
		return err
	}
	filtered, include, types := f.Bool(1), f.Number(2) == 1, f.Packed(3)
	return s.subscribe(m, events.Sub{Subscriptions: []conf.EventSubscription{{Type: "trace"}}, Deliver: func(_ string, object []byte) error {
		var t events.TraceJSON
		if err := json.Unmarshal(object, &t); err != nil {
			return err
		}
		if filtered && slices.Contains(types, t.ContentType) != include {
			return nil
		}
		at, err := time.Parse(time.RFC3339Nano, t.Timestamp)
		if err != nil {
			return err
		}
		body := mgmt.Body(nil).Number(1, uint64(at.UnixNano())).Text(2, t.Source).Text(3, "ctrl/"+t.Router).Bool(4, t.Direction == "received").
			Number(5, uint64(uint32(t.ContentType))).Number(8, uint64(t.Bytes)).Text(9, t.Name)
		return s.send(message.New(mgmt.Trace, body))
	}}, false)
}

// inspect answers an inspection.
func (s *session) inspect(ctx context.Context, m *message.Message) error {
	f, err := mgmt.Parse(m.Body)
	if err != nil {
		return err
	}
	values, errs := s.c.cfg.Inspect(ctx, f.Text(1), f.Texts[2])
	body := mgmt.Body(nil).Bool(1, len(errs) == 0).Texts(2, errs)
	for _, v := range values {
		body = body.Nested(3, mgmt.Body(nil).Text(1, v.AppID).Text(2, v.Name).Text(3, v.Value))
	}
	return s.reply(m, mgmt.Inspected, body)
}

// checks are the checks by the content type of their request.
var checks = map[int32]string{
	mgmt.Terminators: Terminators, mgmt.Links: Links, mgmt.SDKTerminators: SDKTerminators, mgmt.DataModel: DataModel,
	mgmt.Identities: Identities, mgmt.ErtTerminators: ErtTerminators, mgmt.Circuits: Circuits, mgmt.Dialers: Dialers,
}

// check answers a check: how many details follow, then the details.
func (s *session) check(ctx context.Context, m *message.Message, kind string) error {
	f, err := mgmt.Parse(m.Body)
	if err != nil {
		return s.reply(m, m.Type+1, mgmt.Body(nil).Text(2, err.Error()))
	}
	r := Request{Kind: kind, Filter: f.Text(1)}
	switch kind {
	case Terminators:
		r.Fix, r.Identities, r.PerServiceAndHost, r.PerHost = f.Bool(2), f.Text(3), f.Number(4), f.Number(5)
	case DataModel:
		r.Controller, r.Fix = f.Bool(2), f.Bool(3)
	}
	details, err := Check(ctx, s.c.cfg.Facts, r)
	if err != nil {
		return s.reply(m, m.Type+1, mgmt.Body(nil).Text(2, strings.TrimSpace(err.Error())))
	}
	if err := s.reply(m, m.Type+1, mgmt.Body(nil).Bool(1, true).Number(3, uint64(len(details)))); err != nil {
		return err
	}
	for _, d := range details {
		number, body := s.encode(kind, m.Type+2, d)
		if err := s.send(message.New(number, body)); err != nil {
			return err
		}
	}
	return nil
}

// encode returns a detail as its message.
func (s *session) encode(kind string, number int32, d *Detail) (int32, mgmt.Body) {
	b := mgmt.Body(nil)
	switch {
	case d.Type == "host":
		return mgmt.HostDetail, b.Text(1, d.identity).Text(2, d.ID).Text(3, d.Message)
	case kind == Terminators:
		v, t := s.c.cfg.Facts.View(), d.entity
		return number, b.Text(1, t.ID).Text(2, t.ServiceID).Text(3, d.Name).Text(4, t.RouterID).Text(5, routerName(v, t.RouterID)).Text(6, t.Binding).
			Text(7, t.Address).Text(8, t.HostID).Text(9, t.CreatedAt.UTC().Format(time.RFC3339)).Number(10, d.state).Bool(11, d.Fixed).Text(12, d.Message)
	case kind == DataModel || kind == Identities:
		return number, b.Text(1, d.Type).Text(2, d.ID).Text(3, d.Name).Bool(4, d.OK && len(d.Errors) == 0).Texts(5, errorsOf(d))
	case kind == Dialers:
		return number, b.Text(1, d.ID).Text(2, d.Name).Bool(3, d.Valid()).Texts(4, errorsOf(d))
	}
	b = b.Text(1, d.ID).Text(2, d.Name).Bool(3, d.OK).Text(4, d.Message)
	for _, i := range d.Items {
		b = b.Nested(5, encodeItem(kind, i))
	}
	return number, b
}

func errorsOf(d *Detail) []string {
	if !d.OK && d.Message != "" {
		return append([]string{d.Message}, d.Errors...)
	}
	return d.Errors
}

func encodeItem(kind string, i Item) mgmt.Body {
	b := mgmt.Body(nil)
	switch kind {
	case Links:
		state := uint64(0)
		if i.Router == established {
			state = 1
		}
		return b.Text(1, i.ID).Text(2, i.Controller).Number(3, state).Bool(4, i.destOnline).Bool(5, i.Valid).Text(6, i.Dest).Bool(7, i.Dialed).Texts(8, i.Messages)
	case Circuits:
		return b.Text(1, i.ID).Nested(2, b.Text(1, i.ID).Bool(2, i.noCtrl).Bool(3, i.noForward).Bool(4, i.noEdge))
	}
	return b.Text(1, i.ID).Text(2, i.Controller).Text(3, i.Router).Bool(4, i.Valid)
}
