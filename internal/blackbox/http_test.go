package blackbox

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// bodyPaths are requests that take a body, most of them before any login.
var bodyPaths = []string{
	"/edge/client/v1/authenticate?method=password",
	"/edge/client/v1/authenticate?method=cert",
	"/edge/client/v1/enroll?method=ott&token=x",
	"/edge/client/v1/enroll/ott",
	"/edge/client/v1/enroll/updb?token=x",
	"/edge/client/v1/current-api-session/certificates",
	"/edge/client/v1/sessions",
	"/edge/management/v1/authenticate?method=password",
	"/edge/management/v1/identities",
	"/enroll?method=erott&token=x",
	"/authenticate?method=password",
	"/edge/client/v1/no-such-path",
	"/no-such-path",
}

// post opens a connection of its own, sends the head of a POST and then what
// body writes, and returns the answer.
func post(t *testing.T, n *network, path, headers string, body func(w io.Writer)) (*http.Response, []byte) {
	t.Helper()
	c := mustDialTLS(t, n.APIAddress(), nil, "http/1.1")
	fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n%s\r\n", path, headers)
	if body != nil {
		go body(c)
	}
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatalf("no answer: %v", err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, b
}

// endless writes chunks of a chunked body until the other side has had enough.
func endless(w io.Writer) {
	chunk := fmt.Appendf(nil, "%x\r\n%s\r\n", 64<<10, strings.Repeat(" ", 64<<10))
	for {
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
}

// TestLargeBodies: more than 1 MiB is refused before anything is read when the
// size is stated, and while reading when it is not.
func TestLargeBodies(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	for _, path := range bodyPaths {
		t.Run("stated"+path, func(t *testing.T) {
			t.Parallel()
			for _, size := range []int64{1<<20 + 1, 1 << 40} {
				// Nothing is sent: whoever waits for the body waits for ever.
				res, body := post(t, n, path, fmt.Sprintf("Content-Length: %d\r\n", size), nil)
				want413(t, res, body)
			}
		})
	}
	for _, path := range bodyPaths[:5] {
		t.Run("chunked"+path, func(t *testing.T) {
			t.Parallel()
			res, body := post(t, n, path, "Transfer-Encoding: chunked\r\n", endless)
			want413(t, res, body)
		})
	}
	t.Run("the largest", func(t *testing.T) {
		t.Parallel()
		body := `{"username":"x"}` + strings.Repeat(" ", 1<<20-16)
		res, _ := post(t, n, bodyPaths[0], fmt.Sprintf("Content-Length: %d\r\n", len(body)), func(w io.Writer) { _, _ = io.WriteString(w, body) })
		if res.StatusCode == 413 {
			t.Fatal("1 MiB is allowed")
		}
	})
	t.Cleanup(func() { n.unharmed(t) })
}

func want413(t *testing.T, res *http.Response, body []byte) {
	t.Helper()
	var e struct {
		Error struct{ Code, Message string }
	}
	if res.StatusCode != 413 || json.Unmarshal(body, &e) != nil || e.Error.Code != "REQUEST_ENTITY_TOO_LARGE" {
		t.Fatalf("got %s %s, want 413 REQUEST_ENTITY_TOO_LARGE", res.Status, body)
	}
}

// TestManyLargeBodies: memory stays bounded when many send large bodies at once
// and none of them finishes.
func TestManyLargeBodies(t *testing.T) {
	t.Parallel()
	n := ownNetwork(t)
	n.unharmed(t)
	before := resident(t, n.Controller)
	const clients = 200 / slowdown
	var sent sync.WaitGroup
	for i := range clients {
		c := mustDialTLS(t, n.APIAddress(), nil, "http/1.1")
		path := bodyPaths[i%5]
		if i%2 == 0 {
			fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", path, 1<<20)
		} else {
			fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n", path, 1<<20)
		}
		sent.Go(func() { _, _ = c.Write(bytes.Repeat([]byte(" "), 1<<20-1)) })
	}
	sent.Wait()
	n.unharmed(t)
	wantGrown(t, n.Controller, before, 200<<20, "many unfinished bodies of 1 MiB")
}

// TestSlowRequests: a request that does not come to its end is cut off.
func TestSlowRequests(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	for name, part := range map[string]string{
		"no request":    "",
		"half a header": "POST /edge/client/v1/authenticate?method=password HTTP/1.1\r\nHost: loc",
		"half a body":   "POST /edge/client/v1/authenticate?method=password HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := mustDialTLS(t, n.APIAddress(), nil, "http/1.1")
			begin := time.Now()
			_, _ = io.WriteString(c, part)
			if _, err := drain(c); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(begin); took > helloTooLate {
				t.Errorf("cut off after %s", took)
			}
		})
	}
	t.Cleanup(func() { n.unharmed(t) })
}

