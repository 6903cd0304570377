package channel

import (
	"context"
	"math"
	"sync"
	"time"
)

// queue holds the messages that wait for one connection. It is bounded in
// bytes, and in messages if most is not zero; when it is full, put waits and
// tryPut refuses.
type queue struct {
	max  int
	most int // messages that the writer has not taken

	mu      sync.Mutex
	frames  []*Frame
	queued  int // bytes of frames and of what the writer has taken and not written
	waiting int // callers of put without room
	room    chan struct{}
	err     error
	told    bool   // somebody is going to write the frames
	rest    bool   // the connection holds bytes that an eager write left over
	drained func() // called once when empty after drain
	timer   *time.Timer

	wake chan struct{} // one token: there is something to do for the writer
}

func newQueue(max, most int) *queue {
	return &queue{max: max, most: most, room: make(chan struct{}), wake: make(chan struct{}, 1)}
}

func (q *queue) fits(n int) bool {
	return q.queued == 0 || q.queued+n <= q.max && (q.most == 0 || len(q.frames) < q.most)
}

func (q *queue) hasRoom(n int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.err == nil && q.fits(n)
}

func (q *queue) bytes() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.queued
}

// news says what a new frame means for whoever writes.
type news uint8

const (
	nothingNew news = iota // somebody has been told already
	fewBytes               // the first frame, and little is queued
	manyBytes              // enough for the writing goroutine
)

// add appends f, with the lock held. Of few bytes with more to follow it tells
// nobody.
func (q *queue) add(f *Frame, more bool) news {
	few := q.queued <= eagerMost
	q.frames = append(q.frames, f)
	q.queued += len(f.raw)
	switch {
	case q.queued > eagerMost && (few || !q.told):
		q.told = true
		return manyBytes
	case !q.told && !more:
		q.told = true
		return fewBytes
	}
	return nothingNew
}

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

func (q *queue) tryPut(f *Frame, more bool) (news, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err != nil || q.waiting > 0 || !q.fits(len(f.raw)) {
		return nothingNew, false
	}
	return q.add(f, more), true
}

func (q *queue) put(ctx context.Context, f *Frame) (news, error) {
	q.mu.Lock()
	for q.err == nil && !q.fits(len(f.raw)) {
		room := q.room
		q.waiting++
		q.mu.Unlock()
		var err error
		select {
		case <-room:
		case <-ctx.Done():
			err = ctx.Err()
		}
		q.mu.Lock()
		q.waiting--
		if err != nil {
			q.mu.Unlock()
			return nothingNew, err
		}
	}
	defer q.mu.Unlock()
	if q.err != nil {
		return nothingNew, q.err
	}
	return q.add(f, false), nil
}

// leave says that the writing goroutine has to finish an eager write.
func (q *queue) leave() {
	q.mu.Lock()
	q.rest = true
	q.mu.Unlock()
	q.signal()
}

// wait returns when there is something to write; false when the queue closed.
func (q *queue) wait() bool {
	for {
		q.mu.Lock()
		some, err := len(q.frames) > 0 || q.rest, q.err
		q.rest = false
		q.mu.Unlock()
		switch {
		case err != nil:
			return false
		case some:
			return true
		}
		<-q.wake
	}
}

// maxSpare bounds the list that an idle queue keeps, in frames.
const maxSpare = 256

// take returns the queued frames and leaves spare, emptied, in their place. It
// returns an empty list if there are none.
func (q *queue) take(spare []*Frame) []*Frame {
	return q.takeUpTo(math.MaxInt, spare)
}

// takeUpTo is take if no more than max bytes are queued, and takes none else.
func (q *queue) takeUpTo(max int, spare []*Frame) []*Frame {
	if cap(spare) > maxSpare {
		spare = nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.frames) == 0 || q.queued > max {
		return spare[:0]
	}
	out := q.frames
	q.frames, q.told = spare[:0], false
	if q.most > 0 {
		q.tellRoom()
	}
	return out
}

// written gives back the room of n bytes.
func (q *queue) written(n int) {
	q.mu.Lock()
	q.queued -= n
	q.tellRoom()
	var done func()
	if q.queued == 0 && q.drained != nil {
		done, q.drained = q.drained, nil
		q.timer.Stop()
	}
	q.mu.Unlock()
	if done != nil {
		done()
	}
}

// tellRoom wakes the waiting callers of put, with the lock held.
func (q *queue) tellRoom() {
	if q.waiting > 0 && q.err == nil { // close has told them already
		close(q.room)
		q.room = make(chan struct{})
	}
}

// drain calls done once, when everything queued is written or after limit.
func (q *queue) drain(limit time.Duration, done func()) {
	q.mu.Lock()
	if q.queued == 0 || q.err != nil {
		q.mu.Unlock()
		done()
		return
	}
	q.drained = done
	q.timer = time.AfterFunc(limit, func() {
		q.mu.Lock()
		done := q.drained
		q.drained = nil
		q.mu.Unlock()
		if done != nil {
			done()
		}
	})
	q.mu.Unlock()
}

// close refuses all further frames and releases the queued ones.
func (q *queue) close(err error) {
	q.mu.Lock()
	if q.err != nil {
		q.mu.Unlock()
		return
	}
	q.err = err
	frames := q.frames
	q.frames = nil
	close(q.room)
	done := q.drained
	q.drained = nil
	if q.timer != nil {
		q.timer.Stop()
	}
	q.mu.Unlock()
	for _, f := range frames {
		f.Release()
	}
	q.signal()
	if done != nil {
		done()
	}
}
