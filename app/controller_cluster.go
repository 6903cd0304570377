package app

import (
	"context"
	"net"
	"strings"
	"time"

	"github.com/weftnet/weft/api"
	"github.com/weftnet/weft/fault"
)

// reachTime bounds the attempt to reach a controller that is to be added.
const reachTime = 5 * time.Second

// members are the operations on the cluster, which has one member.
type members struct{ c *Controller }

// Members returns the members as the log has them.
func (m members) Members() []api.ClusterMember {
	leader, _ := m.c.store.node.Leader()
	out := []api.ClusterMember{}
	for _, n := range m.c.store.node.Members() {
		row := api.ClusterMember{ID: n.ID, Address: n.Address, Voter: n.Voter, Leader: n.ID == leader && leader != "", Version: "<not connected>"}
		if n.ID == m.c.id {
			row.Connected, row.Version = true, m.c.o.Build.Version
		}
		out = append(out, row)
	}
	return out
}

// AddMember refuses: there are no clusters of several members yet. An address
// that leads nowhere is told apart, so that the caller can mend it.
func (m members) AddMember(ctx context.Context, address string, _ bool) error {
	host, ok := strings.CutPrefix(address, "tls:")
	if !ok {
		return fault.InvalidField.New(fault.CouldNotValidate.Field("address", "must have the form tls:host:port", address))
	}
	if _, _, err := net.SplitHostPort(host); err != nil {
		return fault.InvalidField.New(fault.CouldNotValidate.Field("address", "must have the form tls:host:port: "+err.Error(), address))
	}
	for _, n := range m.c.store.node.Members() {
		if n.Address == address {
			return nil // nothing to do
		}
	}
	ctx, cancel := context.WithTimeout(ctx, reachTime)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", host)
	if err != nil {
		return fault.InvalidField.New(fault.CouldNotValidate.Field("address", "cannot be reached: "+err.Error(), address))
	}
	_ = conn.Close() // nothing was sent
	return alone("add a member")
}

// RemoveMember refuses to remove the only member; others are not there.
func (m members) RemoveMember(_ context.Context, id string) error {
	if id == m.c.id {
		return fault.InvalidField.New(fault.CouldNotValidate.Field("id", "the last member of a cluster cannot be removed", id))
	}
	return nil
}

// TransferLeadership refuses: there is nobody to lead instead.
func (m members) TransferLeadership(_ context.Context, id string) error {
	switch {
	case id == m.c.id:
		return fault.TransferLeadership.Errorf("cluster node %s is the leader already", id)
	case id != "":
		return fault.TransferLeadership.Errorf("no cluster node found with id %s", id)
	}
	return fault.TransferLeadership.Errorf("cannot find a voter to transfer the leadership to: the cluster has one member")
}

func alone(what string) error {
	return fault.ServerNotRunningInHAMode.Errorf("cannot %s: this version of Weft runs clusters of one member only", what).
		WithRemedy("run one controller, and keep snapshots of its state (weft ops db snapshot), until a version with clusters of several members is there")
}
