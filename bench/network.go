package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/weftnet/weft/internal/testnet"
)

const password = "bench-password-1"

// network is a controller and routers as processes, and an admin session.
type network struct {
	dir        string
	binary     string
	log        io.WriteCloser
	apiPort    int
	routerPort int
	controller *process
	routers    []*process // in a line, the dialers' first
	api        api

	files   []string       // configuration of each router
	ids     []string       // of each router
	proxies map[string]int // ports of proxy listeners, by service
}

// newNetwork makes a network in a temporary directory and starts it.
// It has what the named paths need.
func newNetwork(ctx context.Context, s settings, wanted []string) (_ *network, err error) {
	n, err := prepare(s)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			n.stop()
		}
	}()
	up, err := n.up(ctx)
	if err != nil {
		return nil, err
	}
	if n.ids, err = n.api.routers(ctx, false); err == nil {
		err = n.line(ctx, wanted)
	}
	up.stop()
	if err != nil {
		return nil, err
	}
	if s.profiles != "" {
		if err := n.profile(s.profiles); err != nil {
			return nil, err
		}
	}
	if err := n.startProcesses(ctx); err != nil {
		return nil, err
	}
	return n, n.api.waitRouters(ctx, len(n.routers))
}

// prepare chooses directory and ports.
func prepare(s settings) (*network, error) {
	dir, err := os.MkdirTemp("", "weft-bench")
	if err != nil {
		return nil, err
	}
	n := &network{dir: filepath.Join(dir, "net"), binary: s.binary, log: discard{}, proxies: map[string]int{}}
	n.files = []string{filepath.Join(n.dir, "router.yml")}
	for _, port := range []*int{&n.apiPort, &n.routerPort} {
		if *port, err = testnet.FreePort(); err != nil {
			return nil, err
		}
	}
	if s.out != "" {
		if n.log, err = os.Create(s.out); err != nil {
			return nil, err
		}
	}
	n.api = newAPI(n.apiPort)
	return n, nil
}

// up runs `weft up` until it is ready.
func (n *network) up(ctx context.Context) (*process, error) {
	up, err := startProcess(ctx, "weft up", n.log, n.binary, "up", "--dir", n.dir, "--json",
		"--api-port", strconv.Itoa(n.apiPort), "--router-port", strconv.Itoa(n.routerPort), "--username", "admin", "--password", password)
	if err != nil {
		return nil, err
	}
	if _, err := up.next(); err != nil {
		return nil, err
	}
	return up, n.api.login(ctx)
}

// profile makes controller and router write CPU profiles.
func (n *network) profile(dir string) error {
	for _, file := range append([]string{filepath.Join(n.dir, "controller.yml")}, n.files...) {
		f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(filepath.Base(file), ".yml")
		_, err = fmt.Fprintf(f, "\nprofile:\n  cpu:\n    path: %s\n", filepath.Join(dir, name+".pprof"))
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

func (n *network) startProcesses(ctx context.Context) (err error) {
	if err := n.startController(ctx); err != nil {
		return err
	}
	for i, file := range n.files {
		r, err := startProcess(ctx, fmt.Sprintf("router %d", i+1), n.log, n.binary, "router", "run", file)
		if err != nil {
			return err
		}
		n.routers = append(n.routers, r)
	}
	return nil
}

// startController returns when the API accepts a login, which is a write.
func (n *network) startController(ctx context.Context) (err error) {
	if n.controller, err = startProcess(ctx, "controller", n.log, n.binary, "controller", "run", filepath.Join(n.dir, "controller.yml")); err != nil {
		return err
	}
	return n.api.login(ctx)
}

func (n *network) stop() {
	for _, r := range n.routers {
		r.stop()
	}
	if n.controller != nil {
		n.controller.stop()
	}
	_ = n.log.Close()
	_ = os.RemoveAll(filepath.Dir(n.dir))
}

// api is a client of the management API with an admin session.
type api struct{ testnet.API }

func newAPI(port int) api {
	return api{testnet.API{
		Base: fmt.Sprintf("https://localhost:%d/edge/management/v1", port),
		HTTP: &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{TLSClientConfig: anyServer(), MaxIdleConnsPerHost: 64}},
	}}
}

// login waits for the API and opens an admin session.
func (a *api) login(ctx context.Context) error {
	var err error
	for range 3000 {
		if err = a.Login(ctx, "admin", password); err == nil {
			return nil
		}
		if !pause(ctx, 5*time.Millisecond) {
			return ctx.Err()
		}
	}
	return fmt.Errorf("login: %w", err)
}

// routers returns the ids of the routers, or of those that are online.
func (a *api) routers(ctx context.Context, online bool) ([]string, error) {
	var routers []struct {
		ID       string
		IsOnline bool
	}
	err := a.Call(ctx, "GET", "/edge-routers", nil, &routers)
	var ids []string
	for _, r := range routers {
		if r.IsOnline || !online {
			ids = append(ids, r.ID)
		}
	}
	return ids, err
}

// waitRouters waits until so many routers are online.
func (a *api) waitRouters(ctx context.Context, count int) error {
	for range 3000 {
		ids, err := a.routers(ctx, true)
		if err != nil {
			return err
		}
		if len(ids) == count {
			return nil
		}
		if !pause(ctx, 10*time.Millisecond) {
			return ctx.Err()
		}
	}
	return fmt.Errorf("the routers do not come online")
}

// service makes a service that everybody may dial and host, and returns its id.
func (a *api) service(ctx context.Context, name string, encrypted bool) (string, error) {
	id, err := a.Create(ctx, "services", map[string]any{"name": name, "encryptionRequired": encrypted})
	if err != nil {
		return "", err
	}
	for _, kind := range []string{"Dial", "Bind"} {
		if _, err := a.Create(ctx, "service-policies", map[string]any{"name": name + kind, "type": kind, "semantic": "AnyOf",
			"identityRoles": []string{"#all"}, "serviceRoles": []string{"@" + id}}); err != nil {
			return "", err
		}
	}
	return id, nil
}

// enrolmentToken makes an identity and returns its one-time token.
func (a *api) enrolmentToken(ctx context.Context, name string, attributes ...string) (string, error) {
	id, err := a.Create(ctx, "identities", map[string]any{"name": name, "type": "Default", "isAdmin": false, "roleAttributes": attributes, "enrollment": map[string]any{"ott": true}})
	if err != nil {
		return "", err
	}
	var detail struct {
		Enrollment struct{ Ott struct{ JWT string } }
	}
	err = a.Call(ctx, "GET", "/identities/"+id, nil, &detail)
	return detail.Enrollment.Ott.JWT, err
}

func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }
func (discard) Close() error                { return nil }
