package link

import (
	"sync"
	"time"
)

// pool runs dials: so many at once, and so many more that wait. It has no
// goroutine while there is nothing to dial.
type pool struct {
	workers, most int
	took          func(time.Duration) // told after every dial; may be nil

	mu      sync.Mutex
	running int
	queue   []func()
	work    sync.WaitGroup
}

// submit has f run; false if the queue is full.
func (p *pool) submit(f func()) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.running < p.workers:
		p.running++
		p.work.Go(func() { p.run(f) })
	case len(p.queue) < p.most:
		p.queue = append(p.queue, f)
	default:
		return false
	}
	return true
}

func (p *pool) run(f func()) {
	for f != nil {
		begun := time.Now()
		f()
		if p.took != nil {
			p.took(time.Since(begun))
		}
		f = p.next()
	}
}

func (p *pool) next() func() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queue) == 0 {
		p.running--
		return nil
	}
	f := p.queue[0]
	p.queue[0] = nil
	p.queue = p.queue[1:]
	return f
}

// wait returns when nothing runs any more; what waits is not run.
func (p *pool) wait() {
	p.mu.Lock()
	p.queue, p.most, p.workers = nil, 0, 0
	p.mu.Unlock()
	p.work.Wait()
}
