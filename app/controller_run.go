package app

import (
	"context"
	"fmt"
	"sync"
)

// run starts what follows the state, then the APIs.
func (c *Controller) run(ctx context.Context) error {
	running, stop := context.WithCancel(context.Background())
	var work sync.WaitGroup
	c.parts.add(func() error { stop(); work.Wait(); return nil })
	c.observers.ready.Store(true)
	work.Go(func() { c.feed.Run(running) })
	work.Go(func() { c.network.Run(running) })
	if err := c.auth.Start(ctx); err != nil {
		return err
	}
	if err := c.registerSelf(ctx); err != nil {
		return err
	}
	work.Go(func() { c.statuses.run(running) })
	work.Go(func() { c.tellMetrics(running) })
	if cl := c.o.Config.Cluster; cl != nil {
		work.Go(func() { watchLeader(running, c.store.node, cl.WarnWhenLeaderlessFor, c.o.Log) })
	}
	if c.dialer != nil {
		work.Go(func() { c.dialer.Run(running) })
	}
	work.Go(func() { c.serveControl() })
	c.parts.add(c.control.Close)
	c.parts.add(c.web.Close)
	c.web.serve()
	c.ports.serve()
	for _, identity := range distinct(append(c.servers, c.identity)) {
		c.parts.add(watchIdentity(running, stop, identity, c.o.Log))
	}
	c.parts.add(c.watchNode(running, stop))
	c.o.Log.Info("controller running", "controller", c.id, "version", c.o.Build.Version, "api", c.o.Config.Edge.API.Address.String(), "ctrl", c.ctrlAddress())
	return nil
}

// watchNode reports when the log stops for good.
func (c *Controller) watchNode(ctx context.Context, stop func()) func() error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-c.store.node.Failed():
			c.failed <- fmt.Errorf("the controller's log has stopped: %w", c.store.node.Err())
		case <-ctx.Done():
		}
	}()
	return func() error { stop(); <-done; return nil }
}
