package events

import (
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/controller/audit"
	"github.com/weftnet/weft/controller/network"
	"github.com/weftnet/weft/model"
	"github.com/weftnet/weft/state"
)

var update = flag.Bool("update", false, "write the golden files anew")

func base1(id string) model.Base {
	return model.Base{ID: id, CreatedAt: moment, UpdatedAt: moment}
}

// samples are events of every type, with all forms of entities.
func samples() []Event {
	s := model.PrecedenceDefault
	change := func(index uint64, old, new model.Entity) *EntityChange {
		e := new
		if e == nil {
			e = old
		}
		return &EntityChange{Version: "v1", Method: "POST", Leads: true, Change: state.Change{
			Index: index, Time: moment, Author: state.Author{ID: "a1", Name: "admin", Type: "identity"}, Kind: e.Kind(), ID: e.Meta().ID, Old: old, New: new,
			Source: state.Source{Type: "rest", Auth: "edge", LocalAddress: "127.0.0.1:1280", RemoteAddress: "127.0.0.1:50808", Method: "createService"},
		}}
	}
	link := &network.Link{ID: "l1", DialerID: "r1", AcceptorID: "r2", Protocol: "tls", Address: "tls:r2:3022", StaticCost: 4}
	terminator := &model.Terminator{Base: base1("t1"), ServiceID: "web", RouterID: "r1", HostID: "host", Precedence: s, Cost: 3, InstanceSecret: []byte("topsecret"), PeerData: map[uint32][]byte{1003: {1, 2}}}
	return []Event{
		&Alert{At: moment, SourceType: "router", SourceID: "r1", Message: "disk full", Details: []string{"/var"}, Related: map[string]string{"router": "r1"}},
		&APISession{At: moment, Type: "created", ID: "s1", Provider: "legacy", IdentityID: "a1", Address: "127.0.0.1"},
		&Audit{&audit.Record{ID: "3-0", Index: 3, At: moment, AuthorType: "identity", AuthorID: "a1", Action: "created", Kind: "service", Entity: "web"}},
		&Authentication{At: moment, Success: true, Method: "password", AuthenticatorID: "u1", IdentityID: "a1", AuthPolicyID: "default", Address: "127.0.0.1:50770"},
		&Authentication{At: moment, Method: "password", AuthenticatorID: "u1", IdentityID: "a1", AuthPolicyID: "default", Address: "127.0.0.1:50770", Reason: "wrong password"},
		Network(&network.CircuitEvent{At: moment, Type: network.CircuitCreated, Circuit: circuit, Took: 2525398}),
		&Cluster{At: moment, Type: IsLeaderless, Index: 4},
		&Cluster{At: moment, Type: HasLeader, Index: 4, LeaderID: "ctrl1"},
		&Cluster{At: moment, Type: LeadershipGained, Index: 5, Peers: []Peer{{ID: "ctrl1", Address: "tls:127.0.0.1:1280"}}},
		&Cluster{At: moment, Type: MembersChanged, Index: 24, Peers: []Peer{{ID: "ctrl1", Address: "tls:127.0.0.1:1280"}}},
		&Connect{At: moment, SrcType: "identity", SrcID: "a1", SrcAddr: "127.0.0.1:1", DstType: "ctrl", DstID: "ctrl1", DstAddr: "127.0.0.1:1280/edge/client/v1/authenticate"},
		change(29, nil, &model.Service{Base: base1("web"), Name: "web", TerminatorStrategy: "smartrouting", RoleAttributes: []string{"svc"}, Configs: []string{"c1"}, EncryptionRequired: true, MaxIdleTimeMillis: 2}),
		change(30, nil, &model.Config{Base: base1("c1"), Name: "h1", ConfigTypeID: "NH5p4FpGR", Data: []byte(`{"port":80}`)}),
		change(31, nil, &model.ServicePolicy{Base: base1("p1"), Name: "b1", Type: "Bind", Semantic: "AnyOf", IdentityRoles: []string{"#host"}, ServiceRoles: []string{"#svc"}}),
		change(32, nil, &model.Identity{Base: base1("i1"), Name: "c1", Type: "Default", AuthPolicyID: "default", RoleAttributes: []string{"client"}}),
		change(32, nil, &model.Enrollment{Base: base1("e1"), Method: "ott", Token: "topsecret", JWT: "topsecret", IdentityID: "i1", ExpiresAt: moment, IssuedAt: moment}),
		change(34, nil, &model.Authenticator{Base: base1("u1"), Method: "updb", IdentityID: "i1", Username: "bob", PasswordHash: "topsecret"}),
		change(35, nil, &model.Authenticator{Base: base1("u2"), Method: "cert", IdentityID: "i1", Fingerprint: "eb7a", CertPem: "<PEM>", IsIssuedByNetwork: true}),
		change(36, &model.EdgeRouterPolicy{Base: base1("p2"), Name: "x", Semantic: "AnyOf", IdentityRoles: []string{"#all"}, EdgeRouterRoles: []string{"#public"}},
			&model.EdgeRouterPolicy{Base: base1("p2"), Name: "y", Semantic: "AnyOf", IdentityRoles: []string{"#all"}, EdgeRouterRoles: []string{"#public"}}),
		change(37, &model.ServiceEdgeRouterPolicy{Base: base1("p3"), Name: "x", Semantic: "AnyOf", ServiceRoles: []string{"#all"}, EdgeRouterRoles: []string{"#all"}}, nil),
		change(38, nil, &model.EdgeRouter{Base: base1("r1"), Name: "r1", RoleAttributes: []string{"public"}, IsTunnelerEnabled: true, CertPem: "<PEM>"}),
		change(39, terminator, nil),
		change(40, nil, &model.Controller{Base: base1("ctrl1"), Name: "ctrl1", CtrlAddress: "tls:127.0.0.1:1280", IsOnline: true, LastJoinedAt: moment}),
		change(41, nil, &model.MFA{Base: base1("m1"), IdentityID: "i1", Secret: "topsecret", RecoveryCodes: []string{"topsecret"}}),
		change(42, nil, &model.Key{Base: base1("k1"), Private: []byte("topsecret")}), // nobody is told of keys
		&APISessionChange{APISession: APISession{At: moment, Type: "deleted", ID: "s1", IdentityID: "a1", Address: "127.0.0.1"}, AuthenticatorID: "u1", AuthorName: "admin", Version: "v1"},
		&EntityCounts{At: moment, Leads: true, Counts: map[string]int64{"services": 1, "services.edge": 1}},
		Network(&network.LinkEvent{At: moment, Type: network.LinkNew, Link: link}),
		&Metrics{At: moment, SourceID: "r1", ReportID: "x", Metrics: []Metric{
			{Name: "circuits", Kind: "gauge", Values: map[string]float64{"value": 2}}, {Name: "load", Kind: "gauge", Values: map[string]float64{"value": 0.5}},
			{Name: "ctrl.latency:r1", Kind: "histogram", Values: map[string]float64{"count": 3, "p99": 1e9}},
			{Name: "link.4owATiXmB23DuUADoo8JVw.latency", Kind: "histogram", Values: map[string]float64{"count": 3}},
			{Name: "link.dropped_msgs:l1", Kind: "meter", Values: map[string]float64{"count": 1, "m1_rate": 0.25}},
		}},
		Network(&network.RouterEvent{At: moment, Type: network.RouterOnline, RouterID: "r1", Online: true}),
		&SDK{At: moment, Type: SDKOnline, IdentityID: "i1"},
		&ServiceCount{At: moment, Type: "service.dial.success", ServiceID: "web", TerminatorID: "t1", Count: 2, Start: time.Unix(1795177260, 0), Length: time.Minute},
		&Session{At: moment, Type: "created", SessionType: "Dial", Provider: "legacy", ID: "x1", APISessionID: "s1", IdentityID: "i1", ServiceID: "web"},
		Network(&network.TerminatorEvent{At: moment, Type: network.TerminatorRouterOnline, Terminator: terminator, RouterOnline: true, Total: 1, UsableDefault: 1}),
		&Trace{At: moment, RouterID: "r1", Direction: "sent", Type: 1007, Name: "Route", Bytes: 12},
		&Usage{At: moment, SourceID: "r1", CircuitID: "c1", Bytes: map[string]uint64{"ingress.rx": 120, "egress.rx": 1491}, Start: time.Unix(1795177260, 0), Length: time.Minute,
			Tags: map[string]string{"clientId": "i1", "hostId": "h1", "serviceId": "web"}},
		&Usage{At: moment, SourceID: "r2", CircuitID: "c1", Bytes: map[string]uint64{"fabric.tx": 7}, Start: time.Unix(1795177260, 0), Length: time.Minute},
	}
}

