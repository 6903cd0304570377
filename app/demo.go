package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/weftnet/weft/client"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/sdk"
)

// DemoOptions are the options of Demo.
type DemoOptions struct {
	Out   io.Writer // gets one line per step
	Build Build
	Log   *slog.Logger
}

// Demo makes a network in a temporary directory, fetches a page of a service
// that has no listening port through it, takes the policy away and shows the
// refusal. It cleans up in any case. The error names the step that failed.
func Demo(ctx context.Context, o DemoOptions) (err error) {
	dir, err := os.MkdirTemp("", "weft-demo-")
	if err != nil {
		return err
	}
	d := &demo{DemoOptions: o, dir: dir, password: randomPassword(), ids: make(map[string]string)}
	defer func() { err = errors.Join(err, d.step(context.WithoutCancel(ctx), "clean up", d.cleanUp)) }()
	for _, s := range []struct {
		name string
		run  func(context.Context) (string, error)
	}{
		{"make a network: PKI, controller, router", d.makeNetwork},
		{"log in as administrator", d.login},
		{"create two identities and a service with its two policies", d.createEntities},
		{"enroll both identities", d.enroll},
		{"host a web page without a listening port", d.hostPage},
		{"fetch the page through the network, encrypted from end to end", d.fetchPage},
		{"take the policy away and fetch again", d.refuse},
	} {
		if err := d.step(ctx, s.name, s.run); err != nil {
			return err
		}
	}
	return nil
}

type demo struct {
	DemoOptions
	dir      string
	password string

	network *Up
	admin   *client.Client
	ids     map[string]string // of created entities, by name
	host    *sdk.Client
	guest   *sdk.Client
	parts   parts
}

const (
	demoService = "demo-page"
	demoHost    = "demo-host"
	demoGuest   = "demo-guest"
	demoPage    = "Hello from a server that listens on no port.\n"
	demoTime    = 30 * time.Second // for one step
)

// step runs one step and shows it with the time that it took.
func (d *demo) step(ctx context.Context, name string, run func(context.Context) (string, error)) error {
	ctx, cancel := context.WithTimeout(ctx, demoTime)
	defer cancel()
	begin := time.Now()
	note, err := run(ctx)
	took := time.Since(begin).Round(time.Millisecond)
	if err != nil {
		fmt.Fprintf(d.Out, "FAILED %8s  %s\n", took, name)
		return fmt.Errorf("step %q: %w", name, err)
	}
	fmt.Fprintf(d.Out, "ok %12s  %s\n", took, name)
	for line := range strings.Lines(note) {
		fmt.Fprintf(d.Out, "%17s%s\n", "", strings.TrimRight(line, "\n"))
	}
	return nil
}

func (d *demo) makeNetwork(ctx context.Context) (string, error) {
	ports, err := freePorts(2)
	if err != nil {
		return "", err
	}
	d.network, err = StartUp(ctx, UpOptions{
		Dir: filepath.Join(d.dir, "network"), APIPort: ports[0], RouterPort: ports[1],
		Username: defaultUsername, Password: d.password, Build: d.Build, Log: d.Log,
	})
	if err != nil {
		return "", err
	}
	d.parts.add(d.network.Close)
	return fmt.Sprintf("controller %s, router %s", d.network.API, d.network.Router), nil
}

