package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"time"

	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/pki"
)

// UpOptions are the options of Up. Zero ports take the defaults.
type UpOptions struct {
	Dir        string // directory of the network, made if need be
	Address    string // name or IP by which others reach the network, default localhost
	APIPort    int    // default 1280
	CtrlPort   int    // default: that of the API
	RouterPort int    // default 3022
	Username   string // of the first administrator, default admin
	Password   string // of the first administrator, default random
	Build      Build
	Log        *slog.Logger
}

// Defaults of UpOptions.
const (
	DefaultAddress    = "localhost"
	DefaultAPIPort    = 1280
	DefaultRouterPort = 3022
	defaultUsername   = "admin"
)

// Up is a running network of one controller and one router.
type Up struct {
	Dir            string `json:"dir"`
	API            string `json:"api"`    // base URL of the APIs
	Ctrl           string `json:"ctrl"`   // control address, tls:host:port
	Router         string `json:"router"` // edge address, tls:host:port
	ControllerFile string `json:"controllerConfig"`
	RouterFile     string `json:"routerConfig"`
	CAFile         string `json:"ca"`      // PEM file of the CAs of the network
	Created        bool   `json:"created"` // made by this start
	Username       string `json:"username,omitempty"`
	Password       string `json:"password,omitempty"` // only when created and generated
	ReadyMillis    int64  `json:"readyMillis"`

	controller *Controller
	router     *Router
	failed     chan error
	parts      parts
}

// StartUp makes or starts the network of o.Dir and returns when clients can use
// it. An error leaves the directory as it was. The caller closes the network.
func StartUp(ctx context.Context, o UpOptions) (_ *Up, err error) {
	begin := time.Now()
	l, what, err := o.layout()
	if err != nil {
		return nil, err
	}
	up := &Up{
		Dir: l.Dir, ControllerFile: l.controllerFile(), RouterFile: l.routerFile(),
		CAFile: filepath.Join(l.Dir, dirPKI, pki.FileCA), Created: what == foundNothing,
		failed: make(chan error, 2),
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, up.Close())
		}
	}()
	open, err := l.openPorts(ctx)
	if err != nil {
		return nil, err
	}
	if what == foundNothing {
		if err := up.create(ctx, l, o); err != nil {
			return nil, errors.Join(err, open.Close())
		}
	}
	up.API = "https://" + conf.HostPort{Host: l.Address, Port: l.APIPort}.String()
	up.Ctrl = conf.Address{Type: "tls", Host: l.Address, Port: l.CtrlPort}.String()
	up.Router = conf.Address{Type: "tls", Host: l.Address, Port: l.RouterPort}.String()
	if err := up.start(ctx, open, o); err != nil {
		return nil, err
	}
	up.ReadyMillis = time.Since(begin).Milliseconds()
	return up, nil
}

// create makes the network and notes what its maker has to know.
func (u *Up) create(ctx context.Context, l *layout, o UpOptions) error {
	first := admin{Username: o.Username, Password: o.Password}
	if first.Username == "" {
		first.Username = defaultUsername
	}
	if first.Password == "" {
		first.Password = randomPassword()
		u.Password = first.Password
	}
	u.Username = first.Username
	if err := checkCredentials(first.Username, first.Password); err != nil {
		return err
	}
	return create(ctx, l, first, o.Log)
}

// layout reads what is in the directory and merges it with the options, which
// may not contradict it.
func (o *UpOptions) layout() (*layout, found, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, 0, err
	}
	what, err := inspect(dir)
	if err != nil {
		return nil, 0, err
	}
	if what == foundNetwork {
		l, err := readLayout(dir)
		if err == nil {
			err = o.agree(l)
		}
		return l, what, err
	}
	l := &layout{Dir: dir, Address: o.Address, APIPort: o.APIPort, CtrlPort: o.CtrlPort, RouterPort: o.RouterPort}
	if l.Address == "" {
		l.Address = DefaultAddress
	}
	if l.APIPort == 0 {
		l.APIPort = DefaultAPIPort
	}
	if l.CtrlPort == 0 {
		l.CtrlPort = l.APIPort
	}
	if l.RouterPort == 0 {
		l.RouterPort = DefaultRouterPort
	}
	return l, what, l.checkPorts()
}

// checkPorts refuses ports that do not exist or collide.
func (l *layout) checkPorts() error {
	for name, port := range map[string]int{"--api-port": l.APIPort, "--ctrl-port": l.CtrlPort, "--router-port": l.RouterPort} {
		if port < 1 || port > 65535 {
			return fmt.Errorf("%s: %d is not a port from 1 to 65535", name, port)
		}
	}
	if l.RouterPort == l.APIPort || l.RouterPort == l.CtrlPort {
		return problem("choose another one", "--router-port: %d is taken by the controller", l.RouterPort)
	}
	return nil
}

