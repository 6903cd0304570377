package edge

import (
	"io"
	"strings"
	"testing"

	"github.com/weftnet/weft/wire/ctrl"
	"github.com/weftnet/weft/wire/edge"
)

// plainNetwork is a network whose services require no encryption.
type plainNetwork struct{ *network }

func (plainNetwork) EncryptionRequired(serviceID string) bool { return serviceID == "secret" }

// TestDialWithoutController: clients of one router reach each other, and only
// each other, while no controller is connected.
func TestDialWithoutController(t *testing.T) {
	b := newBed(t, func(c *Config) { c.Directory = plainNetwork{c.Directory.(*network)} })
	l := b.connect("h").host("svc", true)
	b.connect("k").host("secret", true)
	s := b.connect("d")
	b.net.mu.Lock()
	b.net.absent = true
	b.net.mu.Unlock()
	c, _, err := s.dial("svc", true)
	if err != nil {
		t.Fatal(err)
	}
	in := <-l.accepted
	if _, err := c.Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 5)
	if _, err := io.ReadFull(in, got); err != nil || string(got) != "hello" {
		t.Errorf("%q, %v", got, err)
	}
	r := b.table.Reports()
	if len(r) != 1 || r[0].Path != 1 || r[0].TerminatorId == "" || r[0].HostId != "h" {
		t.Errorf("what a controller that comes back is told: %v", r)
	}
	_, _ = c.Close(), in.Close()
	if _, _, err := s.dial("other", true); err == nil || !strings.HasPrefix(err.Error(), "no controller available") {
		t.Errorf("a service that nobody hosts here: %v", err)
	}
	if _, _, err := s.dial("secret", true); err == nil || !strings.Contains(err.Error(), "requires encryption") {
		t.Errorf("a service that requires keys: %v", err)
	}
	eventually(t, "nothing is left behind", func() bool { return b.table.Len() == 0 })
}

// TestRankAlone: without a controller, terminators are chosen by precedence and
// cost, and one that has failed is not tried again.
func TestRankAlone(t *testing.T) {
	b := newBed(t)

	for _, o := range []edge.Bind{
		{Cost: 10, Precedence: edge.PrecedenceRequired}, {Cost: 5, Precedence: edge.PrecedenceRequired}, {Cost: 1}, {Precedence: edge.PrecedenceFailed},
	} {
		l := &terminator{id: "x", key: listenerKey{service: "svc"}, desired: &ctrl.Terminator{
			Id: precedenceName(o.Precedence) + string(rune('a'+o.Cost)), ServiceId: "svc", Cost: uint32(o.Cost), Precedence: precedenceName(o.Precedence),
			PeerData: map[uint32][]byte{uint32(edge.HeaderPublicKey): []byte("k")},
		}}
		b.srv.mu.Lock()
		b.srv.terminators[l.desired.Id] = l
		b.srv.mu.Unlock()
	}
	ask := &ctrl.CreateCircuit{ServiceId: "svc", PeerData: map[uint32][]byte{uint32(edge.HeaderPublicKey): []byte("k")}}
	for _, want := range []string{"requiredf", "requiredk"} {
		best, _ := alone{b.srv}.choose(ask)
		if best.GetId() != want {
			t.Fatalf("chose %v, want %s", best, want)
		}
		ask.Failure = &ctrl.Failure{TerminatorId: best.Id}
	}
	b.srv.mu.Lock()
	clear(b.srv.terminators)
	b.srv.mu.Unlock()
	if best, refusal := (alone{b.srv}).choose(ask); best != nil || refusal != nil {
		t.Error(best, refusal)
	}
}

// used is what waits in the router altogether.
func (b *bed) used() int64 { return b.srv.spill.Used() + b.srv.cfg.Budget.Used() }
