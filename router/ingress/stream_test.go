package ingress

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weftnet/weft/router/egress"
	"github.com/weftnet/weft/wire/ctrl"
)

func echo(c *net.TCPConn) {
	_, _ = io.Copy(c, c)
	_ = c.CloseWrite()
}

func TestStreamBothWays(t *testing.T) {
	n := newNetwork(t)
	n.service("echo", egress.Binding, "tcp:"+server(t, echo))
	_, at := n.streams(n.config("echo"))
	c := dial(t, "tcp", at).(*net.TCPConn)
	data := make([]byte, 32<<20)
	_, _ = rand.Read(data)
	var got []byte
	var rerr error
	var reading sync.WaitGroup
	reading.Go(func() { got, rerr = io.ReadAll(c) })
	if _, err := c.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := c.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	reading.Wait()
	if rerr != nil || !bytes.Equal(got, data) {
		t.Fatalf("%d of %d bytes came back, %v", len(got), len(data), rerr)
	}
	eventually(t, "the end of the circuit", func() bool { return n.table.Len() == 0 })
}

// TestHalfClose: either side may end its data first and get the other's after.
func TestHalfClose(t *testing.T) {
	n := newNetwork(t)
	digest := server(t, func(c *net.TCPConn) { // answers after the end of what it reads
		h := sha256.New()
		_, _ = io.Copy(h, c)
		_, _ = c.Write(h.Sum(nil))
	})
	greeting := server(t, func(c *net.TCPConn) { // ends first, then reads
		_, _ = c.Write([]byte("hello"))
		_ = c.CloseWrite()
		_, _ = io.Copy(io.Discard, c)
	})
	n.service("digest", egress.Binding, "tcp:"+digest)
	n.service("greeting", egress.Binding, "tcp:"+greeting)
	_, at := n.streams(n.config("digest"))
	c := dial(t, "tcp", at).(*net.TCPConn)
	_, _ = c.Write([]byte("some text"))
	_ = c.CloseWrite()
	want := sha256.Sum256([]byte("some text"))
	if got, err := io.ReadAll(c); err != nil || !bytes.Equal(got, want[:]) {
		t.Errorf("%x, %v", got, err)
	}
	_, at = n.streams(n.config("greeting"))
	c = dial(t, "tcp", at).(*net.TCPConn)
	if got, err := io.ReadAll(c); err != nil || string(got) != "hello" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := c.Write([]byte("thanks")); err != nil {
		t.Error(err)
	}
	c.Close()
	eventually(t, "the end of the circuits", func() bool { return n.table.Len() == 0 })
}

// TestStalledReader: a server that does not read stops its client and nobody
// else, and costs bounded memory.
func TestStalledReader(t *testing.T) {
	n := newNetwork(t)
	release := make(chan struct{})
	stalled := server(t, func(c *net.TCPConn) {
		<-release
		_, _ = io.Copy(io.Discard, c)
	})
	n.service("stalled", egress.Binding, "tcp:"+stalled)
	n.service("echo", egress.Binding, "tcp:"+server(t, echo))
	_, slow := n.streams(n.config("stalled"))
	_, quick := n.streams(n.config("echo"))
	c := dial(t, "tcp", slow)
	sent := make(chan int, 1)
	go func() {
		total := 0
		for b := make([]byte, 1<<20); total < 256<<20; {
			_ = c.SetWriteDeadline(time.Now().Add(500 * time.Millisecond))
			k, err := c.Write(b)
			if total += k; err != nil {
				break
			}
		}
		sent <- total
	}()
	total := <-sent
	if total >= 256<<20 {
		t.Errorf("%d bytes went to a server that does not read", total)
	}
	other := dial(t, "tcp", quick)
	_, _ = other.Write([]byte("still here"))
	b := make([]byte, 10)
	if _, err := io.ReadFull(other, b); err != nil || string(b) != "still here" {
		t.Errorf("%q, %v", b, err)
	}
	close(release)
	c.Close()
	other.Close()
	eventually(t, "the end of the circuits", func() bool { return n.table.Len() == 0 })
}

