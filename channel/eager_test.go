package channel

import (
	"net"
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
	q := newQueue(1 << 20)
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
	u := &underlay{queue: newQueue(1000)}
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
