package testnet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// MeshOptions describe a mesh.
type MeshOptions struct {
	Options // Host and Address are those of the controller's host
	Routers []string
	// Links are pairs of routers by name; the first one dials the second.
	Links [][2]string
	// More is added to the configuration of every router.
	More string
	// DefaultTimes leaves heartbeats and dials of links to their defaults.
	DefaultTimes bool
	// Controller is added to the configuration of the controller.
	Controller string
	// Files changes the configuration of a router, if it is not nil.
	Files func(router, text string) string
	// Local keeps all processes on this machine, see LocalHosts.
	Local bool
}

// Mesh is a controller and routers, each a process on a host of its own. The
// fields may be read at any time. Routers have a role attribute with their name.
type Mesh struct {
	*Network
	Hosts          *Hosts
	ControllerHost *Host
	Routers        []*MeshRouter

	options MeshOptions
}

// MeshRouter is a router of a mesh.
type MeshRouter struct {
	Name, ID string
	Host     *Host
	Process  *Process
	File     string // its configuration

	dials, listens []string // groups
}

// Ports of routers, each on its own host. They are not those of `weft up`, which
// may run on the same machine and listen on all of its addresses.
const (
	edgePort = 13022
	linkPort = 13023
)

// StartMesh makes a mesh and waits until all routers are online. The error is
// ErrNoHosts where there can be no hosts.
func StartMesh(o MeshOptions) (_ *Mesh, err error) {
	m := &Mesh{options: o}
	if o.Local {
		m.Hosts = LocalHosts()
	} else if m.Hosts, err = NewHosts(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			m.Kill()
		}
	}()
	if o.Host, err = m.Hosts.Add("controller"); err != nil {
		return nil, err
	}
	m.ControllerHost = o.Host
	if m.Network, err = New(o.Options); err != nil {
		return nil, err
	}
	m.options = o
	for _, step := range []func() error{m.Create, m.configureController, m.LoadCA, m.StartController, m.forgetDefaults, m.addRouters, m.StartRouters} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (m *Mesh) configureController() error {
	f, err := os.OpenFile(filepath.Join(m.Dir, "controller.yml"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString("\n" + m.options.Controller)
	return errors.Join(err, f.Close())
}

// StartController runs the controller, the first time or after its end, and
// logs in.
func (m *Mesh) StartController() error {
	if m.Controller == nil {
		m.Controller = m.process("controller", "run", filepath.Join(m.Dir, "controller.yml"))
		m.Admin = m.API("/edge/management/v1", nil)
	}
	if err := m.Controller.Start(); err != nil {
		return err
	}
	var err error
	if !Within(m.options.Patience, func() bool {
		err = m.Admin.Login(context.Background(), m.options.Username, m.options.Password)
		return err == nil
	}) {
		return fmt.Errorf("no login: %w\n%s", err, m.Controller.Tail())
	}
	return nil
}

// forgetDefaults removes the router of `weft up` and the policy that gives
// every identity every router.
func (m *Mesh) forgetDefaults() error {
	for _, kind := range []string{"edge-routers", "edge-router-policies"} {
		var all []struct {
			ID       string
			IsSystem bool
		}
		if err := m.Admin.Call(context.Background(), "GET", "/"+kind, nil, &all); err != nil {
			return err
		}
		for _, e := range all {
			if e.IsSystem {
				continue
			}
			if err := m.Admin.Call(context.Background(), "DELETE", "/"+kind+"/"+e.ID, nil, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *Mesh) addRouters() error {
	for _, name := range m.options.Routers {
		host, err := m.Hosts.Add(name)
		if err != nil {
			return err
		}
		m.Routers = append(m.Routers, &MeshRouter{Name: name, Host: host, File: filepath.Join(m.Dir, name+".yml")})
	}
	for _, l := range m.options.Links {
		from, to := m.Router(l[0]), m.Router(l[1])
		group := l[0] + "-" + l[1]
		from.dials, to.listens = append(from.dials, group), append(to.listens, group)
	}
	return inParallel(m.Routers, func(r *MeshRouter) error {
		if err := os.WriteFile(r.File, []byte(m.configuration(r)), 0o600); err != nil {
			return err
		}
		return m.enrolRouter(r)
	})
}

// StartRouters runs all routers that do not run and waits until they are online.
func (m *Mesh) StartRouters() error {
	for _, r := range m.Routers {
		if r.Process.Ended() == nil || r.Process.Exited() {
			if err := r.Process.Start(); err != nil {
				return err
			}
		}
	}
	if !Within(m.options.Patience, m.AllOnline) {
		return fmt.Errorf("the routers do not come online\n%s", m.Logs())
	}
	return nil
}

// AllOnline asks the controller whether all routers are online.
func (m *Mesh) AllOnline() bool {
	var routers []struct{ IsOnline bool }
	err := m.Admin.Call(context.Background(), "GET", "/edge-routers?limit=500", nil, &routers)
	online := 0
	for _, r := range routers {
		if r.IsOnline {
			online++
		}
	}
	return err == nil && online == len(m.Routers)
}

// Router returns a router by its name; there must be one.
func (m *Mesh) Router(name string) *MeshRouter {
	return m.Routers[slices.IndexFunc(m.Routers, func(r *MeshRouter) bool { return r.Name == name })]
}

// Processes are all that were started, the controller last.
func (m *Mesh) Processes() []*Process {
	var all []*Process
	for _, r := range m.Routers {
		if r.Process != nil && r.Process.Ended() != nil {
			all = append(all, r.Process)
		}
	}
	if m.Network != nil && m.Controller != nil && m.Controller.Ended() != nil {
		all = append(all, m.Controller)
	}
	return all
}

// Kill kills the processes and removes hosts and directory.
func (m *Mesh) Kill() {
	for _, p := range m.Processes() {
		p.Kill()
	}
	if m.Network != nil {
		m.Network.Kill()
	}
	_ = m.Hosts.Close()
}

// End interrupts the processes, removes hosts and directory, and reports what
// went wrong: a process that ended by itself, does not end, or panicked.
func (m *Mesh) End() error {
	all := inParallel(m.Processes(), func(p *Process) error {
		_, err := p.Interrupt(m.options.Patience)
		return err
	})
	all = errors.Join(all, m.Healthy())
	m.Kill()
	return all
}

// Healthy returns an error if a process panicked or raced.
func (m *Mesh) Healthy() error {
	var all error
	for _, p := range m.Processes() {
		if text := p.Panicked(); text != "" {
			all = errors.Join(all, fmt.Errorf("%v panicked: %s", p.Args, text))
		}
	}
	return all
}

// Logs are the ends of the logs of all processes.
func (m *Mesh) Logs() string {
	var text string
	for _, p := range m.Processes() {
		text += fmt.Sprintf("\nlog of %v:\n%s\n", p.Args, p.Tail())
	}
	return text
}

// inParallel calls f for every element at once and joins the errors.
func inParallel[T any](all []T, f func(T) error) error {
	errs := make([]error, len(all))
	var wg sync.WaitGroup
	for i, e := range all {
		wg.Go(func() { errs[i] = f(e) })
	}
	wg.Wait()
	return errors.Join(errs...)
}