// freePorts returns TCP ports that nobody used a moment ago.
func freePorts(n int) ([]int, error) {
	ports := make([]int, 0, n)
	for range n {
		l, err := net.Listen("tcp", "0.0.0.0:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

func (d *demo) login(ctx context.Context) (_ string, err error) {
	d.admin, err = logIn(ctx, d.network, defaultUsername, d.password)
	if err == nil {
		d.parts.add(func() error { d.admin.Close(); return nil })
	}
	return "", err
}

// logIn returns a client of a network that is logged in by password. The caller
// closes it.
func logIn(ctx context.Context, u *Up, username, password string) (*client.Client, error) {
	ca, err := os.ReadFile(filepath.Join(u.Dir, dirPKI, pki.FileCA))
	if err != nil {
		return nil, err
	}
	bundle, err := pki.ParseBundle(ca)
	if err != nil {
		return nil, err
	}
	c, err := client.New(u.API, client.Options{TLS: &tls.Config{RootCAs: bundle.Pool()}})
	if err != nil {
		return nil, err
	}
	session, err := c.Management().Authenticate(ctx, &client.AuthenticateParams{Method: "password"},
		&client.Authenticate{Username: &username, Password: &password})
	if err != nil {
		c.Close()
		return nil, err
	}
	c.SetToken(session.Token)
	return c, nil
}

// createEntities makes what the page needs: two identities, the service and
// the policies that let one host and the other dial it.
func (d *demo) createEntities(ctx context.Context) (string, error) {
	api := d.admin.Management()
	for _, name := range []string{demoHost, demoGuest} {
		made, err := api.CreateIdentity(ctx, &client.IdentityInput{
			Name: &name, Type: client.Ptr("Default"), IsAdmin: client.Ptr(false),
			Enrollment: &client.IdentityEnrollmentInput{Ott: client.Ptr(true)},
		})
		if err != nil {
			return "", err
		}
		d.ids[name] = made.ID
	}
	made, err := api.CreateService(ctx, &client.ServiceInput{Name: client.Ptr(demoService), EncryptionRequired: client.Ptr(true)})
	if err != nil {
		return "", err
	}
	d.ids[demoService] = made.ID
	for _, p := range []struct{ name, kind, identity string }{{"demo-may-host", "Bind", demoHost}, {"demo-may-dial", "Dial", demoGuest}} {
		made, err := api.CreateServicePolicy(ctx, &client.ServicePolicyInput{
			Name: &p.name, Type: &p.kind, Semantic: client.Ptr("AnyOf"),
			IdentityRoles: []string{"@" + d.ids[p.identity]}, ServiceRoles: []string{"@" + d.ids[demoService]},
		})
		if err != nil {
			return "", err
		}
		d.ids[p.name] = made.ID
	}
	return "", nil
}

// enroll gives both identities a key and a certificate of their own.
func (d *demo) enroll(ctx context.Context) (string, error) {
	for name, to := range map[string]**sdk.Client{demoHost: &d.host, demoGuest: &d.guest} {
		detail, err := d.admin.Management().DetailIdentity(ctx, d.ids[name])
		if err != nil {
			return "", err
		}
		if detail.Enrollment.Ott == nil {
			return "", fmt.Errorf("identity %s has no enrollment", name)
		}
		identity, err := sdk.Enroll(ctx, detail.Enrollment.Ott.JWT, sdk.EnrollOptions{})
		if err != nil {
			return "", err
		}
		*to, err = sdk.New(identity, sdk.Options{Log: d.Log.With("process", name)})
		if err != nil {
			return "", err
		}
		d.parts.add((*to).Close)
	}
	return "", nil
}

// hostPage serves the page on a listener of the network.
func (d *demo) hostPage(ctx context.Context) (string, error) {
	l, err := d.host.ListenWithOptions(ctx, demoService, sdk.ListenOptions{})
	if err != nil {
		return "", err
	}
	server := &http.Server{
		Handler:           http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, demoPage) }),
		ReadHeaderTimeout: demoTime, ErrorLog: slog.NewLogLogger(d.Log.Handler(), slog.LevelDebug),
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	d.parts.add(func() error {
		err := server.Close()
		<-ended
		return err
	})
	return "", nil
}

// get fetches the page on a connection of its own.
func (d *demo) get(ctx context.Context) (string, error) {
	transport := &http.Transport{DialContext: d.guest.DialContext, DisableKeepAlives: true}
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+demoService+"/", nil)
	if err != nil {
		return "", err
	}
	answer, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	page, err := io.ReadAll(answer.Body)
	return string(page), err
}

func (d *demo) fetchPage(ctx context.Context) (string, error) {
	page, err := d.get(ctx)
	if err == nil && page != demoPage {
		err = fmt.Errorf("got the page %q, want %q", page, demoPage)
	}
	return strings.TrimSpace(page), err
}

// refuse deletes the policy that lets the guest dial and waits until the
// network says no.
func (d *demo) refuse(ctx context.Context) (string, error) {
	if err := d.admin.Management().DeleteServicePolicy(ctx, d.ids["demo-may-dial"]); err != nil {
		return "", err
	}
	begin := time.Now()
	for ctx.Err() == nil {
		_, err := d.get(ctx)
		var refusal *sdk.Error
		if errors.As(err, &refusal) && ctx.Err() == nil {
			return fmt.Sprintf("refused %s after the change\nreason: %s\nremedy: %s",
				time.Since(begin).Round(time.Millisecond), refusal, sdk.Help(err)), nil
		}
		if err != nil {
			return "", fmt.Errorf("expected a refusal, got: %w", err)
		}
	}
	return "", errors.New("the page could still be fetched")
}

// cleanUp stops everything and removes the directory.
func (d *demo) cleanUp(context.Context) (string, error) {
	return "", errors.Join(d.parts.Close(), os.RemoveAll(d.dir))
}
