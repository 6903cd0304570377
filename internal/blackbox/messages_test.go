package blackbox

import (
	"encoding/binary"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weftnet/weft/wire/edge"
	"github.com/weftnet/weft/wire/message"
)

// edgeTypes are all content types that a client may send, and some that nobody
// knows.
var edgeTypes = []int32{
	edge.TypeXgPayload, edge.TypeXgAcknowledgement, edge.TypeXgControl, edge.TypeXgClose,
	edge.TypePostureResponse, edge.TypeSubscribeToServiceUpdates, edge.TypeUnsubscribeFromServiceUpdates,
	edge.TypeConnect, edge.TypeStateConnected, edge.TypeStateClosed, edge.TypeData, edge.TypeDial, edge.TypeDialSuccess,
	edge.TypeDialFailed, edge.TypeBind, edge.TypeUnbind, edge.TypeUpdateBind, edge.TypeHealthEvent, edge.TypeTraceRoute,
	edge.TypeTraceRouteResponse, edge.TypeConnInspectRequest, edge.TypeConnInspectResponse, edge.TypeInspectRequest,
	edge.TypeInspectResponse, edge.TypeBindSuccess, edge.TypeConnectV2,
	edge.TypeHello, edge.TypeResult, edge.TypeLatencyResponse, edge.TypeHeartbeat, 60792, 60793, 60807, 108001, 108002,
	6, 999, -1, 1<<31 - 1, -1 << 31,
}

// TestUnknownContentTypes: what the router does not know it drops.
func TestUnknownContentTypes(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	e := n.person(t).connect(t)
	for _, contentType := range []int32{6, 999, 60792, 60793, 60807, 108001, -1, 1<<31 - 1, -1 << 31} {
		m := message.New(contentType, []byte("body"))
		m.Headers.PutUint32(edge.HeaderConnID, 1)
		e.send(m)
	}
	if got := e.alive(); len(got) != 0 {
		t.Fatalf("%d answers to unknown messages, the first is %s", len(got), edge.TypeName(got[0].Type))
	}
	n.unharmed(t)
}

// TestMissingConnID: a Connect without an id is answered for id 0; everything
// else without one is dropped.
func TestMissingConnID(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	p := n.person(t)
	service, _ := n.openService(t)
	e := p.connect(t)
	m := message.New(edge.TypeConnect, []byte(p.serviceToken(t, service, "Dial")))
	closed := wantStateClosed(t, e.request(m))
	if closed.ConnID != 0 || closed.Reason != "connId not set, required" {
		t.Fatalf("got %+v", closed)
	}
	for _, contentType := range edgeTypes {
		switch contentType {
		case edge.TypeConnect, edge.TypeConnectV2, edge.TypeTraceRoute:
			continue
		}
		e.send(message.New(contentType, []byte("x")))
	}
	for _, m := range e.alive() {
		t.Errorf("answered by %s %q", edge.TypeName(m.Type), m.Body)
	}
	n.unharmed(t)
}

// TestUnknownConnID: messages about connections that do not exist harm nobody,
// and a StateClosed is never answered, or two sides would do so for ever.
func TestUnknownConnID(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	p := n.person(t)
	service, _ := n.openService(t)
	bind := p.serviceToken(t, service, "Bind")
	e := p.connect(t)
	for _, contentType := range []int32{edge.TypeStateClosed, edge.TypeData, edge.TypeDialSuccess, edge.TypeDialFailed,
		edge.TypeStateConnected, edge.TypeXgPayload, edge.TypeXgAcknowledgement, edge.TypeXgControl, edge.TypeXgClose, edge.TypeBindSuccess,
		edge.TypeConnInspectResponse} {
		m := message.New(contentType, []byte("x"))
		m.Headers.PutUint32(edge.HeaderConnID, 4711)
		m.Headers.PutUint32(1, 4711) // as the answer to a question that nobody asked
		e.send(m)
	}
	if got := e.alive(); len(got) != 0 {
		t.Fatalf("answered by %s %q", edge.TypeName(got[0].Type), got[0].Body)
	}
	for _, m := range []*message.Message{
		(&edge.Unbind{ConnID: 4711, Token: []byte(bind)}).Encode(),
		(&edge.UpdateBind{ConnID: 4711, Token: []byte(bind)}).Encode(),
		(&edge.HealthEvent{ConnID: 4711, Token: []byte(bind)}).Encode(),
		(&edge.Unbind{ConnID: 4711, Token: []byte("noise")}).Encode(),
	} {
		e.send(m)
	}
	e.alive()
	n.unharmed(t)
}

