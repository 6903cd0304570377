package link

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/clock"
	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/wire/message"
)

// Manager keeps the links of a router. All methods are safe for concurrent use.
type Manager struct {
	cfg       Config
	log       *slog.Logger
	clock     clock.Clock
	started   uint64 // Unix nanoseconds; says which process a hello comes from
	pool      *pool
	reports   *reports
	listeners []*channel.Listener

	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	work   sync.WaitGroup // goroutines, and connections that were dialed

	mu      sync.Mutex
	running bool // dials are made
	closed  bool
	links   map[string]*Link   // by id
	byKey   map[string]*Link   // the same
	peers   map[string]*peer   // by router id
	targets map[string]*target // by key
	names   map[string]*name   // by key, for as long as the process lives
}

// name is what a dialed link is called; attempts share it.
type name struct {
	id        string
	iteration uint32
}

// New returns a Manager that does nothing until Run.
func New(cfg Config) (*Manager, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	m := &Manager{
		cfg: cfg, log: cfg.Log, clock: cfg.Clock, started: uint64(cfg.Clock.Now().UnixNano()),
		pool:  &pool{workers: cfg.DialWorkers, most: cfg.DialQueue, took: cfg.DialTook},
		links: make(map[string]*Link), byKey: make(map[string]*Link),
		peers: make(map[string]*peer), targets: make(map[string]*target), names: make(map[string]*name),
	}
	m.reports = newReports(m)
	m.ctx, m.cancel = context.WithCancel(context.Background())
	for i := range cfg.Listeners {
		if l := &cfg.Listeners[i]; l.Accept != nil {
			m.listeners = append(m.listeners, channel.NewListener(l.Accept, m.listenerConfig(l)))
		}
	}
	return m, nil
}

// Run accepts and dials until ctx ends, or Close is called; then it closes all
// links and waits for everything.
func (m *Manager) Run(ctx context.Context) error {
	stop := context.AfterFunc(ctx, m.cancel)
	defer stop()
	errs := make(chan error, len(m.listeners))
	for _, l := range m.listeners {
		m.work.Go(func() { errs <- l.Serve() })
	}
	m.work.Go(func() { m.reports.run(m.ctx) })
	m.work.Go(m.watch)
	m.mu.Lock()
	m.running = true
	for _, t := range m.targets {
		m.start(t)
	}
	m.mu.Unlock()
	<-m.ctx.Done()
	m.shutDown()
	var err error
	for range m.listeners {
		err = errors.Join(err, <-errs)
	}
	return err
}

// Close has Run end. It does not wait.
func (m *Manager) Close() { m.cancel() }

func (m *Manager) shutDown() {
	m.mu.Lock()
	m.closed = true
	for _, t := range m.targets {
		m.drop(t)
	}
	m.mu.Unlock()
	m.pool.wait()
	for _, l := range m.all() {
		m.end(l, "the router shuts down")
	}
	for _, l := range m.listeners {
		l.Close()
	}
	m.work.Wait()
}

// Link returns an established link, nil if there is none of that id. It
// implements forward.Links.
func (m *Manager) Link(id string) forward.Link {
	if l := m.link(id); l != nil {
		return l
	}
	return nil
}

// link returns an established link. One that is about to go is none.
func (m *Manager) link(id string) *Link {
	m.mu.Lock()
	defer m.mu.Unlock()
	if l := m.links[id]; l != nil && l.ctx.Err() == nil {
		return l
	}
	return nil
}

// all returns the established links, in no order.
func (m *Manager) all() []*Link {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]*Link, 0, len(m.links))
	for _, l := range m.links {
		if l.ctx.Err() == nil {
			out = append(out, l)
		}
	}
	return out
}

// CloseLink closes a link and returns false if there is none of that id. If
// this router dials it, it is made anew.
func (m *Manager) CloseLink(id, reason string) bool {
	l := m.link(id)
	if l != nil {
		m.end(l, reason)
	}
	return l != nil
}

