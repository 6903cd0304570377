package field

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"

	"github.com/weftnet/weft/sdk"
)

// circuit is one end of a connection through the network.
type circuit interface {
	io.ReadWriteCloser
	CloseWrite() error
}

// party is a client of any kind.
type party interface {
	dialTo(t testing.TB, service string) (circuit, error)
	hostFor(t testing.TB, service string, serve func(circuit))
}

func (c *cClient) dialTo(t testing.TB, service string) (circuit, error) {
	return opened(c.dial(t, service, []byte("{}")))
}

func (c *cClient) hostFor(t testing.TB, service string, serve func(circuit)) {
	t.Helper()
	c.host(t, service, func(s *stream) { serve(s) })
}

func (j *jvmClient) dialTo(t testing.TB, service string) (circuit, error) {
	return opened(j.dial(t, service, nil))
}

func (j *jvmClient) hostFor(t testing.TB, service string, serve func(circuit)) {
	t.Helper()
	j.host(t, service, func(s *stream) { serve(s) })
}

func opened(s *stream, err error) (circuit, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// ourClient is the SDK of this repository, which does its own flow control.
type ourClient struct{ *sdk.Client }

func newOurs(t testing.TB, n *network, name string, roles ...string) *ourClient {
	t.Helper()
	_, token := n.admin.invite(t, unique(name), roles...)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	id, err := sdk.Enroll(ctx, token, sdk.EnrollOptions{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := sdk.New(id, sdk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return &ourClient{c}
}

func (o *ourClient) dialTo(_ testing.TB, service string) (circuit, error) {
	return o.DialWithOptions(context.Background(), service, sdk.DialOptions{Timeout: patience})
}

func (o *ourClient) hostFor(t testing.TB, service string, serve func(circuit)) {
	t.Helper()
	l, err := o.Listen(service)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.AcceptConn()
			if err != nil {
				return
			}
			go serve(c)
		}
	}()
}

// echo sends back what comes and half-closes when the other side did.
func echo(c circuit) {
	_, err := io.Copy(c, struct{ io.Reader }{c})
	if err == nil {
		_ = c.CloseWrite()
	}
}

// exchange sends writes of several sizes, half-closes, and wants all of it back
// before the end.
func exchange(c circuit) error {
	defer c.Close()
	var sent []byte
	failed := make(chan error, 1)
	sizes := []int{1, 17, 4000, 32768, 100_000, 3}
	for _, n := range sizes {
		part := make([]byte, n)
		_, _ = rand.Read(part)
		sent = append(sent, part...)
	}
	go func() {
		at := 0
		for _, n := range sizes {
			if _, err := c.Write(sent[at : at+n]); err != nil {
				failed <- err
				return
			}
			at += n
		}
		failed <- c.CloseWrite()
	}()
	got, err := io.ReadAll(c)
	if err := errors.Join(err, <-failed); err != nil {
		return fmt.Errorf("after %d of %d bytes: %w", len(got), len(sent), err)
	}
	if !bytes.Equal(got, sent) {
		return fmt.Errorf("%d other bytes came back, sent %d", len(got), len(sent))
	}
	return nil
}

// TestPairs lets every kind of client host and dial against every other.
func TestPairs(t *testing.T) {
	t.Parallel()
	n := common(t)
	role := unique("pair")
	services := make(map[string]string) // names by kind and encryption
	ids := make(map[string]string)
	kinds := []string{"C", "JVM", "Go"}
	for _, k := range kinds {
		for _, encrypted := range []bool{true, false} {
			name := unique(k)
			services[fmt.Sprint(k, encrypted)], ids[name] = name, n.admin.service(t, name, encrypted, role)
		}
	}
	party := func(kind, what string) party {
		switch kind {
		case "C":
			return newC(t, n, what, role)
		case "JVM":
			return newJVM(t, n, what, role)
		default:
			return newOurs(t, n, what, role)
		}
	}
	var hosted sync.WaitGroup
	t.Cleanup(hosted.Wait)
	for _, k := range kinds {
		host := party(k, "host-"+k)
		for _, encrypted := range []bool{true, false} {
			host.hostFor(t, services[fmt.Sprint(k, encrypted)], func(c circuit) {
				hosted.Add(1)
				defer hosted.Done()
				defer c.Close()
				echo(c)
			})
		}
	}
	for _, id := range ids {
		n.hosted(t, id, 1)
	}
	for _, k := range kinds {
		dialler := party(k, "dial-"+k)
		for _, h := range kinds {
			for _, encrypted := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s dials %s, encrypted %v", k, h, encrypted), func(t *testing.T) {
					c, err := dialler.dialTo(t, services[fmt.Sprint(h, encrypted)])
					if err != nil {
						t.Fatal(err)
					}
					if err := exchange(c); err != nil {
						t.Error(err)
					}
				})
			}
		}
	}
}
