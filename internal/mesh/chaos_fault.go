package mesh

import (
	"context"
	"errors"
	"fmt"

	"github.com/weftnet/weft/internal/testnet"
)

func (c *chaos) process(name string) *testnet.Process {
	if name == controllerName {
		return c.Mesh.Controller
	}
	return c.Mesh.Router(name).Process
}

func (c *chaos) host(name string) *testnet.Host {
	if name == controllerName {
		return c.Mesh.ControllerHost
	}
	return c.Mesh.Router(name).Host
}

func (c *chaos) inflict(f Fault) error {
	if f.B == "" {
		p := c.process(f.A)
		switch f.Kind {
		case faultFreeze:
			return p.Freeze()
		case faultStop:
			_, err := p.Interrupt(chaosPatience)
			return err
		}
		p.Kill()
		return nil
	}
	a, b := c.host(f.A), c.host(f.B)
	switch f.Kind {
	case faultOneWay:
		return testnet.CutOneWay(a, b)
	case faultTear:
		return testnet.Tear(a, b)
	case faultSlow:
		pace := testnet.Pace{BytesPerSecond: 512 << 10}
		return errors.Join(testnet.SetPace(a, b, pace), testnet.SetPace(b, a, pace))
	case faultLinkDown:
		return c.setDown(f, true)
	}
	return testnet.Cut(a, b)
}

func (c *chaos) undo(f Fault) error {
	if f.B == "" {
		if f.Kind == faultFreeze {
			return c.process(f.A).Thaw()
		}
		return c.process(f.A).Start()
	}
	a, b := c.host(f.A), c.host(f.B)
	switch f.Kind {
	case faultSlow:
		return errors.Join(testnet.SetPace(a, b, testnet.Pace{}), testnet.SetPace(b, a, testnet.Pace{}))
	case faultLinkDown:
		return c.setDown(f, false)
	}
	return testnet.Heal(a, b)
}

// setDown lets the operator take a link out of use, if there is one, and give it
// back, if it is still the same.
func (c *chaos) setDown(f Fault, down bool) error {
	links, err := c.Links()
	if err != nil {
		return err
	}
	for _, l := range links {
		if l.Between(f.A, f.B) {
			err := c.ChangeLink(l.ID, map[string]any{"down": down})
			var refused *testnet.Refusal
			if errors.As(err, &refused) && refused.Status == 404 {
				return nil // it has gone meanwhile
			}
			return err
		}
	}
	return nil
}

// mend ends whatever faults have left behind.
func (c *chaos) mend() error {
	if err := c.Mesh.Hosts.Heal(); err != nil {
		return err
	}
	var err error
	if !testnet.Within(chaosPatience, func() bool {
		err = c.Mesh.Admin.Login(context.Background(), "admin", "mesh-admin-1")
		return err == nil
	}) {
		return fmt.Errorf("no login: %w", err)
	}
	if err := c.Mesh.StartRouters(); err != nil {
		return err
	}
	links, err := c.Links()
	if err != nil {
		return err
	}
	for _, l := range links {
		if l.Down {
			if err := c.ChangeLink(l.ID, map[string]any{"down": false}); err != nil {
				return err
			}
		}
	}
	return nil
}