// agree refuses options that contradict the network in the directory.
func (o *UpOptions) agree(l *layout) error {
	wrong := func(flag string, given, have any) error {
		return problem("leave the option out, or change "+fileController+" and "+fileRouter,
			"%s %v: the network in %s was made with %v", flag, given, l.Dir, have)
	}
	switch {
	case o.Address != "" && o.Address != l.Address:
		return wrong("--address", o.Address, l.Address)
	case o.APIPort != 0 && o.APIPort != l.APIPort:
		return wrong("--api-port", o.APIPort, l.APIPort)
	case o.CtrlPort != 0 && o.CtrlPort != l.CtrlPort:
		return wrong("--ctrl-port", o.CtrlPort, l.CtrlPort)
	case o.RouterPort != 0 && o.RouterPort != l.RouterPort:
		return wrong("--router-port", o.RouterPort, l.RouterPort)
	}
	return nil
}

// readLayout reads the addresses of a network from its configuration files.
func readLayout(dir string) (*layout, error) {
	l := &layout{Dir: dir}
	controller, _, err := conf.LoadController(l.controllerFile(), nil)
	if err != nil {
		return nil, err
	}
	router, _, err := conf.LoadRouter(l.routerFile(), nil)
	if err != nil {
		return nil, err
	}
	if controller.Edge == nil {
		return nil, fmt.Errorf("%s: the section edge is missing", l.controllerFile())
	}
	l.Address, l.APIPort = controller.Edge.API.Address.Host, controller.Edge.API.Address.Port
	l.CtrlPort = controller.Ctrl.Listener.Port
	for _, listener := range router.Listeners {
		if listener.Binding == "edge" {
			l.RouterPort = listener.Options.Advertise.Port
		}
	}
	return l, nil
}

// openPorts opens the ports of the network and tests that its address leads
// back to each of them.
func (l *layout) openPorts(ctx context.Context) (_ *sockets, err error) {
	open := new(sockets)
	defer func() {
		if err != nil {
			open.Close()
		}
	}()
	tested := make(map[net.Listener]bool)
	for _, p := range []struct {
		flag string
		port int
	}{{"--api-port", l.APIPort}, {"--ctrl-port", l.CtrlPort}, {"--router-port", l.RouterPort}} {
		listener, err := open.listen(p.flag, conf.HostPort{Host: "0.0.0.0", Port: p.port})
		if err != nil {
			return nil, err
		}
		if tested[listener] {
			continue
		}
		tested[listener] = true
		if err := leadsBack(ctx, listener, l.Address); err != nil {
			return nil, err
		}
	}
	return open, nil
}

// start runs controller and router on the open ports.
func (u *Up) start(ctx context.Context, open *sockets, o UpOptions) error {
	closePorts := open.Close
	defer func() { closePorts() }()
	controllerConfig, report, err := conf.LoadController(u.ControllerFile, nil)
	if err != nil {
		return err
	}
	Tell(o.Log, report)
	routerConfig, report, err := conf.LoadRouter(u.RouterFile, nil)
	if err != nil {
		return err
	}
	Tell(o.Log, report)
	controllerSide, routerSide := open.split(routerConfig)
	closePorts = func() error { return nil }

	c, err := startController(ctx, ControllerOptions{Config: controllerConfig, Build: o.Build, Log: o.Log.With("process", "controller")}, controllerSide)
	if err != nil {
		return errors.Join(err, routerSide.Close())
	}
	u.parts.add(c.Close)
	r, err := startRouter(ctx, RouterOptions{Config: routerConfig, Build: o.Build, Log: o.Log.With("process", "router")}, routerSide)
	if err != nil {
		return err
	}
	u.parts.add(r.Close)
	u.controller, u.router = c, r
	u.watch(c.Failed())
	u.watch(r.Failed())
	return r.Ready(ctx)
}

// watch passes the first failure of a part on.
func (u *Up) watch(failed <-chan error) {
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		select {
		case err := <-failed:
			u.failed <- err // has room for every part
		case <-stop:
		}
	}()
	u.parts.add(func() error {
		close(stop)
		<-done
		return nil
	})
}

// Failed receives the reason when controller or router cannot go on.
func (u *Up) Failed() <-chan error { return u.failed }

// Close stops router and controller and waits.
func (u *Up) Close() error { return u.parts.Close() }

// Tell writes what a configuration report says to the log.
func Tell(log *slog.Logger, r *conf.Report) {
	for _, p := range r.Warnings {
		log.Warn("configuration", "file", p.File, "line", p.Line, "key", p.Key, "problem", p.Text, "remedy", p.Remedy)
	}
	for _, p := range r.Inactive {
		log.Warn("configuration key not active yet", "file", p.File, "line", p.Line, "key", p.Key, "problem", p.Text, "remedy", p.Remedy)
	}
}
