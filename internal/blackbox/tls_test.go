package blackbox

import (
	"crypto/tls"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

// garbage is what scanners, wrong clients and noise send to a port.
func garbage() map[string][]byte {
	hello := clientHello()
	noise := make([]byte, 4096)
	for i := range noise {
		noise[i] = byte(i*7 + 1)
	}
	return map[string][]byte{
		"plain HTTP":        []byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
		"SSH":               []byte("SSH-2.0-OpenSSH_9.9\r\n"),
		"noise":             noise,
		"zeros":             make([]byte, 1024),
		"a plain message":   prefix(0, -1, 0, 0),
		"huge TLS record":   {0x16, 0x03, 0x01, 0xff, 0xff, 0x01},
		"alert":             {0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28},
		"hello, then noise": append(hello, noise...),
	}
}

// clientHello is the first flight of a TLS client.
func clientHello() []byte {
	client, server := net.Pipe()
	go func() {
		_ = tls.Client(client, &tls.Config{ServerName: "localhost", InsecureSkipVerify: true}).Handshake()
	}()
	defer client.Close()
	head := make([]byte, 5)
	if _, err := io.ReadFull(server, head); err != nil {
		panic(err)
	}
	body := make([]byte, int(head[3])<<8|int(head[4]))
	if _, err := io.ReadFull(server, body); err != nil {
		panic(err)
	}
	return append(head, body...)
}

// port is one of the ports of a network.
type port struct {
	name    string
	address string
	process *process
}

func (n *network) ports() []port {
	return []port{{"router", n.RouterAddress(), n.Router}, {"controller", n.APIAddress(), n.Controller}}
}

func TestGarbageOnEveryPort(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	for _, p := range n.ports() {
		for name, bytes := range garbage() {
			t.Run(p.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				wantLogged(t, p.process, func() {
					c := dialTCP(t, p.address)
					_, _ = c.Write(bytes)
					_ = c.(*net.TCPConn).CloseWrite()
					if _, err := drain(c); err != nil {
						t.Fatal(err)
					}
				}, "connection refused", "TLS handshake")
			})
		}
	}
	t.Cleanup(func() { n.unharmed(t) })
}

// TestGarbageInsideTLS is noise behind a good handshake, where the protocol is
// expected.
func TestGarbageInsideTLS(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	p := n.person(t)
	router := n.routerCertificate(t)
	for _, tt := range []struct {
		name, address string
		alpn          []string
		cert          *tls.Certificate
		log           *process // nil: nothing is logged for a bad request
	}{
		{"router", n.RouterAddress(), nil, &p.cert, n.Router},
		{"router by name", n.RouterAddress(), []string{"ziti-edge"}, &p.cert, n.Router},
		{"control", n.APIAddress(), []string{"weft-ctrl"}, router, n.Controller},
		{"control of others", n.APIAddress(), []string{"ziti-ctrl"}, router, n.Controller},
		{"API", n.APIAddress(), []string{"http/1.1"}, nil, nil},
		{"API without a name", n.APIAddress(), nil, nil, nil},
		{"API by HTTP/2", n.APIAddress(), []string{"h2"}, nil, nil},
	} {
		for name, bytes := range garbage() {
			if name == "a plain message" {
				continue // here it is a hello
			}
			t.Run(tt.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				attack := func() {
					c := mustDialTLS(t, tt.address, tt.cert, tt.alpn...)
					_, _ = c.Write(bytes)
					_ = c.CloseWrite()
					if _, err := drain(c); err != nil {
						t.Fatal(err)
					}
				}
				if tt.log == nil {
					attack()
					return
				}
				wantLogged(t, tt.log, attack, "connection refused", "no valid hello")
			})
		}
	}
	t.Cleanup(func() { n.unharmed(t) })
}

// TestUnknownProtocol: a list of protocols without a known one fails the
// handshake, on every port.
func TestUnknownProtocol(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	p := n.person(t)
	for _, tt := range []struct {
		name string
		port port
		alpn string
	}{
		{"HTTP at the router", n.ports()[0], "h2"},
		{"control at the router", n.ports()[0], "weft-ctrl"},
		{"foreign control at the router", n.ports()[0], "ziti-ctrl"},
		{"SDK at the controller", n.ports()[1], "ziti-edge"},
		{"nonsense at the controller", n.ports()[1], "nonsense"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wantLogged(t, tt.port.process, func() {
				if _, err := dialTLS(t, tt.port.address, &p.cert, tt.alpn); err == nil {
					t.Fatal("the handshake succeeded")
				}
			}, "connection refused", "ALPN", tt.alpn)
		})
	}
	n.unharmed(t)
}

// TestForeignRouter: a router of OpenZiti gets a refusal that says what is
// wrong, as the answer to its hello.
func TestForeignRouter(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	p := n.person(t)
	for name, cert := range map[string]*tls.Certificate{
		"its own certificate":          issue(t, foreignCA(t), lookalikeName()),
		"a certificate of the network": &p.cert,
		"no certificate":               nil,
	} {
		t.Run(name, func(t *testing.T) {
			wantLogged(t, n.Controller, func() {
				c := mustDialTLS(t, n.APIAddress(), cert, "ziti-ctrl")
				r := sayHello(t, c)
				if r == nil || r.Success || !strings.Contains(r.Message, "Weft") || !strings.Contains(r.Message, "weft router enroll") {
					t.Fatalf("got %+v, want a refusal with a reason and a remedy", r)
				}
				wantClosed(t, c)
			}, "connection refused", "not those of OpenZiti", "weft router enroll")
		})
	}
	n.unharmed(t)
}

// TestHalfOpenHandshakes: hundreds of handshakes that never go on delay nobody
// and are gone within the time limit.
func TestHalfOpenHandshakes(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	hello := clientHello()
	for _, p := range n.ports() {
		for name, first := range map[string][]byte{"half a hello": hello[:len(hello)/2], "a whole hello": hello, "a record's head": hello[:5]} {
			t.Run(p.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				from := p.process.Mark()
				conns := make([]net.Conn, 400)
				begin := time.Now()
				for i := range conns {
					conns[i] = dialTCP(t, p.address)
					_, _ = conns[i].Write(first)
				}
				n.unharmed(t) // while they are open
				var all sync.WaitGroup
				for _, c := range conns {
					all.Go(func() {
						if _, err := drain(c); err != nil {
							t.Error(err)
						}
					})
				}
				all.Wait()
				if took := time.Since(begin); took > helloTooLate {
					t.Errorf("the last one was closed after %s", took)
				}
				if p.process.Logged(from, "connection refused", "TLS handshake") == "" {
					t.Error("nothing in the log")
				}
			})
		}
	}
	t.Cleanup(func() { n.unharmed(t) })
}
