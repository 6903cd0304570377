package channel

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/weftnet/weft/wire/message"
)

const typeData = 60786

func TestMessagesArriveInOrder(t *testing.T) {
	r := newRecorder()
	m, _ := startListener(t, ListenerConfig{Accept: accept(r)})
	c := dial(t, m, nil, Options{})
	sizes := []int{0, 1, 100, 3000, 16<<10 - 20, 16 << 10, 16<<10 + 1, 40000, 70000, 300000, 1 << 20, 3}
	var want [][]byte
	for i, n := range sizes {
		body := bytes.Repeat([]byte{byte(i + 1)}, n)
		want = append(want, body)
		msg := message.New(typeData, body)
		msg.Headers.PutUint32(1000, uint32(i))
		if err := c.Send(t.Context(), msg); err != nil {
			t.Fatal(err)
		}
	}
	for i := range want {
		got := receive(t, r.frames)
		if id, _ := got.Headers.Uint32(1000); int(id) != i || !bytes.Equal(got.Body, want[i]) || got.Seq != int32(i+1) {
			t.Fatalf("message %d: id %d, seq %d, %d bytes", i, id, got.Seq, len(got.Body))
		}
	}
}

func TestPeerKnowsHelloAndCertificate(t *testing.T) {
	r := newRecorder()
	m, _ := startListener(t, ListenerConfig{Accept: accept(r)})
	hello := message.Message{Body: []byte("me")}
	hello.Headers.PutString(1002, "token")
	c, result, err := Dial(t.Context(), DialConfig{Address: m.Addr().String(), TLS: clientTLS(t), Hello: hello})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { c.Close(); c.Wait() }()
	if result.Headers.String(HeaderID) != "router-1" || result.Headers.String(HeaderConnectionID) == "" || result.Seq != -1 {
		t.Errorf("answer %+v", result)
	}
	p := receive(t, r.opened).Peer()
	if p.Headers.String(1002) != "token" || string(p.Body) != "me" || p.Leaf().Subject.CommonName != "client" || p.ALPN != "" {
		t.Errorf("peer %+v", p)
	}
	if c.Peer().Leaf().Subject.CommonName != "server" {
		t.Error("client does not see the server's certificate")
	}
}

func TestRequestAndReflection(t *testing.T) {
	m, _ := startListener(t, ListenerConfig{Accept: accept(handlerFunc(func(c *Channel, f *Frame) {
		c.TryReply(&f.Message, message.New(f.Type+1, f.Body))
		f.Release()
	}))})
	c := dial(t, m, nil, Options{})
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			req := message.New(typeData, fmt.Append(nil, i))
			req.Headers.PutBytes(128, []byte{1, 2, 3})
			req.Headers.PutBytes(255, []byte{4})
			req.Headers.PutBytes(256, []byte{5})
			got, err := c.Request(t.Context(), req)
			if err != nil {
				t.Error(err)
				return
			}
			v, _ := got.Headers.Get(128)
			if string(got.Body) != fmt.Sprint(i) || got.Type != typeData+1 || !bytes.Equal(v, []byte{1, 2, 3}) || !got.Headers.Has(255) || got.Headers.Has(256) {
				t.Errorf("answer to %d: %+v", i, got)
			}
		})
	}
	wg.Wait()
}

