package app

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/weftnet/weft/client"
	"github.com/weftnet/weft/router/link"
)

// pair is two linked routers: at one programs come in, by the other they reach a
// server that sends back what it gets.
type pair struct {
	n    *testNetwork
	a, b *linkedRouter
	at   string // of the on-ramp
}

func newPair(t *testing.T) *pair {
	t.Helper()
	n := newTestNetwork(t)
	p := &pair{n: n, a: n.linkedRouter("a"), b: n.linkedRouter("b"), at: fmt.Sprintf("127.0.0.1:%d", testPorts(t, 1)[0])}
	p.a.change(func(text string) string {
		return strings.Replace(text, "\nlisteners:\n", "\nmetrics: {reportInterval: 1s}\nlisteners:\n  - {binding: proxy, address: \"tcp:"+p.at+"\", service: plain}\n", 1)
	})
	p.b.change(func(text string) string {
		return text + "dialers: [{binding: transport}]\nmetrics: {reportInterval: 1s}\n"
	})
	serviceID, _ := n.service("plain", false)
	binding, address := "transport", "tcp:"+tcpEcho(t)
	if _, err := n.admin.Management().CreateTerminator(testContext(t), &client.TerminatorInput{
		Service: &serviceID, Router: &p.b.id, Binding: &binding, Address: &address,
	}); err != nil {
		t.Fatal(err)
	}
	n.eventually("a link", p.linked)
	n.eventually("the controller knows it", func() bool {
		_, err := n.controller.network.Path(p.a.id, p.b.id)
		return err == nil
	})
	return p
}

func (p *pair) linked() bool { return p.a.linksWith(p.b.id) == 1 && p.b.linksWith(p.a.id) == 1 }

// change restarts the router with another file.
func (r *linkedRouter) change(text func(string) string) {
	r.n.t.Helper()
	if err := r.Close(); err != nil {
		r.n.t.Error(err)
	}
	r.text = text(r.text)
	r.start()
	if err := r.Ready(testContext(r.n.t)); err != nil {
		r.n.t.Fatal(err)
	}
}

// dial opens a circuit from one router to the other.
func (p *pair) dial() net.Conn {
	p.n.t.Helper()
	ctx := testContext(p.n.t)
	for {
		c, err := net.Dial("tcp", p.at)
		if err == nil {
			if err = talk(c, "hello"); err == nil {
				p.n.t.Cleanup(func() { c.Close() })
				return c
			}
			c.Close()
		}
		if ctx.Err() != nil {
			p.n.t.Fatal(err)
		}
		pause(ctx, 20*time.Millisecond)
	}
}

// links are the ids of the links of a router, with their iterations.
func (r *linkedRouter) links() (out []string) {
	for _, l := range r.inspectLinks().(link.Inspection).Links {
		out = append(out, l.ID)
	}
	return out
}

// TestRenewalKeepsLinksAndCircuits: both routers get new certificates while a
// circuit over their link carries data: link and circuit stay, not one byte is
// lost, and the next links are made with the new certificates.
func TestRenewalKeepsLinksAndCircuits(t *testing.T) {
	p := newPair(t)
	links := p.a.links()
	c := p.dial()
	circuits := p.a.table.Reports()
	if len(circuits) != 1 {
		t.Fatalf("%d circuits", len(circuits))
	}
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- echoUntil(c, stop) }()
	for _, r := range []*linkedRouter{p.a, p.b, p.a} {
		was := r.identity.ClientCertificate().Leaf.SerialNumber
		if err := r.RenewCertificates(testContext(t)); err != nil {
			t.Fatal(err)
		}
		if r.identity.ClientCertificate().Leaf.SerialNumber.Cmp(was) == 0 {
			t.Error("the certificate is the former one")
		}
		select {
		case err := <-done:
			t.Fatalf("the transfer has ended: %v", err)
		case <-time.After(200 * time.Millisecond): // what the test is about goes on meanwhile
		}
	}
	close(stop)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if now := p.a.links(); len(now) != 1 || now[0] != links[0] {
		t.Errorf("links %v, before %v", now, links)
	}
	if now := p.b.table.Reports(); len(now) != 1 || now[0].CircuitId != circuits[0].CircuitId || now[0].Path != circuits[0].Path {
		t.Errorf("circuits %v, before %v", now, circuits)
	}
	if len(p.a.table.Reports()) != 1 {
		t.Error("the circuit is gone at its first router")
	}
	id := p.a.links()[0]
	p.a.closeLink(id, "the test wants a new one")
	p.n.eventually("a link with the new certificates", p.linked)
	if err := talk(c, strings.Repeat("after all that ", 1000)); err != nil {
		t.Errorf("over the new link: %v", err)
	}
}

// echoUntil sends random bytes, a MiB at a time, and compares what comes back,
// until stop is closed.
func echoUntil(c net.Conn, stop <-chan struct{}) error {
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	rng, sent, got := rand.NewChaCha8([32]byte{1}), make([]byte, 1<<20), make([]byte, 1<<20)
	for i := 0; ; i++ {
		select {
		case <-stop:
			return nil
		default:
		}
		_, _ = rng.Read(sent)
		written := make(chan error, 1)
		go func() { _, err := c.Write(sent); written <- err }()
		if _, err := io.ReadFull(c, got); err != nil {
			return fmt.Errorf("block %d: %w", i, err)
		}
		if err := <-written; err != nil {
			return err
		}
		if !bytes.Equal(got, sent) {
			return fmt.Errorf("block %d differs", i)
		}
	}
}

