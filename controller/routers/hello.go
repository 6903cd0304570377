package routers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/control"
	"github.com/weftnet/weft/pki"
)

// Errors that a router gets for its hello.
var (
	errNoRouter  = errors.New("no router has this certificate: enroll the router")
	errDisabled  = errors.New("the router is disabled")
	errConnected = errors.New("a router with this certificate is connected already")
	errExpired   = errors.New("the certificate of the router is outside its validity")
)

// Accept judges the hello of a router, which is known by its certificate alone:
// see channel.ListenerConfig.
func (r *Registry) Accept(ctx context.Context, p *channel.Peer) (*channel.Accepted, error) {
	leaf := p.Leaf()
	if leaf == nil {
		return nil, errNoRouter
	}
	fingerprint := pki.Fingerprint(leaf)
	router := routerOf(r.cfg.Store.View(), fingerprint)
	now := r.cfg.Now()
	switch {
	case router == nil:
		return nil, fmt.Errorf("%w (fingerprint %s)", errNoRouter, fingerprint)
	case router.Disabled:
		return nil, errDisabled
	case now.Before(leaf.NotBefore) || now.After(leaf.NotAfter):
		return nil, errExpired
	}
	if err := r.makeRoom(ctx, router.ID); err != nil {
		return nil, err
	}
	out := &channel.Accepted{Handler: control.NewControllerEnd(router.ID, r, r.cfg.Tuning)}
	out.Headers.PutString(channel.HeaderID, r.cfg.ControllerID)
	out.Headers.PutString(channel.HeaderHelloVersion, r.cfg.Version)
	return out, nil
}

// makeRoom closes an earlier connection of the router if that is dead or old.
func (r *Registry) makeRoom(ctx context.Context, routerID string) error {
	r.mu.Lock()
	at := r.of(routerID)
	old, young := at.session, r.cfg.Now().Sub(at.status.Since) < r.cfg.Churn
	r.mu.Unlock()
	if old == nil {
		return nil
	}
	if young && old.Alive(ctx, time.Second) {
		return errConnected
	}
	old.Close()
	r.forget(old)
	return nil
}
