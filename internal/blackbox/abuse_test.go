package blackbox

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// exchange writes a text as it is to a connection of its own and reads answers
// until the other side closes or want of them have come.
func exchange(t *testing.T, n *network, text string, want int, method string) []*http.Response {
	t.Helper()
	c := mustDialTLS(t, n.APIAddress(), nil, "http/1.1")
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.WriteString(c, text) }()
	r := bufio.NewReader(c)
	var out []*http.Response
	for len(out) < want {
		res, err := http.ReadResponse(r, &http.Request{Method: method})
		if err != nil {
			break
		}
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		res.Body = io.NopCloser(strings.NewReader(string(body)))
		out = append(out, res)
	}
	return out
}

// TestMethods: every method gets the answer that clients of the ecosystem know.
func TestMethods(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	for _, tt := range []struct {
		method, path, headers, body string
		status                      int
	}{
		{"GET", "/edge/client/v1/version", "", "", 200},
		{"HEAD", "/edge/client/v1/version", "", "", 405},
		{"OPTIONS", "/edge/management/v1/identities", "", "", 200},
		{"OPTIONS", "/no/such/path", "Origin: https://x.example\r\n", "", 200},
		{"TRACE", "/edge/client/v1/version", "", "", 405},
		{"PROPFIND", "/edge/client/v1/version", "", "", 405},
		{"get", "/edge/client/v1/version", "", "", 405},
		{"POST", "/edge/client/v1/version", "", "", 405},
		{"CONNECT", "localhost:80", "", "", 405},
		{"GET", "/edge/client/v1/version", "Accept: text/html\r\n", "", 406},
		{"GET", "/edge/client/v1/version", "Accept: */*;q=0.1\r\n", "", 200},
		{"POST", "/edge/client/v1/authenticate?method=password", "Content-Type: text/xml\r\n", "<a/>", 415},
		{"POST", "/edge/client/v1/authenticate?method=password", "Content-Type: application/json; charset=utf-8\r\n", `{"username":"nobody","password":"guessed-wrong"}`, 401},
		{"POST", "/edge/client/v1/authenticate?method=password", "", `{"username":"nobody","password":"guessed-wrong"}`, 401},
		{"GET", "/edge/management/v1/identities", "Accept: text/html\r\n", "", 401},
		{"GET", "/edge/client/v1/version", "Transfer-Encoding: chunked\r\n", "", 200},
		{"GET", "/edge/client/v1/version", "Expect: 200-maybe\r\n", "", 417},
	} {
		t.Run(tt.method+tt.path+tt.headers, func(t *testing.T) {
			t.Parallel()
			length := ""
			if tt.body != "" {
				length = fmt.Sprintf("Content-Length: %d\r\n", len(tt.body))
			}
			if strings.Contains(tt.headers, "chunked") {
				tt.body = "0\r\n\r\n"
			}
			got := exchange(t, n, fmt.Sprintf("%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s%s\r\n%s", tt.method, tt.path, tt.headers, length, tt.body), 1, tt.method)
			if len(got) != 1 {
				t.Fatalf("%d answers", len(got))
			}
			if got[0].StatusCode != tt.status {
				t.Errorf("got %s, want %d", got[0].Status, tt.status)
			}
			body, _ := io.ReadAll(got[0].Body)
			if tt.method == "TRACE" && strings.Contains(string(body), "localhost") {
				t.Errorf("the request comes back: %s", body)
			}
		})
	}
	t.Cleanup(func() { n.unharmed(t) })
}

