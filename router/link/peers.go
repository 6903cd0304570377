package link

import (
	"slices"
	"strings"
	"time"

	"github.com/weftnet/weft/id"
	"github.com/weftnet/weft/wire/ctrl"
)

// peer is another router as the controller describes it. The lock of the Manager
// guards it.
type peer struct {
	id, name, version string
	online            bool // connected to a controller
	offlineSince      time.Time
	listeners         []*ctrl.LinkListener
}

// forgetAfter is how long a router that no controller sees and that has no link
// is dialed.
const forgetAfter = 48 * time.Hour

// Peers takes news of other routers: all of them, or those that have changed.
func (m *Manager) Peers(news *ctrl.Peers) {
	gone := m.take(news)
	for _, g := range gone {
		m.end(g.link, g.reason)
	}
}

// farewell is a link that has to go.
type farewell struct {
	link   *Link
	reason string
}

func (m *Manager) take(news *ctrl.Peers) []farewell {
	m.mu.Lock()
	defer m.mu.Unlock()
	var gone []farewell
	named := make(map[string]bool, len(news.Put))
	for _, p := range news.Put {
		if named[p.RouterId] = true; p.RouterId != m.cfg.RouterID {
			gone = append(gone, m.update(p)...)
		}
	}
	removed := slices.Clone(news.Removed)
	if news.Whole {
		for id := range m.peers {
			if !named[id] {
				removed = append(removed, id)
			}
		}
	}
	for _, id := range removed {
		gone = append(gone, m.remove(id)...)
	}
	return gone
}

// update takes news of one router.
func (m *Manager) update(news *ctrl.Peer) []farewell {
	p := m.peers[news.RouterId]
	if p == nil {
		p = &peer{id: news.RouterId, online: true}
		m.peers[p.id] = p
	}
	back := news.Online && !p.online
	if p.online && !news.Online {
		p.offlineSince = m.clock.Now()
	}
	p.name, p.version, p.online, p.listeners = news.Name, news.Version, news.Online, news.Listeners
	gone := m.aim(p)
	if back {
		for _, t := range m.targets {
			if t.peer == p {
				m.retry(t)
			}
		}
	}
	return gone
}

// remove forgets a router that is no longer one of the network.
func (m *Manager) remove(routerID string) []farewell {
	p := m.peers[routerID]
	if p == nil {
		return nil
	}
	delete(m.peers, routerID)
	for _, t := range m.targets {
		if t.peer == p {
			m.drop(t)
		}
	}
	var gone []farewell
	for _, l := range m.links {
		if l.peer == routerID {
			gone = append(gone, farewell{l, "the router was removed from the network"})
		}
	}
	return gone
}

// aim brings the targets at a router in line with its listeners.
func (m *Manager) aim(p *peer) []farewell {
	wanted := make(map[string]*target)
	for i := range m.cfg.Dialers {
		d := &m.cfg.Dialers[i]
		for _, l := range p.listeners {
			if l.Protocol != "tls" || !shareGroup(d.Groups, l.Groups) {
				continue
			}
			key := keyOf(m.cfg.RouterID, d.Name, p.id, l.Name)
			if wanted[key] == nil {
				wanted[key] = &target{key: key, peer: p, dialer: d, listener: l.Name, state: statePending}
			}
			if w, address := wanted[key], strings.TrimPrefix(l.Address, "tls:"); w.dialer == d && !slices.Contains(w.addresses, address) {
				w.addresses = append(w.addresses, address)
				w.groups = l.Groups
			}
		}
	}
	var gone []farewell
	for _, t := range m.targets {
		if t.peer != p {
			continue
		}
		w := wanted[t.key]
		delete(wanted, t.key)
		gone = append(gone, m.adjust(t, w)...)
	}
	for key, t := range wanted {
		t.name = m.names[key]
		if t.name == nil {
			t.name = &name{id: id.New()}
			m.names[key] = t.name
		}
		m.targets[key] = t
		m.start(t)
		if m.byKey[key] != nil {
			t.state = stateEstablished
		}
	}
	return gone
}

// adjust changes a target into what is wanted now; nil for nothing.
func (m *Manager) adjust(t, wanted *target) []farewell {
	l := m.byKey[t.key]
	if wanted == nil {
		m.drop(t)
		if l != nil && l.dialed {
			return []farewell{{l, "the routers no longer share a link group, or the listener is gone"}}
		}
		return nil
	}
	same := slices.Equal(t.addresses, wanted.addresses)
	t.addresses, t.groups, t.dialer = wanted.addresses, wanted.groups, wanted.dialer
	switch {
	case l != nil && l.dialed && !slices.Contains(t.addresses, l.address):
		return []farewell{{l, "the other router has another address now"}}
	case !same && l == nil:
		m.retry(t)
	}
	return nil
}

// forget drops routers that nobody has seen for long.
func (m *Manager) forget(now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, p := range m.peers {
		if p.online || now.Sub(p.offlineSince) < forgetAfter || m.linked(id) {
			continue
		}
		m.log.Info("router forgotten: no controller has seen it for two days, and there is no link", "router", id)
		m.remove(id)
	}
}

func (m *Manager) linked(routerID string) bool {
	for _, l := range m.links {
		if l.peer == routerID {
			return true
		}
	}
	return false
}
