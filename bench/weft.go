package main

import (
	"context"
	"fmt"
	"net"
	"path/filepath"

	"github.com/weftnet/weft/bench/peer"
	"github.com/weftnet/weft/sdk"
)

// path opens a service and two identities, and starts a host and a dialer for
// it: ours, or those of the ecosystem's Go SDK.
func (n *network) path(ctx context.Context, s settings, name string) (p path, err error) {
	p = path{name: name, middle: n.router}
	if err := n.api.service(ctx, name, name == "weft-e2ee"); err != nil {
		return p, err
	}
	for _, role := range []string{"host", "dial"} {
		file, err := n.enrol(ctx, name+"-"+role)
		if err != nil {
			return p, err
		}
		var c *process
		switch name {
		case "go-sdk":
			c, _, err = startEnd(ctx, role, s.goSDK, role, file, name)
		case "go-sdk-win":
			c, _, err = startEnd(ctx, role, s.goSDK, role, file, name, "window")
		default:
			c, _, err = startChild(ctx, s, name, role, "weft", file, name)
		}
		if err != nil {
			p.stop()
			return p, err
		}
		p.stops = append(p.stops, c)
	}
	p.host, p.dial = p.stops[0], p.stops[1]
	return p, nil
}

// enrol makes an identity file.
func (n *network) enrol(ctx context.Context, name string) (string, error) {
	token, err := n.api.enrolmentToken(ctx, name)
	if err != nil {
		return "", err
	}
	id, err := sdk.Enroll(ctx, token, sdk.EnrollOptions{})
	if err != nil {
		return "", fmt.Errorf("enrol %s: %w", name, err)
	}
	file := filepath.Join(n.dir, name+".json")
	return file, id.Save(file)
}

func client(file string) (*sdk.Client, error) {
	id, err := sdk.LoadIdentity(file)
	if err != nil {
		return nil, err
	}
	return sdk.New(id, sdk.Options{})
}

func listenWeft(ctx context.Context, file, service string) (net.Listener, error) {
	c, err := client(file)
	if err != nil {
		return nil, err
	}
	return c.ListenWithOptions(ctx, service, sdk.ListenOptions{Backlog: 20000})
}

func dialWeft(ctx context.Context, file, service string) (peer.Dialer, error) {
	c, err := client(file)
	if err != nil {
		return nil, err
	}
	if err := c.Login(ctx); err != nil {
		return nil, err
	}
	return func(ctx context.Context) (net.Conn, error) { return c.Dial(ctx, service) }, nil
}
