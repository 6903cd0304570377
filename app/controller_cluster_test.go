package app

import (
	"errors"
	"net"
	"os"
	"testing"

	"github.com/weftnet/weft/agent"
	"github.com/weftnet/weft/fault"
)

// TestClusterOfOne: what the operations on the cluster do as long as it has one
// member, over the API and over the agent.
func TestClusterOfOne(t *testing.T) {
	n := newTestNetwork(t)
	m := members{n.controller}
	rows := m.Members()
	if len(rows) != 1 || rows[0].ID != n.controller.id || !rows[0].Leader || !rows[0].Voter || !rows[0].Connected || rows[0].ReadOnly || rows[0].Address == "" {
		t.Fatalf("%+v", rows)
	}
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	open, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	_ = closed.Close()
	ctx := testContext(t)
	for _, tt := range []struct {
		name string
		err  error
		want *fault.Kind
	}{
		{"no protocol", m.AddMember(ctx, "localhost:1", true), fault.InvalidField},
		{"no port", m.AddMember(ctx, "tls:localhost", true), fault.InvalidField},
		{"nobody there", m.AddMember(ctx, "tls:"+closed.Addr().String(), true), fault.InvalidField},
		{"somebody there", m.AddMember(ctx, "tls:"+open.Addr().String(), true), fault.ServerNotRunningInHAMode},
		{"itself", m.AddMember(ctx, rows[0].Address, true), nil},
		{"remove a stranger", m.RemoveMember(ctx, "stranger"), nil},
		{"remove the last", m.RemoveMember(ctx, rows[0].ID), fault.InvalidField},
		{"transfer to a stranger", m.TransferLeadership(ctx, "stranger"), fault.TransferLeadership},
		{"transfer to itself", m.TransferLeadership(ctx, rows[0].ID), fault.TransferLeadership},
		{"transfer to anybody", m.TransferLeadership(ctx, ""), fault.TransferLeadership},
	} {
		if tt.want == nil && tt.err != nil || tt.want != nil && !errors.Is(tt.err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, tt.err, tt.want)
		}
	}
	for _, op := range n.controller.operationsOfAgent() {
		if op.Name != "snapshot" {
			continue
		}
		answer, err := op.Do(ctx, agent.Args{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(answer.(map[string]string)["path"]); err != nil {
			t.Error(err)
		}
	}
}
