package sdk

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/weftnet/weft/wire/edge"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// modes are all kinds of connection.
var modes = []struct {
	name             string
	plain, encrypted bool
}{{"flow", false, false}, {"flow encrypted", false, true}, {"plain", true, false}, {"plain encrypted", true, true}}

// pair returns both ends of a connection to the service echo.
func pair(t testing.TB, plain, encrypted bool) (dialer, host *Conn) {
	t.Helper()
	n := newFakeNet(t)
	n.router(func(r *fakeRouter) { r.plain = plain })
	n.service("echo", encrypted, PermissionDial, PermissionBind)
	l, err := n.client(Options{}).Listen("echo")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	dialer, err = n.client(Options{}).DialWithOptions(t.Context(), "echo", DialOptions{AppData: []byte("app"), CallerID: "me"})
	if err != nil {
		t.Fatal(err)
	}
	if host, err = l.AcceptConn(); err != nil {
		t.Fatal(err)
	}
	return dialer, host
}

func TestConversation(t *testing.T) {
	for _, m := range modes {
		t.Run(m.name, func(t *testing.T) {
			d, h := pair(t, m.plain, m.encrypted)
			if p := h.Peer(); p.IdentityID != "ident1" || p.IdentityName != "laptop" || p.CallerID != "me" || string(p.AppData) != "app" {
				t.Errorf("%+v", p)
			}
			if d.RemoteAddr().String() != "echo" || h.LocalAddr().String() != "echo" || h.RemoteAddr().String() != "laptop" || d.LocalAddr().Network() != "weft" {
				t.Error("addresses")
			}
			if d.Encrypted() != m.encrypted || h.Encrypted() != m.encrypted || d.CircuitID() != h.CircuitID() || string(d.StickinessToken()) != "sticky" {
				t.Error("properties")
			}
			for i := range 50 {
				for _, c := range [][2]*Conn{{d, h}, {h, d}} {
					want := bytes.Repeat([]byte{byte(i)}, 1+i*37)
					if _, err := c[0].Write(want); err != nil {
						t.Fatal(err)
					}
					got := make([]byte, len(want))
					if _, err := io.ReadFull(c[1], got); err != nil || !bytes.Equal(got, want) {
						t.Fatal("round", i, err)
					}
				}
			}
			// Half close one way, then the other.
			if err := d.CloseWrite(); err != nil {
				t.Fatal(err)
			}
			if n, err := h.Read(make([]byte, 1)); n != 0 || err != io.EOF {
				t.Fatal("after the peer's half close", n, err)
			}
			if _, err := h.Write([]byte("still here")); err != nil {
				t.Fatal(err)
			}
			if err := h.CloseWrite(); err != nil {
				t.Fatal(err)
			}
			if b, err := io.ReadAll(d); err != nil || string(b) != "still here" {
				t.Fatal(string(b), err)
			}
			if _, err := d.Write([]byte("x")); err == nil {
				t.Error("write after half close")
			}
			d.Close()
			h.Close()
			if _, err := d.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
				t.Error("read after Close:", err)
			}
			if _, err := d.Write([]byte("x")); err == nil {
				t.Error("write after Close")
			}
			for _, c := range []*Conn{d, h} {
				eventually(t, "the id is free", func() bool { return c.left.Load() })
			}
		})
	}
}

func TestBulkBothWays(t *testing.T) {
	const size = 12 << 20
	for _, m := range modes {
		t.Run(m.name, func(t *testing.T) {
			d, h := pair(t, m.plain, m.encrypted)
			var wg sync.WaitGroup
			for i, c := range []*Conn{d, h} {
				other := h
				if c == h {
					other = d
				}
				sum := make(chan [32]byte, 1)
				wg.Go(func() {
					defer c.CloseWrite()
					r := rand.New(rand.NewPCG(uint64(i), 7))
					s, buf := sha256.New(), make([]byte, 200_000)
					for left := size; left > 0; {
						n := min(left, 1+r.IntN(len(buf)))
						for j := 0; j < n; j += 97 {
							buf[j] = byte(r.Uint32())
						}
						s.Write(buf[:n])
						if _, err := c.Write(buf[:n]); err != nil {
							t.Error("write", err)
							return
						}
						left -= n
					}
					sum <- [32]byte(s.Sum(nil))
				})
				wg.Go(func() {
					s := sha256.New()
					n, err := io.CopyBuffer(struct{ io.Writer }{s}, struct{ io.Reader }{other}, make([]byte, 30_001))
					if err != nil || n != size || [32]byte(s.Sum(nil)) != <-sum {
						t.Error("read", n, err)
					}
				})
			}
			wg.Wait()
		})
	}
}

