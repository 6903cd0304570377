package link

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/clock"
	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/wire/ctrl"
)

// bench is a router with a clock that the test moves and dials that fail.
type bench struct {
	*Manager
	clock *clock.Fake
	mu    sync.Mutex
	dials []string
	block chan struct{} // dials wait for it if it is not nil
}

var errNoWay = &net.OpError{Op: "dial", Err: errors.New("no way")}

func newBench(t *testing.T, change nodeOption) *bench {
	t.Helper()
	b := &bench{clock: clock.NewFake(time.Unix(1_000_000, 0))}
	d := Dialer{
		Name: "default", Groups: []string{"default"}, MaxPayload: 1,
		Healthy:   Backoff{Min: 5 * time.Second, Max: 5 * time.Minute, Factor: 1.5},
		Unhealthy: Backoff{Min: time.Minute, Max: time.Hour, Factor: 10},
		Net: func(ctx context.Context, _, address string) (net.Conn, error) {
			b.mu.Lock()
			b.dials = append(b.dials, address)
			block := b.block
			b.mu.Unlock()
			if block != nil {
				select {
				case <-block:
				case <-ctx.Done():
				}
			}
			return nil, errNoWay
		},
	}
	cfg := Config{
		RouterID: "A", TLS: &tls.Config{}, Trust: newNetwork(), Budget: forward.NewBudget(1), Clock: b.clock,
		Dialers: []Dialer{d}, Receive: func(string, *channel.Frame) {},
	}
	if change != nil {
		change(&cfg)
	}
	var err error
	if b.Manager, err = New(cfg); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- b.Run(context.Background()) }()
	t.Cleanup(func() {
		b.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	wait(t, "it runs", func() bool { b.Manager.mu.Lock(); defer b.Manager.mu.Unlock(); return b.running })
	return b
}

func (b *bench) attempts() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.dials)
}

// state returns what an operator sees of the only target.
func (b *bench) state(t *testing.T) LinkState {
	t.Helper()
	d := b.Inspect().Destinations
	if len(d) != 1 || len(d[0].LinkStates) != 1 {
		t.Fatalf("%+v", d)
	}
	return d[0].LinkStates[0]
}

// failed waits for the end of attempt n.
func (b *bench) failed(t *testing.T, n int) LinkState {
	t.Helper()
	wait(t, "an attempt", func() bool { s := b.state(t); return s.Status == stateDialFailed && s.DialAttempts == n })
	return b.state(t)
}

func far(online bool, l ...*ctrl.LinkListener) *ctrl.Peer {
	return &ctrl.Peer{RouterId: "B", Online: online, Listeners: l}
}

func listenerAt(name, address string, groups ...string) *ctrl.LinkListener {
	return &ctrl.LinkListener{Protocol: "tls", Address: "tls:" + address, Name: name, Groups: groups}
}

func TestPausesGrow(t *testing.T) {
	b := newBench(t, nil)
	l := listenerAt("default", "b:1", "default")
	b.Peers(peers(far(true, l)))
	s := b.failed(t, 1)
	if s.RetryDelay != "5s" || s.LastError.Code != CodeUnreachable || s.LastError.Remedy == "" || !s.NextDial.Equal(b.clock.Now().Add(5*time.Second)) {
		t.Errorf("after the first attempt: %+v, %+v", s, s.LastError)
	}
	b.clock.Advance(5*time.Second - 1)
	if b.attempts() != 1 {
		t.Fatal("dialed before the pause was over")
	}
	b.clock.Advance(1)
	s = b.failed(t, 2)
	if d, _ := time.ParseDuration(s.RetryDelay); d < 5*time.Second || d > 10*time.Second {
		t.Errorf("the second pause is %s", s.RetryDelay)
	}
	b.Peers(peers(far(false, l))) // no controller sees it: the next failure counts by the other policy
	b.clock.Advance(10 * time.Second)
	s = b.failed(t, 3)
	if d, _ := time.ParseDuration(s.RetryDelay); d < time.Minute || d > 105*time.Second {
		t.Errorf("the pause of a router that nobody sees is %s", s.RetryDelay)
	}
	b.Peers(peers(far(true, l))) // it is back: at once, and by the healthy policy
	if s = b.failed(t, 4); s.RetryDelay != "5s" {
		t.Errorf("the pause of a router that came back is %s", s.RetryDelay)
	}
	b.Peers(peers(far(true, l))) // nothing new
	if b.attempts() != 4 {
		t.Error("dialed without a reason")
	}
}

func TestBackoff(t *testing.T) {
	b := Backoff{Min: time.Second, Max: 10 * time.Second, Factor: 1.2}
	for _, tt := range []struct {
		delay  time.Duration
		chance float64
		want   time.Duration
	}{
		{0, 0.5, time.Second},
		{time.Second, 0, time.Second}, // a factor below 1 counts as 1
		{2 * time.Second, 0.8, 3 * time.Second},
		{9 * time.Second, 0.8, 10 * time.Second},
		{0, 0, time.Second},
	} {
		if got := b.after(tt.delay, tt.chance); got != tt.want {
			t.Errorf("after(%v, %v) = %v, want %v", tt.delay, tt.chance, got, tt.want)
		}
	}
}

