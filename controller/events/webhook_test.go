package events

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/controller/network"
)

// server is a webhook's server that fails, hangs and recovers as the test wants.
type server struct {
	*httptest.Server
	mu       sync.Mutex
	answer   func(n int) int // status of the request with a number, 0 to hang
	requests []string        // bodies
	headers  []http.Header
	seen     chan bool
	free     chan bool
}

func newServer(t *testing.T, answer func(n int) int) *server {
	s := &server{answer: answer, seen: make(chan bool, 1000), free: make(chan bool)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		s.mu.Lock()
		s.requests, s.headers = append(s.requests, string(body)), append(s.headers, r.Header)
		status := s.answer(len(s.requests))
		s.mu.Unlock()
		s.seen <- true
		if status == 0 {
			select {
			case <-s.free:
			case <-r.Context().Done():
			}
			return
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(func() { close(s.free); s.Close() })
	return s
}

func (s *server) hub(t *testing.T, log io.Writer, edit func(*conf.EventHandler)) *Hub {
	t.Helper()
	c := conf.EventHandler{Type: "webhook", Format: "json", URL: conf.Secret(s.URL), BufferSize: 3, Batch: 1, Timeout: 100 * time.Millisecond, MinRetry: time.Millisecond, MaxRetry: 2 * time.Millisecond}
	edit(&c)
	h, err := New(Config{Log: slog.New(slog.NewTextHandler(log, nil)), Subscribers: subscriber1(c, "router")})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func routerOn(id string) Event {
	return Network(&network.RouterEvent{At: moment, Type: network.RouterOnline, RouterID: id, Online: true})
}

func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("no ", what)
		}
	}
}

// TestWebhook: a server that fails, then hangs, then takes events gets each of
// them once, signed and with the headers of the configuration.
func TestWebhook(t *testing.T) {
	s := newServer(t, func(n int) int { return []int{503, 429, 0, 200, 200}[min(n, 5)-1] })
	var log strings.Builder
	h := s.hub(t, &log, func(c *conf.EventHandler) {
		c.Secret, c.Headers = "shared", map[string]conf.Secret{"Authorization": "Bearer abc"}
	})
	h.Publish(routerOn("r1"))
	h.Publish(routerOn("r2"))
	await(t, "delivery of both", func() bool { return h.Stats()[0].Delivered == 2 })
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.requests) != 5 {
		t.Errorf("%d requests", len(s.requests))
	}
	for i, want := range []string{"r1", "r1", "r1", "r1", "r2"} {
		head := s.headers[i]
		if !strings.Contains(s.requests[i], `"router_id":"`+want+`"`) || !json.Valid([]byte(s.requests[i])) {
			t.Errorf("request %d: %s", i, s.requests[i])
		}
		if head.Get("X-Weft-Signature-256") != signature("shared", []byte(s.requests[i])) || head.Get("Authorization") != "Bearer abc" || head.Get("Content-Type") != "application/json" {
			t.Errorf("request %d: %v", i, head)
		}
	}
	if s.headers[0].Get("X-Weft-Delivery") != s.headers[3].Get("X-Weft-Delivery") || s.headers[3].Get("X-Weft-Delivery") == s.headers[4].Get("X-Weft-Delivery") {
		t.Error("a delivery that is tried again has another id, or two have the same")
	}
	if got := log.String(); !strings.Contains(got, "events not posted") || !strings.Contains(got, "posted again") || strings.Contains(got, "shared") {
		t.Error(got)
	}
	if signature("key", []byte("The quick brown fox jumps over the lazy dog")) != "sha256=f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8" {
		t.Error("the signature is no HMAC-SHA-256")
	}
}

