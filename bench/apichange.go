package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/weftnet/weft/bench/peer"
	"github.com/weftnet/weft/sdk"
)

// everything measures a policy with #all on both sides: created, changed and
// deleted, with the controller's CPU time until all that follows is done, and
// how the data grow.
func (n *network) everything(ctx context.Context, r *report) error {
	const times = 60
	n.settle(ctx)
	resident, log := n.now(), n.logSize()
	r.head("a policy with #all on both sides")
	ids := make([]string, times)
	for _, step := range []struct {
		name string
		next func(i int) request
	}{
		{"created", func(i int) request {
			return creation("service-policies", map[string]any{"name": fmt.Sprint("everything-", i), "type": "Dial", "semantic": "AnyOf",
				"identityRoles": []string{"#all"}, "serviceRoles": []string{"#all"}})
		}},
		{"changed to one service role", func(i int) request {
			return request{http.MethodPatch, management + "/service-policies/" + ids[i], []byte(`{"serviceRoles":["#app-07"]}`)}
		}},
		{"changed back", func(i int) request {
			return request{http.MethodPatch, management + "/service-policies/" + ids[i], []byte(`{"serviceRoles":["#all"]}`)}
		}},
		{"deleted", func(i int) request {
			return request{http.MethodDelete, management + "/service-policies/" + ids[i], nil}
		}},
	} {
		n.settle(ctx)
		l, err := newLoader(n.address(), n.api.Token, nil) // not before: the controller closes what is silent
		if err != nil {
			return err
		}
		defer l.conn.Close()
		spent, begin := n.controller.cpu(), time.Now()
		var all []time.Duration
		for i := range ids {
			asked := time.Now()
			body, err := l.do(step.next(i), true)
			if err != nil {
				return err
			}
			all = append(all, time.Since(asked))
			if step.name == "created" {
				var made struct{ Data struct{ ID string } }
				if err := json.Unmarshal(body, &made); err != nil {
					return err
				}
				ids[i] = made.Data.ID
			}
		}
		took := time.Since(begin)
		if !pause(ctx, 300*time.Millisecond) { // the routers are told meanwhile
			return ctx.Err()
		}
		cpu := (n.controller.cpu() - spent) / times
		slices.Sort(all)
		r.row(step.name, rates{float64(times) / took.Seconds(), percentile(all, 0.5), percentile(all, 0.99), cpu}, "one at a time")
	}
	n.settle(ctx)
	fmt.Printf("%d of them: the log grew by %s, resident memory %s -> %s\n", times, kib(n.logSize()-log), mibs(resident), mibs(n.now()))
	return nil
}

// logSize is the size of the log of changes.
func (n *network) logSize() int64 {
	files, _ := filepath.Glob(filepath.Join(n.dir, "data", "*", "raft.db")) // fails for bad patterns only
	for _, f := range files {
		if info, err := os.Stat(f); err == nil {
			return info.Size()
		}
	}
	return 0
}

// enrolled makes an identity with a certificate.
func (n *network) enrolled(ctx context.Context, name string, attributes ...string) (*sdk.Identity, error) {
	token, err := n.api.enrolmentToken(ctx, name, attributes...)
	if err != nil {
		return nil, err
	}
	return sdk.Enroll(ctx, token, sdk.EnrollOptions{})
}

// login opens a connection with the certificate of an identity, and a session.
func (n *network) login(id *sdk.Identity) (l *loader, open func() error, err error) {
	plain := func(s string) []byte { return []byte(strings.TrimPrefix(s, "pem:")) }
	cert, err := tls.X509KeyPair(plain(id.Credentials.Cert), plain(id.Credentials.Key))
	if err != nil {
		return nil, nil, err
	}
	if l, err = newLoader(n.address(), "", &cert); err != nil {
		return nil, nil, err
	}
	open = func() error {
		body, err := l.do(request{http.MethodPost, "/edge/client/v1/authenticate?method=cert", []byte("{}")}, true)
		if err != nil {
			return err
		}
		var s struct{ Data struct{ Token string } }
		err = json.Unmarshal(body, &s)
		l.token = s.Data.Token
		return err
	}
	return l, open, open()
}

