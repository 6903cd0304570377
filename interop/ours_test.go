package interop

import (
	"context"
	"net"
	"testing"

	"github.com/weftnet/weft/sdk"
)

// ours is the project's own SDK, which always runs flow control itself.
func ours() end {
	return end{
		name: "weft",
		listen: func(t *testing.T, n *network, service string) net.Listener {
			l, err := n.weftClient(t, t.Name()+"-"+service+"-host", service+"-host").ListenWithOptions(t.Context(), service, sdk.ListenOptions{})
			if err != nil {
				t.Fatalf("listen: %v", err)
			}
			t.Cleanup(func() { _ = l.Close() })
			return l
		},
		dial: func(t *testing.T, n *network, service string) func(context.Context) (net.Conn, error) {
			c := n.weftClient(t, t.Name()+"-"+service+"-dial", service+"-dial")
			return func(ctx context.Context) (net.Conn, error) { return c.Dial(ctx, service) }
		},
	}
}

// weftClient enrols a new identity with the project's own SDK.
func (n *network) weftClient(t *testing.T, name string, attributes ...string) *sdk.Client {
	t.Helper()
	_, jwt := n.identity(t, name, attributes...)
	id, err := sdk.Enroll(t.Context(), jwt, sdk.EnrollOptions{})
	if err != nil {
		t.Fatalf("enrol: %v", err)
	}
	c, err := sdk.New(id, sdk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}
