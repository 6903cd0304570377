package edge

import (
	"bytes"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/token"
)

// keyless is a Directory that does not have the key of service sessions yet.
type keyless struct {
	*network
	known atomic.Bool
}

func (d *keyless) Service(text string) (token.Service, error) {
	if !d.known.Load() && strings.HasSuffix(text, "Dial") {
		return token.Service{}, token.ErrUnknownKey
	}
	return d.network.Service(text)
}

// TestServiceSessionWaitsForItsKey: a dial with a token of a key that the router
// is about to hear of waits for it, and not at all with no patience.
func TestServiceSessionWaitsForItsKey(t *testing.T) {
	for _, patience := range []time.Duration{0, time.Minute} {
		d := &keyless{}
		b := newBed(t, func(c *Config) {
			d.network = c.Directory.(*network)
			c.Directory, c.ServicePatience = d, patience
		})
		b.connect("h").host("svc", true)
		s := b.connect("d")
		done := make(chan error, 1)
		go func() { _, _, err := s.dial("svc", true); done <- err }()
		if patience == 0 {
			if err := <-done; err == nil || !strings.Contains(err.Error(), "unknown key") {
				t.Errorf("without patience: %v", err)
			}
			continue
		}
		b.net.mu.Lock()
		close(b.net.changed) // news of something else
		b.net.changed = make(chan struct{})
		b.net.mu.Unlock()
		select {
		case err := <-done:
			t.Fatalf("answered before the news: %v", err)
		case <-time.After(50 * time.Millisecond):
		}
		d.known.Store(true)
		b.net.mu.Lock()
		close(b.net.changed)
		b.net.changed = make(chan struct{})
		b.net.mu.Unlock()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
}

// TestNoPatienceForPolicies: with none, a fresh service session is refused at
// once.
func TestNoPatienceForPolicies(t *testing.T) {
	b := newBed(t, func(c *Config) { c.Directory = &slowDirectory{network: c.Directory.(*network)} })
	b.connect("h").host("svc", true)
	b.net.deny(policy.Dial, "d", "svc")
	begun := time.Now()
	if _, _, err := b.connect("d").dial("svc", true); err == nil || time.Since(begun) > newsPatience/2 {
		t.Errorf("%v after %v", err, time.Since(begun))
	}
}

// TestDataDelay: what a client without a window sends while the far end does not
// read has waited, and that is told.
func TestDataDelay(t *testing.T) {
	var waits, longest atomic.Int64
	b := newBed(t, func(c *Config) {
		c.DataDelay = func(d time.Duration) {
			waits.Add(1)
			longest.Store(max(longest.Load(), int64(d)))
		}
	})
	l := b.connect("h").host("svc", true)
	c, _, err := b.connect("d").dial("svc", false)
	if err != nil {
		t.Fatal(err)
	}
	host := <-l.accepted
	want := pattern(8<<20, 1)
	sent := make(chan error, 1)
	go func() {
		_, err := c.Write(want)
		_ = c.CloseWrite()
		sent <- err
	}()
	eventually(t, "data is stored", func() bool { return b.srv.spill.Used() > 0 })
	time.Sleep(2 * longWait) // is what the test measures
	if got, err := io.ReadAll(host); err != nil || !bytes.Equal(got, want) {
		t.Fatalf("%d bytes, %v", len(got), err)
	}
	if err := <-sent; err != nil {
		t.Fatal(err)
	}
	if waits.Load() == 0 || longest.Load() < int64(longWait) {
		t.Errorf("%d waits, the longest %v", waits.Load(), time.Duration(longest.Load()))
	}
}
