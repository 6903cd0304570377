package egress

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/weftnet/weft/channel"
	"github.com/weftnet/weft/flow"
	"github.com/weftnet/weft/router/forward"
	"github.com/weftnet/weft/wire/ctrl"
	"github.com/weftnet/weft/wire/edge"
	"github.com/weftnet/weft/wire/secretstream"
)

// client is the initiator of a circuit, as an SDK is.
type client struct {
	conn *flow.Conn
	out  *secretstream.Encryptor
	in   *secretstream.Decryptor
	keys secretstream.SessionKeys
}

func (c *client) Forward(f *channel.Frame)       { forward.Deliver(c.conn, f) }
func (c *client) Unrouted(reason string, _ bool) { c.conn.PeerClosed(errors.New(reason)) }

// dialer makes circuits through one transport.
type dialer struct {
	t         *testing.T
	table     *forward.Table
	transport *Transport
}

func newDialer(t *testing.T, cfg Config) *dialer {
	d := &dialer{t: t, table: forward.NewTable(nil), transport: New(cfg)}
	t.Cleanup(d.transport.Close)
	return d
}

func (d *dialer) dial(id, address string, peerData map[uint32][]byte) (*client, map[uint32][]byte, error) {
	circuit, err := d.table.Add(forward.Info{ID: id})
	if err != nil {
		d.t.Fatal(err)
	}
	c := new(client)
	c.conn = flow.New(flow.Config{Circuit: id, Output: circuit.Output(forward.Initiator), HasConnID: true})
	circuit.Attach(forward.Initiator, c)
	peer, err := d.transport.Dial(d.t.Context(), circuit, &ctrl.Egress{Address: address, PeerData: peerData})
	if err != nil {
		circuit.Abandon("dial failed")
		return nil, nil, err
	}
	c.conn.Start()
	_ = c.conn.SetDeadline(time.Now().Add(20 * time.Second))
	d.t.Cleanup(func() { c.conn.Close() })
	return c, peer, nil
}

// secure makes the client's end of the encryption.
func (d *dialer) secure(id, address string) *client {
	own, err := secretstream.NewKeyPair()
	if err != nil {
		d.t.Fatal(err)
	}
	key := uint32(edge.HeaderPublicKey)
	c, peer, err := d.dial(id, address, map[uint32][]byte{key: own.Public()})
	if err != nil {
		d.t.Fatal(err)
	}
	if c.keys, err = secretstream.ClientKeys(own, peer[key]); err != nil {
		d.t.Fatal(err)
	}
	var header []byte
	if c.out, header, err = secretstream.NewEncryptor(&c.keys.TX); err != nil {
		d.t.Fatal(err)
	}
	if err := c.conn.WriteMessage(flow.Item{Data: header}); err != nil {
		d.t.Fatal(err)
	}
	return c
}

func (c *client) send(b []byte) error {
	box, err := c.out.Seal(nil, b)
	if err != nil {
		return err
	}
	return c.conn.WriteMessage(flow.Item{Data: box})
}

func (c *client) receive() ([]byte, error) {
	for {
		s, err := c.conn.Next()
		if err != nil {
			return nil, err
		}
		if c.in == nil {
			c.in, err = secretstream.NewDecryptor(&c.keys.RX, s.Data)
			s.Release()
			if err != nil {
				return nil, err
			}
			continue
		}
		text, err := c.in.Open(nil, s.Data)
		s.Release()
		return text, err
	}
}

func TestEncryptionEndsInTheRouter(t *testing.T) {
	d := newDialer(t, Config{Binding: BindingEdge})
	c := d.secure("c1", "tcp:"+server(t, func(s net.Conn) {
		_, _ = io.Copy(s, s)
		_ = s.(*net.TCPConn).CloseWrite()
	}))
	want := make([]byte, 3<<20)
	_, _ = rand.Read(want)
	failed := make(chan error, 1)
	go func() {
		for rest := want; len(rest) > 0; {
			n := min(len(rest), 100_000) // larger than what one read of the router is
			if err := c.send(rest[:n]); err != nil {
				failed <- err
				return
			}
			rest = rest[n:]
		}
		failed <- c.conn.CloseWrite()
	}()
	var got []byte
	for {
		text, err := c.receive()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, text...)
	}
	if err := <-failed; err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%d of %d bytes came back", len(got), len(want))
	}
}

func TestEncryptedDatagrams(t *testing.T) {
	d := newDialer(t, Config{Binding: BindingEdge})
	c := d.secure("c1", "udp:"+udpEcho(t))
	for _, size := range []int{1, 1400, 60_000} {
		want := bytes.Repeat([]byte{byte(size)}, size)
		if err := c.send(want); err != nil {
			t.Fatal(err)
		}
		if got, err := c.receive(); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%d bytes came back as %d, %v", size, len(got), err)
		}
	}
}

// TestForgedMessageEndsTheCircuit: what is not authentic is not delivered.
func TestForgedMessageEndsTheCircuit(t *testing.T) {
	got := make(chan []byte, 1)
	d := newDialer(t, Config{Binding: BindingEdge})
	c := d.secure("c1", "tcp:"+server(t, func(s net.Conn) {
		b, _ := io.ReadAll(s)
		got <- b
	}))
	if err := c.send([]byte("good")); err != nil {
		t.Fatal(err)
	}
	if err := c.conn.WriteMessage(flow.Item{Data: make([]byte, 100)}); err != nil {
		t.Fatal(err)
	}
	if b := <-got; string(b) != "good" && len(b) > 0 {
		t.Errorf("the server got %q", b)
	}
	if _, err := c.receive(); err == nil {
		t.Error("the circuit goes on")
	}
}

// TestWithoutAKey: a dialer without encryption is served in the clear, one whose
// key is of another method is refused.
func TestWithoutAKey(t *testing.T) {
	address := "tcp:" + server(t, func(s net.Conn) { _, _ = s.Write([]byte("hello")) })
	d := newDialer(t, Config{Binding: BindingEdge})
	c, peer, err := d.dial("c1", address, nil)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(c.conn); err != nil || string(b) != "hello" {
		t.Errorf("%q, %v", b, err)
	}
	if len(peer[uint32(edge.HeaderPublicKey)]) > 0 {
		t.Error("a key for nobody")
	}
	if _, _, err := d.dial("c2", address, map[uint32][]byte{uint32(edge.HeaderPublicKey): make([]byte, 65)}); err == nil {
		t.Error("a key of another method is taken")
	}
}
