package forward

import (
	"context"
	"encoding/binary"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/wire/ctrl"
	"github.com/weftnet/weft/wire/message"
	"github.com/weftnet/weft/wire/xgress"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// pipe is a Sender with room for a few frames.
type pipe struct {
	frames chan *channel.Frame
	gone   chan struct{}
}

func newPipe(room int) *pipe {
	return &pipe{frames: make(chan *channel.Frame, room), gone: make(chan struct{})}
}

func (p *pipe) TrySendFrame(f *channel.Frame) bool {
	select {
	case p.frames <- f:
		return true
	default:
		return false
	}
}

func (p *pipe) SendFrame(ctx context.Context, f *channel.Frame) error {
	select {
	case p.frames <- f:
		return nil
	case <-ctx.Done():
		f.Release()
		return ctx.Err()
	}
}

func numbered(lane, n int) *channel.Frame {
	f := channel.NewFrame(message.New(7, nil), 8)
	binary.LittleEndian.PutUint32(f.Body, uint32(lane))
	binary.LittleEndian.PutUint32(f.Body[4:], uint32(n))
	return f
}

func read(f *channel.Frame) (lane, n int) {
	defer f.Release()
	return int(binary.LittleEndian.Uint32(f.Body)), int(binary.LittleEndian.Uint32(f.Body[4:]))
}

func TestLanesKeepTheirOrderAndShare(t *testing.T) {
	const lanes, each = 8, 500
	p := newPipe(4)
	budget := NewBudget(1 << 30)
	o := NewOutlet(context.Background(), p, budget)
	var wg sync.WaitGroup
	for i := range lanes {
		if i%2 == 0 {
			l := o.Lane(nil, false)
			wg.Go(func() {
				for n := range each {
					l.Push(numbered(i, n))
				}
			})
			continue
		}
		next := 0
		l := o.Lane(func() *channel.Frame {
			if next == each {
				return nil
			}
			next++
			return numbered(i, next-1)
		}, false)
		wg.Go(func() {
			for range 10 {
				l.Kick()
			}
		})
	}
	want := make([]int, lanes)
	for range lanes * each {
		lane, n := read(<-p.frames)
		if n != want[lane] {
			t.Fatalf("lane %d: frame %d instead of %d", lane, n, want[lane])
		}
		want[lane]++
	}
	wg.Wait()
	if budget.Used() != 0 {
		t.Errorf("%d bytes are still counted", budget.Used())
	}
}

func TestHeldLaneOpensInOrder(t *testing.T) {
	p := newPipe(10)
	l := NewOutlet(context.Background(), p, NewBudget(1<<20)).Lane(nil, true)
	l.Push(numbered(0, 1))
	l.Push(numbered(0, 2))
	if len(p.frames) != 0 {
		t.Fatal("a held lane sent something")
	}
	l.Open(numbered(0, 0))
	l.Push(numbered(0, 3))
	for want := range 4 {
		if _, n := read(<-p.frames); n != want {
			t.Errorf("frame %d instead of %d", n, want)
		}
	}
}

func TestBudgetAndClose(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	p := newPipe(0)
	budget := NewBudget(600) // frames count with the 512 bytes of memory they keep
	l := NewOutlet(ctx, p, budget).Lane(nil, true)
	pushed := 0
	for l.Push(numbered(0, pushed)) {
		pushed++
	}
	if pushed != 3 || budget.Used() != 3*512 {
		t.Errorf("%d frames, %d bytes counted", pushed, budget.Used())
	}
	l.Close()
	if l.Push(numbered(0, 0)) || budget.Used() != 0 {
		t.Errorf("a closed lane took a frame, or keeps %d bytes", budget.Used())
	}
	cancel()
}

func TestOutletOfADeadChannelEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	budget := NewBudget(1 << 20)
	l := NewOutlet(ctx, newPipe(0), budget).Lane(nil, false)
	for n := range 10 {
		l.Push(numbered(0, n))
	}
	cancel()
	for deadline := time.Now().Add(10 * time.Second); budget.Used() != 0; {
		if time.Now().After(deadline) {
			t.Fatal("frames wait for a dead channel")
		}
		time.Sleep(time.Millisecond)
	}
}

// sink is a Destination that remembers what it got.
type sink struct {
	got    []int
	reason string
	drop   bool
}

func (s *sink) Forward(f *channel.Frame) {
	_, n := read(f)
	s.got = append(s.got, n)
}
func (s *sink) Unrouted(reason string, drop bool) { s.reason, s.drop = reason, drop }

