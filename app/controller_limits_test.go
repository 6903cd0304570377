package app

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/observe"
)

// TestClusterKeys looks at what the log of a controller is opened with, and writes
// its messages to a file of their own.
func TestClusterKeys(t *testing.T) {
	file := filepath.Join(t.TempDir(), "raft.log")
	cfg := controllerFile(t, func(s string) string {
		s = strings.Replace(s, "db:", "cluster:\n  dataDir:", 1)
		return strings.Replace(s, "ctrl:\n", `  snapshotInterval: 3m
  snapshotThreshold: 501
  trailingLogs: 502
  maxAppendEntries: 65
  commitTimeout: 51ms
  electionTimeout: 6s
  heartbeatTimeout: 4s
  leaderLeaseTimeout: 2s
  applyTimeout: 7s
  logLevel: warn
  logFile: `+file+`
  rateLimiter: {minSize: 6, maxSize: 66, timeout: 8s, successThreshold: 0.8, increaseFactor: 1.5, decreaseFactor: 0.7, increaseCheckInterval: 3, decreaseCheckInterval: 4}
ctrl:
`, 1)
	})
	s := &store{}
	n, err := s.nodeConfig(cfg, "id", false, observe.Discard())
	if err != nil {
		t.Fatal(err)
	}
	n.Log.Info("nobody reads this")
	n.Log.Warn("this is read")
	if err := s.parts.Close(); err != nil {
		t.Fatal(err)
	}
	if n.Bootstrap || n.SnapshotInterval != 3*time.Minute || n.SnapshotThreshold != 501 || n.TrailingLogs != 502 || n.MaxAppendEntries != 65 ||
		n.CommitTimeout != 51*time.Millisecond || n.ElectionTimeout != 6*time.Second || n.HeartbeatTimeout != 4*time.Second ||
		n.LeaderLeaseTimeout != 2*time.Second || n.ApplyTimeout != 7*time.Second {
		t.Errorf("%+v", n)
	}
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), "this is read") || strings.Contains(string(text), "nobody") {
		t.Errorf("%s %v", text, err)
	}
	if size, _ := window(cfg).Size(); size != 66 {
		t.Errorf("a window of %d", size)
	}
	cfg.Cluster.RateLimiter.Enabled = false
	if window(cfg) != nil {
		t.Error("a bound although it is switched off")
	}
	cfg.Cluster.LogLevel = "off"
	if n, err = s.nodeConfig(cfg, "id", false, observe.Discard()); err != nil || n.Log.Enabled(context.Background(), slog.LevelError) {
		t.Error("the log of raft is not off", err)
	}
}

func TestCommandLimit(t *testing.T) {
	for text, want := range map[string]int{
		"": 100, "command: {rateLimiter: {maxQueued: 11}}": 11, "commandRateLimiter: {maxQueued: 12}": 12,
		"command: {rateLimiter: {maxQueued: 11}}\ncommandRateLimiter: {maxQueued: 12}": 11,
		"command: {rateLimiter: {enabled: false}}":                                     0, "commandRateLimiter: {enabled: false}": 0,
	} {
		w := window(controllerFile(t, func(s string) string { return s + text + "\n" }))
		size := 0
		if w != nil {
			size, _ = w.Size()
		}
		if size != want {
			t.Errorf("%q: %d, want %d", text, size, want)
		}
	}
}

// TestWebOptions has a server refuse old TLS and close a connection that says
// nothing.
func TestWebOptions(t *testing.T) {
	n := newTestNetwork(t)
	n.restartController(func(c *conf.Controller) {
		c.Web[0].Options.MinTLSVersion, c.Web[0].Options.MaxTLSVersion, c.Web[0].Options.IdleTimeout, c.Web[0].Options.ReadTimeout = "TLS1.3", "TLS1.3", 50*time.Millisecond, 50*time.Millisecond
	})
	address := strings.TrimPrefix(n.up.API, "https://")
	if c, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12}); err == nil {
		c.Close()
		t.Error("TLS 1.2 although only 1.3 is allowed")
	}
	c, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetReadDeadline(time.Now().Add(20 * time.Second))
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("something was said")
	} else if e, ok := err.(net.Error); ok && e.Timeout() {
		t.Error("a silent connection stays")
	}
	s := httpServer(conf.WebOptions{ReadTimeout: 1, WriteTimeout: 2, IdleTimeout: 3}, http.NotFoundHandler(), observe.Discard())
	if s.ReadTimeout != 1 || s.ReadHeaderTimeout != 1 || s.WriteTimeout != 2 || s.IdleTimeout != 3 {
		t.Errorf("%+v", s)
	}
}
