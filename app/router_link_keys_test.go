package app

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/router/link"
)

// TestLinkKeysReachTheLinks: each key of the link section has its place.
func TestLinkKeysReachTheLinks(t *testing.T) {
	cfg, _, err := conf.ParseRouter("r.yml", []byte(`
v: 3
identity: {cert: a, key: b, ca: c}
ctrl: {endpoint: "tls:one:1"}
link:
  listeners:
    - {binding: transport, bind: "tls:0.0.0.0:1", advertise: "localhost:1", bindInterface: wan, options: {outQueueSize: 90, maxQueuedConnects: 7, maxOutstandingConnects: 20, connectTimeoutMs: 1234, writeTimeout: 7s}}
  dialers:
    - binding: transport
      split: false
      maxDefaultConnections: 5
      maxAckConnections: 2
      startupDelay: 9s
      groups: [x, y]
      healthyDialBackoff: {minRetryInterval: 1s, maxRetryInterval: 2s, retryBackoffFactor: 3}
      unhealthyDialBackoff: {minRetryInterval: 4s, maxRetryInterval: 5s, retryBackoffFactor: 6}
      options: {outQueueSize: 91, connectTimeoutMs: 1235, writeTimeout: 8s}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	all, err := linkDialers(cfg)
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	d := all[0]
	if d.Name != "wan" || !slices.Equal(d.Groups, []string{"x", "y"}) || d.Split || d.MaxPayload != 5 || d.MaxAck != 2 || d.StartupDelay != 9*time.Second {
		t.Errorf("dialer %+v", d)
	}
	if d.Healthy != (link.Backoff{Min: time.Second, Max: 2 * time.Second, Factor: 3}) || d.Unhealthy != (link.Backoff{Min: 4 * time.Second, Max: 5 * time.Second, Factor: 6}) {
		t.Errorf("pauses %+v, %+v", d.Healthy, d.Unhealthy)
	}
	if d.Options != (link.Options{Hello: 1235 * time.Millisecond, WriteTimeout: 8 * time.Second, Queue: 91}) {
		t.Errorf("options of the dialer %+v", d.Options)
	}
	l := cfg.Link.Listeners[0]
	if o := linkOptions(l.Options.LinkOptions); o != (link.Options{Hello: 1234 * time.Millisecond, WriteTimeout: 7 * time.Second, Queue: 90}) || l.Options.Hellos() != 27 || listenerName(l) != "wan" {
		t.Errorf("options of the listener %+v, %d hellos, %s", o, l.Options.Hellos(), listenerName(l))
	}
	n := newTestNetwork(t)
	r := n.linkedRouter("a")
	r.change(func(text string) string {
		return strings.Replace(text, "groups: [pair]}", "groups: [pair, more], costTags: [dear], bindInterface: wan}", 1)
	})
	told := r.Router.links.Listeners()
	if len(told) != 1 || told[0].Name != "wan" || !slices.Equal(told[0].Groups, []string{"pair", "more"}) || !slices.Equal(told[0].CostTags, []string{"dear"}) ||
		told[0].Address != "tls:"+r.advertised() {
		t.Errorf("other routers are told %v", told)
	}
}