// TestUsedConnID: a second Connect with an id in use is refused and leaves the
// first connection alone.
func TestUsedConnID(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	p := n.person(t)
	service, name := n.openService(t)
	l, err := n.person(t).sdk(t).Listen(name)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go serveEcho(l)
	token := p.serviceToken(t, service, "Dial")
	e := p.connect(t)
	if m := e.request(connectMessage(5, token, false)); m.Type != edge.TypeStateConnected {
		t.Fatalf("not connected: %s %q", edge.TypeName(m.Type), m.Body)
	}
	closed := wantStateClosed(t, e.request(connectMessage(5, token, false)))
	if closed.Reason != "sink id 5 already in use" {
		t.Fatalf("refused with %q", closed.Reason)
	}
	e.send((&edge.Data{ConnID: 5, Body: []byte("still here?")}).Encode())
	for {
		m, err := e.next()
		if err != nil {
			t.Fatal(err)
		}
		if m.Type == edge.TypeStateClosed {
			t.Fatalf("the first connection was closed: %q", m.Body)
		}
		if m.Type == edge.TypeData && len(m.Body) > 0 {
			if string(m.Body) != "still here?" {
				t.Fatalf("got %q", m.Body)
			}
			break
		}
	}
	n.unharmed(t)
}

// TestBrokenFraming: a connection whose bytes are not messages any more is
// closed, without taking what its lengths claim.
func TestBrokenFraming(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	p := n.person(t)
	entry := func(id, size uint32, value []byte) []byte {
		b := binary.LittleEndian.AppendUint32(nil, id)
		return append(binary.LittleEndian.AppendUint32(b, size), value...)
	}
	for _, tt := range []struct {
		name string
		send []byte
		log  string
	}{
		{"another marker", []byte("GET / HTTP/1.1\r\n\r\n  "), "marker"},
		{"version notice", append(append([]byte(nil), message.VersionNotice...), 0, 0, 0, 0), "marker"},
		{"entry longer than the area", append(prefix(edge.TypeData, 1, 12, 0), entry(1000, 100, make([]byte, 4))...), "header"},
		{"entry of 4 GiB", append(prefix(edge.TypeData, 1, 12, 0), entry(1000, 1<<32-1, make([]byte, 4))...), "header"},
		{"area ends within an entry", append(prefix(edge.TypeData, 1, 5, 0), make([]byte, 5)...), "header"},
		{"headers of 4 GiB", prefix(edge.TypeData, 1, 1<<32-1, 0), "limit"},
		{"body of 4 GiB", prefix(edge.TypeData, 1, 0, 1<<32-1), "limit"},
		{"both of 4 GiB", prefix(edge.TypeData, 1, 1<<32-1, 1<<32-1), "limit"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			from := n.Router.Mark()
			e := p.connect(t)
			e.raw(tt.send)
			e.wantEnd()
			eventually(t, "a line in the log that says why", func() bool {
				return n.Router.Logged(from, "client disconnected", p.id, tt.log) != ""
			})
		})
	}
	n.unharmed(t)
}

// TestClaimsTakeNoMemory: a length is a claim; memory is taken as bytes come.
func TestClaimsTakeNoMemory(t *testing.T) {
	t.Parallel()
	n := ownNetwork(t)
	p := n.person(t)
	n.unharmed(t)
	before, asked := resident(t, n.Router), allotted(t, n.Router)
	const connections = 100
	open := make([]*edgeConn, connections)
	for i := range open {
		open[i] = p.connect(t)
		open[i].raw(prefix(edge.TypeData, 1, 0, 16<<20))
	}
	n.unharmed(t)
	wantGrown(t, n.Router, before, connections<<20, "100 connections that claim 16 MiB each")
	if grown := allotted(t, n.Router) - asked; grown > connections<<22 && !underRace {
		t.Errorf("the router has asked for %d MiB", grown>>20)
	}
}