// TestNonsenseRequests: no request of a stranger or of a user ends in a 5xx.
func TestNonsenseRequests(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	deep := strings.Repeat("[", 1<<19)
	parens := strings.Repeat("(", 20000)
	admin := map[string]string{"zt-session": n.admin.Token}
	for _, tt := range []struct {
		name, method, path, body string
		headers                  map[string]string
	}{
		{"deeply nested JSON", "POST", "/edge/client/v1/authenticate?method=password", deep, nil},
		{"JSON of another kind", "POST", "/edge/client/v1/authenticate?method=password", `[1,2]`, nil},
		{"cut JSON", "POST", "/edge/client/v1/authenticate?method=password", `{"username":`, nil},
		{"not UTF-8", "POST", "/edge/client/v1/authenticate?method=password", "{\"username\":\"\xff\xfe\"}", nil},
		{"NUL", "POST", "/edge/client/v1/authenticate?method=password", "{\"username\":\"a\\u0000b\",\"password\":\"\\u0000\\u0000\\u0000\\u0000\\u0000\"}", nil},
		{"unknown method", "POST", "/edge/client/v1/authenticate?method=%00", `{}`, nil},
		{"empty enrolment by CA", "POST", "/edge/client/v1/enroll/ca", ``, nil},
		{"enrolment without anything", "POST", "/edge/client/v1/enroll", ``, nil},
		{"enrolment with a broken CSR", "POST", "/edge/client/v1/enroll?method=ott&token=x", "-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n", map[string]string{"Content-Type": "application/x-pem-file"}},
		{"odd content type", "POST", "/edge/client/v1/authenticate?method=password", `{}`, map[string]string{"Content-Type": ";;;=\x01"}},
		{"odd accept", "GET", "/edge/client/v1/version", ``, map[string]string{"Accept": ";q=x,,,/"}},
		{"odd accept-encoding", "GET", "/edge/client/v1/version", ``, map[string]string{"Accept-Encoding": "gzip;q=zzz, ,;"}},
		{"many authorizations", "GET", "/edge/client/v1/current-identity", ``, map[string]string{"Authorization": "Bearer ey..", "zt-session": "x"}},
		{"path traversal", "GET", "/edge/client/v1/../../../etc/passwd", ``, nil},
		{"long path", "GET", "/edge/client/v1/" + strings.Repeat("a/", 10000), ``, nil},
		{"deep filter", "GET", "/edge/management/v1/identities?filter=" + parens, ``, admin},
		{"many nots", "GET", "/edge/management/v1/identities?filter=" + strings.Repeat("not%20", 5000) + "true", ``, admin},
		{"broken filter", "GET", "/edge/management/v1/identities?filter=%22%00", ``, admin},
		{"odd paging", "GET", "/edge/management/v1/identities?limit=-9223372036854775808&offset=9223372036854775807", ``, admin},
		{"odd id", "GET", "/edge/management/v1/identities/%00%ff", ``, admin},
		{"deeply nested tags", "POST", "/edge/management/v1/identities", `{"name":"x","type":"Default","isAdmin":false,"tags":{"a":` + strings.Repeat(`{"a":`, 20000) + `1` + strings.Repeat(`}`, 20001) + `}`, admin},
		{"huge number", "POST", "/edge/management/v1/services", `{"name":"x","encryptionRequired":true,"maxIdleTimeMillis":1e400}`, admin},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			status, body := rawRequest(t, n, tt.method, tt.path, tt.headers, tt.body)
			t.Logf("%d %.200s", status, body)
			if status >= 500 {
				t.Errorf("got %d %.300s", status, body)
			}
			if len(body) > 64<<10 {
				t.Errorf("the answer has %d bytes", len(body))
			}
		})
	}
	t.Cleanup(func() { n.unharmed(t) })
}