// TestRedials: losses in a row are made up for at once, up to a number.
func TestRedials(t *testing.T) {
	x := &target{peer: &peer{online: true}, dialer: &Dialer{Healthy: Backoff{Min: time.Second, Max: time.Minute, Factor: 2}}}
	now := time.Unix(1_000_000, 0)
	for i := range redials {
		if !x.spend(now) {
			t.Fatalf("loss %d is not made up for at once", i+1)
		}
	}
	if x.spend(now) {
		t.Fatal("no end of redials")
	}
	if now = now.Add(time.Second); !x.spend(now) || x.spend(now) {
		t.Fatal("not one more after a pause")
	}
}

func TestPeerChanges(t *testing.T) {
	b := newBench(t, nil)
	b.Peers(peers(far(true, listenerAt("default", "b:1", "default", "other"), listenerAt("default", "b:2", "other", "default"))))
	s := b.failed(t, 1)
	if !slices.Equal(s.TargetAddresses, []string{"b:1", "b:2"}) {
		t.Errorf("%+v", s) // one link however many groups they share, and addresses tried in turn
	}
	b.clock.Advance(5 * time.Second)
	b.failed(t, 2)
	b.Peers(peers(far(true, listenerAt("default", "b:3", "default")))) // another address: at once
	b.failed(t, 3)
	if b.mu.Lock(); !slices.Equal(b.dials, []string{"b:1", "b:2", "b:3"}) {
		t.Errorf("dialed %v", b.dials)
	}
	b.mu.Unlock()
	b.Peers(peers(far(true, listenerAt("default", "b:3", "elsewhere")))) // no group in common
	if n := len(b.Inspect().Destinations[0].LinkStates); n != 0 {
		t.Errorf("%d targets", n)
	}
	b.Peers(peers(far(true, listenerAt("default", "b:3", "default"), listenerAt("eth1", "b:4", "default"))))
	wait(t, "two targets", func() bool { return len(b.Inspect().Destinations[0].LinkStates) == 2 })
	b.Peers(&ctrl.Peers{Whole: true}) // removed
	if d := b.Inspect().Destinations; len(d) != 0 || len(b.targets) != 0 {
		t.Errorf("%+v", d)
	}
}

// TestForgotten: a router that nobody sees and that has no link is dialed for
// two days.
func TestForgotten(t *testing.T) {
	b := newBench(t, nil)
	b.Peers(peers(far(false, listenerAt("default", "b:1", "default"))))
	b.failed(t, 1)
	b.forget(b.clock.Now().Add(forgetAfter - 1))
	if len(b.Inspect().Destinations) != 1 {
		t.Fatal("forgotten too early")
	}
	b.forget(b.clock.Now().Add(forgetAfter))
	if len(b.Inspect().Destinations) != 0 {
		t.Fatal("not forgotten")
	}
	b.Peers(peers(far(true, listenerAt("default", "b:1", "default"))))
	b.failed(t, 1)
}

// TestFullQueue: a dial that finds the queue full fails at once and is tried
// again.
func TestFullQueue(t *testing.T) {
	b := newBench(t, func(c *Config) { c.DialQueue, c.DialWorkers = 1, 1 })
	block := make(chan struct{})
	b.block = block
	p := func(id string) *ctrl.Peer {
		return &ctrl.Peer{RouterId: id, Online: true, Listeners: []*ctrl.LinkListener{listenerAt("default", id+":1", "default")}}
	}
	b.Peers(peers(p("B")))
	wait(t, "the worker is busy", func() bool { return b.attempts() == 1 })
	b.Peers(peers(p("C")))
	b.Peers(peers(p("D")))
	states := func() map[string]LinkState {
		out := make(map[string]LinkState)
		for _, d := range b.Inspect().Destinations {
			out[d.ID] = d.LinkStates[0]
		}
		return out
	}
	s := states()
	if s["B"].Status != stateDialing || s["C"].Status != statePending || s["D"].Status != stateQueueFailed || s["D"].LastError.Code != CodeQueueFull {
		t.Errorf("%+v", s)
	}
	b.mu.Lock()
	b.block = nil
	b.mu.Unlock()
	close(block)
	wait(t, "the others", func() bool {
		s := states()
		return s["B"].Status == stateDialFailed && s["C"].Status == stateDialFailed
	})
	wait(t, "another attempt", func() bool { // the others are due too, so the queue may be full again
		b.clock.Advance(time.Second)
		return states()["D"].Status == stateDialFailed
	})
}

// TestWithoutListenerOrDialer: a router without a dialer dials nobody, and one
// without listeners is dialed by nobody.
func TestWithoutListenerOrDialer(t *testing.T) {
	b := newBench(t, func(c *Config) { c.Dialers = nil })
	b.Peers(peers(far(true, listenerAt("default", "b:1", "default"))))
	if len(b.Inspect().Destinations[0].LinkStates) != 0 || b.Listeners() != nil || b.Dialers() != nil {
		t.Error("it has targets")
	}
	c := newBench(t, nil)
	c.Peers(peers(far(true)))
	if len(c.Inspect().Destinations[0].LinkStates) != 0 {
		t.Error("it has targets")
	}
}