// manySessions measures a list of 100 identities with no API session but ours,
// and with 24,000 of 100 identities.
func (n *network) manySessions(ctx context.Context, r *report) error {
	r.head("list 100 identities and their sessions, 16 at once")
	list := func(name string) error {
		path := management + "/identities?limit=100"
		got, err := load(n.address(), n.api.Token, n.controller, 16, 1000, func(int) request { return request{http.MethodGet, path, nil} })
		if err == nil {
			r.row(name, got, "")
		}
		return err
	}
	if err := list("hardly any session"); err != nil {
		return err
	}
	var opens []func() error
	for i := range 100 {
		id, err := n.enrolled(ctx, fmt.Sprint("many-sessions-", i))
		if err != nil {
			return err
		}
		l, open, err := n.login(id)
		if err != nil {
			return err
		}
		defer l.conn.Close()
		opens = append(opens, open)
	}
	begin := time.Now()
	if err := peer.Parallel(16, func(w int) error {
		for i := range 24000 / len(opens) * len(opens) { // each connection has one user
			if k := i % len(opens); k%16 == w {
				if err := opens[k](); err != nil {
					return err
				}
			}
		}
		return nil
	}); err != nil {
		return err
	}
	fmt.Printf("24,000 logins by certificate over kept connections: %.0f/s; resident %s\n", 24000/time.Since(begin).Seconds(), mibs(n.now()))
	return list("24,000 sessions")
}

// visible measures how long a change of a policy takes until a router obeys: from
// sending the request until it cuts a circuit that is not granted any more, and
// until it makes one that is.
func (n *network) visible(ctx context.Context, s settings) error {
	service, err := n.api.Create(ctx, "services", map[string]any{"name": "seen", "encryptionRequired": false, "roleAttributes": []string{"seen"}})
	if err != nil {
		return err
	}
	if _, err := n.api.Create(ctx, "service-policies", map[string]any{"name": "seen-bind", "type": "Bind", "semantic": "AnyOf",
		"identityRoles": []string{"#seen-host"}, "serviceRoles": []string{"@" + service}}); err != nil {
		return err
	}
	policy, err := n.api.Create(ctx, "service-policies", map[string]any{"name": "seen-dial", "type": "Dial", "semantic": "AnyOf",
		"identityRoles": []string{"#all"}, "serviceRoles": []string{"#all"}})
	if err != nil {
		return err
	}
	dial, done, err := n.seen(ctx)
	if err != nil {
		return err
	}
	defer done()
	set := func(role string) error {
		return n.api.Call(ctx, http.MethodPatch, "/service-policies/"+policy, map[string]any{"serviceRoles": []string{role}}, nil)
	}
	var cut, granted []time.Duration
	for range max(s.rounds, 3) * 3 {
		c, err := dialSoon(ctx, dial)
		if err != nil {
			return err
		}
		begin := time.Now()
		if err := set("#nothing"); err != nil {
			return err
		}
		_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
		_, err = c.Read(make([]byte, 1))
		if os.IsTimeout(err) {
			return fmt.Errorf("the circuit goes on 10s after its policy ended")
		}
		cut = append(cut, time.Since(begin))
		_ = c.Close()
		begin = time.Now()
		if err := set("#all"); err != nil {
			return err
		}
		if c, err = dialSoon(ctx, dial); err != nil {
			return err
		}
		granted = append(granted, time.Since(begin))
		_ = c.Close()
	}
	slices.Sort(cut)
	slices.Sort(granted)
	fmt.Printf("\n#all policy changed, from the request on: circuit cut by the router after %v (at most %v), dialed after %v (at most %v)\n",
		median(cut).Round(time.Millisecond), cut[len(cut)-1].Round(time.Millisecond),
		median(granted).Round(time.Millisecond), granted[len(granted)-1].Round(time.Millisecond))
	return nil
}

// seen hosts the service and returns how to dial it.
func (n *network) seen(ctx context.Context) (dial func(context.Context) (net.Conn, error), done func(), err error) {
	hostID, err := n.enrolled(ctx, "seen-host", attribute(1), "seen-host")
	if err != nil {
		return nil, nil, err
	}
	dialID, err := n.enrolled(ctx, "seen-client", attribute(1))
	if err != nil {
		return nil, nil, err
	}
	host, err := sdk.New(hostID, sdk.Options{})
	if err != nil {
		return nil, nil, err
	}
	client, err := sdk.New(dialID, sdk.Options{})
	if err != nil {
		_ = host.Close()
		return nil, nil, err
	}
	done = func() { _ = client.Close(); _ = host.Close() }
	l, err := host.Listen("seen")
	if err != nil {
		done()
		return nil, nil, err
	}
	go func() { // ends with the client's Close
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(io.Discard, c); _ = c.Close() }()
		}
	}()
	return func(ctx context.Context) (net.Conn, error) { return client.Dial(ctx, "seen") }, done, nil
}

// dialSoon dials until it is granted.
func dialSoon(ctx context.Context, dial func(context.Context) (net.Conn, error)) (net.Conn, error) {
	var err error
	for range 3000 {
		var c net.Conn
		if c, err = dial(ctx); err == nil {
			return c, nil
		}
		if !pause(ctx, 2*time.Millisecond) {
			return nil, ctx.Err()
		}
	}
	return nil, err
}
