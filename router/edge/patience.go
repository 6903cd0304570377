package edge

import (
	"context"
	"errors"
	"time"

	"github.com/weftnet/weft/policy"
	"github.com/weftnet/weft/token"
)

const (
	freshToken   = 10 * time.Second // a service session younger than this
	newsPatience = time.Second      // waits at most so long for the news that allowed it
)

// service verifies a service-session token. One whose key is unknown is given
// Config.ServicePatience: the news of the key may be on its way.
func (c *client) service(text string) (s token.Service, err error) {
	c.await(c.srv.cfg.ServicePatience, func() error {
		s, err = c.srv.cfg.Directory.Service(text)
		if errors.Is(err, token.ErrUnknownKey) {
			return err
		}
		return nil
	})
	return s, err
}

// access asks whether a service session may be used. The controller made the
// session knowing policies of which this router may hear only now, so that a
// refusal of a fresh one is given a moment.
func (c *client) access(action policy.Action, s token.Service) error {
	patience := min(newsPatience, c.srv.cfg.ServicePatience)
	if time.Since(s.IssuedAt).Abs() > freshToken {
		patience = 0
	}
	return c.await(patience, func() error { return c.srv.cfg.Directory.Access(action, s.IdentityID, s.ServiceID) })
}

// await asks again at every change of the directory, until the answer is good or
// time is up.
func (c *client) await(patience time.Duration, ask func() error) error {
	watcher, ok := c.srv.cfg.Directory.(Watcher)
	if !ok || patience <= 0 {
		return ask()
	}
	ctx, cancel := context.WithTimeout(c.ctx, patience)
	defer cancel()
	for {
		changed := watcher.Changed()
		err := ask()
		if err == nil {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return err
		}
	}
}
