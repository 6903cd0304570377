package channel

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"crypto/tls"
	"errors"

	"github.com/weftnet/weft/id"
	"github.com/weftnet/weft/wire/message"
)

// group is what the answer to a grouped hello says; nil for a single
// connection.
type group struct {
	kind   string // underlay type
	secret []byte
}

func (g *group) isControl() bool { return g != nil && g.kind == UnderlayControl }

func (g *group) put(h *message.Headers) {
	if g == nil {
		return
	}
	h.PutBool(HeaderIsGrouped, true)
	h.PutString(HeaderUnderlayType, g.kind)
	h.PutBytes(HeaderGroupSecret, g.secret)
}

// welcomeGrouped opens a group or adds the connection to one. To join takes
// the secret of the group and the certificate that opened it.
func (l *Listener) welcomeGrouped(ctx context.Context, stop func() bool, conn *tls.Conn, hello *message.Message, peer Peer) error {
	secret, _ := hello.Headers.Get(HeaderGroupSecret)
	g := &group{kind: hello.Headers.String(HeaderUnderlayType), secret: secret}
	if g.kind == "" {
		g.kind = UnderlayDefault
	}
	if len(peer.ConnectionID) > maxConnectionIDLength {
		return errors.New("grouped hello: connection id too long")
	}
	l.mu.Lock()
	known := l.groups[peer.ConnectionID]
	l.mu.Unlock()
	if peer.ConnectionID != "" && known != nil {
		return l.join(known, g, stop, conn, hello, &peer)
	}
	if peer.ConnectionID != "" && !hello.Headers.Bool(HeaderIsFirstOfGroup) {
		return errors.New("grouped hello: unknown group")
	}
	if g.kind == UnderlayControl {
		return errors.New("grouped hello: the first connection of a group cannot be a control connection")
	}
	if peer.ConnectionID == "" {
		peer.ConnectionID = id.New()
	}
	if len(g.secret) == 0 {
		g.secret = make([]byte, groupSecretSize)
		rand.Read(g.secret)
	}
	return l.open(ctx, stop, conn, hello, peer, g)
}

func (l *Listener) join(c *Channel, g *group, stop func() bool, conn *tls.Conn, hello *message.Message, peer *Peer) error {
	if subtle.ConstantTimeCompare(c.secret, g.secret) != 1 {
		return errors.New("grouped hello: wrong group secret")
	}
	if a, b := c.peer.Leaf(), peer.Leaf(); a == nil || b == nil || !bytes.Equal(a.Raw, b.Raw) {
		return errors.New("grouped hello: another certificate than that of the group")
	}
	u := newUnderlay(c, conn, g.isControl())
	if err := answerHello(conn, hello, c.answer, c.peer.ConnectionID, g); err != nil {
		return err
	}
	if !stop() || !c.join(u) {
		return errors.New("grouped hello: the group has ended")
	}
	return nil
}
