package blackbox

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weftnet/weft/sdk"
)

// serial makes names unique within the process.
var serial atomic.Int64

func unique(name string) string { return fmt.Sprintf("%s-%d", name, serial.Add(1)) }

// person is an enrolled identity with its own keys.
type person struct {
	net      *network
	id, name string
	identity *sdk.Identity
	cert     tls.Certificate
	api      *rest // client API with the certificate; logged in
}

// person enrols an identity and logs it in by its certificate.
func (n *network) person(t *testing.T, attributes ...string) *person {
	t.Helper()
	p, err := n.newPerson(unique("person"), attributes...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (n *network) newPerson(name string, attributes ...string) (*person, error) {
	id, token, err := n.newIdentity(name, attributes...)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	identity, err := sdk.Enroll(ctx, token, sdk.EnrollOptions{})
	if err != nil {
		return nil, err
	}
	p := &person{net: n, id: id, name: name, identity: identity}
	pem := func(s string) []byte { return []byte(strings.TrimPrefix(s, "pem:")) }
	if p.cert, err = tls.X509KeyPair(pem(identity.Credentials.Cert), pem(identity.Credentials.Key)); err != nil {
		return nil, err
	}
	p.api = n.client(&p.cert)
	return p, p.api.loginCertificate()
}

// newIdentity creates an identity and returns its id and enrolment token.
func (n *network) newIdentity(name string, attributes ...string) (id, token string, err error) {
	id, err = n.admin.create("identities", map[string]any{"name": name, "type": "Default", "isAdmin": false,
		"roleAttributes": attributes, "enrollment": map[string]any{"ott": true}})
	if err != nil {
		return "", "", err
	}
	var detail struct {
		Enrollment struct{ Ott struct{ JWT string } }
	}
	err = n.admin.call("GET", "/identities/"+id, nil, &detail)
	return id, detail.Enrollment.Ott.JWT, err
}

// service makes a service that identities with the roles may dial and host. It
// returns its id and those of the two policies.
func (n *network) service(name string, encrypted bool, roles ...string) (service, dial, bind string, err error) {
	if service, err = n.admin.create("services", map[string]any{"name": name, "encryptionRequired": encrypted}); err != nil {
		return
	}
	made := make(map[string]string)
	for _, kind := range []string{"Dial", "Bind"} {
		made[kind], err = n.admin.create("service-policies", map[string]any{"name": name + kind, "type": kind, "semantic": "AnyOf",
			"identityRoles": roles, "serviceRoles": []string{"@" + service}})
		if err != nil {
			return
		}
	}
	return service, made["Dial"], made["Bind"], nil
}

// openService makes a service that everybody may use, for attackers.
func (n *network) openService(t *testing.T) (id, name string) {
	t.Helper()
	name = unique("open")
	id, _, _, err := n.service(name, false, "#all")
	if err != nil {
		t.Fatal(err)
	}
	return id, name
}

// serviceToken asks the controller for a service session.
func (p *person) serviceToken(t *testing.T, service, kind string) string {
	t.Helper()
	var s struct{ Token string }
	if err := p.api.call("POST", "/sessions", map[string]any{"serviceId": service, "type": kind}, &s); err != nil {
		t.Fatal(err)
	}
	return s.Token
}

// sdk returns a client of the SDK for the person.
func (p *person) sdk(t *testing.T) *sdk.Client {
	t.Helper()
	c, err := sdk.New(p.identity, sdk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// bystander is a host and a client that do nothing wrong.
type bystander struct {
	service     string
	host, guest *sdk.Client
	listener    *sdk.Listener

	mu   sync.Mutex
	long *sdk.Conn // open all the time
}

func (n *network) newBystander() (_ *bystander, err error) {
	b := &bystander{service: unique("echo")}
	defer func() {
		if err != nil {
			b.close()
		}
	}()
	if _, _, _, err := n.service(b.service, true, "#bystanders"); err != nil {
		return nil, err
	}
	for _, to := range []**sdk.Client{&b.host, &b.guest} {
		p, err := n.newPerson(unique("bystander"), "bystanders")
		if err != nil {
			return nil, err
		}
		if *to, err = sdk.New(p.identity, sdk.Options{}); err != nil {
			return nil, err
		}
	}
	if b.listener, err = b.host.Listen(b.service); err != nil {
		return nil, err
	}
	go serveEcho(b.listener)
	b.long, err = b.dial()
	return b, err
}

// serveEcho sends back what arrives, until the listener is closed.
func serveEcho(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			_, _ = io.Copy(c, c)
		}()
	}
}

func (b *bystander) dial() (*sdk.Conn, error) {
	return b.guest.DialWithOptions(context.Background(), b.service, sdk.DialOptions{Timeout: patience})
}

// check echoes a text on the long connection and on a new one.
func (b *bystander) check() error {
	b.mu.Lock()
	err := echo(b.long)
	b.mu.Unlock()
	if err != nil {
		return fmt.Errorf("on the old connection: %w", err)
	}
	return b.checkNew()
}

func (b *bystander) checkNew() error {
	c, err := b.dial()
	if err != nil {
		return fmt.Errorf("new connection: %w", err)
	}
	defer c.Close()
	if err := echo(c); err != nil {
		return fmt.Errorf("on the new connection: %w", err)
	}
	return nil
}

// echo sends a random text and wants it back.
func echo(c net.Conn) error {
	_ = c.SetDeadline(time.Now().Add(patience))
	sent := []byte(rand.Text())
	if _, err := c.Write(sent); err != nil {
		return err
	}
	got := make([]byte, len(sent))
	if _, err := io.ReadFull(c, got); err != nil {
		return err
	}
	if !bytes.Equal(sent, got) {
		return errors.New("other bytes came back")
	}
	return nil
}

func (b *bystander) close() {
	for _, c := range []*sdk.Client{b.guest, b.host} {
		if c != nil {
			c.Close()
		}
	}
}

// unharmed fails the test unless the processes live and serve everybody else.
func (n *network) unharmed(t *testing.T) {
	t.Helper()
	for _, p := range []*process{n.Controller, n.Router} {
		if p.Exited() {
			t.Fatalf("%v has ended\n%s", p.Args, p.Tail())
		}
		if line := p.Panicked(); line != "" {
			t.Fatalf("%v panicked: %s", p.Args, line)
		}
	}
	if err := n.good.check(); err != nil {
		t.Fatalf("somebody else was harmed: %v", err)
	}
}
