package ramp

import "sync"

// pump moves what has arrived for a socket by a goroutine that ends when there
// is nothing left.
type pump struct {
	set *Set
	to  outlet

	mu      sync.Mutex
	running bool
	again   bool // there is news for it
	over    bool // nothing more will be moved
}

// outlet is what a pump drives.
type outlet interface {
	// drain writes what there is and returns nil, or why there will be no more.
	drain() error
	// finish is called once, with the error of drain.
	finish(err error)
}

// kick says that something may have arrived.
func (p *pump) kick() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running {
		p.again = true
		return
	}
	p.running = true
	p.set.run(p.move)
}

func (p *pump) move() {
	for {
		err := p.to.drain()
		p.mu.Lock()
		if err == nil && p.again {
			p.again = false
			p.mu.Unlock()
			continue
		}
		over := err != nil
		p.over, p.running = over, over // nobody comes after the end
		p.mu.Unlock()
		if over {
			p.to.finish(err)
		}
		return
	}
}

func (p *pump) done() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.over
}