// TestThousandConnections: connections that come and go leave nothing.
func TestThousandConnections(t *testing.T) {
	n := newNetwork(t)
	n.service("echo", egress.Binding, "tcp:"+server(t, echo))
	s, at := n.streams(n.config("echo"))
	var work sync.WaitGroup
	for w := range 8 {
		work.Go(func() {
			for i := range 125 {
				c, err := net.Dial("tcp", at)
				if err != nil {
					t.Error(err)
					return
				}
				tcp := c.(*net.TCPConn)
				_ = c.SetDeadline(time.Now().Add(30 * time.Second))
				_, _ = c.Write([]byte("x"))
				switch (w + i) % 4 {
				case 0: // in order
					_ = tcp.CloseWrite()
					_, _ = io.Copy(io.Discard, c)
				case 1: // reset
					_ = tcp.SetLinger(0)
				case 2: // after an answer
					_, _ = c.Read(make([]byte, 1))
				}
				c.Close()
			}
		})
	}
	work.Wait()
	eventually(t, "the end of the circuits", func() bool { return n.table.Len() == 0 && s.Open() == 0 })
}

// TestNoCircuit: a connection without a circuit is closed, and the log says why.
func TestNoCircuit(t *testing.T) {
	n := newNetwork(t)
	n.refusal = &ctrl.Refusal{Code: "SERVICE_UNKNOWN", Message: "no such service", Remedy: "correct the name"}
	_, at := n.streams(n.config("nothing"))
	c := dial(t, "tcp", at)
	if got, err := io.ReadAll(c); err != nil || len(got) > 0 {
		t.Errorf("%q, %v", got, err)
	}
	for _, want := range []string{"SERVICE_UNKNOWN", "no such service", "correct the name", "service=nothing"} {
		if !strings.Contains(n.logged(), want) {
			t.Errorf("the log does not say %q: %s", want, n.logged())
		}
	}
}

// TestRequestLine: the transport binding lets the connection name its service.
func TestRequestLine(t *testing.T) {
	n := newNetwork(t)
	n.service("echo", egress.Binding, "tcp:"+server(t, echo))
	_, at := n.streams(n.config(""))
	for _, tt := range []struct {
		name, line string
		ok         bool
		says       string
	}{
		{"good", `{"id":"me","svcId":"echo"}` + "\nhello", true, ""},
		{"unknown", `{"id":"me","svcId":"none"}` + "\n", false, "NO_TERMINATORS"},
		{"nonsense", "GET / HTTP/1.1\n", false, "first line"},
		{"no service", "{}\n", false, "first line"},
		{"endless", strings.Repeat("x", maxRequest), false, "longer"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := dial(t, "tcp", at)
			if _, err := c.Write([]byte(tt.line)); err != nil {
				t.Fatal(err)
			}
			in := bufio.NewReader(c)
			line, err := in.ReadBytes('\n')
			if err != nil {
				t.Fatal(err)
			}
			var a answer
			if err := json.Unmarshal(line, &a); err != nil || a.Success != tt.ok || !strings.Contains(a.Message, tt.says) || (a.Circuit != "") != tt.ok {
				t.Fatalf("%s, %v", line, err)
			}
			b := make([]byte, 5)
			if _, err := io.ReadFull(in, b); (err == nil) != tt.ok || tt.ok && string(b) != "hello" {
				t.Errorf("then %q, %v", b, err)
			}
		})
	}
}

// TestPendingConnectionsAreBounded: more connections than may wait for their
// circuit are closed.
func TestPendingConnectionsAreBounded(t *testing.T) {
	n := newNetwork(t)
	cfg := n.config("")
	cfg.MaxPending = 2
	_, at := n.streams(cfg)
	var silent []net.Conn
	for range 2 {
		silent = append(silent, dial(t, "tcp", at))
	}
	eventually(t, "the refusal of a third", func() bool {
		c := dial(t, "tcp", at)
		_ = c.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
		_, err := c.Read(make([]byte, 1))
		c.Close()
		return err == io.EOF
	})
	for _, c := range silent {
		c.Close()
	}
}
