package manage

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"go.uber.org/goleak"

	"github.com/weftnet/weft/controller/events"
	"github.com/weftnet/weft/controller/network"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
	"github.com/weftnet/weft/wire/message"
	"github.com/weftnet/weft/wire/mgmt"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeFacts are a controller with two routers, of which one is connected.
type fakeFacts struct {
	store   *state.Store
	says    map[string]string
	removed []string
	resyncs atomic.Int32
}

func (f *fakeFacts) View() *state.View     { return f.store.View() }
func (f *fakeFacts) Online(id string) bool { return id == "r1" }
func (f *fakeFacts) Links() []*network.Link {
	return []*network.Link{{ID: "l1", DialerID: "r1", AcceptorID: "r2", State: "Connected"}}
}
func (f *fakeFacts) Circuits() []*network.Circuit {
	return []*network.Circuit{{ID: "c1", Path: []network.Hop{{RouterID: "r1"}}}}
}
func (f *fakeFacts) IdentityOnline(_, id string) bool { return id == "known" }
func (f *fakeFacts) Resync(string)                    { f.resyncs.Add(1) }
func (f *fakeFacts) RemoveTerminators(_ context.Context, ids []string) error {
	f.removed = append(f.removed, ids...)
	return nil
}

func (f *fakeFacts) Inspect(_ context.Context, _ string, keys []string) (map[string]string, []string) {
	out := make(map[string]string)
	for _, k := range keys {
		if v, ok := f.says[k]; ok {
			out[k] = v
		}
	}
	return out, nil
}

func newFacts(t *testing.T) *fakeFacts {
	s, err := state.New()
	if err != nil {
		t.Fatal(err)
	}
	c := state.NewCommand(time.Unix(1, 0), state.Author{}, state.Source{}).AsSystem()
	c.Put(&model.EdgeRouter{Base: model.Base{ID: "r1"}, Name: "one"}).Put(&model.EdgeRouter{Base: model.Base{ID: "r2"}, Name: "two"}).
		Put(&model.Service{Base: model.Base{ID: "web"}, Name: "web"}).
		Put(&model.Terminator{Base: model.Base{ID: "t1"}, ServiceID: "web", RouterID: "r1", Binding: "edge", Address: "x", HostID: "h"}).
		Put(&model.Terminator{Base: model.Base{ID: "t2"}, ServiceID: "web", RouterID: "r1", Binding: "edge", Address: "y", HostID: "h"})
	text, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if results, err := s.Apply([]uint64{1}, [][]byte{text}); err != nil || results[0] != nil {
		t.Fatal(results, err)
	}
	return &fakeFacts{store: s, says: map[string]string{
		"links": `{"links":[{"id":"l1"},{"id":"l9"}]}`, "sdk-terminators": `{"entries":[{"id":"t1","state":"established"}]}`, "ert-terminators": `{"entries":[]}`,
		"router-data-model": `{"index":1,"filled":true,"counts":{"services":1,"identities":99}}`, "router-circuits": `{"circuits":[{"circuitId":"c2"}]}`,
		"identity-connection-statuses": `{"connections":[{"identityId":"known","connected":true},{"identityId":"new","connected":true}]}`,
	}}
}

type client struct {
	*websocket.Conn
	t   *testing.T
	seq int32
}

func dial(t *testing.T, facts Facts) (*client, *events.Hub, *atomic.Pointer[error]) {
	t.Helper()
	hub, err := events.New(events.Config{ControllerID: "ctrl", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	c := New(Config{Hub: hub, Facts: facts, Log: slog.New(slog.DiscardHandler), Inspect: func(context.Context, string, []string) ([]Value, []string) {
		return []Value{{"ctrl", "config", "{}"}}, nil
	}})
	var no atomic.Pointer[error]
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.Serve(w, r, func() error {
			if err := no.Load(); err != nil {
				return *err
			}
			return nil
		}, func(eventType string) bool { return eventType != "audit" })
	}))
	t.Cleanup(func() {
		if err := errors.Join(c.Close(), hub.Close()); err != nil {
			t.Error(err)
		}
		s.Close()
	})
	socket, answer, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(s.URL, "http"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = socket.Close() })
	if answer.StatusCode != http.StatusSwitchingProtocols {
		t.Fatal(answer.Status)
	}
	if err := socket.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return &client{Conn: socket, t: t}, hub, &no
}

