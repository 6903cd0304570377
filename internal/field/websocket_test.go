package field

import (
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// socket is the websocket of the fabric API: every binary message is a message
// of the channel, and there is no hello.
type socket struct {
	*websocket.Conn
	t   *testing.T
	seq uint32
}

// said is a message as it came.
type said struct {
	kind    uint32
	headers map[uint32][]byte
	body    []byte
}

const (
	headerReplyFor = 1
	headerSuccess  = 2
	headerEvent    = 10
	kindResult     = 2
)

func openSocket(t *testing.T, n *network, token string) (*socket, *http.Response, error) {
	t.Helper()
	header := http.Header{}
	if token != "" {
		header.Set("zt-session", token)
	}
	d := websocket.Dialer{TLSClientConfig: &tls.Config{RootCAs: n.CA}, HandshakeTimeout: patience}
	conn, res, err := d.Dial("wss"+strings.TrimPrefix(n.url("/fabric/v1/ws-api"), "https"), header)
	if err != nil {
		return nil, res, err
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	return &socket{Conn: conn, t: t}, res, nil
}

// ask sends a message and returns its sequence number.
func (s *socket) ask(kind uint32, body []byte) uint32 {
	s.t.Helper()
	s.seq++
	b := []byte{3, 6, 9, 0xc}
	for _, v := range []uint32{kind, s.seq, 0, uint32(len(body))} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	if err := s.WriteMessage(websocket.BinaryMessage, append(b, body...)); err != nil {
		s.t.Fatal(err)
	}
	return s.seq
}

// hear reads one message.
func (s *socket) hear() said {
	s.t.Helper()
	frame, b, err := s.ReadMessage()
	if err != nil || frame != websocket.BinaryMessage || len(b) < 20 || !bytes.HasPrefix(b, []byte{3, 6, 9, 0xc}) {
		s.t.Fatalf("%d %x, %v", frame, b, err)
	}
	u := binary.LittleEndian.Uint32
	m, headers := said{kind: u(b[4:]), headers: map[uint32][]byte{}}, b[20:20+u(b[12:])]
	m.body = b[20+len(headers):]
	if len(m.body) != int(u(b[16:])) {
		s.t.Fatalf("a body of %d bytes is said to have %d", len(m.body), u(b[16:]))
	}
	for len(headers) > 0 {
		size := u(headers[4:])
		m.headers[u(headers)] = headers[8 : 8+size]
		headers = headers[8+size:]
	}
	return m
}

// answerTo reads up to the answer to a message.
func (s *socket) answerTo(seq uint32) said {
	s.t.Helper()
	for {
		m := s.hear()
		if r := m.headers[headerReplyFor]; len(r) == 4 && binary.LittleEndian.Uint32(r) == seq {
			return m
		}
	}
}

// TestCLIStreamEvents is fabric stream events: a change shows up in the stream.
func TestCLIStreamEvents(t *testing.T) {
	t.Parallel()
	n := common(t)
	c := newCLI(t, n)
	if _, res, err := openSocket(t, n, ""); err == nil || res == nil || res.StatusCode != 401 {
		t.Errorf("without login: %v, %v", res, err)
	}
	s, _, err := openSocket(t, n, c.token)
	if err != nil {
		t.Fatal(err)
	}
	m := s.answerTo(s.ask(10040, []byte(`{"format":"json","subscriptions":[{"type":"entityChange","options":{}},{"type":"circuit"},{"type":"metrics","options":{"sourceFilter":".*","metricFilter":".*"}}]}`)))
	if m.kind != kindResult || !bytes.Equal(m.headers[headerSuccess], []byte{1}) {
		t.Fatalf("subscribing: %d %v %q", m.kind, m.headers, m.body)
	}
	name := unique("streamed")
	n.admin.service(t, name, false, name)
	for {
		m := s.hear()
		if m.kind != 10041 || string(m.headers[headerEvent]) != "entityChange" {
			continue
		}
		var event struct {
			Namespace  string `json:"namespace"`
			EventType  string `json:"eventType"`
			EntityType string `json:"entityType"`
			FinalState struct {
				Name string `json:"name"`
			} `json:"finalState"`
		}
		if err := json.Unmarshal(m.body, &event); err != nil {
			t.Fatalf("%v in %s", err, m.body)
		}
		if event.FinalState.Name == name && event.EventType == "created" {
			if event.Namespace != "entityChange" || event.EntityType != "services" {
				t.Errorf("%s", m.body)
			}
			return
		}
	}
}

// TestCLIValidate is fabric validate of every kind: an answer with a count, and
// as many messages as it says.
func TestCLIValidate(t *testing.T) {
	t.Parallel()
	n := common(t)
	c := newCLI(t, n)
	s, _, err := openSocket(t, n, c.token)
	if err != nil {
		t.Fatal(err)
	}
	filter := append([]byte{1<<3 | 2, 4}, "true"...)
	for _, kind := range []uint32{10100, 10103, 10106, 10109, 10112, 10115, 10118, 10122} {
		body := filter
		if kind == 10122 {
			body = nil
		}
		m := s.answerTo(s.ask(kind, body))
		if m.kind != kind+1 || len(m.body) < 2 || m.body[0] != 1<<3 || m.body[1] != 1 {
			t.Errorf("%d is answered with %d %q", kind, m.kind, m.body)
		}
	}
	m := s.answerTo(s.ask(10048, append(append([]byte{1<<3 | 2, 2}, ".*"...), append([]byte{2<<3 | 2, 9}, "stackdump"...)...)))
	if m.kind != 10049 || !bytes.Contains(m.body, []byte("goroutine ")) {
		t.Errorf("inspect is answered with %d %.100q", m.kind, m.body)
	}
}