// TestWebhookBatchAndRefusal: several events are posted as one array, and what
// the server refuses for good is dropped and counted.
func TestWebhookBatchAndRefusal(t *testing.T) {
	s := newServer(t, func(n int) int {
		if n == 1 {
			return 400
		}
		return 204
	})
	h := s.hub(t, io.Discard, func(c *conf.EventHandler) { c.Batch, c.BufferSize = 10, 100 })
	h.Publish(routerOn("r0"))
	await(t, "count of the refused event", func() bool { return h.Dropped() == 1 })
	for range 30 {
		h.Publish(routerOn("r1"))
	}
	await(t, "delivery", func() bool { return h.Stats()[0].Delivered == 30 })
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, body := range s.requests[1:] {
		var events []map[string]any
		if err := json.Unmarshal([]byte(body), &events); err != nil || len(events) > 10 {
			t.Errorf("%d events, %v", len(events), err)
		}
		total += len(events)
	}
	if total != 30 {
		t.Errorf("%d events", total)
	}
}

// TestWebhookFull: while the server hangs events gather in the queue, then are
// dropped and counted, and the end of the controller does not wait for it.
func TestWebhookFull(t *testing.T) {
	s := newServer(t, func(int) int { return 0 })
	h := s.hub(t, io.Discard, func(c *conf.EventHandler) { c.Timeout = time.Minute })
	h.Publish(routerOn("r1"))
	<-s.seen
	for range 10 {
		h.Publish(routerOn("r2"))
	}
	if n := h.Dropped(); n != 7 {
		t.Errorf("dropped %d of 11 with one under way and room for three", n)
	}
	if err := h.Close(); err == nil {
		t.Error("events were delivered to a server that hangs")
	}
	await(t, "end of the handler", func() bool { return h.Dropped() == 11 })
}

// TestSubscribe: somebody who comes and goes gets what he asks for, and is told
// when he is too slow.
func TestSubscribe(t *testing.T) {
	h, err := New(Config{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	want := func(kinds ...string) (out []conf.EventSubscription) {
		for _, k := range kinds {
			out = append(out, conf.EventSubscription{Type: k})
		}
		return out
	}
	if err := h.Subscribe(t.Context(), Sub{Subscriptions: want("cirquit")}, nil); err == nil || !strings.Contains(err.Error(), "cirquit") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	got := make(chan string, 10)
	ended := make(chan error, 1)
	ready := make(chan bool)
	go func() {
		ended <- h.Subscribe(ctx, Sub{Subscriptions: want("router"), Queue: 10, Deliver: func(kind string, object []byte) error { got <- kind + string(object); return nil }}, func() { close(ready) })
	}()
	<-ready
	if !h.Wanted("router") || h.Wanted("circuit") {
		t.Error("what is wanted")
	}
	h.Publish(routerOn("r1"))
	if e := <-got; !strings.HasPrefix(e, "router{") {
		t.Error(e)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) || h.Wanted("router") {
		t.Error(err)
	}
	slow, begun, hold := make(chan error, 1), make(chan bool), make(chan bool)
	go func() {
		slow <- h.Subscribe(t.Context(), Sub{Subscriptions: want("router"), Queue: 2, Deliver: func(string, []byte) error { <-hold; return nil }}, func() { close(begun) })
	}()
	<-begun
	for range 10 {
		h.Publish(routerOn("r1"))
	}
	close(hold)
	if err := <-slow; !errors.Is(err, ErrSlow) {
		t.Error(err)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	if err := h.Subscribe(t.Context(), Sub{Subscriptions: want("router")}, nil); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

func TestFilter(t *testing.T) {
	object := []byte(`{"namespace":"circuit","event_type":"created","link_count":2,"tags":{"serviceId":"and x"},"metadata":{"author":{"name":"admin"}},"counts":{"routers.edge":1}}`)
	for text, want := range map[string]bool{
		`event_type = "created"`:                              true,
		`event_type != "created"`:                             false,
		`link_count > 1 and tags.serviceId contains "and x"`:  true,
		`metadata.author.name = "admin" and link_count < 1e6`: true,
		`counts.routers.edge = 1`:                             true,
		`nothing = "x"`:                                       false,
		`not (event_type = "deleted")`:                        true,
	} {
		f, err := NewFilter(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if f.Match(object) != want {
			t.Errorf("%s: %v", text, !want)
		}
	}
	if _, err := NewFilter(`event_type = `); err == nil {
		t.Error("a filter without an end")
	}
}
