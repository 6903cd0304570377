package report

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/weftnet/weft/clock"
	"github.com/weftnet/weft/wire/ctrl"
)

func TestConnectedIdentities(t *testing.T) {
	var (
		now     []Connection
		session any
		sent    *ctrl.ConnectedIdentities
		broken  error
	)
	c := clock.NewFake(time.Unix(1000, 0))
	i := &identities{connected: make(map[string]bool), seen: make(map[string]Connection), cfg: IdentitiesConfig{
		Whole: time.Hour, Details: 2, Clock: c, Session: func() any { return session }, Connections: func() []Connection { return now },
		Send: func(_ context.Context, m *ctrl.ConnectedIdentities) error { sent = m; return broken },
	}}
	step := func(want error) *ctrl.ConnectedIdentities {
		t.Helper()
		sent = nil
		i.look()
		if err := i.report(t.Context()); !errors.Is(err, want) {
			t.Fatal(err)
		}
		return sent
	}
	now = []Connection{{ID: "1", IdentityID: "a", SessionID: "s", Local: "l", Remote: "r"}}
	if m := step(nil); m != nil {
		t.Errorf("reported without a controller: %v", m)
	}
	session = 1
	if m := step(nil); !m.Whole || len(m.Put) != 1 || !m.Put[0].Connected || m.Put[0].Connects[0].Remote != "r" {
		t.Errorf("a new controller gets %v", m)
	}
	if m := step(nil); m != nil {
		t.Errorf("without a change: %v", m)
	}
	now = append(now, Connection{ID: "2", IdentityID: "b"}, Connection{ID: "3", IdentityID: "a"}, Connection{ID: "4", IdentityID: "c"})
	broken = errors.New("lost")
	step(broken)
	broken = nil
	m := step(nil) // everything, for nobody knows what has arrived
	connects := 0
	for _, p := range m.Put {
		connects += len(p.Connects)
	}
	if !m.Whole || len(m.Put) != 3 || connects != 2 {
		t.Errorf("after a failure, with two details at most: %v", m)
	}
	now = now[1:2]
	if m := step(nil); m.Whole || len(m.Put) != 2 || m.Put[0].Connected || m.Put[1].Connected {
		t.Errorf("those who left: %v", m)
	}
	c.Advance(time.Hour)
	if m := step(nil); m == nil || !m.Whole || len(m.Put) != 1 {
		t.Errorf("after the interval of full reports: %v", m)
	}
	session = 2
	if m := step(nil); m == nil || !m.Whole {
		t.Errorf("another controller gets %v", m)
	}
}

func TestInterfaces(t *testing.T) {
	c := clock.NewFake(time.Unix(1000, 0))
	sent := make(chan *ctrl.Interfaces, 10)
	list := make(chan *ctrl.Interfaces, 10)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	last := &ctrl.Interfaces{}
	go func() {
		defer close(done)
		Interfaces(ctx, InterfacesConfig{Check: time.Minute, Report: time.Hour, Session: func() any { return 1 }, Clock: c, Log: slog.New(slog.DiscardHandler),
			Send: func(_ context.Context, m *ctrl.Interfaces) error { sent <- m; return nil },
			List: func() (*ctrl.Interfaces, error) {
				select {
				case last = <-list:
				default:
				}
				return last, nil
			}})
	}()
	defer func() { cancel(); <-done }()
	advance := func(d time.Duration) {
		for end := time.Now().Add(10 * time.Second); c.Timers() == 0 && time.Now().Before(end); time.Sleep(time.Millisecond) {
		}
		c.Advance(d)
	}
	get := func(what string) *ctrl.Interfaces {
		select {
		case m := <-sent:
			return m
		case <-time.After(10 * time.Second):
			t.Fatal("no report ", what)
			return nil
		}
	}
	advance(0)
	get("at the start")
	list <- &ctrl.Interfaces{Interfaces: []*ctrl.Interface{{Name: "eth0"}}}
	advance(time.Minute)
	if m := get("of a change"); len(m.Interfaces) != 1 {
		t.Error(m)
	}
	advance(time.Minute)
	advance(time.Hour)
	get("after the interval")
	if len(sent) != 0 {
		t.Error("reported without a change")
	}
	if host, err := hostInterfaces(); err != nil || len(host.Interfaces) == 0 {
		t.Error(host, err)
	}
}
