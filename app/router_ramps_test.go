package app

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509/pkix"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weftnet/weft/client"
	"github.com/weftnet/weft/conf"
	"github.com/weftnet/weft/pki"
	"github.com/weftnet/weft/sdk"
	"github.com/weftnet/weft/wire/ctrl"
)

// reconfigure restarts the router with more in its file.
func (n *testNetwork) reconfigure(listeners, dialers, sections string) {
	n.t.Helper()
	text, err := os.ReadFile(n.up.RouterFile)
	if err != nil {
		n.t.Fatal(err)
	}
	changed := strings.Replace(string(text), "\nlisteners:\n", "\nlisteners:\n"+listeners, 1)
	changed = strings.Replace(changed, "\ndialers:\n", "\ndialers:\n"+dialers, 1) + "\n" + sections
	if err := os.WriteFile(n.up.RouterFile, []byte(changed), 0o600); err != nil {
		n.t.Fatal(err)
	}
	n.stopRouter()
	n.startRouter()
}

// terminate lets the router reach a server for a new service.
func (n *testNetwork) terminate(service, binding, address string, encrypted bool) {
	n.t.Helper()
	serviceID, _ := n.service(service, encrypted)
	if _, err := n.admin.Management().CreateTerminator(testContext(n.t), &client.TerminatorInput{
		Service: &serviceID, Router: &n.router.id, Binding: &binding, Address: &address,
	}); err != nil {
		n.t.Fatal(err)
	}
}

func tcpEcho(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { defer close(done); serveEcho(l) }()
	t.Cleanup(func() { l.Close(); <-done })
	return l.Addr().String()
}

func udpEcho(t *testing.T) string {
	t.Helper()
	l, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for b := make([]byte, 64<<10); ; {
			n, from, err := l.ReadFrom(b)
			if err != nil {
				return
			}
			_, _ = l.WriteTo(b[:n], from)
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return l.LocalAddr().String()
}

func TestServicesWithoutAnSDK(t *testing.T) {
	n := newTestNetwork(t)
	ports := testPorts(t, 3)
	n.reconfigure(fmt.Sprintf(`  - {binding: proxy, address: "tcp:127.0.0.1:%d", service: plain}
  - {binding: proxy_udp, address: "udp:127.0.0.1:%d", service: names}
  - {binding: transport, address: "tcp:127.0.0.1:%d"}
`, ports[0], ports[1], ports[2]), "  - binding: udp\n", "")
	n.terminate("plain", "transport", "tcp:"+tcpEcho(t), false)
	n.terminate("names", "udp", "udp:"+udpEcho(t), false)
	at := func(i int) string { return fmt.Sprintf("127.0.0.1:%d", ports[i]) }
	dial := func(network string, i int) net.Conn {
		t.Helper()
		c, err := net.Dial(network, at(i))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	tcp := dial("tcp", 0)
	if err := talk(tcp, strings.Repeat("through a proxy listener ", 10_000)); err != nil {
		t.Errorf("proxy: %v", err)
	}
	if err := talk(dial("udp", 1), "a datagram"); err != nil {
		t.Errorf("proxy_udp: %v", err)
	}
	named := dial("tcp", 2)
	fmt.Fprintf(named, `{"id":"test","svcId":"plain"}`+"\n")
	if line, err := bufio.NewReader(named).ReadString('\n'); err != nil || !strings.Contains(line, `"scc":true`) {
		t.Fatalf("transport: %q, %v", line, err)
	}
	if err := talk(named, "a service by name"); err != nil {
		t.Errorf("transport: %v", err)
	}
	_ = tcp.(*net.TCPConn).CloseWrite()
	if rest, err := io.ReadAll(tcp); err != nil || len(rest) > 0 {
		t.Errorf("after the half close: %q, %v", rest, err)
	}
}

// TestEncryptionEndsInTheRouter: an encrypted service leads to a server that
// knows nothing of it.
func TestEncryptionEndsInTheRouter(t *testing.T) {
	n := newTestNetwork(t)
	n.reconfigure("", "  - binding: edge_transport\n", "")
	n.terminate("secret", "edge_transport", "tcp:"+tcpEcho(t), true)
	if err := talk(n.dial(n.identity("guest"), "secret"), strings.Repeat("in the clear only behind the router ", 1000)); err != nil {
		t.Error(err)
	}
}

// TestWithoutDialers: a router whose file has no dialers section says so.
func TestWithoutDialers(t *testing.T) {
	n := newTestNetwork(t)
	n.terminate("names", "transport_udp", "udp:"+udpEcho(t), false)
	_, err := n.identity("guest").Dial(testContext(t), "names")
	var e *sdk.Error
	if !errors.As(err, &e) || e.Code != ctrl.CodeMisconfigured || !strings.Contains(err.Error(), "dialers section") {
		t.Errorf("%v", err)
	}
}

// TestBrowserListener: a wss listener is open and advertised, and wants the
// client's certificate inside.
func TestBrowserListener(t *testing.T) {
	n := newTestNetwork(t)
	port := testPorts(t, 1)[0]
	n.reconfigure(fmt.Sprintf(`  - {binding: edge, address: "wss:127.0.0.1:%d", options: {advertise: "127.0.0.1:%d"}}
`, port, port), "", "")
	page, err := n.admin.Management().ListEdgeRouters(testContext(t), nil)
	if err != nil || len(page.Items) != 1 {
		t.Fatalf("%v, %v", page, err)
	}
	if got, want := page.Items[0].SupportedProtocols["wss"], fmt.Sprintf("wss://127.0.0.1:%d", port); got != want {
		t.Errorf("advertised %q, want %q", got, want)
	}
	web := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}, Timeout: 10 * time.Second}
	defer web.CloseIdleConnections()
	for path, status := range map[string]int{"/ws": http.StatusBadRequest, "/": http.StatusNotFound} { // no upgrade asked for
		answer, err := web.Get(fmt.Sprintf("https://127.0.0.1:%d%s", port, path))
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != status {
			t.Errorf("%s: %s", path, answer.Status)
		}
	}
}

