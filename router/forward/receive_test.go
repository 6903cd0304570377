package forward

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/wire/message"
	"github.com/weftnet/weft/wire/xgress"
)

// swallow is a channel that has always room.
type swallow struct{ n int }

func (s *swallow) TrySendFrame(f *channel.Frame) bool { s.n++; f.Release(); return true }
func (s *swallow) SendFrame(_ context.Context, f *channel.Frame) error {
	f.Release()
	return nil
}

type oneLink struct {
	id  string
	out *Outlet
}

func (l oneLink) ID() string                        { return l.id }
func (l oneLink) Outlets(string) (*Outlet, *Outlet) { return l.out, l.out }

// transit makes a table with circuits between two links.
func transit(tb testing.TB, circuits int) (*Table, *swallow) {
	tb.Helper()
	t := NewTable(nil)
	sink := &swallow{}
	out := NewOutlet(context.Background(), sink, NewBudget(DefaultBudget))
	for i := range circuits {
		c, err := t.Add(Info{ID: circuitName(i)})
		if err != nil {
			tb.Fatal(err)
		}
		for s, id := range []string{"up", "down"} {
			c.Attach(Side(s), newLinkEnd(c, Side(s), oneLink{id, out}))
		}
	}
	return t, sink
}

func circuitName(i int) string { return fmt.Sprintf("4RKXaP80Gm5AK5KGuDL%03d", i) }

func payloadFrame(circuit string, size int, flags xgress.Flags) *channel.Frame {
	p := xgress.Payload{Circuit: []byte(circuit), Seq: 7, Flags: flags}
	m := p.Message(make(message.Headers, 0, 128))
	return channel.NewFrame(&m, size)
}

func TestReceive(t *testing.T) {
	table, sink := transit(t, 1)
	table.Receive("up", payloadFrame(circuitName(0), 10, 0))
	table.Receive("down", payloadFrame(circuitName(0), 10, xgress.FlagOriginator))
	table.Get([]byte(circuitName(0))).part("old")
	table.Receive("old", payloadFrame(circuitName(0), 10, 0)) // by a link that is not of the path any more
	if sink.n != 3 || table.drops.Load() != 0 {
		t.Errorf("%d passed on, %d dropped", sink.n, table.drops.Load())
	}
	var faults []string
	table.SetFaults(func(id string) { faults = append(faults, id) })
	table.Receive("down", payloadFrame(circuitName(0), 10, 0)) // back to where it came from
	table.Receive("up", payloadFrame("unknown", 10, 0))
	table.Receive("up", payloadFrame(strings.Repeat("x", maxID+1), 10, 0)) // nobody is told of it
	if sink.n != 3 || table.drops.Load() != 1 || table.strays.Load() != 2 || len(faults) != 1 || faults[0] != "unknown" {
		t.Errorf("%d passed on, %d dropped, %d strays, faults %v", sink.n, table.drops.Load(), table.strays.Load(), faults)
	}
	table.LinkLost("down")
	table.Receive("up", payloadFrame(circuitName(0), 10, 0))
	if sink.n != 3 || table.drops.Load() != 2 || len(faults) != 3 {
		t.Errorf("%d passed on, %d dropped, faults %v", sink.n, table.drops.Load(), faults)
	}
}

// TestReceiveAllocatesNothing: the way of a message through a transit router.
func TestReceiveAllocatesNothing(t *testing.T) {
	table, _ := transit(t, 100)
	name := circuitName(50)
	p := xgress.Payload{Circuit: []byte(name), Seq: 7}
	m := p.Message(make(message.Headers, 0, 128))
	table.Receive("up", channel.NewFrame(&m, 1000))
	if n := testing.AllocsPerRun(1000, func() { table.Receive("up", channel.NewFrame(&m, 1000)) }); n > 0 {
		t.Errorf("%v allocations per message", n)
	}
}

func BenchmarkReceive(b *testing.B) {
	table, _ := transit(b, 1000)
	b.RunParallel(func(pb *testing.PB) {
		p := xgress.Payload{Circuit: []byte(circuitName(500)), Seq: 7}
		m := p.Message(make(message.Headers, 0, 128))
		for i := 0; pb.Next(); i++ {
			table.Receive("up", channel.NewFrame(&m, 1000))
		}
	})
}
