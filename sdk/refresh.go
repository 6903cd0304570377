package sdk

import (
	"context"
	"math/rand/v2"
)

// startRefresh starts the one goroutine that keeps the session alive and looks
// for changes. The client's lock is held.
func (c *Client) startRefresh() {
	if c.refreshing || c.closed {
		return
	}
	c.refreshing = true
	c.wg.Add(1)
	go func() {
		defer c.wg.Done()
		c.refreshLoop()
	}()
}

func (c *Client) refreshLoop() {
	seen := ""
	c.learnControllers(c.ctx)
	for {
		d := c.opts.RefreshInterval
		if !pause(c.ctx, d-d/10+rand.N(d/5+1)) {
			return
		}
		last, err := c.lastChange(c.ctx)
		switch {
		case err != nil:
			c.log.Debug("refresh", "error", err)
		case last != seen:
			if seen != "" {
				c.forgetServices()
				if f := c.opts.ServicesChanged; f != nil {
					f()
				}
			}
			seen = last
		}
		c.learnControllers(c.ctx)
		c.wakeListeners(c.ctx)
		for _, l := range c.liveLinks() {
			l.probe(c.ctx)
		}
	}
}

// wakeListeners lets listeners that could use more routers look for new ones.
func (c *Client) wakeListeners(ctx context.Context) {
	c.mu.Lock()
	var short []*Listener
	for l := range c.listeners {
		short = append(short, l)
	}
	c.mu.Unlock()
	for _, l := range short {
		if l.Terminators() >= l.opts.MaxTerminators {
			continue
		}
		if s, err := c.usable(ctx, l.service, PermissionBind); err == nil {
			if _, err := c.serviceSession(ctx, s, PermissionBind, true); err != nil {
				c.log.Debug("refresh of a session", "service", l.service, "error", err)
			}
		}
		l.look()
	}
}

// Refresh forgets what is known of services and lets listeners look for
// routers anew, instead of waiting for the next report of the controller.
func (c *Client) Refresh() {
	c.forgetServices()
	c.mu.Lock()
	var all []*Listener
	for l := range c.listeners {
		all = append(all, l)
	}
	c.mu.Unlock()
	for _, l := range all {
		l.look()
	}
}
