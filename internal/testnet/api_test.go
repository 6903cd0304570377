package testnet

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestAPI(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /authenticate", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("zt-session") != "" || r.URL.Query().Get("method") != "password" {
			t.Errorf("login with %v", r.Header)
		}
		_, _ = w.Write([]byte(`{"data":{"token":"secret"}}`))
	})
	mux.HandleFunc("POST /things", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("zt-session") != "secret" {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"error":{"code":"UNAUTHORIZED","cause":{"message":"who?"}}}`))
			return
		}
		_, _ = w.Write([]byte(`{"data":{"id":"made"}}`))
	})
	s := httptest.NewServer(mux)
	defer s.Close()
	a := &API{Base: s.URL, HTTP: s.Client()}
	_, err := a.Create(t.Context(), "things", map[string]any{"name": "x"})
	var refused *Refusal
	if !errors.As(err, &refused) || refused.Status != 401 || refused.Code != "UNAUTHORIZED" || len(refused.Cause) == 0 {
		t.Errorf("without a session: %v", err)
	}
	if err := a.Login(t.Context(), "admin", "password"); err != nil {
		t.Fatal(err)
	}
	if id, err := a.Create(t.Context(), "things", map[string]any{"name": "x"}); id != "made" || err != nil {
		t.Errorf("%q, %v", id, err)
	}
}
