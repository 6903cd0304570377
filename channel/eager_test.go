package channel

import (
	"math/rand/v2"
	"net"
	"sync"
	"syscall"
	"testing"

	"github.com/weftnet/weft/wire/message"
)

func TestQueueNews(t *testing.T) {
	small := func() *Frame { return NewFrame(message.New(typeData, nil), 100) }
	large := func() *Frame { return NewFrame(message.New(typeData, nil), eagerMost) }
	steps := []struct {
		name string
		f    *Frame
		more bool
		take bool // before
		want news
	}{
		{name: "more follows", f: small(), more: true, want: nothingNew},
		{name: "what follows", f: small(), want: fewBytes},
		{name: "told already", f: small(), want: nothingNew},
		{name: "too much for an eager write", f: large(), want: manyBytes},
		{name: "told again already", f: large(), want: nothingNew},
		{name: "while the writer is busy with many", f: small(), take: true, want: manyBytes},
		{name: "and once more", f: small(), want: nothingNew},
	}
	q := newQueue(1<<20, 0)
	for _, s := range steps {
		if s.take {
			q.take(nil)
		}
		if got, ok := q.tryPut(s.f, s.more); !ok || got != s.want {
			t.Errorf("%s: %v %v, want %v", s.name, got, ok, s.want)
		}
	}
}

// TestTryUncorkLeavesTheRest: a peer that does not read never stops an eager
// writer; what is left goes out in order afterwards.
func TestTryUncorkLeavesTheRest(t *testing.T) {
	a, b := socketPair(t)
	s := newStream(a)
	var want byte
	for {
		if !s.tryCork() {
			t.Fatal("no cork")
		}
		chunk := make([]byte, 1000)
		for i := range chunk {
			chunk[i] = want
			want++
		}
		if _, err := s.Write(chunk); err != nil {
			t.Fatal(err)
		}
		if !s.tryUncork() {
			break // the socket is full
		}
	}
	done := make(chan error, 1)
	go func() {
		err := s.uncork()
		a.Close()
		done <- err
	}()
	var got byte
	buf := make([]byte, 4096)
	for {
		n, err := b.Read(buf)
		for _, c := range buf[:n] {
			if c != got {
				t.Fatalf("byte %d, want %d", c, got)
			}
			got++
		}
		if err != nil {
			break
		}
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Errorf("ended at %d, want %d", got, want)
	}
}

func socketPair(t *testing.T) (a, b net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if a, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if b, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	raw, err := a.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Control(func(fd uintptr) { _ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_SNDBUF, 8192) }); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close(); b.Close() })
	return a, b
}

// TestEagerDefers: while a reader handles frames, what it causes is written
// once, before it waits.
func TestEagerDefers(t *testing.T) {
	var e eager
	u := &underlay{queue: newQueue(1000, 0)}
	if e.defers(u) {
		t.Error("an idle reader defers")
	}
	e.begin()
	if !e.defers(u) || len(e.dirty) != 1 {
		t.Error("a busy reader does not defer")
	}
	u.writing.Lock() // somebody writes: the flush only tells them
	e.flush()
	select {
	case <-u.queue.wake:
	default:
		t.Error("nobody was told")
	}
	if e.defers(u) {
		t.Error("defers after the flush")
	}
}

// TestNothingIsForgotten: whatever the sizes and whoever writes, a message never
// waits for another one to set it going.
func TestNothingIsForgotten(t *testing.T) {
	m, _ := startListener(t, ListenerConfig{Accept: accept(handlerFunc(func(c *Channel, f *Frame) {
		if !c.TrySendFrame(f) {
			t.Error("no room")
			f.Release()
		}
	}))})
	const workers, rounds = 8, 100
	answers := make([]chan struct{}, workers)
	for i := range answers {
		answers[i] = make(chan struct{}, 4)
	}
	c := dial(t, m, handlerFunc(func(_ *Channel, f *Frame) {
		id, _ := f.Headers.Uint32(1000)
		f.Release()
		answers[id] <- struct{}{}
	}), Options{})
	var wg sync.WaitGroup
	for i, answer := range answers {
		wg.Go(func() {
			for range rounds {
				msg := message.New(typeData, make([]byte, rand.IntN(40)*rand.IntN(1000)))
				msg.Headers.PutUint32(1000, uint32(i))
				want := 1
				if rand.IntN(2) == 0 {
					if want = 2; !c.TrySendMore(msg) {
						want = 1
					}
				}
				if err := c.Send(t.Context(), msg); err != nil {
					t.Error(err)
					return
				}
				for range want {
					receive(t, answer)
				}
			}
		})
	}
	wg.Wait()
}