// TestAmbiguousRequests: what two readers could cut into requests in two ways is
// refused, and nothing that follows is taken for a request.
func TestAmbiguousRequests(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	const second = "GET /edge/client/v1/version HTTP/1.1\r\nHost: localhost\r\n\r\n"
	head := "POST /edge/client/v1/authenticate?method=password HTTP/1.1\r\nHost: localhost\r\n"
	for name, text := range map[string]string{
		"two lengths":                   head + "Content-Length: 2\r\nContent-Length: 60\r\n\r\n{}" + second,
		"a negative length":             head + "Content-Length: -1\r\n\r\n" + second,
		"a huge length":                 head + "Content-Length: 99999999999999999999\r\n\r\n" + second,
		"a length with a sign":          head + "Content-Length: +2\r\n\r\n{}" + second,
		"unknown transfer encoding":     head + "Transfer-Encoding: xchunked\r\n\r\n" + second,
		"chunks of no length":           head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n" + second,
		"a chunk of endless length":     head + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n{}\r\n0\r\n\r\n" + second,
		"two hosts":                     "GET /edge/client/v1/version HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n" + second,
		"no host":                       "GET /edge/client/v1/version HTTP/1.1\r\n\r\n" + second,
		"blank before the colon":        "GET /edge/client/v1/version HTTP/1.1\r\nHost: a\r\nContent-Length : 0\r\n\r\n" + second,
		"a NUL in a header":             "GET /edge/client/v1/version HTTP/1.1\r\nHost: a\r\nX: \x00\r\n\r\n" + second,
		"a header of 2 MiB":             "GET /edge/client/v1/version HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("a", 2<<20) + "\r\n\r\n" + second,
		"a path of 2 MiB":               "GET /edge/client/v1/" + strings.Repeat("a", 2<<20) + " HTTP/1.1\r\nHost: a\r\n\r\n" + second,
		"a hundred thousand headers":    "GET /edge/client/v1/version HTTP/1.1\r\nHost: a\r\n" + strings.Repeat("X: y\r\n", 400_000) + "\r\n" + second,
		"another version":               "GET /edge/client/v1/version HTTP/9.9\r\nHost: a\r\n\r\n" + second,
		"no HTTP":                       strings.Repeat("\x16\x03\x01\x00", 100) + "\r\n\r\n" + second,
		"the preface of HTTP/2":         "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + second,
		"an upgrade to HTTP/2 in clear": "GET * HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := exchange(t, n, text, 2, "POST")
			if len(got) > 1 {
				t.Errorf("a second request was read: %v", got[1].Status)
			}
			for _, r := range got {
				if r.StatusCode < 400 || r.StatusCode >= 500 && r.StatusCode != 501 && r.StatusCode != 505 {
					t.Errorf("got %s", r.Status)
				}
			}
		})
	}
	t.Cleanup(func() { n.unharmed(t) })
}

// TestLyingLengths: a body that is shorter or longer than was said is no body of
// anybody else.
func TestLyingLengths(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	head := "POST /edge/client/v1/authenticate?method=password HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
	got := exchange(t, n, head+"Content-Length: 2\r\n\r\n{}GARBAGE\r\n\r\n", 3, "POST")
	if len(got) == 0 || got[0].StatusCode != 400 || len(got) > 1 && got[1].StatusCode != 400 {
		t.Errorf("longer than said: %v", got)
	}
	c := mustDialTLS(t, n.APIAddress(), nil, "http/1.1")
	_, _ = io.WriteString(c, head+"Content-Length: 500\r\n\r\n{\"username\":\"x\"}")
	if err := c.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(c); err == nil && strings.HasPrefix(string(text), "HTTP/1.1 5") {
		t.Errorf("shorter than said: %.200s", text)
	}
	n.unharmed(t)
}

// TestPipelining: requests that do not wait for answers are answered in order.
func TestPipelining(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	const count = 200
	var b strings.Builder
	for i := range count {
		path := "/edge/client/v1/version"
		if i%2 == 1 {
			path = "/edge/client/v1/current-identity"
		}
		fmt.Fprintf(&b, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path)
	}
	got := exchange(t, n, b.String(), count, "GET")
	for i, r := range got {
		if want := 200 + i%2*201; r.StatusCode != want {
			t.Fatalf("answer %d has status %d, want %d", i, r.StatusCode, want)
		}
	}
	if len(got) != count {
		t.Errorf("%d answers to %d requests", len(got), count)
	}
	n.unharmed(t)
}

// h2frame is a frame of HTTP/2.
func h2frame(kind, flags byte, stream uint32, payload string) string {
	head := binary.BigEndian.AppendUint32(nil, uint32(len(payload))<<8|uint32(kind))
	head = append(head, flags)
	return string(binary.BigEndian.AppendUint32(head, stream)) + payload
}