// TestGolden holds the form of every type to testdata, and every secret back.
func TestGolden(t *testing.T) {
	var subs []conf.EventSubscription
	seen := make(map[string]bool)
	for _, kind := range conf.EventTypes() {
		subs = append(subs, conf.EventSubscription{Type: kind.Name, ParentEvents: true, Interval: time.Hour})
	}
	subs = append(subs, conf.EventSubscription{Type: "fabric.usage", Version: 3}, conf.EventSubscription{Type: "services"})
	var out strings.Builder
	h, err := New(Config{
		ControllerID: "ctrl1", Stdout: &out, Log: slog.New(slog.DiscardHandler), Link: func(id string) (string, string, bool) { return "r1", "r2", id != "dialer" },
		Subscribers: conf.EventSubscribers{"all": {Subscriptions: subs, Handler: conf.EventHandler{Type: "stdout", Format: "json", BufferSize: 1000}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range samples() {
		kind, _ := e.about()
		seen[kind] = true
		h.Publish(e)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	for _, kind := range conf.EventTypes() {
		if !seen[kind.Name] {
			t.Errorf("no sample of type %s", kind.Name)
		}
	}
	got := out.String()
	if strings.Contains(got, "topsecret") || strings.Contains(got, "dG9wc2VjcmV0") {
		t.Error("a secret is told")
	}
	file := filepath.Join("testdata", "events.jsonl")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	wants := strings.Split(string(want), "\n")
	for i, line := range strings.Split(got, "\n") {
		if i >= len(wants) || line != wants[i] {
			t.Fatalf("line %d\n got %s\nwant %s", i+1, line, append(wants, "")[min(i, len(wants))])
		}
	}
}
