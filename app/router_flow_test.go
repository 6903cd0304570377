package app

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/flow"
)

const dataKeys = `mtu: 1200, txPortalStartSize: 30000, txPortalMinSize: 20000, txPortalMaxSize: 900000, txPortalIncreaseThresh: 28,
    txPortalIncreaseScale: 1.5, txPortalRetxThresh: 64, txPortalRetxScale: 0.5, txPortalDupAckThresh: 63, rxBufferSize: 800000, retxStartMs: 201,
    retxScale: 2, retxAddMs: 7, retxMaxMs: 9000, maxRttScale: 4, txQueueSize: 3, maxCloseWaitMs: 20000, randomDrops: true, drop1InN: 50`

// TestDataOptionsReachFlow: each key has its place, and none is lost on the way.
func TestDataOptionsReachFlow(t *testing.T) {
	text := `
v: 3
identity: {cert: a, key: b, ca: c}
ctrl: {endpoint: "tls:one:1"}
edge: {}
listeners: [{binding: edge, address: "tls:0.0.0.0:1", options: {advertise: "localhost:1", outQueueSize: 90, maxQueuedConnects: 7, maxOutstandingConnects: 20, ` + dataKeys + `}}]
dialers: [{binding: edge, options: {circuitStartTimeout: 9s, ` + dataKeys + `}}, {binding: transport}, {binding: udp, options: {retxMaxMs: 0, maxCloseWaitMs: 0}}]
`
	cfg, _, err := conf.ParseRouter("r.yml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := flow.Options{
		MTU: 1200, Window: 30000, MinWindow: 20000, MaxWindow: 900000, GrowAfter: 28, GrowBy: 1.5, ShrinkAfter: 64, ShrinkTo: .5, Duplicates: 63,
		ReceiveBuffer: 800000, RetransmitStart: 201 * time.Millisecond, RetransmitScale: 2, RetransmitAdd: 7 * time.Millisecond,
		RetransmitMax: 9 * time.Second, MaxRoundTrip: 4, Linger: 20 * time.Second, DropOne: 50,
	}
	listener := cfg.Listeners[0].Options
	hosts := hostTuning(cfg.Dialers)
	if got := flowOptions(listener.DataOptions); *got != want || listener.TxQueue != 3 {
		t.Errorf("listener: %+v", got)
	}
	if *hosts.Flow != want || hosts.StartTimeout != 9*time.Second {
		t.Errorf("hosts: %+v", hosts)
	}
	if got := flowOptions(cfg.Dialers[1].Options.DataOptions); got != nil {
		t.Errorf("without options: %+v", got)
	}
	if got := flowOptions(cfg.Dialers[2].Options.DataOptions); *got != (flow.Options{RetransmitMax: -1, Linger: -1}) {
		t.Errorf("of zeros: %+v", got)
	}
	if listener.Hellos() != 27 || listener.Queue() != 90 {
		t.Errorf("%d hellos, a queue of %d", listener.Hellos(), listener.Queue())
	}
}

// TestTunedServices: with every option set, and drops on both ends, all arrives.
func TestTunedServices(t *testing.T) {
	n := newTestNetwork(t)
	ports := testPorts(t, 2)
	n.reconfigure(fmt.Sprintf(`  - {binding: proxy, address: "tcp:127.0.0.1:%d", service: plain, options: {%s}}
  - {binding: proxy_udp, address: "udp:127.0.0.1:%d", service: names, options: {mtu: 1200, retxStartMs: 100}}
`, ports[0], dataKeys, ports[1]), "  - {binding: udp, options: {mtu: 1200}}\n  - {binding: transport, options: {"+dataKeys+"}}\n", "")
	n.terminate("plain", "transport", "tcp:"+tcpEcho(t), false)
	n.terminate("names", "udp", "udp:"+udpEcho(t), false)
	for i, c := range []struct{ network, text string }{{"tcp", strings.Repeat("dropped now and then ", 20_000)}, {"udp", strings.Repeat("d", 9000)}} {
		conn, err := net.Dial(c.network, fmt.Sprintf("127.0.0.1:%d", ports[i]))
		if err != nil {
			t.Fatal(err)
		}
		if err := talk(conn, c.text); err != nil {
			t.Errorf("%s: %v", c.network, err)
		}
		conn.Close()
	}
}