const (
	h2preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
	// GET https://a/ in HPACK.
	h2request = "\x82\x87\x84\x41\x01a"

	h2data, h2headers, h2reset, h2settings, h2ping, h2window, h2continuation = 0, 1, 3, 4, 6, 8, 9
	h2endStream, h2endHeaders                                                = 1, 4
)

// TestHTTP2Floods: floods of HTTP/2 end with their connection, or are served as
// far as the client takes its answers, and harm nobody else.
func TestHTTP2Floods(t *testing.T) {
	t.Parallel()
	n := ownNetwork(t)
	n.unharmed(t)
	before := resident(t, n.Controller)
	stream := func(i int) uint32 { return uint32(2*i + 1) }
	floods := map[string]func(i int) string{
		"requests that are taken back": func(i int) string {
			return h2frame(h2headers, h2endStream|h2endHeaders, stream(i), h2request) + h2frame(h2reset, 0, stream(i), "\x00\x00\x00\x08")
		},
		"requests without a body that was promised": func(i int) string { return h2frame(h2headers, h2endHeaders, stream(i), h2request) },
		"settings":                  func(int) string { return h2frame(h2settings, 0, 0, "\x00\x04\x00\x00\xff\xff") },
		"pings":                     func(int) string { return h2frame(h2ping, 0, 0, "12345678") },
		"empty data":                func(int) string { return h2frame(h2data, 0, 1, "") },
		"windows of no size":        func(int) string { return h2frame(h2window, 0, 0, "\x00\x00\x00\x00") },
		"headers that never end":    func(int) string { return h2frame(h2continuation, 0, 1, strings.Repeat("\x00\x01a\x01b", 1000)) },
		"frames of unknown kind":    func(i int) string { return h2frame(0xee, 0xff, stream(i), "12345678") },
		"frames longer than agreed": func(int) string { return h2frame(h2data, 0, 1, strings.Repeat("x", 1<<20)) },
	}
	var all sync.WaitGroup
	for name, frame := range floods {
		c := mustDialTLS(t, n.APIAddress(), nil, "h2")
		if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
		if c.ConnectionState().NegotiatedProtocol != "h2" {
			t.Fatal("no HTTP/2")
		}
		all.Go(func() { _, _ = io.Copy(io.Discard, c) })
		all.Go(func() {
			defer c.Close()
			text := h2preface + h2frame(h2settings, 0, 0, "")
			switch name {
			case "headers that never end", "empty data":
				text += h2frame(h2headers, 0, 1, h2request)
			}
			if _, err := io.WriteString(c, text); err != nil {
				return
			}
			for i := range 20_000 / slowdown {
				if _, err := io.WriteString(c, frame(i)); err != nil {
					return // it was cut off
				}
			}
		})
	}
	n.unharmed(t)
	all.Wait()
	n.unharmed(t)
	wantGrown(t, n.Controller, before, 64<<20, "floods of HTTP/2")
}

// TestManyStreams: one connection does not get more streams at once than the
// server allows.
func TestManyStreams(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	c := mustDialTLS(t, n.APIAddress(), nil, "h2")
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	text := h2preface + h2frame(h2settings, 0, 0, "")
	for i := range 2000 {
		text += h2frame(h2headers, h2endHeaders, uint32(2*i+1), strings.Replace(h2request, "\x82", "\x83", 1)) // POST, the body never comes
	}
	go func() { _, _ = io.WriteString(c, text) }()
	r := bufio.NewReader(c)
	for refused := 0; refused < 1500; {
		var head [9]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			if errors.Is(err, io.EOF) {
				break // the connection was cut off
			}
			t.Fatalf("after %d refused streams: %v", refused, err)
		}
		if _, err := r.Discard(int(head[0])<<16 | int(head[1])<<8 | int(head[2])); err != nil {
			break
		}
		switch head[3] {
		case h2reset:
			refused++
		case 7: // go away
			refused = 1500
		}
	}
	n.unharmed(t)
}
