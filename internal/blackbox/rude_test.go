package blackbox

import (
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weftnet/weft/wire/edge"
	"github.com/weftnet/weft/wire/message"
)

// TestRudeClients: clients that dial, host, send, stop reading and hang up at
// any moment, often in the middle of a message, disturb nobody.
func TestRudeClients(t *testing.T) {
	t.Parallel()
	n := ownNetwork(t)
	host := n.person(t)
	var services []rudeService
	var sent atomic.Int64
	for _, serve := range []func(net.Listener){serveEcho, func(l net.Listener) { serveEndless(l, &sent) }} {
		id, name := n.openService(t)
		l, err := host.sdk(t).Listen(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		go serve(l)
		services = append(services, rudeService{id: id})
	}
	const clients, rounds = 8, 40
	var all sync.WaitGroup
	for i := range clients {
		p := n.person(t)
		own := make([]rudeService, len(services))
		for j, s := range services {
			own[j] = rudeService{s.id, p.serviceToken(t, s.id, "Dial"), p.serviceToken(t, s.id, "Bind")}
		}
		all.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(i), 7))
			for range rounds {
				rude(t, p, own, rng)
			}
		})
	}
	polite := make(chan struct{})
	go func() {
		defer close(polite)
		all.Wait()
	}()
	for busy := true; busy; {
		n.unharmed(t)
		select {
		case <-polite:
			busy = false
		case <-time.After(50 * time.Millisecond):
		}
	}
	n.unharmed(t)
}

type rudeService struct{ id, dial, bind string }

// rude is one connection of a client without manners.
func rude(t *testing.T, p *person, services []rudeService, rng *rand.Rand) {
	h := &edge.Hello{Token: p.api.Token}
	if rng.IntN(2) == 0 {
		h.Grouped, h.First, h.UnderlayType = true, true, edge.UnderlayDefault
	}
	e := p.net.welcome(t, &p.cert, h)
	if e == nil {
		return
	}
	stop := make(chan struct{})
	if rng.IntN(2) == 0 { // half of them read
		go func() {
			defer close(stop)
			for {
				if _, err := e.next(); err != nil {
					return
				}
			}
		}()
	} else {
		close(stop)
	}
	var batch []byte
	for k := range 4 + rng.IntN(30) {
		s := services[rng.IntN(len(services))]
		id := uint32(rng.IntN(6))
		var m *message.Message
		switch rng.IntN(7) {
		case 0, 1, 2:
			m = connectMessage(id, s.dial, rng.IntN(2) == 0)
		case 3:
			m = bindMessage(id, s.bind)
		case 4:
			m = (&edge.Data{ConnID: id, Flags: uint32(rng.IntN(2)), Body: make([]byte, rng.IntN(64<<10))}).Encode()
		case 5:
			m = (&edge.StateClosed{ConnID: id, Reason: "enough"}).Encode()
		default:
			m = edgeProbe()
		}
		m.Seq = int32(k + 1)
		batch = m.Append(batch)
		if rng.IntN(4) == 0 {
			if _, err := e.Write(batch); err != nil {
				break
			}
			batch = batch[:0]
		}
	}
	_, _ = e.Write(batch[:rng.IntN(len(batch)+1)])
	select { // let some of it be under way
	case <-time.After(time.Duration(rng.IntN(20)) * time.Millisecond):
	case <-t.Context().Done():
	}
	if tcp, ok := e.NetConn().(*net.TCPConn); ok && rng.IntN(2) == 0 {
		_ = tcp.SetLinger(0) // a reset instead of an orderly end
	}
	_ = e.NetConn().Close()
	<-stop
}