func TestRequestEnds(t *testing.T) {
	r := newRecorder()
	m, _ := startListener(t, ListenerConfig{Accept: accept(r)})
	c := dial(t, m, nil, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	if _, err := c.Request(ctx, message.New(typeData, nil)); !errors.Is(err, context.Canceled) {
		t.Error("cancelled request:", err)
	}
	peer := receive(t, r.opened)
	time.AfterFunc(10*time.Millisecond, func() { peer.Close() })
	if _, err := c.Request(t.Context(), message.New(typeData, nil)); !errors.Is(err, ErrPeerClosed) {
		t.Error("request on a channel that ends:", err)
	}
	if err := receive(t, r.closed); !errors.Is(err, ErrClosed) {
		t.Error("the closing side sees", err)
	}
	<-c.Done()
	if _, err := c.Request(t.Context(), message.New(typeData, nil)); !errors.Is(err, ErrPeerClosed) {
		t.Error("request on an ended channel:", err)
	}
	if c.TrySend(message.New(typeData, nil)) || c.Send(t.Context(), message.New(typeData, nil)) == nil {
		t.Error("an ended channel takes messages")
	}
}

func TestProbes(t *testing.T) {
	m, _ := startListener(t, ListenerConfig{Accept: accept(newRecorder())})
	c := dial(t, m, nil, Options{})
	for _, typ := range []int32{TypePing, TypeLatency} {
		req := message.New(typ, nil)
		req.Headers.PutUint64(HeaderLatencyTime, 77)
		got, err := c.Request(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if v, _ := got.Headers.Uint64(HeaderLatencyTime); got.Type != TypeResult || !got.Headers.Bool(HeaderResultSuccess) || v != 77 {
			t.Errorf("answer to type %d: %+v", typ, got)
		}
	}
}

func TestFullQueueAndPause(t *testing.T) {
	r := newRecorder()
	m, _ := startListener(t, ListenerConfig{Accept: accept(r)})
	c := dial(t, m, nil, Options{QueueBytes: 100_000})
	peer := receive(t, r.opened)
	peer.Pause()
	peer.Pause()
	body := make([]byte, 30_000)
	sent := 0
	for c.sendWithin(100*time.Millisecond, message.New(typeData, body)) { // the socket buffers fill first
		sent++
	}
	if q := c.Queued(); q > 100_000 || q < 60_000 {
		t.Errorf("%d bytes queued", q)
	}
	if c.TrySend(message.New(typeData, body)) {
		t.Error("a full queue takes a message")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := c.Send(ctx, message.New(typeData, body)); !errors.Is(err, context.DeadlineExceeded) {
		t.Error("send into a full queue:", err)
	}
	f := NewFrame(message.New(typeData, nil), 10_000)
	for c.TrySendFrame(f) {
		sent++
		f = NewFrame(message.New(typeData, nil), 10_000)
	}
	f.Release()
	waited := make(chan error, 1)
	go func() { waited <- c.Send(t.Context(), message.New(typeData, body)) }()
	peer.Resume()
	peer.Resume()
	if err := receive(t, waited); err != nil {
		t.Error(err)
	}
	for range sent + 1 {
		receive(t, r.frames)
	}
}

func TestCloseWhilePausedAndFull(t *testing.T) {
	r := newRecorder()
	m, l := startListener(t, ListenerConfig{Accept: accept(r)})
	c := dial(t, m, nil, Options{})
	receive(t, r.opened).Pause()
	for c.TrySend(message.New(typeData, make([]byte, 100_000))) {
	}
	go l.Close()
	receive(t, r.closed)
	c.Close()
	c.Wait()
}

func TestCloseDeliversWhatIsQueued(t *testing.T) {
	r := newRecorder()
	m, _ := startListener(t, ListenerConfig{Accept: accept(r)})
	c := dial(t, m, nil, Options{})
	for range 100 {
		if !c.TrySend(message.New(typeData, make([]byte, 1000))) {
			t.Fatal("no room")
		}
	}
	c.Close()
	for range 100 {
		receive(t, r.frames)
	}
	if err := receive(t, r.closed); !errors.Is(err, ErrPeerClosed) {
		t.Error(err)
	}
}

func TestRelayOfFrames(t *testing.T) {
	back := newRecorder()
	m, _ := startListener(t, ListenerConfig{Accept: accept(handlerFunc(func(c *Channel, f *Frame) {
		v, _ := f.Headers.Get(1000)
		v[0]++ // patched in place
		if !c.TrySendFrame(f) {
			f.Release()
		}
	})), Options: Options{QueueBytes: 4 << 20}})
	c := dial(t, m, back, Options{})
	for i := range 500 {
		msg := message.New(typeData, nil)
		msg.Headers.PutUint32(1000, 7)
		f := NewFrame(msg, 5000)
		for j := range f.Body {
			f.Body[j] = byte(i)
		}
		f.Truncate(1 + rand.IntN(5000))
		if err := c.SendFrame(t.Context(), f); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 500 {
		got := receive(t, back.frames)
		if id, _ := got.Headers.Uint32(1000); id != 8 || got.Seq != int32(i+1) || got.Body[0] != byte(i) || got.Body[len(got.Body)-1] != byte(i) {
			t.Fatalf("message %d: %d %d %d", i, id, got.Seq, got.Body[0])
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	r := newRecorder()
	m, _ := startListener(t, ListenerConfig{Accept: accept(r), Options: Options{QueueBytes: 50_000}})
	c := dial(t, m, nil, Options{QueueBytes: 20_000})
	var wg sync.WaitGroup
	const senders, each = 8, 200
	for s := range senders {
		wg.Go(func() {
			for i := range each {
				msg := message.New(typeData, make([]byte, rand.IntN(9000)))
				msg.Headers.PutUint32(1000, uint32(s))
				msg.Headers.PutUint32(1001, uint32(i))
				if err := c.Send(t.Context(), msg); err != nil {
					t.Error(err)
				}
			}
		})
	}
	next := [senders]uint32{}
	for range senders * each {
		got := receive(t, r.frames)
		s, _ := got.Headers.Uint32(1000)
		i, _ := got.Headers.Uint32(1001)
		if next[s] != i {
			t.Fatalf("sender %d: message %d, expected %d", s, i, next[s])
		}
		next[s]++
	}
	wg.Wait()
}

func (c *Channel) sendWithin(d time.Duration, m *message.Message) bool {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	return c.Send(ctx, m) == nil
}
