package edge

import (
	"testing"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/wire/edge"
)

// TestTheReasonOfAnEnd: a dialer learns with a code why its circuit ended,
// except if the other end has simply left it.
func TestTheReasonOfAnEnd(t *testing.T) {
	const none = edge.ErrorCode(1 << 20)
	for name, c := range map[string]struct {
		end  func(b *bed, h *sdk, host conn)
		code edge.ErrorCode
		hint edge.RetryHint
	}{
		"access lost": {func(b *bed, _ *sdk, _ conn) {
			b.net.deny(policy.Dial, "d", "svc")
			b.srv.Recheck(nil)
		}, edge.CodeAccessDenied, edge.RetryStartOver},
		"the controller was faster": {func(b *bed, _ *sdk, _ conn) {
			b.net.deny(policy.Dial, "d", "svc")
			b.table.Unroute("access was withdrawn", b.table.All()[0].ID)
		}, edge.CodeAccessDenied, edge.RetryStartOver},
		"removed": {func(b *bed, _ *sdk, _ conn) {
			b.table.Unroute("gone", b.table.All()[0].ID)
		}, edge.CodeInternal, edge.RetryDefault},
		"session ended": {func(b *bed, _ *sdk, _ conn) {
			b.net.kill("s-d/d/svc/Dial")
			b.srv.RecheckSessions()
		}, edge.CodeInvalidSession, edge.RetryStartOver},
		"the host lost access": {func(b *bed, _ *sdk, _ conn) {
			b.net.deny(policy.Bind, "h", "svc")
			b.srv.Recheck(nil)
		}, edge.CodeInternal, edge.RetryDefault},
		"the host is gone":  {func(_ *bed, h *sdk, _ conn) { h.ch.Close() }, edge.CodeInternal, edge.RetryDefault},
		"the host has left": {func(_ *bed, _ *sdk, host conn) { _ = host.Close() }, none, 0},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBed(t, func(c *Config) { c.leave = 100 * time.Millisecond })
			h := b.connect("h")
			l := h.host("svc", true)
			d := b.connect("d")
			_, begin := slowDialer(t, d, "svc")
			id := d.next - 1
			begin()
			inner := d.sinks[id]
			closed := make(chan *edge.StateClosed, 1)
			d.handle(id, func(f *channel.Frame) {
				if f.Type == edge.TypeStateClosed {
					m, _ := edge.ParseStateClosed(f.Clone())
					closed <- m
				}
				inner(f)
			})
			c.end(b, h, <-l.accepted)
			var m *edge.StateClosed
			select {
			case m = <-closed:
			case <-time.After(10 * time.Second):
				t.Fatal("the dialer is not told")
			}
			switch {
			case c.code == none && m.Error == nil:
			case m.Error == nil || m.Error.Code != c.code || m.Error.RetryHint != c.hint || m.Reason == "":
				t.Errorf("%q, %+v", m.Reason, m.Error)
			}
		})
	}
}
