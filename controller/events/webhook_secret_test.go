package events

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/weftnet/weft/conf"
)

// TestWebhookAddressIsSecret: the path and the query of a webhook are what lets
// one post to many services; neither the log nor what shows the configuration
// has them.
func TestWebhookAddressIsSecret(t *testing.T) {
	c := conf.EventHandler{Type: "webhook", Format: "json", URL: "http://127.0.0.1:1/services/topsecret?token=topsecret", Timeout: 5 * time.Second}
	w, err := newWebhook(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}()
	again, err := w.post(t.Context(), []byte("{}"), "d")
	if err == nil || !again || strings.Contains(err.Error(), "topsecret") || !strings.Contains(err.Error(), "127.0.0.1:1") {
		t.Errorf("failure of a webhook: %v, again: %v", err, again)
	}
	if shown := fmt.Sprint(c); strings.Contains(shown, "topsecret") {
		t.Errorf("configuration as it is shown: %s", shown)
	}
}