func (c *client) request(kind int32, body []byte) int32 {
	c.t.Helper()
	c.seq++
	m := message.New(kind, body)
	m.Seq = c.seq
	if err := c.WriteMessage(websocket.BinaryMessage, m.Append(nil)); err != nil {
		c.t.Fatal(err)
	}
	return c.seq
}

func (c *client) next() *message.Message {
	c.t.Helper()
	kind, b, err := c.ReadMessage()
	if err != nil || kind != websocket.BinaryMessage {
		c.t.Fatal(kind, err)
	}
	m, n, err := message.Parse(b, message.Limits{Headers: 1 << 20, Body: 1 << 20})
	if err != nil || n != len(b) {
		c.t.Fatal(n, err)
	}
	return m
}

func (c *client) answer(seq, kind int32) *message.Message {
	c.t.Helper()
	m := c.next()
	if to, _ := m.Headers.Int32(mgmt.HeaderReplyFor); to != seq || m.Type != kind {
		c.t.Fatalf("type %d in reply to %d: %s", m.Type, to, m.Body)
	}
	return m
}

// TestEvents: a subscription is answered and gets its events; a wrong one is
// refused with the reason.
func TestEvents(t *testing.T) {
	c, hub, _ := dial(t, newFacts(t))
	for _, body := range []string{`{`, `{"format":"json","subscriptions":[]}`, `{"format":"xml","subscriptions":[{"type":"sdk"}]}`, `{"format":"json","subscriptions":[{"type":"cirquit"}]}`, `{"format":"json","subscriptions":[{"type":"audit"}]}`,
		`{"format":"json","subscriptions":[{"type":"usage","options":{"version":9}}]}`, `{"format":"json","subscriptions":[{"type":"metrics","options":{"metricFilter":"("}}]}`} {
		if m := c.answer(c.request(mgmt.StreamEvents, []byte(body)), mgmt.Result); m.Headers.Bool(mgmt.HeaderSuccess) || len(m.Body) == 0 {
			t.Errorf("%s: %s", body, m.Body)
		}
	}
	seq := c.request(mgmt.StreamEvents, []byte(`{"format":"json","subscriptions":[{"type":"sdk","options":{}},{"type":"edge.sessions","options":{"include":"created"}}]}`))
	if m := c.answer(seq, mgmt.Result); !m.Headers.Bool(mgmt.HeaderSuccess) || string(m.Body) != "success" {
		t.Errorf("%s", m.Body)
	}
	hub.Publish(&events.SDK{At: time.Unix(1, 0), Type: events.SDKOnline, IdentityID: "i1"})
	hub.Publish(&events.Session{At: time.Unix(1, 0), Type: "deleted", ID: "x"})
	hub.Publish(&events.Session{At: time.Unix(1, 0), Type: "created", ID: "y"})
	for _, want := range []string{"sdk", "edge.sessions"} {
		m := c.next()
		var e map[string]any
		if err := json.Unmarshal(m.Body, &e); err != nil || m.Type != mgmt.Event || m.Headers.String(mgmt.HeaderEventType) != want || e["namespace"] != want || e["id"] == "x" {
			t.Errorf("%d %s %v", m.Type, m.Body, err)
		}
	}
	if m := c.answer(c.request(4711, nil), mgmt.Result); m.Headers.Bool(mgmt.HeaderSuccess) {
		t.Error("an unknown request succeeds")
	}
	if err := c.WriteMessage(websocket.TextMessage, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.ReadMessage(); !websocket.IsCloseError(err, websocket.ClosePolicyViolation) {
		t.Errorf("after a text: %v", err)
	}
}

func TestTracesAndInspect(t *testing.T) {
	c, hub, _ := dial(t, newFacts(t))
	c.request(mgmt.StreamTraces, mgmt.Body(nil).Bool(1, true).Number(2, 1).Number(3, 1007))
	f, err := mgmt.Parse(c.answer(c.request(mgmt.Inspect, mgmt.Body(nil).Text(1, ".*").Texts(2, []string{"config"})), mgmt.Inspected).Body)
	if err != nil || !f.Bool(1) || f.Text(3) != "\n\x04ctrl\x12\x06config\x1a\x02{}" {
		t.Error(f, err)
	}
	for end := time.Now().Add(20 * time.Second); !hub.Wanted("trace"); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("no subscription")
		}
	}
	hub.Publish(&events.Trace{At: time.Unix(1, 0), RouterID: "r1", Direction: "sent", Type: 9})
	hub.Publish(&events.Trace{At: time.Unix(1, 0), RouterID: "r1", Direction: "received", Type: 1007, Bytes: 5})
	m := c.next()
	if f, err := mgmt.Parse(m.Body); err != nil || m.Type != mgmt.Trace || f.Number(5) != 1007 || !f.Bool(4) {
		t.Error(m.Type, f, err)
	}
}

