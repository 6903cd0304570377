package health

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/weftnet/weft/wire/ctrl"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var start = time.Date(2026, 11, 20, 12, 22, 26, 0, time.UTC)

// get asks for the document.
func get(t *testing.T, c *Checks, path string) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	c.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, nil))
	if w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("content type %q", w.Header().Get("Content-Type"))
	}
	return w.Code, w.Body.String()
}

func fixed(checks ...Check) *Checks {
	return New(checks, func() time.Time { return start }, slog.New(slog.DiscardHandler))
}

func TestDocument(t *testing.T) {
	links := []*ctrl.Link{{Id: "l1", DialerId: "me", AcceptorId: "other", LatencyNanos: 2259325,
		Connections: []*ctrl.LinkConnection{{Kind: "link.ack", Local: "tcp:127.0.0.1:1", Remote: "tcp:127.0.0.1:2"}}}}
	check := Links("me", func() []*ctrl.Link { return links }, 3, time.Second, time.Second)
	c := fixed(check)
	for range 3 {
		details, err := check.Run(t.Context())
		c.note(0, 54712*time.Nanosecond, details, err)
	}
	status, body := get(t, c, "/health-checks")
	want := `{
    "data": {
        "checks": [
            {
                "consecutiveFailures": 3,
                "details": [
                    {
                        "linkId": "l1",
                        "destRouterId": "other",
                        "latency": 2259325,
                        "addresses": {
                            "link.ack": {
                                "localAddr": "tcp:127.0.0.1:1",
                                "remoteAddr": "tcp:127.0.0.1:2"
                            }
                        }
                    }
                ],
                "err": {
                    "message": "link count 1 less than configured minimum of 3"
                },
                "failingSince": "2026-11-20T12:22:26Z",
                "healthy": false,
                "id": "link.health",
                "lastCheckDuration": "54.712µs",
                "lastCheckTime": "2026-11-20T12:22:26Z"
            }
        ],
        "healthy": false
    },
    "meta": {}
}`
	if status != http.StatusServiceUnavailable || body != want {
		t.Errorf("%d\n%s\nwant\n%s", status, body, want)
	}
	status, body = get(t, c, "/anything?type=short")
	var short map[string]map[string]any
	if err := json.Unmarshal([]byte(body), &short); err != nil {
		t.Fatal(err)
	}
	one := short["data"]["checks"].([]any)[0].(map[string]any)
	if status != http.StatusServiceUnavailable || len(one) != 2 || one["id"] != "link.health" || one["healthy"] != false {
		t.Errorf("short: %d %s", status, body)
	}
}

func TestLinksWithoutAMinimum(t *testing.T) {
	check := Links("me", func() []*ctrl.Link { return nil }, 0, time.Second, time.Second)
	c := fixed(check)
	if status, _ := get(t, c, "/"); status != http.StatusOK {
		t.Error("fails before its first run")
	}
	details, err := check.Run(t.Context())
	c.note(0, 0, details, err)
	status, body := get(t, c, "/")
	var doc struct {
		Data struct{ Checks []map[string]any }
	}
	if err := json.Unmarshal([]byte(body), &doc); err != nil {
		t.Fatal(err)
	}
	if value, there := doc.Data.Checks[0]["details"]; status != http.StatusOK || !there || value != nil {
		t.Errorf("details are null after a run: %s", body)
	}
}

func TestControllerPing(t *testing.T) {
	var ever, responsive bool
	var ping error
	check := ControllerPing(Controller{
		Status: func() (bool, bool) { return ever, responsive },
		Ping:   func(context.Context) error { return ping },
	}, time.Second, time.Second, time.Second)
	c := fixed(check)
	if status, _ := get(t, c, "/"); status != http.StatusServiceUnavailable {
		t.Error("passes before its first run")
	}
	for _, step := range []struct {
		ever, responsive bool
		ping, want       error
	}{
		{false, false, nil, errNoChannel}, {true, false, nil, errSlow},
		{true, true, errors.New("no answer"), errSlow}, {true, true, nil, nil},
	} {
		ever, responsive, ping = step.ever, step.responsive, step.ping
		if _, err := check.Run(t.Context()); !errors.Is(err, step.want) {
			t.Errorf("%+v: %v", step, err)
		}
	}
}

func TestRunRepeatsAndEnds(t *testing.T) {
	runs := make(chan time.Duration)
	c := New([]Check{{ID: "x", Interval: time.Millisecond, Timeout: time.Second, Run: func(ctx context.Context) (any, error) {
		end, _ := ctx.Deadline()
		select {
		case runs <- time.Until(end):
		case <-ctx.Done():
		}
		return nil, nil
	}}}, nil, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { c.Run(ctx); close(done) }()
	for range 3 {
		if left := <-runs; left > time.Second {
			t.Errorf("the deadline is in %v", left)
		}
	}
	cancel()
	<-done
}
