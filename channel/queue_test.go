package channel

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/weftnet/weft/wire/message"
)

// TestQueueClosedWhileWriting: the writer may be in the middle of a batch, with
// callers waiting for room, when the connection ends.
func TestQueueClosedWhileWriting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const size = 100
		frame := func() *Frame { return NewFrame(message.New(1000, nil), size) }
		q := newQueue(size, 0)
		if _, err := q.put(context.Background(), frame()); err != nil {
			t.Fatal(err)
		}
		batch := q.take(nil)
		gone := errors.New("gone")
		refused := make(chan error, 1)
		go func() {
			_, err := q.put(context.Background(), frame())
			refused <- err
		}()
		synctest.Wait() // it waits for room
		q.mu.Lock()
		waiting := q.waiting
		q.mu.Unlock()
		if waiting != 1 {
			t.Fatalf("%d callers wait", waiting)
		}
		q.close(gone)
		for _, f := range batch {
			q.written(len(f.raw))
			f.Release()
		}
		if err := <-refused; !errors.Is(err, gone) {
			t.Errorf("got %v", err)
		}
	})
}