// The data of a closed connection still arrives.
func TestCloseDelivers(t *testing.T) {
	for _, m := range modes {
		t.Run(m.name, func(t *testing.T) {
			d, h := pair(t, m.plain, m.encrypted)
			if _, err := d.Write(bytes.Repeat([]byte("x"), 100_000)); err != nil {
				t.Fatal(err)
			}
			d.Close()
			if b, err := io.ReadAll(h); err != nil || len(b) != 100_000 {
				t.Fatal(len(b), err)
			}
		})
	}
}

func TestDeadlines(t *testing.T) {
	for _, m := range modes {
		t.Run(m.name, func(t *testing.T) {
			d, h := pair(t, m.plain, m.encrypted)
			b := make([]byte, 1)
			past := time.Now().Add(-time.Second)
			d.SetReadDeadline(past)
			if _, err := d.Read(b); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error("past:", err)
			}
			d.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
			_, err := d.Read(b)
			var timeout net.Error
			if !errors.As(err, &timeout) || !timeout.Timeout() {
				t.Error("future:", err)
			}
			d.SetDeadline(time.Time{})
			woken := make(chan error)
			go func() { _, err := d.Read(b); woken <- err }()
			d.SetReadDeadline(past)
			if err := <-woken; !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error("moved while reading:", err)
			}
			d.SetReadDeadline(time.Time{})
			if _, err := h.Write([]byte("y")); err != nil {
				t.Fatal(err)
			}
			if _, err := d.Read(b); err != nil || b[0] != 'y' {
				t.Error("data after a deadline:", err)
			}
			if !m.plain { // without windows the network takes everything
				d.SetWriteDeadline(time.Now().Add(30 * time.Millisecond))
				var werr error
				for i := 0; i < 1000 && werr == nil; i++ {
					_, werr = d.Write(make([]byte, 64<<10))
				}
				if !errors.Is(werr, os.ErrDeadlineExceeded) {
					t.Error("write to one who does not read:", werr)
				}
			}
		})
	}
}

func TestCloseUnblocks(t *testing.T) {
	for _, m := range modes {
		t.Run(m.name, func(t *testing.T) {
			d, h := pair(t, m.plain, m.encrypted)
			done := make(chan error)
			go func() { _, err := d.Read(make([]byte, 1)); done <- err }()
			d.Close()
			if err := <-done; !errors.Is(err, net.ErrClosed) && err != io.EOF {
				t.Error(err)
			}
			go func() {
				var err error
				for err == nil {
					_, err = h.Write(make([]byte, 64<<10))
				}
				done <- err
			}()
			h.Close()
			<-done
		})
	}
}

func TestManyAtOnce(t *testing.T) {
	n := newFakeNet(t)
	n.router(nil)
	n.router(func(r *fakeRouter) { r.plain = true })
	n.service("echo", true, PermissionDial, PermissionBind)
	l, err := n.client(Options{}).Listen("echo")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { io.Copy(c, c); c.Close() }()
		}
	}()
	eventually(t, "a terminator at each router", func() bool { return l.Terminators() == 2 })
	c := n.client(Options{})
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			conn, err := c.DialWithOptions(t.Context(), "echo", DialOptions{Timeout: 5 * time.Minute})
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			text := strings.Repeat(fmt.Sprint(i), 500)
			io.WriteString(conn, text)
			conn.CloseWrite()
			if b, err := io.ReadAll(conn); err != nil || string(b) != text {
				t.Error(len(b), err)
			}
		})
	}
	wg.Wait()
	l.Close()
}

// hungUpConn is a connection that the other side has closed.
type hungUpConn struct{ net.Conn }

func (hungUpConn) Read([]byte) (int, error)    { return 0, io.EOF }
func (hungUpConn) Write(b []byte) (int, error) { return len(b), nil }
func (hungUpConn) Close() error                { return nil }
func (hungUpConn) SetDeadline(time.Time) error { return nil }

// A router that hangs up before it answers, as one does that is busy beyond its
// limits, is asked again.
func TestRouterHangsUp(t *testing.T) {
	n := newFakeNet(t)
	n.router(nil)
	n.service("echo", true, PermissionDial, PermissionBind)
	l, err := n.client(Options{}).Listen("echo")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var calls atomic.Int32
	c := n.client(Options{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		if address == n.routers[0].addr && calls.Add(1) <= dialAttempts-1 {
			return hungUpConn{}, nil
		}
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}})
	conn, err := c.Dial(t.Context(), "echo")
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if got := calls.Load(); got != dialAttempts {
		t.Errorf("%d calls, want %d", got, dialAttempts)
	}
}

