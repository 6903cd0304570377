package app

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"

	"github.com/weftnet/weft/client"
	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/pki"
)

// TestMetricsOfARunningNetwork scrapes a controller with a router: the names of
// the ecosystem are there with labels, a router that has gone is not, metrics
// events tell the same, and the inspections.
func TestMetricsOfARunningNetwork(t *testing.T) {
	n := newTestNetwork(t)
	file := filepath.Join(t.TempDir(), "events.json")
	n.stopRouter()
	n.restartController(func(c *conf.Controller) {
		c.Web[0].APIs = append(c.Web[0].APIs, conf.WebAPI{Binding: conf.BindingMetrics, Options: conf.APIOptions{IncludeTimestamps: true}})
		c.Network.MetricsReportInterval = 500 * time.Millisecond
		c.Ctrl.Options.RouterHeartbeats.SendInterval = 50 * time.Millisecond
		c.Events = conf.EventSubscribers{"file": {
			Subscriptions: []conf.EventSubscription{{Type: "metrics"}, {Type: "usage", Version: 3}},
			Handler:       conf.EventHandler{Type: "file", Format: "json", Path: file, MaxSizeMB: 10},
		}}
	})
	cfg, _, err := conf.LoadRouter(n.up.RouterFile, nil)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Metrics.ReportInterval, cfg.Metrics.IntervalAgeThreshold = 500*time.Millisecond, 0
	if n.router, err = StartRouter(testContext(t), RouterOptions{Config: cfg, Build: Build{Version: Version}, Log: testUp(t).Log}); err != nil {
		t.Fatal(err)
	}
	if err := n.router.Ready(testContext(t)); err != nil {
		t.Fatal(err)
	}
	n.service("echo", false)
	n.echo(n.identity("host"), "echo")
	if err := talk(n.dial(n.identity("guest"), "echo"), "hello"); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"ziti_raft_rate_limiter_queue_size", "ziti_raft_rate_limiter_window_size", "ziti_raft_rate_limiter_work_timer",
		"ziti_ctrl_latency", "ziti_ctrl_queue_time", "ziti_ctrl_tx_bytesrate", "ziti_ctrl_rx_msgsize", "ziti_auth_limiter_window_size", "ziti_auth_limiter_work_timer",
		"ziti_pool_router_messaging_queue_size", "ziti_bolt_open_read_txs", "ziti_api_session_create", "ziti_session_create", "ziti_services_list",
		"ziti_api_session_enforcer_run", "ziti__edge_management_v1_identities_id_GET", "ziti_edge_connections", "ziti_ingress_rx_bytesrate",
		"weft_events_dropped_total", "weft_audit_missed_total", "weft_circuits", "weft_raft_index", "weft_state_entities", "weft_state_apply_seconds",
		"weft_router_circuits", "weft_sessions", "weft_routers", "go_goroutines", "process_resident_memory_bytes",
	}
	eventually(t, func() string {
		page := scrape(t, n.up.API)
		for _, name := range want {
			if page[name] == 0 {
				return name + " is missing"
			}
		}
		return ""
	})
	values, err := n.admin.Fabric().Inspect(testContext(t), &client.InspectRequest{AppRegex: client.Ptr(".*"), RequestedValues: []string{"metrics", "metrics:prometheus"}})
	if err != nil || len(values.Values) < 3 {
		t.Errorf("inspections: %d, %v", len(values.Values), err)
	}
	eventually(t, func() string {
		text, err := os.ReadFile(file)
		if err != nil {
			return err.Error()
		}
		for _, want := range []string{
			`"metric":"raft.rate_limiter.work_timer"`, `"source_entity_id":"` + n.router.id + `","version":3,"metric":"ctrl.latency"`, `"metric":"edge.connections"`,
			`"metric":"/edge/management/v1/identities/:id.GET"`, `"namespace":"usage"`, `"ingress.rx"`,
		} {
			if !strings.Contains(string(text), want) {
				return "no event has " + want
			}
		}
		return ""
	})
	n.stopRouter()
	eventually(t, func() string {
		if page := scrape(t, n.up.API); page["ziti_edge_connections"]+page["ziti_ctrl_latency"] > 0 {
			return "the router that has gone is still there"
		}
		return ""
	})
	n.startRouter()
}

// eventually waits until done returns no reason to wait.
func eventually(t *testing.T, done func() string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(testContext(t), 30*time.Second)
	defer cancel()
	for why := done(); why != ""; why = done() {
		select {
		case <-ctx.Done():
			t.Fatal(why)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// scrape returns how many series the families of the page have.
func scrape(t *testing.T, api string) map[string]int {
	t.Helper()
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	answer, err := c.Get(api + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var p expfmt.TextParser
	families, err := p.TextToMetricFamilies(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string]int)
	for name, f := range families {
		out[name] = len(f.Metric)
		if f.Metric[0].TimestampMs == nil && !strings.HasPrefix(name, "go_") && !strings.HasPrefix(name, "process_") && name != "weft_build_info" {
			t.Errorf("%s has no time stamp", name)
		}
	}
	return out
}

// TestScrapeCertificate: with scrapeCert only the holder of that certificate reads
// the page, over real connections.
func TestScrapeCertificate(t *testing.T) {
	n := newTestNetwork(t)
	own := n.controller.identity.ClientCertificate()
	file := filepath.Join(t.TempDir(), "scraper.pem")
	if err := os.WriteFile(file, []byte(pki.EncodeCertificates(own.Leaf)), 0o600); err != nil {
		t.Fatal(err)
	}
	n.restartController(func(c *conf.Controller) {
		c.Web[0].APIs = append(c.Web[0].APIs, conf.WebAPI{Binding: conf.BindingMetrics, Options: conf.APIOptions{ScrapeCert: file}})
	})
	ask := func(certs ...tls.Certificate) int {
		c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true, Certificates: certs}}}
		answer, err := c.Get(n.up.API + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		_, _ = io.Copy(io.Discard, answer.Body) // only the status counts
		return answer.StatusCode
	}
	if got := ask(*own); got != http.StatusOK {
		t.Errorf("the holder: %d", got)
	}
	if got := ask(); got != http.StatusUnauthorized {
		t.Errorf("nobody: %d", got)
	}
	if got := ask(*n.router.identity.ClientCertificate()); got != http.StatusUnauthorized {
		t.Errorf("somebody else: %d", got)
	}
}
