package field

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// burst is one HTTP connection of the C SDK: opened for what is queued, closed
// as soon as nothing is. It is no http.Client, which now and then gives up a
// connection that is still good: on a busy machine, when an answer arrives long
// before the goroutine that wrote the request runs again.
type burst struct {
	t     testing.TB
	base  string
	token string
	open  func(context.Context) (*tls.Conn, error)
	conn  *tls.Conn // nil before the first request
	in    *bufio.Reader
}

// verify judges the certificates of a server.
type verify func(tls.ConnectionState) error

// trusting wants the certificate to lead to one of the authorities.
func trusting(ca *x509.CertPool) verify {
	return func(s tls.ConnectionState) error {
		between := x509.NewCertPool()
		for _, c := range s.PeerCertificates[1:] {
			between.AddCert(c)
		}
		_, err := s.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: ca, Intermediates: between, DNSName: host})
		return err
	}
}

// dialField opens TLS as the C SDK does: TLS 1.3 with exactly one ALPN value,
// the IP address as server name, never a resumed session.
func dialField(ctx context.Context, address, alpn string, cert *tls.Certificate, v verify) (*tls.Conn, error) {
	name, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	cfg := &tls.Config{
		// With the trailing dot crypto/tls takes an address for a name and
		// sends it, without the dot.
		ServerName:         name + ".",
		InsecureSkipVerify: true, // VerifyConnection does it
		VerifyConnection:   v,
		NextProtos:         []string{alpn},
		MinVersion:         tls.VersionTLS13,
	}
	if cert != nil {
		cfg.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return cert, nil }
	}
	d := tls.Dialer{Config: cfg}
	c, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return c.(*tls.Conn), nil
}

// openBurst prepares a connection to the controller at an address.
func openBurst(t testing.TB, base string, cert *tls.Certificate, v verify) *burst {
	address := strings.TrimPrefix(base, "https://")
	return &burst{t: t, base: base, open: func(ctx context.Context) (*tls.Conn, error) {
		return dialField(ctx, address, "http/1.1", cert, v)
	}}
}

// end closes the connection, which has served all requests.
func (b *burst) end() {
	b.t.Helper()
	if b.conn == nil {
		b.t.Error("a burst without a request")
		return
	}
	b.conn.Close()
}

// exchange sends a request on the connection and reads the head of the answer.
func (b *burst) exchange(req *http.Request) (*http.Response, error) {
	if b.conn == nil {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		conn, err := b.open(ctx)
		if err != nil {
			return nil, err
		}
		if chosen := conn.ConnectionState().NegotiatedProtocol; chosen != "http/1.1" {
			b.t.Errorf("the controller chose ALPN %q", chosen)
		}
		b.conn, b.in = conn, bufio.NewReader(conn)
	}
	if err := b.conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return nil, err
	}
	if err := req.Write(b.conn); err != nil {
		return nil, err
	}
	res, err := http.ReadResponse(b.in, req)
	if err == nil && res.Close {
		err = errors.New("the controller closes the connection after the answer")
	}
	return res, err
}

// send sends one request. The answer has its compression taken off.
func (b *burst) send(method, path, accept, contentType string, body []byte) *answer {
	b.t.Helper()
	req, err := http.NewRequest(method, b.base+path, bytes.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	req.Header["Accept"] = []string{"application/json"}
	if accept != "" {
		req.Header["Accept"] = append(req.Header["Accept"], accept)
	}
	req.Header.Set("Accept-Encoding", "gzip, deflate")
	req.Header.Set("Connection", "keep-alive")
	req.Header.Set("User-Agent", "tlsuv/0.41.2")
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	if b.token != "" {
		req.Header.Set("zt-session", b.token)
	}
	res, err := b.exchange(req)
	if err != nil {
		b.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer res.Body.Close()
	if res.ContentLength < 0 && len(res.TransferEncoding) == 0 {
		b.t.Errorf("%s %s: neither Content-Length nor chunked: the client would wait for ever", method, path)
	}
	a := &answer{status: res.StatusCode, header: res.Header}
	if a.raw, err = io.ReadAll(unpack(b.t, res)); err != nil {
		b.t.Fatalf("%s %s: %v", method, path, err)
	}
	// The end of the answer may come after the end of what is compressed.
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		b.t.Fatalf("%s %s: %v", method, path, err)
	}
	return a
}

// unpack takes off a compression that the client has offered.
func unpack(t testing.TB, res *http.Response) io.Reader {
	t.Helper()
	switch e := res.Header.Get("Content-Encoding"); e {
	case "":
		return res.Body
	case "deflate":
		return flate.NewReader(res.Body)
	case "gzip":
		z, err := gzip.NewReader(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return z
	default:
		t.Fatalf("Content-Encoding %q was not offered", e)
		return nil
	}
}

// json is send for JSON bodies; an answer that is not JSON is dropped by the
// client, so it fails here.
func (b *burst) json(method, path string, body any, status int) doc {
	b.t.Helper()
	a := b.answer(method, path, body)
	if a.status != status {
		b.t.Fatalf("%s %s: status %d, want %d: %s", method, path, a.status, status, a.raw)
	}
	return parse(b.t, a.raw, method+" "+path)
}

func (b *burst) answer(method, path string, body any) *answer {
	b.t.Helper()
	var text []byte
	var kind string
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			b.t.Fatal(err)
		}
		kind = "application/json"
	}
	a := b.send(method, path, "", kind, text)
	if k := a.header.Get("Content-Type"); !strings.HasPrefix(k, "application/json") {
		b.t.Fatalf("%s %s: Content-Type %q", method, path, k)
	}
	return a
}

func (b *burst) get(path string) doc { b.t.Helper(); return b.json("GET", path, nil, 200) }
