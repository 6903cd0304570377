package link

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Inspection is what operators see of the links of a router.
type Inspection struct {
	Destinations []Destination `json:"destinations"`
	Links        []Shown       `json:"links"`
	Errors       []string      `json:"errors"`
}

// Destination is another router, with the links that this one wants to have
// with it.
type Destination struct {
	ID             string      `json:"id"`
	Name           string      `json:"name"`
	Version        string      `json:"version"`
	Healthy        bool        `json:"healthy"` // connected to a controller
	UnhealthySince *time.Time  `json:"unhealthySince,omitempty"`
	LinkStates     []LinkState `json:"linkStates"`
}

// LinkState is one link that this router wants to have.
type LinkState struct {
	ID                string     `json:"id"` // of the link if this router makes it
	Key               string     `json:"key"`
	Status            string     `json:"status"`
	EstablishedLinkID string     `json:"establishedLinkId,omitempty"`
	ConnectedCount    int        `json:"connectedCount"`
	DialAttempts      int        `json:"dialAttempts"`
	DialerBinding     string     `json:"dialerBinding"`
	DialerGroups      []string   `json:"dialerGroups"`
	TargetAddress     string     `json:"targetAddress"`
	TargetAddresses   []string   `json:"targetAddresses"`
	TargetBinding     string     `json:"targetBinding"`
	TargetGroups      []string   `json:"targetGroups"`
	NextDial          *time.Time `json:"nextDial,omitempty"`
	RetryDelay        string     `json:"retryDelay"`
	LastError         *LastError `json:"lastError,omitempty"`
}

// LastError says why the last attempt failed or the link was lost.
type LastError struct {
	At      time.Time `json:"at"`
	Code    string    `json:"code"`
	Message string    `json:"message"`
	Remedy  string    `json:"remedy,omitempty"`
}

// Shown is an established link.
type Shown struct {
	ID                 string            `json:"id"`
	Iteration          uint32            `json:"iteration"`
	Key                string            `json:"key"`
	Dest               string            `json:"dest"`
	DestVersion        string            `json:"destVersion"`
	Dialed             bool              `json:"dialed"`
	DialAddress        string            `json:"dialAddress"`
	Protocol           string            `json:"protocol"`
	Split              bool              `json:"split"`
	Since              time.Time         `json:"since"`
	Latency            string            `json:"latency"`
	QueueTime          string            `json:"queueTime"`
	Unresponsive       bool              `json:"unresponsive"`
	ConnStateIteration uint32            `json:"connStateIteration"`
	Underlays          map[string]int    `json:"underlays"`
	Connections        []ShownConnection `json:"connections"`
}

// ShownConnection is a connection of a link.
type ShownConnection struct {
	Type   string `json:"type"`
	Source string `json:"source"`
	Dest   string `json:"dest"`
	Queued int    `json:"queuedBytes"`
}

// Inspect returns destinations and links, ordered by id.
func (m *Manager) Inspect() Inspection {
	out := Inspection{Destinations: []Destination{}, Links: []Shown{}}
	for _, l := range m.all() {
		out.Links = append(out.Links, l.shown())
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.peers {
		d := Destination{ID: p.id, Name: p.name, Version: p.version, Healthy: p.online, LinkStates: []LinkState{}}
		if !p.online {
			at := p.offlineSince
			d.UnhealthySince = &at
		}
		for _, t := range m.targets {
			if t.peer == p {
				d.LinkStates = append(d.LinkStates, m.stateOf(t))
			}
		}
		slices.SortFunc(d.LinkStates, func(a, b LinkState) int { return cmp.Compare(a.Key, b.Key) })
		out.Destinations = append(out.Destinations, d)
	}
	slices.SortFunc(out.Destinations, func(a, b Destination) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(out.Links, func(a, b Shown) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

func (m *Manager) stateOf(t *target) LinkState {
	s := LinkState{
		ID: t.name.id, Key: t.key, Status: t.state, DialAttempts: t.attempts,
		DialerBinding: t.dialer.Name, DialerGroups: t.dialer.Groups,
		TargetAddress: "tls:" + t.addresses[0], TargetAddresses: t.addresses,
		TargetBinding: t.listener, TargetGroups: t.groups, RetryDelay: t.delay.String(),
	}
	if !t.next.IsZero() && t.state != stateEstablished {
		at := t.next
		s.NextDial = &at
	}
	if l := m.byKey[t.key]; l != nil {
		s.EstablishedLinkID, s.ConnectedCount = l.id, len(l.conns.Load().all())
	}
	if t.last != nil {
		s.LastError = &LastError{At: t.lastAt, Code: t.last.Code, Message: t.last.Message, Remedy: remedies[t.last.Code]}
	}
	return s
}

func (l *Link) shown() Shown {
	l.mu.Lock()
	s := Shown{
		ID: l.id, Iteration: l.iteration, Key: l.key, Dest: l.peer, DestVersion: number(l.version), Dialed: l.dialed,
		DialAddress: "tls:" + l.address, Protocol: "tls", Split: l.split, Since: l.since,
		Latency: l.health.latency.String(), QueueTime: l.health.queue.String(), Unresponsive: l.health.mute,
		ConnStateIteration: l.changes, Underlays: make(map[string]int), Connections: []ShownConnection{},
	}
	l.mu.Unlock()
	for _, c := range l.conns.Load().all() {
		if ch := c.ch.Load(); ch != nil {
			s.Underlays[c.kind]++
			s.Connections = append(s.Connections, ShownConnection{
				Type: c.kind, Source: addressText(ch.Peer().Local), Dest: addressText(ch.Peer().Remote), Queued: ch.Queued(),
			})
		}
	}
	return s
}

// number is the version proper of version|revision|build date|os|arch.
func number(version string) string {
	n, _, _ := strings.Cut(version, "|")
	return n
}