func TestHTTP(t *testing.T) {
	n := newFakeNet(t)
	n.router(nil)
	n.service("web", true, PermissionDial, PermissionBind)
	l, err := n.client(Options{}).Listen("web")
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "page ", r.URL.Path) })}
	go s.Serve(l)
	defer s.Close()
	tr := &http.Transport{DialContext: n.client(Options{}).DialContext}
	defer tr.CloseIdleConnections()
	for range 3 {
		res, err := (&http.Client{Transport: tr}).Get("http://web/index")
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || string(b) != "page /index" {
			t.Fatal(string(b), err)
		}
	}
}

func TestDialRefusals(t *testing.T) {
	n := newFakeNet(t)
	r := n.router(nil)
	n.service("hosted", true, PermissionDial, PermissionBind)
	n.service("empty", false, PermissionDial)
	n.service("bindonly", false, PermissionBind)
	c := n.client(Options{})
	l, err := c.Listen("hosted")
	if err != nil {
		t.Fatal(err)
	}
	denial := &edge.StructuredError{Message: "no policy grants dial", Code: edge.CodeAccessDenied, RetryHint: edge.RetryNotRetriable}
	for _, tc := range []struct {
		name, service string
		prepare       func()
		want          error
		code          string
	}{
		{"unknown service", "nothing", nil, ErrServiceNotFound, "SERVICE_NOT_FOUND"},
		{"no dial permission", "bindonly", nil, ErrAccessDenied, "ACCESS_DENIED"},
		{"nobody hosts", "empty", nil, ErrNoTerminator, "NO_TERMINATORS"},
		{"router denies", "hosted", func() {
			r.onDial = func(*edge.Connect) *edge.StateClosed { return &edge.StateClosed{Reason: "denied", Error: denial} }
		}, ErrAccessDenied, "ACCESS_DENIED"},
		{"key lost", "hosted", func() { r.onDial = nil; r.noKeys = true }, ErrEncryption, "ENCRYPTION_DATA_MISSING"},
		{"dialer without key", "hosted", func() {
			r.noKeys = false
			r.onDial = func(q *edge.Connect) *edge.StateClosed { q.PublicKey = nil; return nil }
		}, ErrRejected, "REJECTED"},
		{"router gone", "hosted", func() { r.onDial = nil; r.stop() }, ErrNoRouter, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.prepare != nil {
				tc.prepare()
			}
			conn, err := c.Dial(t.Context(), tc.service)
			var e *Error
			if conn != nil || !errors.Is(err, tc.want) || !errors.As(err, &e) || (tc.code != "" && e.Code != tc.code) || e.Remedy == "" {
				t.Errorf("%v, remedy %q", err, Help(err))
			}
		})
	}
	l.Close()
}

func TestStaleSessionsAreRenewed(t *testing.T) {
	n := newFakeNet(t)
	n.router(nil)
	n.service("echo", false, PermissionDial, PermissionBind)
	l, err := n.client(Options{}).Listen("echo")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c := n.client(Options{})
	dial := func() {
		t.Helper()
		conn, err := c.Dial(t.Context(), "echo")
		if err != nil {
			t.Fatal(err)
		}
		conn.Close()
	}
	dial()
	n.mu.Lock()
	clear(n.sessions)
	n.mu.Unlock()
	// The host's session is gone as well; a router would end its terminator.
	for _, r := range n.routers {
		r.mu.Lock()
		for _, h := range r.hosts {
			e := edge.StructuredError{Message: "service session removed", Code: edge.CodeInvalidSession, RetryHint: edge.RetryStartOver}
			h.end.ch.TrySend((&edge.StateClosed{ConnID: h.end.id, Reason: "session ended", Error: &e}).Encode())
		}
		r.hosts = nil
		r.mu.Unlock()
	}
	eventually(t, "new terminator", func() bool {
		n.routers[0].mu.Lock()
		defer n.routers[0].mu.Unlock()
		return len(n.routers[0].hosts) == 1
	})
	dial()
}

