package events

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/controller/network"
	"github.com/weftnet/weft/model"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	moment  = time.Date(2026, 11, 20, 12, 21, 46, 137592081, time.UTC)
	circuit = &network.Circuit{
		ID: "c1", IdentityID: "alice", SessionID: "s1", ServiceID: "web", TerminatorID: "t1", HostID: "host",
		Path: []network.Hop{{RouterID: "r1", Link: "l1"}, {RouterID: "r2"}}, Cost: 1073741835,
	}
)

func subscriber1(handler conf.EventHandler, types ...string) conf.EventSubscribers {
	s := conf.EventSubscriber{Handler: handler}
	for _, t := range types {
		name, include, _ := strings.Cut(t, "=")
		sub := conf.EventSubscription{Type: name}
		if include != "" {
			sub.Include = strings.Split(include, ",")
		}
		s.Subscriptions = append(s.Subscriptions, sub)
	}
	return conf.EventSubscribers{"one": s}
}

// deliver publishes events to one subscriber on the standard output and returns
// the lines.
func deliver(t *testing.T, format string, types []string, events ...network.Event) []string {
	t.Helper()
	var out bytes.Buffer
	h, err := New(Config{
		ControllerID: "ctrl1", Stdout: &out, Log: slog.New(slog.DiscardHandler),
		Subscribers: subscriber1(conf.EventHandler{Type: "stdout", Format: format, BufferSize: 100}, types...),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		h.Publish(Network(e))
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

// TestForms holds the lines to the form of the ecosystem, field by field and in
// order.
func TestForms(t *testing.T) {
	link := &network.Link{ID: "l1", DialerID: "r1", AcceptorID: "r2", Protocol: "tls", Address: "tls:r2:3022", StaticCost: 4}
	terminator := &model.Terminator{ServiceID: "web", RouterID: "r1", HostID: "host", Precedence: model.PrecedenceDefault, Cost: 3}
	terminator.ID = "t1"
	const head = `"event_src_id":"ctrl1","timestamp":"2026-11-20T12:21:46.137592081Z",`
	const path = `"path":{"nodes":["r1","r2"],"links":["l1"],"ingress_id":"","egress_id":""},"link_count":1,`
	const tags = `"tags":{"clientId":"alice","hostId":"host","serviceId":"web"}}`
	const ids = `"circuit_id":"c1","client_id":"s1","service_id":"web","terminator_id":"t1","instance_id":"",`
	for _, tt := range []struct {
		name  string
		event network.Event
		want  string
	}{
		{"circuit", &network.CircuitEvent{At: moment, Type: network.CircuitCreated, Circuit: circuit, Took: 2525398},
			`{"namespace":"circuit",` + head + `"version":2,"event_type":"created",` + ids + `"creation_timespan":2525398,` + path + `"path_cost":1073741835,` + tags},
		{"circuit", &network.CircuitEvent{At: moment, Type: network.CircuitDeleted, Circuit: circuit, Lasted: 5 * time.Second},
			`{"namespace":"circuit",` + head + `"version":2,"event_type":"deleted",` + ids + path + `"duration":5000000000,` + tags},
		{"fabric.circuits", &network.CircuitEvent{At: moment, Type: network.CircuitFailed, Circuit: &network.Circuit{ID: "c2", IdentityID: "alice", ServiceID: "web"}, Lasted: 56334, Cause: "NO_TERMINATORS"},
			`{"namespace":"fabric.circuits",` + head + `"version":2,"event_type":"failed","circuit_id":"c2","client_id":"","service_id":"web","terminator_id":"","instance_id":"",` +
				`"creation_timespan":56334,"path":{"nodes":null,"links":null,"ingress_id":"","egress_id":""},"link_count":0,"failure_cause":"NO_TERMINATORS","tags":{"clientId":"alice","serviceId":"web"}}`},
		{"router", &network.RouterEvent{At: moment, Type: network.RouterOnline, RouterID: "r1", Online: true},
			`{"namespace":"router","timestamp":"2026-11-20T12:21:46.137592081Z","event_src_id":"ctrl1","event_type":"router-online","router_id":"r1","router_online":true}`},
		{"link", &network.LinkEvent{At: moment, Type: network.LinkNew, Link: link},
			`{"namespace":"link",` + head + `"event_type":"routerLinkNew","link_id":"l1","src_router_id":"r1","dst_router_id":"r2","protocol":"tls","dial_address":"tls:r2:3022","cost":4}`},
		{"terminator", &network.TerminatorEvent{At: moment, Type: network.TerminatorRouterOnline, Terminator: terminator, RouterOnline: true, Total: 1, UsableDefault: 1},
			`{"namespace":"terminator",` + head + `"event_type":"router-online","service_id":"web","terminator_id":"t1","router_id":"r1","host_id":"host","instance_id":"","router_online":true,` +
				`"precedence":"default","static_cost":3,"dynamic_cost":0,"total_terminators":1,"usable_default_terminators":1,"usable_required_terminators":0}`},
	} {
		if got := deliver(t, "json", []string{tt.name}, tt.event); got[0] != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.name, got[0], tt.want)
		}
	}
}

func TestPlain(t *testing.T) {
	e := &network.RouterEvent{At: moment, Type: network.RouterOffline, RouterID: "r 1"}
	want := `2026-11-20T12:21:46.137592081Z router router-offline event_src_id=ctrl1 router_id="r 1" router_online=false`
	if got := deliver(t, "plain", []string{"router"}, e); got[0] != want {
		t.Errorf("got %s\nwant %s", got[0], want)
	}
}

func TestSubscriptions(t *testing.T) {
	all := []network.Event{
		&network.CircuitEvent{At: moment, Type: network.CircuitCreated, Circuit: circuit},
		&network.CircuitEvent{At: moment, Type: network.CircuitDeleted, Circuit: circuit},
		&network.RouterEvent{At: moment, Type: network.RouterOnline, RouterID: "r1"},
	}
	for _, tt := range []struct {
		types []string
		want  string
	}{
		{[]string{"circuit"}, "circuit/created circuit/deleted"},
		{[]string{"circuit=deleted"}, "circuit/deleted"},
		{[]string{"fabric.routers", "circuit=created,failed"}, "circuit/created fabric.routers/router-online"},
		{[]string{"circuit=deleted", "fabric.circuits=deleted"}, "circuit/deleted fabric.circuits/deleted"},
	} {
		var got []string
		for _, line := range deliver(t, "json", tt.types, all...) {
			var m struct {
				Namespace string `json:"namespace"`
				Type      string `json:"event_type"`
			}
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				t.Fatal(err)
			}
			got = append(got, m.Namespace+"/"+m.Type)
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%v: %v, want %s", tt.types, got, tt.want)
		}
	}
}

