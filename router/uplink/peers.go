package uplink

import (
	"sync"

	"google.golang.org/protobuf/proto"

	"github.com/weftnet/weft/wire/ctrl"
)

// peers are the other routers, as the controller told last. They are kept in
// the snapshot, so that a router that starts without a controller finds them.
type peers struct {
	mu   sync.Mutex
	byID map[string]*ctrl.Peer
}

// takePeers notes news of other routers and passes them on.
func (u *Uplink) takePeers(m *ctrl.Peers) {
	u.notePeers(m)
	u.mark(true)
	if u.cfg.Peers != nil {
		u.cfg.Peers(m)
	}
}

// tellPeers passes on what the snapshot says.
func (u *Uplink) tellPeers() {
	if all := u.peers.all(); len(all) > 0 && u.cfg.Peers != nil {
		u.cfg.Peers(&ctrl.Peers{Whole: true, Put: all})
	}
}

func (u *Uplink) notePeers(m *ctrl.Peers) {
	p := &u.peers
	p.mu.Lock()
	if m.GetWhole() || p.byID == nil {
		p.byID = make(map[string]*ctrl.Peer)
	}
	for _, id := range m.GetRemoved() {
		delete(p.byID, id)
	}
	for _, peer := range m.GetPut() {
		p.byID[peer.RouterId] = peer
	}
	p.mu.Unlock()
}

// all returns the peers for the snapshot. Whether they are online is not kept.
func (p *peers) all() []*ctrl.Peer {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make([]*ctrl.Peer, 0, len(p.byID))
	for _, peer := range p.byID {
		kept := proto.Clone(peer).(*ctrl.Peer)
		kept.Online = false
		out = append(out, kept)
	}
	return out
}