// TestChecks: every check counts its details and says what is wrong.
func TestChecks(t *testing.T) {
	facts := newFacts(t)
	c, _, _ := dial(t, facts)
	for kind, want := range map[int32]uint64{
		mgmt.Terminators: 2, mgmt.Links: 1, mgmt.SDKTerminators: 1, mgmt.DataModel: 1, mgmt.Identities: 1, mgmt.ErtTerminators: 1, mgmt.Circuits: 1, mgmt.Dialers: 1,
	} {
		filter := `name = "one"`
		if kind == mgmt.Terminators {
			filter = `service.name = "web"`
		}
		f, err := mgmt.Parse(c.answer(c.request(kind, mgmt.Body(nil).Text(1, filter)), kind+1).Body)
		if err != nil || !f.Bool(1) || f.Number(3) != want {
			t.Fatalf("%d: %v %v", kind, f, err)
		}
		for range want {
			if m := c.next(); m.Type != kind+2 {
				t.Errorf("%d: detail of type %d", kind, m.Type)
			}
		}
		if f, err := mgmt.Parse(c.answer(c.request(kind, mgmt.Body(nil).Text(1, `name = `)), kind+1).Body); kind != mgmt.Dialers && (err != nil || f.Bool(1) || f.Text(2) == "") {
			t.Errorf("%d with a broken filter: %v %v", kind, f, err)
		} else if kind == mgmt.Dialers {
			c.next()
		}
	}
	result := func(r Request) map[string]*Detail {
		ds, err := Check(t.Context(), facts, r)
		if err != nil {
			t.Fatal(err)
		}
		out := make(map[string]*Detail)
		for _, d := range ds {
			out[d.ID] = d
		}
		return out
	}
	for _, kind := range []string{Links, SDKTerminators, DataModel, Identities, Circuits} {
		d := result(Request{Kind: kind})
		if d["r1"].Valid() || d["r2"].OK || d["r2"].Message == "" {
			t.Errorf("%s: %+v %+v", kind, d["r1"], d["r2"])
		}
	}
	if d := result(Request{Kind: DataModel, Fix: true}); !d["r1"].Fixed || facts.resyncs.Load() != 1 {
		t.Error("the copy was not mended")
	}
	d := result(Request{Kind: Terminators, Fix: true, PerHost: 3})
	if !d["t1"].Valid() || d["t2"].Valid() || !d["t2"].Fixed || len(facts.removed) != 1 || facts.removed[0] != "t2" || d[""] == nil {
		t.Errorf("%+v, removed %v", d, facts.removed)
	}
	if _, err := Check(t.Context(), facts, Request{Kind: "nothing"}); err == nil {
		t.Error("a check that there is not")
	}
}