// rawRequest sends a request as it is, without a client's care. Status 0 is a
// connection that the server closed without an answer.
func rawRequest(t *testing.T, n *network, method, path string, headers map[string]string, body string) (int, []byte) {
	t.Helper()
	c := mustDialTLS(t, n.APIAddress(), nil, "http/1.1")
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n", method, path)
	if headers["Content-Type"] == "" {
		b.WriteString("Content-Type: application/json\r\n")
	}
	for k, v := range headers {
		fmt.Fprintf(&b, "%s: %s\r\n", k, v)
	}
	fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(body), body)
	go func() { _, _ = c.Write(b.Bytes()) }()
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return 0, nil
	}
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, text
}

// TestGuessedPasswords: guessing is answered the same whether the name exists,
// and harms neither the owner of the name nor others.
func TestGuessedPasswords(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	texts := make(map[string]bool)
	for _, name := range []string{adminUser, "nobody-of-this-name"} {
		for range 5 {
			status, body := rawRequest(t, n, "POST", "/edge/management/v1/authenticate?method=password", nil,
				fmt.Sprintf(`{"username":%q,"password":"guessed-wrong"}`, name))
			if status != 401 && status != 429 {
				t.Fatalf("got %d %s", status, body)
			}
			if status == 401 {
				texts[withoutID(body)] = true
			}
			if bytes.Contains(body, []byte("guessed-wrong")) {
				t.Fatal("the answer repeats the password")
			}
		}
	}
	if len(texts) > 1 {
		t.Errorf("the answers tell which names exist: %v", texts)
	}
	if err := n.rest("/edge/management/v1", nil).loginPassword(adminUser, adminPassword); err != nil {
		t.Errorf("the owner cannot log in any more: %v", err)
	}
	for _, p := range []*process{n.Controller, n.Router} {
		if p.Logged(0, "guessed-wrong") != "" || p.Logged(0, adminPassword) != "" {
			t.Error("a password is in the log")
		}
	}
	n.unharmed(t)
}

// withoutID is an error answer without what differs from request to request.
func withoutID(body []byte) string {
	var e struct {
		Error struct{ Code, Message string }
	}
	_ = json.Unmarshal(body, &e)
	return e.Error.Code + e.Error.Message
}

// tlsVersion reports whether a port still speaks an old version of TLS.
func tlsVersion(t *testing.T, address string, version uint16) bool {
	c := tls.Client(dialTCP(t, address), &tls.Config{InsecureSkipVerify: true, MinVersion: version, MaxVersion: version})
	return c.Handshake() == nil
}

func TestOldTLS(t *testing.T) {
	t.Parallel()
	n := commonNetwork(t)
	for _, p := range n.ports() {
		for _, v := range []uint16{tls.VersionTLS10, tls.VersionTLS11} {
			if tlsVersion(t, p.address, v) {
				t.Errorf("%s speaks %s", p.name, tls.VersionName(v))
			}
		}
		if !tlsVersion(t, p.address, tls.VersionTLS13) {
			// A router wants a certificate, which shows after the handshake only.
			t.Errorf("%s does not speak TLS 1.3", p.name)
		}
	}
}
