// Package sdk lets a program use the network: enrol, log in, dial services and
// host them. What it returns are a net.Conn and a net.Listener, so anything
// written for TCP works through the network, without an open port.
//
//	identity, err := sdk.LoadIdentity("laptop.json")
//	client, err := sdk.New(identity, sdk.Options{})
//	defer client.Close()
//	conn, err := client.Dial(ctx, "database")
//
// A Client logs in when it first has to, keeps its session alive, connects to
// the edge routers that its services may be reached through, and comes back by
// itself when a router or a controller was away. Data of services that require
// it is encrypted from end to end. All exported types are safe for concurrent
// use unless they say otherwise.
//
// Refusals are *Error: a stable code, the reason of the controller, router or
// host that refused, and what can be done about it. Compare them with the Err
// variables by errors.Is.
package sdk
