package main

import (
	"context"
	"fmt"
	"net"
	"path/filepath"

	"github.com/weftnet/weft/bench/peer"
	"github.com/weftnet/weft/sdk"
)

// enrol makes an identity file.
func (n *network) enrol(ctx context.Context, name string, attributes ...string) (string, error) {
	token, err := n.api.enrolmentToken(ctx, name, attributes...)
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