func TestRouterRestart(t *testing.T) {
	n := newFakeNet(t)
	r := n.router(nil)
	n.service("echo", true, PermissionDial, PermissionBind)
	l, err := n.client(Options{}).Listen("echo")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c := n.client(Options{})
	conn, err := c.Dial(t.Context(), "echo")
	if err != nil {
		t.Fatal(err)
	}
	r.stop()
	_, err = conn.Read(make([]byte, 1))
	var e *Error
	if !errors.As(err, &e) || e.Code != codeRouterLost && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error("a connection over a lost router:", err)
	}
	eventually(t, "the loss", func() bool { return l.Terminators() == 0 })
	start := time.Now()
	r.start()
	eventually(t, "terminator", func() bool { return l.Terminators() == 1 })
	if d := time.Since(start); d > 5*time.Second {
		t.Error("back only after", d)
	}
	if conn, err = c.Dial(t.Context(), "echo"); err != nil {
		t.Fatal(err)
	}
	conn.Close()
	conn.Close()
}

// A network that has forgotten all sessions gets new ones.
func TestSessionsForgottenEverywhere(t *testing.T) {
	n := newFakeNet(t)
	r := n.router(nil)
	n.service("echo", false, PermissionDial, PermissionBind)
	l, err := n.client(Options{}).Listen("echo")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c := n.client(Options{})
	conn, err := c.Dial(t.Context(), "echo")
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	n.mu.Lock()
	clear(n.tokens)
	clear(n.sessions)
	n.mu.Unlock()
	r.stop()
	eventually(t, "the loss", func() bool { return l.Terminators() == 0 && len(c.liveLinks()) == 0 })
	r.start()
	eventually(t, "terminator", func() bool { return l.Terminators() == 1 })
	if conn, err = c.Dial(t.Context(), "echo"); err != nil {
		t.Fatal(err)
	}
	conn.Close()
}

// While no controller answers, what is known is enough to come back to a router.
func TestRouterRestartWithoutController(t *testing.T) {
	n := newFakeNet(t)
	r := n.router(nil)
	n.service("echo", true, PermissionDial, PermissionBind)
	l, err := n.client(Options{}).Listen("echo")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c := n.client(Options{})
	conn, err := c.Dial(t.Context(), "echo")
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	n.http.CloseClientConnections()
	n.http.Listener.Close()
	r.stop()
	eventually(t, "the loss", func() bool { return l.Terminators() == 0 && len(c.liveLinks()) == 0 })
	r.start()
	eventually(t, "terminator", func() bool { return l.Terminators() == 1 })
	if conn, err = c.Dial(t.Context(), "echo"); err != nil {
		t.Fatal(err)
	}
	conn.Close()
}

func TestListenRefusals(t *testing.T) {
	n := newFakeNet(t)
	c := n.client(Options{})
	n.service("dialonly", false, PermissionDial)
	n.service("echo", false, PermissionBind)
	if _, err := c.Listen("dialonly"); !errors.Is(err, ErrAccessDenied) {
		t.Error(err)
	}
	if _, err := c.Listen("nothing"); !errors.Is(err, ErrServiceNotFound) {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := c.ListenWithOptions(ctx, "echo", ListenOptions{}); !errors.Is(err, ErrNoRouter) || !errors.Is(err, context.DeadlineExceeded) {
		t.Error("no router:", err)
	}
	if _, err := c.ListenWithOptions(t.Context(), "echo", ListenOptions{MaxTerminators: -1}); err == nil {
		t.Error("option out of range")
	}
}

func TestBackgroundListenerComesUpLater(t *testing.T) {
	n := newFakeNet(t)
	c := n.client(Options{RefreshInterval: 20 * time.Millisecond})
	l, err := c.ListenWithOptions(t.Context(), "echo", ListenOptions{Background: true})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	eventually(t, "the reason", func() bool { return errors.Is(l.Err(), ErrServiceNotFound) })
	n.service("echo", false, PermissionBind)
	n.router(nil)
	eventually(t, "terminator", func() bool { return l.Terminators() == 1 && l.Err() == nil })
	n.router(nil)
	eventually(t, "a second router", func() bool { return l.Terminators() == 2 })
}

func TestTakeOverAndOptions(t *testing.T) {
	n := newFakeNet(t)
	r := n.router(nil)
	n.service("echo", false, PermissionDial, PermissionBind)
	o := ListenOptions{ListenerID: "one", Instance: "inst", Cost: 7, Precedence: PrecedenceRequired}
	first, err := n.client(Options{}).ListenWithOptions(t.Context(), "echo", o)
	if err != nil {
		t.Fatal(err)
	}
	r.mu.Lock()
	b := r.hosts[0].bind
	r.mu.Unlock()
	if b.Cost != 7 || b.Precedence != edge.PrecedenceRequired || b.Instance != "inst" || !b.UseXgress || !b.SupportsInspect {
		t.Errorf("%+v", b)
	}
	second, err := n.client(Options{}).ListenWithOptions(t.Context(), "echo", o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := first.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
	var e *Error
	if !errors.As(first.Err(), &e) || e.Code != "TAKEN_OVER" {
		t.Error(first.Err())
	}
	first.Close()
	if err := second.Update(9, PrecedenceFailed); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the update", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return len(r.seen) == 1 && *r.seen[0].Cost == 9 && *r.seen[0].Precedence == edge.PrecedenceFailed
	})
	c := n.client(Options{})
	if _, err := c.DialWithOptions(t.Context(), "echo", DialOptions{Instance: "other"}); !errors.Is(err, ErrNoTerminator) {
		t.Error(err)
	}
	if _, err := c.DialWithOptions(t.Context(), "echo", DialOptions{Instance: "inst", Sticky: true}); err != nil {
		t.Fatal(err)
	}
	got := make(chan string, 1)
	r.mu.Lock()
	r.onDial = func(q *edge.Connect) *edge.StateClosed { got <- string(q.StickinessToken); return nil }
	r.mu.Unlock()
	if _, err := c.DialWithOptions(t.Context(), "echo", DialOptions{Instance: "inst", Sticky: true}); err != nil || <-got != "sticky" {
		t.Error("the token of the first connection", err)
	}
	second.Close()
	eventually(t, "unbind", func() bool { r.mu.Lock(); defer r.mu.Unlock(); return len(r.hosts) == 0 })
}

