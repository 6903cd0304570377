package conf

import (
	"strings"
	"testing"
	"time"
)

func parseRouterCtrl(t *testing.T, listeners string) (*Router, *Report, error) {
	t.Helper()
	return ParseRouter("r.yml", []byte("v: 3\nidentity: {cert: a, key: b, ca: c}\nctrl:\n  listeners:\n"+listeners), nil)
}

func TestCtrlListeners(t *testing.T) {
	c, report, err := parseRouterCtrl(t, `
    - bind: tls:10.0.0.1:1281
      bindInterface: eth0
      groups: [far, near]
      options: {maxQueuedConnects: 2, maxOutstandingConnects: 3, connectTimeoutMs: 40, outQueueSize: 4, writeTimeout: 1s}
    - bind: tls:0.0.0.0:1282
      advertise: tls:router.example:1282
      groups: one
`)
	if err != nil {
		t.Fatal(err)
	}
	first, second := c.Ctrl.Listeners[0], c.Ctrl.Listeners[1]
	if first.Advertise != first.Bind || len(first.Groups) != 2 || first.Options.Hellos() != 5 || first.Options.HelloTimeout != 40*time.Millisecond {
		t.Errorf("%+v", first)
	}
	if second.Advertise.Host != "router.example" || second.Groups[0] != "one" || second.Options.Hellos() != 256 {
		t.Errorf("%+v", second)
	}
	if len(report.Warnings) != 3 {
		t.Errorf("warnings %v", report.Warnings)
	}
	if _, _, err = parseRouterCtrl(t, "    - bind: tls:0.0.0.0:1282\n"); err == nil || !strings.Contains(err.Error(), "r.yml:5: ctrl.listeners[0].advertise") {
		t.Errorf("an address that nobody can call: %v", err)
	}
}