// Recheck closes the links to routers that may not have any now, and dials
// those at once that may again.
func (m *Manager) Recheck() {
	for _, l := range m.all() {
		if err := m.cfg.Trust.Enabled(l.peer); err != nil {
			m.end(l, err.Error())
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, t := range m.targets {
		if t.last != nil && (t.last.Code == CodeDisabled || t.last.Code == CodeNotEnrolled) && m.cfg.Trust.Enabled(t.peer.id) == nil {
			m.retry(t)
		}
	}
}

// watch looks after the links until Close.
func (m *Manager) watch() {
	timer := m.clock.NewTimer(m.cfg.Heartbeats.Check)
	defer timer.Stop()
	for {
		select {
		case <-m.ctx.Done():
			return
		case <-timer.C():
		}
		now := m.clock.Now()
		for _, l := range m.all() {
			l.examine(now)
			m.extend(l, now)
		}
		m.forget(now)
		timer.Reset(m.cfg.Heartbeats.Check)
	}
}

// register makes l an established link with its first connection, in place of an
// older one of the same key where that is due. The error says why not.
func (m *Manager) register(l *Link, c *conn) error {
	for {
		old, err := m.claim(l, c)
		if err != nil {
			return err
		}
		if old == nil {
			break
		}
		m.finish(old, "replaced by another link of the same routers", true)
		<-old.stopped
	}
	m.log.Info("link established", "link", l.id, "router", l.peer, "key", l.key, "dialed", l.dialed, "address", l.address)
	l.probe(m.clock.Now())
	return nil
}

// claim puts l into the tables, or returns the link that has to go before.
func (m *Manager) claim(l *Link, c *conn) (old *Link, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	// The router may have been disabled since its hello was judged. Asked with the
	// lock held, this and Recheck cannot miss each other.
	if err := m.cfg.Trust.Enabled(l.peer); err != nil {
		return nil, err
	}
	t := m.targets[l.key]
	switch old = m.byKey[l.key]; {
	case m.closed:
		return nil, refuse(CodeClosing, "the router shuts down")
	case l.dialed && (t == nil || t.superseded):
		return nil, refuse(CodeDuplicate, "the other router has made the link meanwhile")
	case old == nil:
	case old.ctx.Err() != nil:
		return old, nil // it is about to go
	case l.dialed:
		return old, nil // the other router has decided for this one
	case old.dialed:
		return nil, refuse(CodeDuplicate, "there is a link already")
	default:
		if newer, known := l.hello.newer(old); known && newer {
			return old, nil
		}
		return nil, refuse(CodeDuplicate, "there is a later link already")
	}
	if err := m.free(l.id, l.key, l.peer); err != nil {
		return nil, err
	}
	l.mu.Lock()
	l.since = m.clock.Now()
	l.mu.Unlock()
	if !l.add(c) {
		return nil, errors.New("the connection has ended")
	}
	m.links[l.id], m.byKey[l.key] = l, l
	if t != nil {
		t.settle()
	}
	return nil, nil
}

// end closes a link for a reason, once, and has it made anew if this router
// wants it.
func (m *Manager) end(l *Link, reason string) { m.finish(l, reason, false) }

// finish is end; replaced says that another link is about to take its place.
func (m *Manager) finish(l *Link, reason string, replaced bool) {
	l.mu.Lock()
	if l.ended {
		l.mu.Unlock()
		return
	}
	l.ended, l.reason = true, reason
	lived := since(m.clock.Now(), l.since)
	l.mu.Unlock()
	m.mu.Lock()
	registered := m.byKey[l.key] == l
	m.mu.Unlock()
	l.close()
	if registered {
		if m.cfg.Lost != nil {
			m.cfg.Lost(l.id)
		}
		m.reports.lost(l, reason)
		m.log.Warn("link lost", "link", l.id, "router", l.peer, "key", l.key, "reason", reason, "lived", lived)
		m.mu.Lock()
		delete(m.byKey, l.key) // not before: until now no other link could take its id
		delete(m.links, l.id)
		m.mu.Unlock()
	}
	close(l.stopped)
	if registered {
		m.again(l, reason, replaced)
	}
}

// versionHeader says which version this router has.
func (m *Manager) versionHeader() message.Headers {
	var h message.Headers
	h.PutString(channel.HeaderHelloVersion, m.cfg.Version)
	return h
}

// after is the time at which something is due.
func (m *Manager) after(d time.Duration) time.Time { return m.clock.Now().Add(d) }
