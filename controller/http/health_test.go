package http

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestHealth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sick, leads atomic.Bool
		leads.Store(true)
		check := Check{ID: "bolt.read", Interval: time.Second, Run: func(context.Context) error {
			if sick.Load() {
				return errors.New("no disk")
			}
			return nil
		}}
		h := NewHealth([]Check{check}, leads.Load, time.Now, slog.New(slog.NewTextHandler(io.Discard, nil)))
		defer h.Close()
		get := func(path string) (int, map[string]any) {
			w := httptest.NewRecorder()
			Listener(h.Binding()).ServeHTTP(w, httptest.NewRequest("POST", path, nil))
			var body map[string]any
			if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
				t.Fatal(err)
			}
			return w.Code, body
		}
		synctest.Wait()
		code, body := get("/health-checks/v1")
		data := body["data"].(map[string]any)
		first := data["checks"].([]any)[0].(map[string]any)
		if code != 200 || data["healthy"] != true || first["id"] != "bolt.read" || first["lastCheckTime"] == nil || body["meta"] == nil {
			t.Error(code, body)
		}
		if _, body := get("/health-checks?type=short"); len(body["data"].(map[string]any)["checks"].([]any)[0].(map[string]any)) != 2 {
			t.Error("short form:", body)
		}
		sick.Store(true)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		code, body = get("/health-checks")
		first = body["data"].(map[string]any)["checks"].([]any)[0].(map[string]any)
		if code != 503 || first["err"] != "no disk" || first["consecutiveFailures"] != 2.0 || first["failingSince"] == nil {
			t.Error(code, body)
		}
		sick.Store(false)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if code, _ = get("/health-checks/controller/raft"); code != 200 {
			t.Error("leader:", code)
		}
		leads.Store(false)
		if code, body = get("/health-checks/controller/raft"); code != 429 || body["raft"].(map[string]any)["isRaftEnabled"] != true {
			t.Error("follower:", code, body)
		}
	})
}
