package http

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weftnet/weft/controller/audit"
	"github.com/weftnet/weft/controller/events"
	"github.com/weftnet/weft/controller/manage"
	"github.com/weftnet/weft/fault"
)

// observing gives a fixture a hub, an audit that follows its state, and a
// management channel.
func observing(t *testing.T) *fixture {
	f := newFixture(t)
	log := slog.New(slog.DiscardHandler)
	hub, err := events.New(events.Config{ControllerID: "ctrl-1", Log: log})
	if err != nil {
		t.Fatal(err)
	}
	a, err := audit.Open(audit.Config{Dir: filepath.Join(f.dir, "audit"), MaxSize: 4096, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() { a.Follow(ctx, f.store, f.store.Hold(0)) })
	channel := manage.New(manage.Config{Hub: hub, Log: log})
	f.server.cfg.Observed = Observed{Audit: a, Events: hub, Channel: channel}
	t.Cleanup(func() {
		cancel()
		work.Wait()
		for _, c := range []io.Closer{channel, a, hub} {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	for name, permissions := range map[string][]string{"nobody": nil, "auditor": {"admin_readonly"}, "ops": {"ops"}} {
		f.callers[name] = &Caller{IdentityID: f.admin, SessionID: name, Permissions: permissions, CreatedAt: f.now, ExpiresAt: f.now.Add(time.Hour), Timeout: time.Hour}
	}
	return f
}

func TestAudit(t *testing.T) {
	f := observing(t)
	for _, name := range []string{"one", "two", "three"} {
		f.create("services", map[string]any{"name": name, "encryptionRequired": true})
	}
	a := f.server.cfg.Observed.Audit
	for end := time.Now().Add(20 * time.Second); a.Index() < f.store.View().Index(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the changes are not recorded")
		}
	}
	first := f.do("GET", m("/audit?limit=2"), nil).status(200)
	if first.at("data.0.entityName") != "three" || first.at("data.1.entityName") != "two" || first.at("data.0.authorName") != "admin" || first.at("data.0.operation") != "createService" ||
		first.at("data.0.sessionId") != "cAdmin" || first.at("data.0.auth") != "edge" || first.at("data.0.after.name") != "three" || first.at("data.0.before") != nil {
		t.Errorf("%v", first.Body)
	}
	if n, _ := first.at("meta.pagination.totalCount").(float64); n < 4 {
		t.Errorf("%v records", n)
	}
	if got := f.do("GET", m("/audit?filter=%s", `entityType%3D%22service%22%20and%20anyOf(members)%3D%22name%22&limit=1&offset=1`), nil).status(200); got.at("data.0.entityName") != "two" || got.at("meta.pagination.totalCount") != 3.0 {
		t.Errorf("%v", got.Body)
	}
	f.do("GET", m("/audit?filter=%s", `nothing%3D1`), nil).status(400)
	for name, want := range map[string]int{"nobody": 401, "ops": 401, "auditor": 200, "admin": 200} {
		f.do("GET", m("/audit"), nil, "zt-session", name).status(want)
	}
	f.server.cfg.Observed.Audit = nil
	f.do("GET", m("/audit"), nil).status(404)
}

// TestEventStream: who may gets the events that pass the filter, until the login
// ends or the client goes.
func TestEventStream(t *testing.T) {
	f := observing(t)
	s := httptest.NewServer(f.handler)
	defer s.Close()
	open := func(query, token string) *http.Response {
		r, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+m("/events?%s", query), nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("zt-session", token)
		res, err := s.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	for query, want := range map[string]int{"type=cirquit": 400, "type=usage&usageVersion=7": 400, "interval=x": 400, "filter=a%3D": 400, "type=metrics&metricFilter=(": 400, "include=created": 400} {
		if res := open(query, "admin"); res.StatusCode != want || res.Body.Close() != nil {
			t.Errorf("%s: %s", query, res.Status)
		}
	}
	if res := open("", "nobody"); res.StatusCode != 401 || res.Body.Close() != nil {
		t.Error(res.Status)
	}
	res := open("type=sdk&filter=identity_id%3D%22i2%22", "ops")
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	if !lines.Scan() || res.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatal(res.Status, lines.Text())
	}
	for _, id := range []string{"i1", "i2"} {
		f.server.cfg.Observed.Events.Publish(&events.SDK{At: f.now, Type: events.SDKOnline, IdentityID: id})
	}
	var got []string
	for len(got) < 2 && lines.Scan() {
		if lines.Text() != "" {
			got = append(got, lines.Text())
		}
	}
	if len(got) != 2 || got[0] != "event: sdk" || !strings.Contains(got[1], `"identity_id":"i2"`) {
		t.Error(got)
	}
}

// TestChannelAccess: the management channel is for administrators and ops.
func TestChannelAccess(t *testing.T) {
	f := observing(t)
	for name, want := range map[string]int{"nobody": 401, "auditor": 401, "": 401, "admin": 400, "ops": 400} { // 400: no websocket
		r, w := httptest.NewRequest("GET", channelPath, nil), httptest.NewRecorder() // in no OpenAPI document: it is no operation
		r.Header.Set("zt-session", name)
		f.handler.ServeHTTP(w, r)
		if w.Code != want || want == 401 && !strings.Contains(w.Body.String(), fault.Unauthorized.Code) {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}
