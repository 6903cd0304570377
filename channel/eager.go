package channel

import "sync"

// eagerMost is how many queued bytes are written at once by the goroutine that
// queued them. More than that is worth a hand-over to the writing goroutine,
// which fills its records and system calls better and works in parallel.
const eagerMost = maxRecord - 256

// announce tells whoever writes of a new frame. Few bytes are written here and
// now, without waiting for the peer; those that came in with src are when its
// reader has no more at hand, so that what arrived together leaves together.
func (u *underlay) announce(n news, src *underlay) {
	switch {
	case n == nothingNew:
	case n == manyBytes || u.stream == nil || u.stream.raw == nil:
		u.queue.signal()
	case src != nil && src.eager.defers(u):
	default:
		u.writeEagerly()
	}
}

// writeEagerly writes what is queued if nobody else does. What the socket does
// not take at once is left to the writing goroutine, as are errors.
func (u *underlay) writeEagerly() {
	if !u.writing.TryLock() {
		u.queue.signal()
		return
	}
	defer u.writing.Unlock()
	if u.owed > 0 || !u.stream.tryCork() {
		u.queue.signal() // bytes are left over from before, or TLS itself is writing
		return
	}
	u.batch = u.queue.takeUpTo(eagerMost, u.batch)
	if len(u.batch) == 0 {
		if !u.stream.tryUncork() {
			u.queue.leave()
		}
		u.queue.signal() // in case that there are more than a few bytes
		return
	}
	u.plain = plainBuffers.Get().(*[maxRecord]byte)
	err := u.writeBatch()
	if err == nil {
		err = u.flushPlain()
	}
	u.putPlain()
	if err != nil || !u.stream.tryUncork() {
		u.queue.leave()
		return
	}
	u.settle()
}

// eager remembers the connections that a reading goroutine has to write to when
// it has handled what is at hand.
type eager struct {
	mu    sync.Mutex
	busy  bool // the reader is handling frames and will call flush
	dirty []*underlay
}

// begin says that flush will follow.
func (e *eager) begin() {
	e.mu.Lock()
	e.busy = true
	e.mu.Unlock()
}

// defers leaves writing to u to the next flush; false if none will come soon.
func (e *eager) defers(u *underlay) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.busy {
		e.dirty = append(e.dirty, u)
	}
	return e.busy
}

// flush writes what was deferred. The reader calls it before it waits.
func (e *eager) flush() {
	e.mu.Lock()
	e.busy = false
	dirty := e.dirty
	e.dirty = nil
	e.mu.Unlock()
	for i, u := range dirty {
		dirty[i] = nil
		u.writeEagerly()
	}
	if len(dirty) == 0 || cap(dirty) > 64 {
		return
	}
	e.mu.Lock()
	if e.dirty == nil {
		e.dirty = dirty[:0]
	}
	e.mu.Unlock()
}
