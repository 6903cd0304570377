package cluster

import (
	"errors"
	"io"
	"sync"

	"github.com/hashicorp/raft"
)

// errNoPeers answers every call to another member of a cluster that has none.
var errNoPeers = errors.New("cluster: this node has no connection to other members")

// alone is the transport of a node without peers. It opens no port.
type alone struct {
	addr raft.ServerAddress
	rpcs chan raft.RPC
}

func newAlone(addr string) *alone {
	return &alone{addr: raft.ServerAddress(addr), rpcs: make(chan raft.RPC)}
}

func (a *alone) Consumer() <-chan raft.RPC     { return a.rpcs }
func (a *alone) LocalAddr() raft.ServerAddress { return a.addr }

func (a *alone) AppendEntriesPipeline(raft.ServerID, raft.ServerAddress) (raft.AppendPipeline, error) {
	return nil, errNoPeers
}

func (a *alone) AppendEntries(raft.ServerID, raft.ServerAddress, *raft.AppendEntriesRequest, *raft.AppendEntriesResponse) error {
	return errNoPeers
}

func (a *alone) RequestVote(raft.ServerID, raft.ServerAddress, *raft.RequestVoteRequest, *raft.RequestVoteResponse) error {
	return errNoPeers
}

func (a *alone) InstallSnapshot(raft.ServerID, raft.ServerAddress, *raft.InstallSnapshotRequest, *raft.InstallSnapshotResponse, io.Reader) error {
	return errNoPeers
}

func (a *alone) TimeoutNow(raft.ServerID, raft.ServerAddress, *raft.TimeoutNowRequest, *raft.TimeoutNowResponse) error {
	return errNoPeers
}

func (a *alone) EncodePeer(_ raft.ServerID, addr raft.ServerAddress) []byte { return []byte(addr) }
func (a *alone) DecodePeer(b []byte) raft.ServerAddress                     { return raft.ServerAddress(b) }
func (a *alone) SetHeartbeatHandler(func(raft.RPC))                         {}

// campaigner is a transport through which the node can tell its own raft to
// stand for election at once. A single voter has nobody to wait for.
type campaigner struct {
	raft.Transport
	rpcs chan raft.RPC
	done chan struct{}
	wg   sync.WaitGroup
}

// newCampaigner starts a goroutine that close ends.
func newCampaigner(t raft.Transport) *campaigner {
	c := &campaigner{Transport: t, rpcs: make(chan raft.RPC), done: make(chan struct{})}
	c.wg.Add(1)
	go c.forward()
	return c
}

func (c *campaigner) forward() {
	defer c.wg.Done()
	for {
		select {
		case rpc := <-c.Transport.Consumer():
			select {
			case c.rpcs <- rpc:
			case <-c.done:
				return
			}
		case <-c.done:
			return
		}
	}
}

func (c *campaigner) Consumer() <-chan raft.RPC { return c.rpcs }

// campaign makes raft a candidate now instead of after its election timeout.
func (c *campaigner) campaign(id string) {
	rpc := raft.RPC{
		Command: &raft.TimeoutNowRequest{RPCHeader: raft.RPCHeader{
			ProtocolVersion: raft.ProtocolVersionMax, ID: []byte(id), Addr: []byte(c.LocalAddr()),
		}},
		RespChan: make(chan raft.RPCResponse, 1),
	}
	select {
	case c.rpcs <- rpc:
	case <-c.done:
	}
}

// close ends the goroutine; the inner transport belongs to the caller.
func (c *campaigner) close() {
	close(c.done)
	c.wg.Wait()
}