func TestAPIProxy(t *testing.T) {
	n := newTestNetwork(t)
	port := testPorts(t, 1)[0]
	text, err := os.ReadFile(n.up.RouterFile)
	if err != nil {
		t.Fatal(err)
	}
	proxied := strings.Replace(string(text), "\nedge:\n", fmt.Sprintf("\nedge:\n  apiProxy: {listener: \"127.0.0.1:%d\", upstream: \"127.0.0.1:%d\"}\n", port, n.apiPort()), 1)
	if err := os.WriteFile(n.up.RouterFile, []byte(proxied), 0o600); err != nil {
		t.Fatal(err)
	}
	n.reconfigure("", "", "")
	web := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}, Timeout: 10 * time.Second}
	defer web.CloseIdleConnections()
	answer, err := web.Get(fmt.Sprintf("https://127.0.0.1:%d/edge/client/v1/version", port))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK || !strings.Contains(string(body), Version) {
		t.Errorf("%s, %s, %v", answer.Status, body, err)
	}

	// Whoever comes through the proxy is not the router: the controller would
	// issue the router's certificate for a key of a stranger.
	key, err := pki.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	request, err := pki.NewCSR(key, pkix.Name{CommonName: n.router.id})
	if err != nil {
		t.Fatal(err)
	}
	was := n.fingerprint()
	ask, err := json.Marshal(map[string]string{"certCsr": request, "serverCertCsr": request})
	if err != nil {
		t.Fatal(err)
	}
	answer, err = web.Post(fmt.Sprintf("https://127.0.0.1:%d/edge/client/v1/enroll/extend/router", port), "application/json", bytes.NewReader(ask))
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusUnauthorized || n.fingerprint() != was {
		t.Errorf("a stranger asks for the router's certificate: %s", answer.Status)
	}
}

// apiPort is the port of the controller's APIs.
func (n *testNetwork) apiPort() int {
	cfg, _, err := conf.LoadController(n.up.ControllerFile, nil)
	if err != nil {
		n.t.Fatal(err)
	}
	return cfg.Web[0].BindPoints[0].Interface.Port
}

// connectProxy is an HTTP proxy with a password; it counts its tunnels.
type connectProxy struct {
	addr string
	mu   sync.Mutex
	to   []string
}

