package uplink

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/weftnet/weft/wire/ctrl"
)

// endpointsFile is the layout of the endpoints file.
type endpointsFile struct {
	Controllers []endpointsOf `yaml:"controllers,omitempty"`
	Endpoints   []string      `yaml:"endpoints"`
}

// endpointsOf are the addresses of one controller.
type endpointsOf struct {
	Endpoints []endpoint `yaml:"endpoints"`
	ID        string     `yaml:"id"`
}

type endpoint struct {
	Address string   `yaml:"address"`
	Groups  []string `yaml:"groups"`
}

// controllers are those that the router knows.
type controllers struct {
	mu     sync.Mutex
	index  uint64 // of the last list, 0 if there was none
	byID   []*ctrl.Controller
	others []string // host:port of controllers whose id is not known
	spare  []string // host:port from the configuration, for want of anything else
}

// loadEndpoints reads the controllers to call: those of the file if it names
// any, else those of the configuration.
func (u *Uplink) loadEndpoints() error {
	k := &u.controllers
	for _, e := range u.cfg.Endpoints {
		k.spare = append(k.spare, hostPort(e))
	}
	if u.cfg.EndpointsFile != "" {
		b, err := os.ReadFile(u.cfg.EndpointsFile)
		if err == nil {
			err = k.parse(b)
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			u.cfg.Log.Warn("endpoints file not used", "file", u.cfg.EndpointsFile, "error", err)
		}
	}
	if len(k.addresses()) == 0 && len(u.cfg.CtrlListeners) == 0 {
		return errors.New("uplink: no controller endpoint is configured: set ctrl.endpoint")
	}
	return nil
}

// parse takes the content of an endpoints file: controllers with an id, else
// plain addresses.
func (k *controllers) parse(b []byte) error {
	var f endpointsFile
	if err := yaml.Unmarshal(b, &f); err != nil {
		return fmt.Errorf("uplink: endpoints file: %w", err)
	}
	for _, c := range f.Controllers {
		if c.ID == "" {
			continue
		}
		known := &ctrl.Controller{Id: c.ID}
		for _, e := range c.Endpoints {
			known.Addresses = append(known.Addresses, e.Address)
		}
		k.byID = append(k.byID, known)
	}
	if len(k.byID) == 0 {
		for _, e := range f.Endpoints {
			k.others = append(k.others, hostPort(e))
		}
	}
	return nil
}

// addresses returns whom to call, host:port each, in turn. Those that only the
// configuration names come last: a list of controllers may be of no use here.
func (k *controllers) addresses() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	var out []string
	add := func(address string) {
		if a := hostPort(address); a != "" && !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	for i := 0; ; i++ { // the first addresses of all, then the second ones
		more := false
		for _, c := range k.byID {
			if i < len(c.Addresses) {
				add(c.Addresses[i])
				more = true
			}
		}
		if !more {
			break
		}
	}
	for _, a := range slices.Concat(k.others, k.spare) {
		add(a)
	}
	return out
}

// take notes where controllers are; it reports whether that is news. A list
// older than one seen before counts only from the leader, and what is missing
// from a list is gone only if the leader says so.
func (k *controllers) take(m *ctrl.Endpoints) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(m.GetControllers()) == 0 || !m.GetLeader() && k.index != 0 && m.GetIndex() <= k.index {
		return false
	}
	k.index = m.GetIndex()
	var next []*ctrl.Controller
	if !m.GetLeader() {
		for _, c := range k.byID {
			if !slices.ContainsFunc(m.Controllers, func(n *ctrl.Controller) bool { return n.Id == c.Id }) {
				next = append(next, c)
			}
		}
	}
	for _, c := range m.Controllers {
		if c.Id != "" && len(c.Addresses) > 0 {
			next = append(next, c)
		}
	}
	if len(next) == 0 {
		return false
	}
	slices.SortFunc(next, func(a, b *ctrl.Controller) int { return cmp.Compare(a.Id, b.Id) })
	same := slices.EqualFunc(next, k.byID, func(a, b *ctrl.Controller) bool {
		return a.Id == b.Id && slices.Equal(a.Addresses, b.Addresses)
	})
	k.byID, k.others = next, nil
	return !same
}

// file returns what to write to the endpoints file.
func (k *controllers) file() *endpointsFile {
	k.mu.Lock()
	defer k.mu.Unlock()
	f := &endpointsFile{}
	for _, c := range k.byID {
		of := endpointsOf{ID: c.Id}
		for _, a := range c.Addresses {
			address := "tls:" + hostPort(a)
			of.Endpoints = append(of.Endpoints, endpoint{Address: address, Groups: []string{}})
			f.Endpoints = append(f.Endpoints, address)
		}
		f.Controllers = append(f.Controllers, of)
	}
	return f
}

// knows reports whether a controller is among those with an id.
func (k *controllers) knows(id string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.ContainsFunc(k.byID, func(c *ctrl.Controller) bool { return c.Id == id })
}

// takeEndpoints takes news of controllers: it writes the file and leaves a
// controller that is none any more.
func (u *Uplink) takeEndpoints(m *ctrl.Endpoints) {
	k := &u.controllers
	if k.take(m) && u.cfg.EndpointsFile != "" {
		u.cfg.Log.Info("controllers known", "addresses", k.addresses())
		if err := writeEndpoints(u.cfg.EndpointsFile, k.file()); err != nil {
			u.cfg.Log.Warn("endpoints file not written", "file", u.cfg.EndpointsFile, "error", err)
		}
	}
	if status := u.Status(); m.GetLeader() && status.Connected && !k.knows(status.ControllerID) {
		u.cfg.Log.Warn("the controller is no member any more, calling another", "controller", status.ControllerID)
		select {
		case u.strange <- status.ControllerID:
		default:
		}
	}
	if u.cfg.OnEndpoints != nil {
		u.cfg.OnEndpoints(m)
	}
}

// writeEndpoints replaces the endpoints file as a whole.
func writeEndpoints(file string, f *endpointsFile) (err error) {
	b, err := yaml.Marshal(f)
	if err != nil {
		return fmt.Errorf("uplink: %w", err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*") // mode 0600
	if err != nil {
		return fmt.Errorf("uplink: %w", err)
	}
	defer func() {
		if err != nil {
			os.Remove(tmp.Name())
		}
	}()
	_, err = tmp.Write(b)
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return fmt.Errorf("uplink: %w", err)
	}
	return os.Rename(tmp.Name(), file)
}

// hostPort takes the scheme off an address: tls:host:port or tls://host:port.
func hostPort(address string) string {
	address = strings.TrimSpace(address)
	if rest, ok := strings.CutPrefix(address, "tls:"); ok {
		address = strings.TrimPrefix(rest, "//")
	}
	return address
}