func TestCircuit(t *testing.T) {
	var ended []string
	table := NewTable(func(id string) { ended = append(ended, id) })
	c, err := table.Add(Info{ID: "c1", IdentityID: "i", ServiceID: "s"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := table.Add(Info{ID: "c1"}); err == nil {
		t.Error("a second circuit with the same id")
	}
	a, b := &sink{}, &sink{}
	c.Attach(Initiator, a)
	c.Send(Terminator, numbered(0, 0))
	if !c.Lossy.Load() {
		t.Error("a dropped message was not noted")
	}
	c.Attach(Terminator, b)
	c.Send(Terminator, numbered(0, 1))
	c.Send(Initiator, numbered(0, 2))
	if len(a.got) != 1 || a.got[0] != 2 || len(b.got) != 1 || b.got[0] != 1 {
		t.Errorf("initiator got %v, terminator %v", a.got, b.got)
	}
	c.SetHost("t1", "h")
	if r := table.Reports(); len(r) != 1 || r[0].TerminatorId != "t1" || r[0].HostId != "h" {
		t.Errorf("%v", r)
	}
	c.End("over", false)
	c.End("again", true)
	if a.reason != "over" || b.reason != "over" || a.drop || table.Len() != 0 || len(ended) != 1 {
		t.Errorf("%+v %+v, %d circuits, ended %v", a, b, table.Len(), ended)
	}
	if c.Attach(Initiator, a) {
		t.Error("attached to an ended circuit")
	}
	_, err = table.Terminate(context.Background(), c, &ctrl.Egress{Binding: "tunnel"})
	if d, ok := err.(*DialError); !ok || d.Cause != ctrl.Cause_MISCONFIGURED_TERMINATOR {
		t.Errorf("%v", err)
	}
}

// TestStalledLanesLeaveRoomForOthers: those who do not read use up the budget and
// are slowed down; others still have their share.
func TestStalledLanesLeaveRoomForOthers(t *testing.T) {
	budget := NewBudget(8 << 20) // of which each has 128 KiB in any case
	stuck := NewOutlet(t.Context(), full{}, budget)
	source := func(l *Lane) (pushed int) {
		for l.Push(payloadFrame("c", 60<<10, 0)) {
			pushed++
		}
		return pushed
	}
	var lanes []*Lane
	for range 8 {
		l := stuck.Lane(nil, true)
		source(l)
		lanes = append(lanes, l)
	}
	if most := budget.max * (stretch - 1); budget.Used() > most+8*leastShare {
		t.Errorf("%d bytes wait for one channel", budget.Used())
	}
	if lanes[0].Brake() <= mostWindow {
		t.Errorf("the source of a lane that fills the router may send %d more", mostWindow-lanes[0].Brake())
	}
	other := NewOutlet(t.Context(), full{}, budget).Lane(nil, true)
	if n := source(other); n < 2 {
		t.Errorf("a circuit that begins has room for %d payloads", n)
	}
	for _, l := range append(lanes, other) {
		l.Close()
	}
	if budget.Used() != 0 || budget.lanes.Load() != 0 {
		t.Errorf("%d bytes and %d lanes are left", budget.Used(), budget.lanes.Load())
	}
}

// full is a channel without room.
type full struct{}

func (full) TrySendFrame(*channel.Frame) bool { return false }
func (full) SendFrame(ctx context.Context, f *channel.Frame) error {
	f.Release()
	<-ctx.Done()
	return ctx.Err()
}

// TestBrake: an acknowledgement says more than the receiver has stored while
// payloads of its circuit wait and room is scarce.
func TestBrake(t *testing.T) {
	budget := NewBudget(1 << 20)
	table := NewTable(nil)
	c, err := table.Add(Info{ID: "c"})
	if err != nil {
		t.Fatal(err)
	}
	sink := &keep{}
	back := NewOutlet(t.Context(), sink, budget)
	way := NewOutlet(t.Context(), full{}, budget)
	c.Attach(Initiator, newLinkEnd(c, Initiator, oneLink{"up", back}))
	e := newLinkEnd(c, Terminator, oneLink{"down", way})
	e.payload = way.Lane(nil, true)
	c.Attach(Terminator, e)
	told := func() uint32 {
		a := xgress.Ack{Circuit: []byte("c"), Flags: xgress.FlagOriginator, RecvBuffer: 1000}
		m := a.Message(nil)
		table.Receive("down", channel.NewFrame(&m, 0))
		got, err := xgress.ParseAck(&sink.last.Message)
		if err != nil {
			t.Fatal(err)
		}
		return got.RecvBuffer
	}
	if n := told(); n != 1000 {
		t.Errorf("with room, the source is told %d", n)
	}
	for range 9 {
		table.Receive("up", payloadFrame("c", 60<<10, 0))
	}
	if n := told(); n < mostWindow {
		t.Errorf("with 540 KiB of 1 MiB waiting, the source is told %d", n)
	}
	e.payload.Clear()
	if n := told(); n != 1000 {
		t.Errorf("with room again, the source is told %d", n)
	}
	e.close()
}

// keep remembers the last frame.
type keep struct{ last *channel.Frame }

func (k *keep) TrySendFrame(f *channel.Frame) bool { k.last = f; return true }
func (k *keep) SendFrame(_ context.Context, f *channel.Frame) error {
	k.last = f
	return nil
}
