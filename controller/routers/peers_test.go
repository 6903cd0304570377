package routers

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weftnet/weft/wire/ctrl"
)

// told is a router that notes what it is told of others.
type told struct {
	id string

	mu       sync.Mutex
	messages int
	peers    map[string]*ctrl.Peer
}

func (r *told) PushEndpoints(*ctrl.Endpoints) {}

func (r *told) PushPeers(m *ctrl.Peers) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.messages++
	for _, p := range m.Put {
		r.peers[p.RouterId] = p
	}
	for _, id := range m.Removed {
		delete(r.peers, id)
	}
}

// join connects the router as HandleRegister does.
func (r *told) join(p *peers) {
	m, seen := p.all(r.id, true)
	r.reset(true)
	r.PushPeers(m)
	r.reset(false)
	p.add(r, r.id, seen)
}

// reset forgets how many messages there were, and with all what they said.
func (r *told) reset(all bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.messages = 0
	if all {
		r.peers = make(map[string]*ctrl.Peer)
	}
}

func peerNamed(id string, online bool) *ctrl.Peer {
	return &ctrl.Peer{RouterId: id, Name: id, Online: online, Listeners: []*ctrl.LinkListener{{Protocol: "tls", Address: "tls:" + id + ":6000"}}}
}

// inBubble runs fn with peers that tell routers of changes.
func inBubble(t *testing.T, cfg Messaging, fn func(p *peers)) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeers(cfg)
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { p.run(ctx); close(done) }()
		fn(p)
		cancel()
		<-done
	})
}

func TestPeersAreTold(t *testing.T) {
	for _, cfg := range []Messaging{{}, {QueueSize: 1, MaxWorkers: 1}, {QueueSize: 100, MaxWorkers: 2}} {
		inBubble(t, cfg, func(p *peers) {
			var all []*told
			for i := range 20 {
				r := &told{id: fmt.Sprint("r", i)}
				p.set(r.id, peerNamed(r.id, true))
				r.join(p)
				all = append(all, r)
			}
			time.Sleep(time.Second)
			p.set("r3", peerNamed("r3", false))
			p.set("r3", peerNamed("r3", true))
			p.set("r3", peerNamed("r3", true))
			p.set("r4", nil)
			p.set("r5", peerNamed("r5", false))
			for _, r := range all {
				r.reset(false)
			}
			time.Sleep(time.Second)
			p.drop(all[6])
			p.set("r7", nil)
			time.Sleep(time.Second)
			for _, r := range all {
				r.mu.Lock()
				defer r.mu.Unlock()
				var ids []string
				for id := range r.peers {
					ids = append(ids, id)
				}
				want, messages := 17, 2 // of 20 routers: itself, r4 and r7
				switch r.id {
				case "r6":
					want, messages = 18, 1
				case "r7":
					want, messages = 18, 1
				case "r4":
					want = 18
				}
				if len(ids) != want || slices.Contains(ids, r.id) || r.messages != messages || r.id != "r5" && r.peers["r5"].Online {
					t.Errorf("%+v: %s got %d messages and has %d peers: %v", cfg, r.id, r.messages, len(ids), ids)
				}
			}
		})
	}
}

// TestManyPeers has 1,000 routers come and go: everybody knows in the end how
// everybody is, by few messages.
func TestManyPeers(t *testing.T) {
	inBubble(t, Messaging{QueueSize: 100, MaxWorkers: 100}, func(p *peers) {
		const n = 1000
		all := make([]*told, n)
		for i := range n {
			all[i] = &told{id: fmt.Sprint("r", i)}
			p.set(all[i].id, peerNamed(all[i].id, true))
			all[i].join(p)
		}
		for range 3 {
			for i := range n {
				p.set(all[i].id, peerNamed(all[i].id, i%3 > 0))
			}
			for i := range n {
				p.set(all[i].id, peerNamed(all[i].id, i%3 == 0))
			}
			time.Sleep(time.Second)
		}
		for _, r := range all {
			r.mu.Lock()
			defer r.mu.Unlock()
			if len(r.peers) != n-1 || r.messages > 10 || r.id != "r9" && !r.peers["r9"].Online || r.id != "r10" && r.peers["r10"].Online {
				t.Fatal(r.id, len(r.peers), r.messages)
			}
		}
	})
}