func TestBacklogIsBounded(t *testing.T) {
	n := newFakeNet(t)
	n.router(nil)
	n.service("echo", false, PermissionDial, PermissionBind)
	l, err := n.client(Options{}).ListenWithOptions(t.Context(), "echo", ListenOptions{Backlog: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c := n.client(Options{})
	for i := range 3 {
		_, err := c.Dial(t.Context(), "echo")
		if i < 2 && err != nil || i == 2 && !errors.Is(err, ErrRejected) {
			t.Fatal(i, err)
		}
	}
}

func TestAccessLostSaysWhy(t *testing.T) {
	for _, plain := range []bool{false, true} {
		d, h := pair(t, plain, false)
		e := &edge.StructuredError{Message: "dial access lost", Code: edge.CodeAccessDenied, RetryHint: edge.RetryStartOver}
		m := (&edge.StateClosed{ConnID: d.id, Reason: "dial access lost", Error: e}).Encode()
		// As if the router had sent it.
		d.l.HandleFrame(d.l.ch, newFrame(m))
		_, err := d.Read(make([]byte, 1))
		if !errors.Is(err, ErrAccessDenied) || Help(err) == "" {
			t.Error(err)
		}
		h.Close()
	}
}

func TestInspect(t *testing.T) {
	n := newFakeNet(t)
	r := n.router(nil)
	n.service("echo", true, PermissionDial, PermissionBind)
	l, err := n.client(Options{}).Listen("echo")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	d, err := n.client(Options{}).Dial(t.Context(), "echo")
	if err != nil {
		t.Fatal(err)
	}
	r.mu.Lock()
	host := r.hosts[0].end
	r.mu.Unlock()
	for _, c := range []struct {
		name string
		id   uint32
		want edge.ConnType
	}{{"listener", host.id, edge.ConnBind}, {"connection", edge.FirstRouterConnID, edge.ConnDial}, {"nothing", 999, edge.ConnInvalid}} {
		reply, err := host.ch.Request(t.Context(), (&edge.ConnInspectRequest{ConnID: c.id}).Encode())
		if err != nil {
			t.Fatal(err)
		}
		if a, err := edge.ParseConnInspectResponse(reply); err != nil || a.Type != c.want || a.ConnID != c.id {
			t.Errorf("%s: %+v %v", c.name, a, err)
		}
	}
	reply, err := host.ch.Request(t.Context(), (&edge.InspectRequest{Values: []string{"circuits", "context", "x"}}).Encode())
	if err != nil {
		t.Fatal(err)
	}
	a, err := edge.ParseInspectResponse(reply)
	if err != nil || a.Success || len(a.Values) != 2 || !strings.Contains(string(a.Values["circuits"]), d.CircuitID()) ||
		!strings.Contains(string(a.Values["context"]), `"serviceName":"echo"`) {
		t.Errorf("%+v %v", a, err)
	}
}