// TestFloodOfRequests: somebody who asks without reading answers costs bounded
// memory and delays nobody.
func TestFloodOfRequests(t *testing.T) {
	t.Parallel()
	n := ownNetwork(t)
	p := n.person(t)
	service, _ := n.openService(t)
	token := p.serviceToken(t, service, "Dial")
	n.unharmed(t)
	before := resident(t, n.Router)
	e := p.connect(t)
	done := make(chan struct{})
	var sent atomic.Int64
	go func() {
		defer close(done)
		for i := range 20000 {
			m := connectMessage(uint32(i+1), token, i%2 == 0)
			m.Seq = int32(i + 1)
			if _, err := e.Write(m.Append(nil)); err != nil {
				return
			}
			sent.Add(1)
		}
	}()
	last := int64(-1) // until all is sent or the router does not read on
	for finished := false; !finished; {
		n.unharmed(t)
		select {
		case <-done:
			finished = true
		case <-time.After(500 * time.Millisecond):
			finished = sent.Load() == last
			last = sent.Load()
		}
	}
	t.Logf("%d requests sent", sent.Load())
	n.unharmed(t)
	wantGrown(t, n.Router, before, 128<<20, "20,000 requests without reading")
	e.Close()
	<-done
	n.unharmed(t)
}

// TestRandomMessages sends well-framed messages with random content, of every
// type, on a good session.
func TestRandomMessages(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	p := n.person(t)
	service, _ := n.openService(t)
	tokens := [][]byte{nil, []byte("x"), []byte(p.serviceToken(t, service, "Dial")), []byte(p.serviceToken(t, service, "Bind"))}
	rng := rand.New(rand.NewPCG(1, 2))
	e := p.connect(t)
	go func() { // the answers are of no interest
		for {
			if _, err := e.next(); err != nil {
				return
			}
		}
	}()
	for range 2000 {
		m := message.New(edgeTypes[rng.IntN(len(edgeTypes))], tokens[rng.IntN(len(tokens))])
		m.Headers.PutUint32(edge.HeaderConnID, uint32(rng.IntN(4)))
		for range rng.IntN(6) {
			value := make([]byte, rng.IntN(40))
			for i := range value {
				value[i] = byte(rng.Uint32())
			}
			m.Headers.PutBytes(int32([]int{1, 2, 128, 1000 + rng.IntN(42), 2000 + rng.IntN(20)}[rng.IntN(5)]), value)
		}
		m.Seq = int32(rng.Uint32())
		if _, err := e.Write(m.Append(nil)); err != nil {
			t.Fatalf("the router closed the connection: %v", err)
		}
	}
	e.Close()
	n.unharmed(t)
}

// TestFloodOfListeners: somebody who hosts a service thousands of times over
// delays nobody, and leaves nothing behind.
func TestFloodOfListeners(t *testing.T) {
	t.Parallel()
	n := ownNetwork(t)
	p := n.person(t)
	service, _ := n.openService(t)
	token := p.serviceToken(t, service, "Bind")
	terminators := func() int {
		var list []struct{ ID string }
		if err := n.admin.call("GET", "/services/"+service+"/terminators?limit=500", nil, &list); err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	before := resident(t, n.Router)
	e := p.connect(t)
	go func() { // the answers are of no interest
		for {
			if _, err := e.next(); err != nil {
				return
			}
		}
	}()
	for i := range 2000 / slowdown {
		m := bindMessage(uint32(i+1), token)
		m.Seq = int32(i + 1)
		if _, err := e.Write(m.Append(nil)); err != nil {
			t.Fatal(err)
		}
	}
	n.unharmed(t)
	eventually(t, "some of them are there", func() bool { return terminators() > 0 })
	n.unharmed(t)
	wantGrown(t, n.Router, before, 64<<20, "thousands of listeners")
	e.Close()
	eventually(t, "all of them are gone", func() bool { return terminators() == 0 })
	n.unharmed(t)
}
