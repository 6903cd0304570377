package app

import (
	"context"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/clock"
	"github.com/weftnet/weft/controller/audit"
	"github.com/weftnet/weft/controller/events"
	"github.com/weftnet/weft/controller/network"
	"github.com/weftnet/weft/model"
)

// observers are who is told what happens at a controller.
type observers struct {
	hub      *events.Hub
	counters *events.Counters
	audit    *audit.Log        // nil if nobody wants it
	methods  map[string]string // HTTP method by operation id
	ready    atomic.Bool       // all parts of the controller are there
}

// makeEvents opens the handlers of the events section and the audit, and follows
// the state for both. It returns where events of the network go.
func (c *Controller) makeEvents() (func(network.Event), error) {
	hub, err := events.New(events.Config{
		ControllerID: c.id, Subscribers: c.o.Config.Events, Stdout: os.Stdout, Log: c.o.Log,
		Counts: c.entityCounts, Leads: c.leads, Link: c.linkEnds,
	})
	if err != nil {
		return nil, err
	}
	c.parts.add(hub.Close)
	o := &observers{hub: hub, counters: events.NewCounters(hub, c.o.Config.Network.IntervalAgeThreshold, clock.Real()), methods: make(map[string]string)}
	for _, op := range api.Operations() {
		o.methods[op.ID] = op.Method
	}
	c.observers = o
	if o.audit, err = c.openAudit(); err != nil {
		return nil, err
	}
	running, stop := context.WithCancel(context.Background())
	var work sync.WaitGroup
	c.parts.add(func() error { stop(); work.Wait(); return nil })
	work.Go(func() { o.counters.Run(running) })
	work.Go(func() { c.tellCluster(running) })
	work.Go(func() { c.tellChanges(running) })
	if o.audit != nil {
		work.Go(func() { o.audit.Follow(running, c.store.Store, c.store.replayed) })
	} else {
		c.store.replayed.Release()
	}
	return func(e network.Event) {
		hub.Publish(events.Network(e))
		if e, ok := e.(*network.CircuitEvent); ok {
			o.counters.Circuit(e)
		}
	}, nil
}

// leads reports whether changes are told by this controller: it leads, or
// nobody does.
func (c *Controller) leads() bool {
	leader, _ := c.store.node.Leader()
	return leader == "" || leader == c.id
}

// linkEnds returns the routers of a link.
func (c *Controller) linkEnds(id string) (src, dst string, ok bool) {
	if !c.observers.ready.Load() {
		return "", "", false
	}
	l := c.network.Link(id)
	if l == nil {
		return "", "", false
	}
	return l.DialerID, l.AcceptorID, true
}

// entityCounts counts entities by the names of their stores.
func (c *Controller) entityCounts() map[string]int64 {
	view := c.store.View()
	out := map[string]int64{"eventualEvents": 0, "identityTypes": 2, "postureCheckTypes": 5, "apiSessionCertificates": 0}
	for _, k := range model.Kinds() {
		if name := events.StoreOf(k); name != "" {
			out[name] = int64(view.Count(k))
		}
	}
	out["services.edge"], out["routers.edge"] = out["services"], 0
	for e := range view.All(model.KindEdgeRouter) {
		if r, ok := e.(*model.EdgeRouter); ok && !r.IsTransit {
			out["routers.edge"]++
		}
	}
	out["apiSessions"], out["sessions"] = 0, 0
	if !c.observers.ready.Load() {
		return out
	}
	for _, s := range c.auth.Sessions() {
		out["apiSessions"]++
		if s.Fingerprint != "" {
			out["apiSessionCertificates"]++
		}
	}
	out["sessions"] = int64(len(c.auth.ServiceSessions("")))
	return out
}

// tellCluster tells of leadership and members as this controller sees them.
func (c *Controller) tellCluster(ctx context.Context) {
	told := &clusterView{}
	for {
		changed := c.store.node.Changed()
		for _, e := range told.next(c.clusterNow()) {
			c.observers.hub.Publish(e)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// clusterView is the cluster as it was told last.
type clusterView struct {
	begun   bool
	self    string
	leader  string
	members []events.Peer
}

// clusterState is the cluster as it is.
type clusterState struct {
	at      time.Time
	index   uint64
	self    string
	leader  string
	members []events.Peer
}

func (c *Controller) clusterNow() clusterState {
	s := clusterState{at: time.Now(), index: c.store.node.Stats().Applied, self: c.id}
	s.leader, _ = c.store.node.Leader()
	for _, m := range c.store.node.Members() {
		s.members = append(s.members, events.Peer{ID: m.ID, Address: m.Address})
	}
	return s
}

// next returns what has changed since the last call.
func (v *clusterView) next(now clusterState) []events.Event {
	var out []events.Event
	tell := func(kind string, peers []events.Peer, leader string) {
		out = append(out, &events.Cluster{At: now.at, Type: kind, Index: now.index, Peers: peers, LeaderID: leader})
	}
	if now.leader == "" && (!v.begun || v.leader != "") {
		tell(events.IsLeaderless, nil, "")
	}
	if now.leader != "" && now.leader != v.leader {
		tell(events.HasLeader, nil, now.leader)
	}
	switch led, leads := v.leader == now.self, now.leader == now.self; {
	case leads && !led:
		tell(events.LeadershipGained, now.members, "")
	case led && !leads:
		tell(events.LeadershipLost, nil, "")
	}
	if v.begun && !sameMembers(v.members, now.members) {
		tell(events.MembersChanged, now.members, "")
	}
	*v = clusterView{true, now.self, now.leader, now.members}
	return out
}

func sameMembers(a, b []events.Peer) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].ID != b[i].ID || a[i].Address != b[i].Address {
			return false
		}
	}
	return true
}