func newConnectProxy(t *testing.T) *connectProxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &connectProxy{addr: l.Addr().String()}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Authorization", r.Header.Get("Proxy-Authorization"))
		if user, password, _ := r.BasicAuth(); user != "weft" || password != "secret" {
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		out, err := net.Dial("tcp", r.Host)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		in, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			out.Close()
			return
		}
		p.mu.Lock()
		p.to = append(p.to, r.Host)
		p.mu.Unlock()
		fmt.Fprint(in, "HTTP/1.1 200 Connection established\r\n\r\n")
		var work sync.WaitGroup
		work.Go(func() { _, _ = io.Copy(out, in); _ = out.(*net.TCPConn).CloseWrite() })
		_, _ = io.Copy(in, out)
		in.Close()
		work.Wait()
		out.Close()
	})}
	var work sync.WaitGroup
	work.Go(func() { _ = server.Serve(l) })
	t.Cleanup(func() { server.Close(); work.Wait() })
	return p
}

func (p *connectProxy) tunnels(to string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, at := range p.to {
		if at == to {
			n++
		}
	}
	return n
}

func (p *connectProxy) section(password string) string {
	return fmt.Sprintf("{type: http, address: %q, username: weft, password: %s}", p.addr, password)
}

// TestOutgoingProxies: control connections and egress go through their proxies.
func TestOutgoingProxies(t *testing.T) {
	n := newTestNetwork(t)
	p := newConnectProxy(t)
	n.reconfigure("", "", "proxy: "+p.section("secret")+"\ntransport: {proxy: "+p.section("secret")+"}\n")
	if len(p.to) == 0 {
		t.Error("the router reached its controller without the proxy")
	}
	at := tcpEcho(t)
	n.terminate("plain", "transport", "tcp:"+at, false)
	if err := talk(n.dial(n.identity("guest"), "plain"), "hello"); err != nil {
		t.Error(err)
	}
	if p.tunnels(at) != 1 {
		t.Errorf("%d tunnels to the server", p.tunnels(at))
	}
}

func TestProxyThatRefuses(t *testing.T) {
	p := newConnectProxy(t)
	at, err := conf.ParseHostPort(p.addr)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ password, to, want string }{
		"password": {"wrong", "127.0.0.1:1", "username and password"},
		"server":   {"secret", "127.0.0.1:1", "502"},
	} {
		dial := proxied(nil, &conf.Proxy{Type: "http", Address: at, Username: "weft", Password: tt.password})
		if c, err := dial(testContext(t), "tcp", tt.to); err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), p.addr) {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
	if proxied(nil, &conf.Proxy{Type: "none"}) != nil {
		t.Error("type none is a proxy")
	}
}

// TestOnRampWithTLS: a listener with TLS wants a certificate of the network, and
// a service by its name keeps its limit on silence.
func TestOnRampWithTLS(t *testing.T) {
	t.Parallel() // it takes seconds of waiting
	n := newTestNetwork(t)
	port := testPorts(t, 1)[0]
	n.reconfigure(fmt.Sprintf("  - {binding: proxy, address: \"tls:127.0.0.1:%d\", service: plain}\n", port), "", "")
	n.terminate("plain", "transport", "tcp:"+tcpEcho(t), false)
	at := fmt.Sprintf("127.0.0.1:%d", port)
	if c, err := tls.Dial("tcp", at, &tls.Config{InsecureSkipVerify: true}); err == nil {
		if err := talk(c, "hello"); err == nil {
			t.Error("a stranger is in")
		}
		c.Close()
	}
	c, err := tls.Dial("tcp", at, n.router.identity.ClientTLS())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := talk(c, "hello"); err != nil {
		t.Fatal(err)
	}
	page, err := n.admin.Management().ListServices(testContext(t), &client.ListServicesParams{ListParams: client.ListParams{Filter: `name = "plain"`}})
	if err != nil || len(page.Items) != 1 {
		t.Fatalf("%v, %v", page, err)
	}
	if err := n.admin.Management().PatchService(testContext(t), page.Items[0].ID, &client.ServiceInput{MaxIdleTimeMillis: client.Ptr(int64(200))}); err != nil {
		t.Fatal(err)
	}
	_ = c.SetReadDeadline(time.Now().Add(idleLook + 5*time.Second))
	if _, err := c.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a silent connection is still there: %v", err)
	}
}

// TestUnixSocketOfADeadRouter: the file of a socket that nobody has open is
// replaced, that of a living one is not.
func TestUnixSocketOfADeadRouter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "in")
	dead, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	dead.Close() // leaves its file
	r := new(Router)
	l, err := r.listenUnixgram("here", path)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := r.listenUnixgram("here", path); err == nil {
		again.Close()
		t.Error("two on one path")
	}
	if err := errors.Join(l.Close(), r.Close()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file stays: %v", err)
	}
}