// stuck takes nothing until it is let go.
type stuck struct {
	entered chan bool
	free    chan bool
	once    sync.Once
}

func (s *stuck) Write(b []byte) (int, error) {
	s.once.Do(func() { close(s.entered) })
	<-s.free
	return len(b), nil
}

// TestSlowHandler: a handler that takes nothing costs events, never time.
func TestSlowHandler(t *testing.T) {
	var log bytes.Buffer
	out := &stuck{entered: make(chan bool), free: make(chan bool)}
	h, err := New(Config{
		Stdout: out, Log: slog.New(slog.NewTextHandler(&log, nil)),
		Subscribers: subscriber1(conf.EventHandler{Type: "stdout", Format: "json", BufferSize: 3}, "router"),
	})
	if err != nil {
		t.Fatal(err)
	}
	e := Network(&network.RouterEvent{At: moment, Type: network.RouterOnline, RouterID: "r1"})
	h.Publish(e)
	<-out.entered
	for range 10 {
		h.Publish(e)
	}
	if n := h.Dropped(); n != 7 {
		t.Errorf("dropped %d of 11 with one under way and room for three", n)
	}
	close(out.free)
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "events=7") {
		t.Errorf("the log does not count the dropped events: %s", &log)
	}
	h.Publish(e) // is lost, and no harm
}

func TestUnusableFile(t *testing.T) {
	_, err := New(Config{
		Stdout: io.Discard, Log: slog.New(slog.DiscardHandler),
		Subscribers: subscriber1(conf.EventHandler{Type: "file", Format: "json", BufferSize: 1, Path: t.TempDir()}, "link"),
	})
	if err == nil || !strings.Contains(err.Error(), "events.one.handler") {
		t.Errorf("a directory as the file: %v", err)
	}
}