// TestMetricsOfAPair: what moves over a link, ends at a router, and waits in its
// pools is measured at both routers, and forgotten with the link.
func TestMetricsOfAPair(t *testing.T) {
	p := newPair(t)
	c := p.dial()
	if err := talk(c, strings.Repeat("x", 500_000)); err != nil {
		t.Fatal(err)
	}
	id := p.a.links()[0]
	for name, least := range map[string]float64{
		"link." + id + ".tx.bytesrate": 500_000, "link." + id + ".rx.bytesrate": 500_000, "link." + id + ".tx.msgrate": 10, "link." + id + ".rx.msgrate": 10,
		"link." + id + ".tx.msgsize": 1, "link." + id + ".rx.msgsize": 1, "link." + id + ".latency": 1, "link." + id + ".queue_time": 1,
		"link.dropped_msgs:" + id: 0, "link.dropped_xg_msgs:" + id: 0, "link.dropped_fwd_msgs:" + id: 0,
		"xgress.rx.acks": 1, "xgress.tx.acks": 1, "xgress.retransmissions": 0, "xgress.ack_duplicates": 0, "xgress.payload_duplicates": 0,
		"xgress.dropped_payloads": 0, "xgress.blocked_by_local_window_rate": 0, "xgress.blocked_by_remote_window_rate": 0, "xgress.blocked_time": 0,
		"fabric.tx.bytesrate": 500_000, "fabric.rx.bytesrate": 500_000, "faults.link": 0, "faults.circuit": 0,
		"pool.link.dialer.work_timer": 0, "edge.connect.successes": 0, "edge.connect.failures": 0, "edge.disconnects": 0,
	} {
		for _, r := range []*linkedRouter{p.a, p.b} {
			p.n.eventually(fmt.Sprintf("%s of at least %v", name, least), func() bool { m, ok := r.measured(name); return ok && m["count"] >= least })
		}
	}
	if dials := p.a.dials("pool.link.dialer.work_timer") + p.b.dials("pool.link.dialer.work_timer"); dials == 0 {
		t.Error("no dial of a link is measured")
	}
	if p.b.dials("pool.route.handler.work_timer") == 0 {
		t.Error("no dial of a server is measured")
	}
	for _, name := range []string{
		"pool.link.dialer.queue_size", "pool.link.dialer.busy_workers", "pool.link.dialer.worker_count", "pool.rate_limiter.queue_size",
		"xgress.tx_unacked_payloads", "xgress.tx_unacked_payload_bytes", "xgress.acks.queue_size", "xgress.blocked_by_local_window",
		"xgress.blocked_by_remote_window", "ctrl_limiter.in_process", "ctrl_limiter.window_size",
	} {
		if _, ok := p.a.measured(name); !ok {
			t.Errorf("%s is missing", name)
		}
	}
	before, _ := p.a.measured("faults.link")
	if err := p.b.Close(); err != nil {
		t.Fatal(err)
	}
	p.n.eventually("nothing of the link is left", func() bool {
		for name := range p.a.inspectMetrics().Metrics {
			if strings.Contains(name, id) {
				return false
			}
		}
		return true
	})
	if m, _ := p.a.measured("faults.link"); m["count"] != before["count"]+1 {
		t.Errorf("link faults %v, before %v", m, before)
	}
}

func (r *linkedRouter) measured(name string) (values map[string]float64, ok bool) {
	m, ok := r.inspectMetrics().Metrics[name]
	return m.Values, ok
}

func (r *linkedRouter) dials(timer string) float64 {
	m, _ := r.measured(timer)
	return m["count"]
}

// TestPairWithoutAController: both routers start without a controller, link by
// what their snapshots say of each other, and have the link that they had.
func TestPairWithoutAController(t *testing.T) {
	p := newPair(t)
	p.n.stopController()
	defer p.n.startController()
	for _, r := range []*linkedRouter{p.a, p.b} {
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	p.b.start()
	p.a.start()
	p.n.eventually("a link without a controller", p.linked)
	if p.a.uplink.Status().Connected || !p.a.uplink.Filled() {
		t.Error("there is a controller, or nothing of the snapshot")
	}
}

// TestLinksThroughAProxy: with a proxy section, links are dialed through it.
func TestLinksThroughAProxy(t *testing.T) {
	p := newPair(t)
	through := newConnectProxy(t)
	p.a.change(func(text string) string { return text + "proxy: " + through.section("secret") + "\n" })
	p.b.change(func(text string) string {
		a, rest, _ := strings.Cut(text, "  dialers:\n    - binding: transport")
		_, after, _ := strings.Cut(rest, "  heartbeats:")
		return a + "  heartbeats:" + after // b dials nobody any more
	})
	p.n.eventually("a link that a has dialed", func() bool { return p.linked() && !p.dialedBy(p.b) })
	if through.tunnels(p.b.advertised()) == 0 {
		t.Errorf("no tunnel to %s", p.b.advertised())
	}
}

// advertised is the address of the link listener.
func (r *linkedRouter) advertised() string { return r.config().Link.Listeners[0].Advertise.HostPort() }

func (p *pair) dialedBy(r *linkedRouter) bool {
	all := p.a.linkReports()
	return len(all) > 0 && all[0].DialerId == r.id
}
