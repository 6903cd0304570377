package app

import (
	"errors"
	"fmt"
	"net"
	"os"
	"testing"
	"time"

	"github.com/weftnet/weft/client"
	"github.com/weftnet/weft/controller/network"
	"github.com/weftnet/weft/controller/network/topology"
	"github.com/weftnet/weft/wire/ctrl"
)

// The fabric API of a network with one circuit: who, what, which way; and an
// end by an operator.
func TestFabricOfARunningNetwork(t *testing.T) {
	n := newTestNetwork(t)
	service, _ := n.service("echo", false)
	n.echo(n.identity("host"), "echo")
	c := n.dial(n.identity("guest"), "echo")
	if err := talk(c, "hello"); err != nil {
		t.Fatal(err)
	}
	ctx, fabric := testContext(t), n.admin.Fabric()
	routers, err := fabric.ListRouters(ctx, nil)
	if err != nil || len(routers.Items) != 1 || !routers.Items[0].Connected || routers.Items[0].VersionInfo.Version != Version {
		t.Fatalf("routers %+v, %v", routers, err)
	}
	router := routers.Items[0]
	circuits, err := fabric.ListCircuits(ctx, &client.ListParams{Filter: `service = "` + service + `"`})
	if err != nil || len(circuits.Items) != 1 {
		t.Fatalf("circuits %+v, %v", circuits, err)
	}
	circuit := circuits.Items[0]
	if circuit.Identity.Name != "guest" || circuit.HostIdentity.Name != "host" || circuit.Path.Nodes[0].ID != router.ID || len(circuit.Path.Links) != 0 {
		t.Errorf("circuit %+v", circuit)
	}
	terminators, err := fabric.ListRouterTerminators(ctx, router.ID, nil)
	if err != nil || len(terminators.Items) != 1 || terminators.Items[0].ID != circuit.Terminator.ID || terminators.Items[0].HostID != circuit.HostIdentity.ID {
		t.Errorf("terminators %+v, %v", terminators, err)
	}
	if p, err := fabric.ShowPath(ctx, &client.ShowPathParams{From: router.Name, To: router.ID}); err != nil || !p.Found || len(p.Hops) != 1 {
		t.Errorf("path %+v, %v", p, err)
	}
	values, err := fabric.Inspect(ctx, &client.InspectRequest{AppRegex: client.Ptr(".*"), RequestedValues: []string{"stackdump", "nope"}})
	if err != nil || !values.Success || len(values.Values) != 2 { // of the controller and of the router
		t.Errorf("inspection %+v, %v", values, err)
	}
	if err := fabric.DeleteCircuit(ctx, circuit.ID, &client.CircuitDelete{Immediate: client.Ptr(true)}); err != nil {
		t.Fatal(err)
	}
	c.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, err := c.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the circuit is still there: %v", err)
	}
	var refusal *client.Error
	if _, err := fabric.DetailCircuit(ctx, circuit.ID); !errors.As(err, &refusal) || refusal.Status != 404 {
		t.Errorf("after its end: %v", err)
	}
}

func TestLinksAsTheFabricAPIShowsThem(t *testing.T) {
	l := linkOf(&network.Link{ID: "l", DialerID: "a", AcceptorID: "b", State: topology.Connected, StaticCost: 5, DialerLatency: 2 * time.Millisecond,
		AcceptorLatency: 3 * time.Millisecond, Connections: []topology.Connection{{Kind: "link.ack", Local: "tcp:1", Remote: "tcp:2"}}})
	if l.Cost != 10 || l.State != "Connected" || fmt.Sprint(l.Connections) != "[{tcp:2 tcp:1 link.ack}]" {
		t.Errorf("%+v", l)
	}
	if l := linkOf(&network.Link{State: topology.Connected, Unresponsive: true}); l.State != unresponsive {
		t.Errorf("%+v", l)
	}
	if l := linkOf(&network.Link{State: topology.Failed, Unresponsive: true}); l.State != "Failed" {
		t.Errorf("%+v", l)
	}
	if linkOf(nil) != nil || circuitOf(nil) != nil {
		t.Error("something was made of nothing")
	}
	if p := pathOf([]network.Hop{{RouterID: "a", Link: "l"}, {RouterID: "b"}}); fmt.Sprint(p) != "{[a b] [l] 0}" {
		t.Errorf("%+v", p)
	}
	n := machineInterfaces([]*ctrl.Interface{{Name: "eth0", Mtu: 1500, Flags: uint64(net.FlagUp | net.FlagBroadcast)}})[0]
	if !n.IsUp || !n.IsBroadcast || n.IsLoopback || n.MTU != 1500 {
		t.Errorf("%+v", n)
	}
}
