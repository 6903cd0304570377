package interop

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/openziti/sdk-golang/ziti"
)

// end is one kind of client in one role: theirs or ours, with or without flow
// control in the client.
type end struct {
	name   string
	listen func(t *testing.T, n *network, service string) net.Listener
	dial   func(t *testing.T, n *network, service string) func(context.Context) (net.Conn, error)
}

func theirs(name string, flow bool) end {
	return end{
		name: name,
		listen: func(t *testing.T, n *network, service string) net.Listener {
			ctx := n.client(t, t.Name()+"-"+service+"-host", service+"-host")
			opts := ziti.DefaultListenOptions()
			opts.SdkFlowControl = &flow // callers wait for the terminator
			l, err := ctx.ListenWithOptions(service, opts)
			if err != nil {
				t.Fatalf("listen: %v", err)
			}
			t.Cleanup(func() { _ = l.Close() })
			return l
		},
		dial: func(t *testing.T, n *network, service string) func(context.Context) (net.Conn, error) {
			ctx := n.client(t, t.Name()+"-"+service+"-dial", service+"-dial")
			return func(c context.Context) (net.Conn, error) {
				return ctx.DialContextWithOptions(c, service, &ziti.DialOptions{ConnectTimeout: patience, SdkFlowControl: &flow})
			}
		},
	}
}

// TestTraffic moves data between every kind of host and every kind of dialer.
func TestTraffic(t *testing.T) {
	n := sharedNetwork(t)
	ends := []end{theirs("sdk", false), theirs("sdk-flow", true), ours()}
	for _, encrypted := range []bool{true, false} {
		for _, host := range ends {
			for _, dialer := range ends {
				t.Run(fmt.Sprintf("%s/%s-to-%s", map[bool]string{true: "encrypted", false: "clear"}[encrypted], dialer.name, host.name), func(t *testing.T) {
					service := fmt.Sprintf("t-%v-%s-%s", encrypted, dialer.name, host.name)
					id, _, _ := n.service(t, service, encrypted)
					serve(t, host.listen(t, n, service))
					n.waitTerminators(t, id, 1)
					dial := dialer.dial(t, n, service)
					t.Run("echo", func(t *testing.T) { echoOnce(t, dial) })
					t.Run("32MiB", func(t *testing.T) { bulk(t, dial, 32<<20) })
					t.Run("half-close", func(t *testing.T) { halfClose(t, dial) })
				})
			}
		}
	}
}

// TestManyConnections opens 200 connections at once.
func TestManyConnections(t *testing.T) {
	n := sharedNetwork(t)
	id, _, _ := n.service(t, "many", true)
	serve(t, theirs("sdk", false).listen(t, n, "many"))
	n.waitTerminators(t, id, 1)
	dial := theirs("sdk", false).dial(t, n, "many")
	var wg sync.WaitGroup
	for range 200 {
		wg.Go(func() { echoOnce(t, dial) })
	}
	wg.Wait()
}

// TestTwoHosts lets two hosts of one service share the work.
func TestTwoHosts(t *testing.T) {
	n := sharedNetwork(t)
	id, _, _ := n.service(t, "two", true)
	var mu sync.Mutex
	seen := map[string]int{}
	for _, name := range []string{"a", "b"} {
		t.Run(name, func(*testing.T) {})
		ctx := n.client(t, "two-"+name, "two-host")
		opts := ziti.DefaultListenOptions()
		opts.WaitForNEstablishedListeners = 1
		opts.ConnectTimeout = patience
		l, err := ctx.ListenWithOptions("two", opts)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		go accept(l, func(c net.Conn) {
			mu.Lock()
			seen[name]++
			mu.Unlock()
			_, _ = io.Copy(c, c)
		})
	}
	n.waitTerminators(t, id, 2)
	dial := theirs("sdk", false).dial(t, n, "two")
	both := func() bool { mu.Lock(); defer mu.Unlock(); return len(seen) == 2 }
	for i := 0; i < 200 && !both(); i++ {
		c, err := dial(t.Context()) // stays open: open circuits make a host more expensive
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		echo(t, c)
	}
	if !both() {
		t.Fatalf("only one host was used: %v", seen)
	}
}

// serve answers every connection: it sends back what it reads, ends its side at
// the end of the peer's and then closes.
func serve(t *testing.T, l net.Listener) {
	t.Helper()
	go accept(l, func(c net.Conn) {
		_, _ = io.Copy(c, c)
		_ = c.(interface{ CloseWrite() error }).CloseWrite()
	})
}

func accept(l net.Listener, f func(net.Conn)) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			f(c)
		}()
	}
}

func echoOnce(t *testing.T, dial func(context.Context) (net.Conn, error)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c, err := dial(ctx)
	if err != nil {
		t.Errorf("dial: %v", err)
		return
	}
	defer c.Close()
	echo(t, c)
}

func echo(t *testing.T, c net.Conn) {
	t.Helper()
	want := []byte("ping " + rand.Text())
	_ = c.SetDeadline(time.Now().Add(patience))
	if _, err := c.Write(want); err != nil {
		t.Errorf("write: %v", err)
		return
	}
	got := make([]byte, len(want))
	if _, err := io.ReadFull(c, got); err != nil || string(got) != string(want) {
		t.Errorf("echo %q: %v", got, err)
	}
}

// bulk sends size random bytes through the echo and compares checksums.
func bulk(t *testing.T, dial func(context.Context) (net.Conn, error), size int) {
	t.Helper()
	c, err := dial(t.Context())
	if err != nil {
		t.Fatalf("dial: %v", err)
	}
	defer c.Close()
	sent := make(chan [32]byte, 1)
	go func() {
		h := sha256.New()
		buf := make([]byte, 32<<10)
		for left := size; left > 0; left -= len(buf) {
			_, _ = rand.Read(buf)
			h.Write(buf)
			if _, err := c.Write(buf); err != nil {
				t.Errorf("write: %v", err)
				break
			}
		}
		sent <- [32]byte(h.Sum(nil))
	}()
	h := sha256.New()
	if n, err := io.CopyN(h, c, int64(size)); err != nil {
		t.Fatalf("read %d of %d bytes: %v", n, size, err)
	}
	if [32]byte(h.Sum(nil)) != <-sent {
		t.Fatal("checksums differ")
	}
}

// halfClose ends the dialer's side and still reads the whole answer.
func halfClose(t *testing.T, dial func(context.Context) (net.Conn, error)) {
	t.Helper()
	c, err := dial(t.Context())
	if err != nil {
		t.Fatalf("dial: %v", err)
	}
	defer c.Close()
	if _, err := c.Write([]byte("question")); err != nil {
		t.Fatal(err)
	}
	if err := c.(interface{ CloseWrite() error }).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	got, err := readAll(c)
	if err != nil || string(got) != "question" {
		t.Fatalf("after half close: %q, %v", got, err)
	}
}

func readAll(c net.Conn) ([]byte, error) {
	_ = c.SetReadDeadline(time.Now().Add(patience))
	b, err := io.ReadAll(c)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return b, err
}
